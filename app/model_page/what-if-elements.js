// Elements of the form "What if it had ...", with their text, properties and attributes.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [text]
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [more]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function made(tag, text = "", more = {}) {
  const node = Object.assign(document.createElement(tag), more);
  if (text !== "") node.textContent = text;
  return node;
}
/**
 * @template {Element} E
 * @param {E} node
 * @param {{ [name: string]: string | number | boolean }} found
 * @returns {E}
 */
export const attributes = (node, found) => {
  for (const [key, value] of Object.entries(found)) node.setAttribute(key, String(value));
  return node;
};
