/* A drawing as plain objects, and what becomes of it on the page: only what differs from the drawing before is touched. */

import { h as element, setAttrs, s as svgElement } from "../../../explainers/kit/dom.js";

/* {tag, attrs, kids}; a kid is another of these, a text, or a node that is made already and stays itself. */
const of =
  (svg) =>
  (tag, { text, ...attrs } = {}, ...kids) => ({
    svg,
    tag,
    attrs,
    kids: [text, ...kids.flat(Infinity)].filter((kid) => kid !== undefined && kid !== null && kid !== false),
  });
export const h = of(false);
export const s = of(true);

const made = (one) => {
  if (one instanceof Node) return one;
  if (one.tag === undefined) return document.createTextNode(one);
  const node = (one.svg ? svgElement : element)(one.tag, one.attrs);
  into(node, one.kids);
  return node;
};

/* The node of what was drawn, once it is what is to be drawn; or nothing, where it cannot become that. */
const turned = (node, was, one) => {
  if (was === one) return node;
  if (was instanceof Node || one instanceof Node || was.tag !== one.tag || was.svg !== one.svg) return null;
  if (one.tag === undefined) node.data = one;
  else {
    for (const [key, value] of Object.entries(one.attrs))
      if (was.attrs[key] !== value) setAttrs(node, { [key]: value });
    for (const key of Object.keys(was.attrs)) if (!(key in one.attrs)) setAttrs(node, { [key]: false });
    into(node, one.kids, was.kids);
  }
  return node;
};

/* The kids of a node become these; what others put between them stays. The nodes stand beside the kids: kids.nodes. */
export const into = (parent, kids, before = []) => {
  const old = before.nodes || [];
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

/* Every plain object, and every node made already. */
export const each = (kids, then) => {
  for (const one of kids) {
    then(one);
    if (one.kids) each(one.kids, then);
  }
};
