// "On this machine" is true only where the reader's own address says so: a server behind a proxy cannot know. The page
// says what holds everywhere; <span data-local="..."> has the words for a page opened by a loopback name.

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

if (LOOPBACK.test(location.hostname))
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-local]")))
    node.textContent = /** @type {string} */ (node.dataset.local);
