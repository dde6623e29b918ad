// Copy buttons; snippets name the address the page really came from, and the state of its widget.
// <textarea data-snippet="../embed/bits/" data-state>: src="" becomes that address, with data-state the state behind it.
import { gettext } from "../../explainers/kit/gettext.js";

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const snippets = [.../** @type {NodeListOf<HTMLTextAreaElement>} */ (document.querySelectorAll("[data-snippet]"))];
let query = /^#beat-/.test(location.hash) ? "" : location.search;

const spell = () => {
  for (const box of snippets) {
    const stateful = box.dataset.state !== undefined;
    const address = escaped(new URL(box.dataset.snippet + (stateful ? query : ""), document.baseURI).href);
    box.value = box.defaultValue
      .replace(/ src="[^"]*"/, () => ` src="${address}"`)
      .replace(/ state="[^"]*"/, () => ` state="${escaped(query.slice(1))}"`);
  }
};

const link = () => new URL(query || location.pathname, location.href).href;
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
  const word = button.textContent;
  const source = /** @type {HTMLInputElement} */ (document.getElementById(/** @type {string} */ (button.dataset.copy)));
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source ? source.value : link());
      button.textContent = gettext("Copied");
    } catch {
      source?.select();
      button.textContent = source ? gettext("Selected: press Ctrl+C") : gettext("It is in the address bar");
    }
    setTimeout(() => {
      button.textContent = word;
    }, 2000);
  });
}
addEventListener("cutaway:state", ({ detail }) => {
  query = detail;
  spell();
});
spell();
