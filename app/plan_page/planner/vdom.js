/* A drawing as plain objects, and what becomes of it on the page: only what differs from the drawing before is touched. */

import { h as element, setAttrs, s as svgElement } from "../../../explainers/kit/dom.js";

/** @import { VAttrs, VGiven, VKid, VKids, VNode } from "./types.d.ts" */

/**
 * {tag, attrs, kids}; a kid is another of these, a text, or a node that is made already and stays itself.
 * @param {boolean} svg
 * @returns {(tag: string, attrs?: VAttrs, ...kids: VGiven[]) => VNode}
 */
const of =
  (svg) =>
  (tag, { text, ...attrs } = {}, ...kids) => ({
    svg,
    tag,
    attrs,
    kids: /** @type {VKid[]} */ (
      [text, .../** @type {unknown[]} */ (kids).flat(Infinity)].filter(
        (kid) => kid !== undefined && kid !== null && kid !== false,
      )
    ),
  });
/** @returns {VNode} */
export const h = of(false);
/** @returns {VNode} */
export const s = of(true);

/**
 * @param {VKid} one
 * @returns {ChildNode}
 */
const made = (one) => {
  if (one instanceof Node) return /** @type {ChildNode} */ (one);
  if (typeof one !== "object") return document.createTextNode(String(one));
  const node = one.svg
    ? svgElement(/** @type {"g"} */ (one.tag), one.attrs)
    : element(/** @type {"div"} */ (one.tag), one.attrs);
  into(node, one.kids);
  return node;
};

/**
 * The node of what was drawn, once it is what is to be drawn; or nothing, where it cannot become that.
 * @param {ChildNode} node
 * @param {VKid} was
 * @param {VKid} one
 * @returns {ChildNode | null}
 */
const turned = (node, was, one) => {
  if (was === one) return node;
  if (was instanceof Node || one instanceof Node) return null;
  if (typeof was !== "object" || typeof one !== "object") {
    if (typeof was === "object" || typeof one === "object") return null;
    /** @type {Text} */ (node).data = String(one);
    return node;
  }
  if (was.tag !== one.tag || was.svg !== one.svg) return null;
  const it = /** @type {Element} */ (node);
  for (const [key, value] of Object.entries(one.attrs)) if (was.attrs[key] !== value) setAttrs(it, { [key]: value });
  for (const key of Object.keys(was.attrs)) if (!(key in one.attrs)) setAttrs(it, { [key]: false });
  into(it, one.kids, was.kids);
  return node;
};

/**
 * The kids of a node become these; what others put between them stays. The nodes stand beside the kids: kids.nodes.
 * @param {Element} parent
 * @param {VKids} kids
 * @param {VKids} [before]
 * @returns {VKids}
 */
export const into = (parent, kids, before = []) => {
  const old = before.nodes || [];
  /** @type {ChildNode | null} */
  let last = null;
  kids.nodes = kids.map((one, i) => {
    const had = old[i];
    const mine = had ? turned(had, before[i], one) : null;
    const node = mine || made(one);
    if (!mine) {
      if (had && had.parentNode === parent && !kids.includes(had)) had.remove();
      if (last) last.after(node);
      else parent.prepend(node);
    }
    last = node;
    return node;
  });
  for (const node of old.slice(kids.length)) if (node.parentNode === parent && !kids.includes(node)) node.remove();
  return kids;
};

/**
 * Every plain object, and every node made already.
 * @param {VKids} kids
 * @param {(one: VKid) => void} then
 */
export const each = (kids, then) => {
  for (const one of kids) {
    then(one);
    if (typeof one === "object" && "kids" in one) each(one.kids, then);
  }
};
