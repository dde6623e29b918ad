// The controls of a weighing that somebody changed before its code was there: they differ from the page as it came.

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

/** @param {Control} node */
const came = (node) =>
  "options" in node ? [...node.options].find((one) => one.defaultSelected)?.value : node.defaultValue;
/**
 * @param {Control} node
 * @returns {node is HTMLInputElement}
 */
const isRadio = (node) => node.type === "radio";
/** @param {Control} node */
const differs = (node) => (isRadio(node) ? node.checked && !node.defaultChecked : node.value !== came(node));
export const changed = () =>
  [.../** @type {NodeListOf<Control>} */ (document.querySelectorAll("[data-in]"))]
    .filter(differs)
    .map((node) => ({ node, value: node.value }));

/**
 * Changed once more, whatever the address has put there meanwhile.
 * @param {{ node: Control, value: string }} changed
 */
export function again({ node, value }) {
  if (isRadio(node)) node.checked = true;
  else node.value = value;
  node.dispatchEvent(new Event(node.dataset.in === "vs" ? "input" : "change"));
}
