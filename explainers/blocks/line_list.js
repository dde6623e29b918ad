/* Lines of [what, how] as a list of terms: of a scale, an element, the errors of a block. */
import { h, renderList, setText } from "../kit/dom.js";
import { fill, put, valueAt } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */
/** @import { Line } from "./lines.js" */

/** Rows of [what, how]: `how` is a template, or stands in compute's result as text at path.i.1. @param {string} name */
export const line_list = (name) => {
  const el = h("dl", { class: `cw-blocks-rows ${name}` });
  const make = () => h("div", {}, h("dt"), h("dd", { class: "cw-mono" }));
  /** @param {Line[]} rows @param {Now} now */
  const update = (rows, now) =>
    renderList(el, rows, make, (div, [what, how]) => {
      setText(div.children[0], what);
      fill(div.children[1], how, now);
    });
  /** @param {string} path @param {Now} now */
  const told = (path, now) =>
    renderList(el, /** @type {Line[]} */ (valueAt(now, path)), make, (div, _, i) => {
      put(div.children[0], `${path}.${i}.0`, "text", now);
      put(div.children[1], `${path}.${i}.1`, "text", now);
    });
  return { el, update, told };
};
