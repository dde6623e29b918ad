/* A formula of the data, MathML as lists -> its elements; where a word names a number of this token, the number. */
import { put } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/linear-family.d.ts" */

const MATH = "http://www.w3.org/1998/Math/MathML";

/** @typedef {{ [word: string]: [path: string, how: string] }} Holes */

/** @param {unknown} tree @param {object} now @param {Holes} holes @returns {Node} */
const build = (tree, now, holes) => {
  if (typeof tree === "string") return document.createTextNode(tree);
  const [tag, ...inside] = /** @type {[string, ...unknown[]]} */ (tree);
  const el = document.createElementNS(MATH, tag);
  const hole = tag === "mtext" && holes[/** @type {string} */ (inside[0])];
  if (hole) return put(el, ...hole, now);
  if (tag === "mn") el.setAttribute("data-index", ""); // a constant of the rule
  if (tag === "mspace") el.setAttribute("width", String(inside[0]));
  else el.append(...inside.map((one) => build(one, now, holes)));
  return el;
};
/** @param {Element} box @param {Data["rules"][number]["formula"]} tree @param {object} now @param {Holes} [holes] */
export const writeFormula = (box, tree, now, holes = {}) => {
  const math = document.createElementNS(MATH, "math");
  math.append(build(tree, now, holes));
  box.replaceChildren(math);
};
