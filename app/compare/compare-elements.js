// A tag, its attributes and its children -> an element of HTML or SVG. Text goes in as text.

const SVG = "http://www.w3.org/2000/svg";
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number | boolean | undefined }} [props]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props))
    if (value !== undefined && value !== false) el.setAttribute(key, value === true ? "" : String(value));
  el.append(
    .../** @type {(Node | string)[]} */ (children.filter((one) => one !== null && one !== undefined && one !== "")),
  );
  return el;
}
/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number }} [props]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props)) el.setAttribute(key, String(value));
  el.append(...children);
  return el;
}
/**
 * @param {number} number
 * @param {boolean} [to] whether it leads to its row
 */
export const disc = (number, to = true) =>
  number
    ? make(
        to ? "a" : "span",
        { class: "disc", href: to && `#d-${number}`, "aria-label": `difference ${number}` },
        String(number),
      )
    : "";

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {string} [cls]
 * @param {string} [anchor]
 */
export function text(x, y, words, cls = "", anchor = "start") {
  const el = draw("text", { x, y, "text-anchor": anchor });
  if (cls) el.setAttribute("class", cls);
  el.textContent = words;
  return el;
}
/**
 * @param {string} part
 * @param {string} words
 */
export const parted = (part, words) => make("a", { href: `?part=${part}`, "data-to": part }, words);
