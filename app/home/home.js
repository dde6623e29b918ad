// The home page's drawing: a button fetches another model's page and takes the drawing out of it.

import { gettext } from "../../explainers/kit/gettext.js";

const holder = /** @type {HTMLElement} */ (document.querySelector(".drawn"));
const more = /** @type {HTMLAnchorElement} */ (document.querySelector("[data-more]"));
const picks = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-pick]"))];

/** @param {HTMLAnchorElement} link */
async function show(link) {
  const answer = await fetch(link.href);
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  holder.replaceChildren(document.adoptNode(/** @type {HTMLElement} */ (page.querySelector(".cw-figure"))));
  for (const other of picks) other.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  more.href = link.href;
  more.textContent = gettext("All of {model}: parameters, cache, weights, sources", { model: link.textContent ?? "" });
}

for (const link of picks)
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link).catch(() => {
      location.href = link.href;
    });
  });
