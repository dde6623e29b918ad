/* An old address: links keep the state that it names, and a step that it names is opened. */
for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-moved]")))
  link.search = location.search;
const step = location.hash && document.getElementById(location.hash.slice(1))?.querySelector("a[data-moved]");
if (step instanceof HTMLAnchorElement) location.replace(step.href);
