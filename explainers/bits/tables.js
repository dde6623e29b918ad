/* Tables and lists whose cells are values of compute. */
import { h, setAttrs } from "../kit/dom.js";
import { put, valueAt } from "../kit/numbers.js";

/** @import { Column } from "../kit/table.js" */
/** @import { Now } from "./compute.js" */

/** A row of a table: the i-th of a list of compute's. @typedef {{ i: number, now: Now, class: string }} Item */

/* Columns of a table whose rows are {i, now}: every cell is a value of compute. */
/**
 * @param {"everywhere" | "policies" | "modes"} list
 * @param {string[]} keys
 * @param {{ [key: string]: string }} labels
 * @param {string[]} [right]
 * @returns {Column<Item>[]}
 */
export const columns = (list, keys, labels, right = []) =>
  keys.map((key) => ({
    out: (row) => `${list}.${row.i}.${key}`,
    label: labels[key] || key,
    align: right.includes(key) ? "right" : "",
    class: ["source", "where", "path"].includes(key)
      ? "cw-note"
      : ["label", "bits", "library", "mode"].includes(key)
        ? ""
        : "cw-mono",
    mark: /** @type {Column<Item>["mark"]} */ (
      list === "policies" &&
        ((text) => /** @type {{ [text: string]: string }} */ ({ NaN: "nan", inf: "inf", max: "max" })[text])
    ),
  }));
/**
 * @template {"everywhere" | "policies" | "modes"} List
 * @param {Now} o
 * @param {List} list
 * @param {(row: Now[List][number]) => string | false} css
 * @returns {Item[]}
 */
export const items = (o, list, css) => o[list].map((row, i) => ({ i, now: o, class: css(row) || "" }));

/** @param {[path: string, label: string][]} entries */
export const rows = (entries) => {
  const cells = entries.map(
    ([key, label]) =>
      /** @type {[path: string, dt: HTMLElement, dd: HTMLElement]} */ ([
        key,
        h("dt", { text: label }),
        h("dd", { class: "cw-mono" }),
      ]),
  );
  return {
    el: h(
      "dl",
      {},
      cells.map(([, dt, dd]) => [dt, dd]),
    ),
    /** @param {Now} o */
    update: (o) =>
      cells.forEach(([path, , dd]) => setAttrs(put(dd, path, "text", o), { title: valueAt(o, path) || false })),
  };
};
