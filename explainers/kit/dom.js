/* Elements: a tag's name, attributes and children -> HTML or SVG, built once, then updated where something changed.
   What the kit knows of an element (the nodes of its list, a root's width) is kept in WeakMaps, not on the element. */
import { beginWidth } from "./width.js";

export const SVG_NS = "http://www.w3.org/2000/svg";

/**
 * What an attribute is set to: true makes a bare attribute; false, null and undefined remove it.
 * @typedef {string | number | bigint | boolean | null | undefined} AttrValue
 */

/**
 * Listeners by the name of their event. They are added, never replaced: give them once, to `h` or `s`.
 * @typedef {{ [E in keyof HTMLElementEventMap]?: ((event: HTMLElementEventMap[E]) => void) | null }} Listeners
 */

/**
 * What `h`, `s` and `setAttrs` take: `text` is the element's text, `on` its listeners, `data` its data attributes, `style`
 * its CSS properties (`{"--x": 3}`); `value`, `checked` and `disabled` are set as properties, all else as attributes.
 * @typedef {{
 *   class?: AttrValue,
 *   text?: AttrValue,
 *   on?: Listeners,
 *   data?: { [name: string]: AttrValue },
 *   style?: { [property: string]: AttrValue },
 *   [name: string]: AttrValue | Listeners | { [name: string]: AttrValue },
 * }} Attrs
 */

/**
 * A child of an element: a node, words, a list of children, or nothing.
 * @typedef {Node | string | null | undefined | false | readonly Kid[]} Kid
 */

/**
 * An element of HTML or SVG: whatever has `dataset`, `style` and `focus()`.
 * @typedef {HTMLElement | SVGElement} El
 */

/**
 * The element that a selector names, where the page is known to have one.
 * @template {Element} [E=HTMLElement]
 * @param {ParentNode} within
 * @param {string} css
 * @returns {E}
 */
export const findIn = (within, css) => /** @type {E} */ (within.querySelector(css));

/**
 * The first child element, where there is known to be one.
 * @template {Element} [E=El]
 * @param {ParentNode} parent
 * @returns {E}
 */
export const firstChild = (parent) => /** @type {E} */ (parent.firstElementChild);

/**
 * The last child element, where there is known to be one.
 * @template {Element} [E=El]
 * @param {ParentNode} parent
 * @returns {E}
 */
export const lastChild = (parent) => /** @type {E} */ (parent.lastElementChild);

/**
 * Updates attributes, touching only what changed.
 * @template {Element} E
 * @param {E} node
 * @param {Attrs | null} [attrs]
 * @returns {E} the same node
 */
export const setAttrs = (node, attrs) => {
  const el = /** @type {HTMLElement & { [key: string]: unknown }} */ (/** @type {Element} */ (node));
  for (const [key, value] of Object.entries(attrs || {})) {
    const inner = /** @type {object} */ (value); // of on, data and style
    if (key === "text") setText(el, value);
    else if (key === "on") for (const [event, fn] of Object.entries(inner)) el.addEventListener(event, fn);
    else if (key === "data") for (const [name, v] of Object.entries(inner)) el.dataset[name] = v;
    else if (key === "style") for (const [name, v] of Object.entries(inner)) el.style.setProperty(name, v);
    else if (key === "value" || key === "checked" || key === "disabled") {
      if (el[key] !== value) el[key] = value;
    } else if (value === false || value === null || value === undefined) el.removeAttribute(key);
    else {
      const text = value === true ? "" : String(value);
      if (el.getAttribute(key) !== text) el.setAttribute(key, text);
    }
  }
  return node;
};

/**
 * Updates the text of a node, touching only what changed.
 * @template {Node} N
 * @param {N} node
 * @param {unknown} text
 * @returns {N} the same node
 */
export const setText = (node, text) => {
  const value = String(text);
  if (node.textContent !== value) node.textContent = value;
  return node;
};

/**
 * Sets attributes and appends children.
 * @template {Element} E
 * @param {E} node
 * @param {Attrs | null | undefined} attrs
 * @param {readonly Kid[]} kids
 * @returns {E} the same node
 */
export const grow = (node, attrs, kids) => {
  setAttrs(node, attrs);
  for (const kid of /** @type {unknown[]} */ (kids).flat(Infinity))
    if (kid !== null && kid !== undefined && kid !== false) node.append(/** @type {Node | string} */ (kid));
  return node;
};

/**
 * Makes an HTML element: `h("p", { class: "cw-note", text: "…" })`, `h("label", {}, input, h("span", { text: label }))`.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attrs | null} [attrs]
 * @param {...Kid} kids
 * @returns {HTMLElementTagNameMap[T]}
 */
export const h = (tag, attrs, ...kids) => grow(document.createElement(tag), attrs, kids);

/**
 * Makes an SVG element: `s("rect", { width: 20, height: 10, rx: 2 })`.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attrs | null} [attrs]
 * @param {...Kid} kids
 * @returns {SVGElementTagNameMap[T]}
 */
export const s = (tag, attrs, ...kids) => grow(document.createElementNS(SVG_NS, tag), attrs, kids);

/** The children that renderList made of each parent, by key. @type {WeakMap<Element, Map<unknown, Element>>} */
const lists = /* @__PURE__ */ new WeakMap();

/**
 * Makes the children of a parent match a list: a child is made once for each key (its place, where there is no `key`),
 * then updated and put where it belongs.
 * @template T
 * @template {Element} E
 * @param {Element} parent its children are those of the list and no others
 * @param {readonly T[]} items
 * @param {(item: T, i: number) => E} make
 * @param {((node: E, item: T, i: number) => void) | null} [update]
 * @param {((item: T, i: number) => unknown) | null} [key]
 */
export const renderList = (parent, items, make, update, key) => {
  const old = /** @type {Map<unknown, E> | undefined} */ (lists.get(parent));
  /** @type {Map<unknown, E>} */
  const now = new Map();
  items.forEach((item, i) => {
    const k = key ? key(item, i) : i;
    const node = old?.get(k) || make(item, i);
    if (update) update(node, item, i);
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] || null);
    now.set(k, node);
  });
  while (parent.children.length > items.length) parent.lastElementChild?.remove();
  lists.set(parent, now);
};

let named = 0;

/**
 * An id that no other element of the page has: cw-tip-1.
 * @param {string} prefix
 */
export const uid = (prefix) => {
  named += 1;
  return `cw-${prefix}-${named}`;
};

/** Of each root, where changes are announced and where a refused state is explained. @type {WeakMap<Element, { live: HTMLElement, error: HTMLElement }>} */
const voices = /* @__PURE__ */ new WeakMap();

/**
 * Makes a widget's root, `<div class="cw cw-heads">`, and puts it into the host's element. The explainer's own styles begin
 * with .cw-<name>; what all share (.cw-row, .cw-note, .cw-table …) is in kit.css.
 * @param {Element} el
 * @param {string} name
 * @returns {HTMLDivElement}
 */
export const makeRoot = (el, name) => {
  const live = h("div", { class: "cw-live", role: "status", "aria-live": "polite" });
  const error = h("p", { class: "cw-error", role: "alert" });
  const root = h("div", { class: `cw cw-${name}` }, live, error);
  beginWidth(root, el);
  voices.set(root, { live, error });
  el.append(root);
  return root;
};

/**
 * Tells a screen reader what a sighted reader sees change.
 * @param {Element} root what makeRoot made
 * @param {string} text
 */
export const announce = (root, text) => {
  const voice = voices.get(root);
  if (voice) setText(voice.live, text);
};

/**
 * Says at the top of a widget why a state is refused; "" takes the sentence away.
 * @param {Element} root what makeRoot made
 * @param {string} sentence
 */
export const explainError = (root, sentence) => {
  const voice = voices.get(root);
  if (voice) setText(voice.error, sentence);
};

/**
 * A queue of one: what is given to it runs once the next frame is out, the newest alone. For what is below the fold.
 * @returns {(fn: () => void) => void}
 */
export const afterPaint = () => {
  /** @type {(() => void) | null} */
  let work = null;
  const run = () => {
    const fn = work;
    work = null;
    fn?.();
  };
  return (fn) => {
    if (!work) requestAnimationFrame(() => setTimeout(run));
    work = fn;
  };
};
