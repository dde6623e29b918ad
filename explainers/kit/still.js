/* A tree of elements -> the HTML that stands in a page before, or without, any script: what is hidden is left out, and so
   are controls, which nobody would hear. build/render.mjs calls it; no page does. */
import { SVG_NS } from "./dom.js";

const VOID = "br, hr, img, wbr, col";
const CONTROLS =
  "button, input, select, textarea, .cw-control, .cw-transport, .cw-live, .cw-error, .cw-tip, [hidden], dialog";
/** What is said only of an element that can be used. */
const LIVE = /^(tabindex|aria-(live|valuenow|valuemin|valuemax|valuetext|describedby|controls|pressed|selected))$/;
const USED = /^(slider|button|radio|checkbox|switch|application)$/;

/** @param {string} text */
const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * Whether an element is to be seen and does something without a script.
 * @param {Element} el
 */
const stays = (el) => !el.matches(CONTROLS) && !/display:\s*none/.test(el.getAttribute("style") ?? "");

/**
 * The attributes of an element, without what only a live one has; what can be used is a picture here.
 * @param {Element} el
 */
const attributes = (el) =>
  [...el.attributes]
    .reverse() // linkedom has the newest first
    .filter(({ name }) => !LIVE.test(name))
    .map(({ name, value }) => [name, name === "role" && USED.test(value) ? "img" : value])
    .map(([name, value]) => (value ? ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"` : ` ${name}`))
    .join("");

/**
 * A node as HTML; an element that held nothing but controls is left out, too.
 * @param {Node} node
 * @returns {string}
 */
export const still = (node) => {
  if (node.nodeType === 3) return escapeText(/** @type {Text} */ (node).data);
  if (node.nodeType !== 1 || !stays(/** @type {Element} */ (node))) return "";
  const el = /** @type {Element} */ (node);
  const tag = el.localName;
  const inner = [...el.childNodes].map(still).join("");
  const svg = el.namespaceURI === SVG_NS;
  if (!inner && el.childNodes.length && !svg) return "";
  if (svg && !inner) return `<${tag}${attributes(el)}/>`;
  return el.matches(VOID) ? `<${tag}${attributes(el)}>` : `<${tag}${attributes(el)}>${inner}</${tag}>`;
};

/**
 * Nodes and words as HTML.
 * @param {readonly (Node | string)[]} nodes
 */
export const stills = (nodes) => nodes.map((one) => (typeof one === "string" ? escapeText(one) : still(one))).join("");
