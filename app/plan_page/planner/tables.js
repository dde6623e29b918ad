/* Rows of cells -> a table as the page has them, a bar in one, a list of notes. */

import { h, s } from "../../../explainers/kit/dom.js";

/** @import { Kid } from "../../../explainers/kit/dom.js" */

/**
 * @param {string} caption
 * @param {string[][]} heads
 * @param {Kid} rows
 * @param {string} [cls]
 * @returns {HTMLDivElement}
 */
export const make = (caption, heads, rows, cls = "") =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: cls || false },
      h("caption", { class: "away", text: caption }),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([text, align]) =>
            h(text ? "th" : "td", { scope: text ? "col" : false, class: align || false, text }),
          ),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
/**
 * @param {Kid} kids
 * @param {string} [cls]
 * @returns {HTMLTableCellElement}
 */
export const cell = (kids, cls) => h("td", { class: cls || false }, kids);
/**
 * @param {...Kid} kids
 * @returns {HTMLTableCellElement}
 */
export const head = (...kids) => h("th", { scope: "row" }, kids);

/**
 * Notes: a word, and what to know.
 * @param {string[][]} rows
 */
export const said = (rows) => rows.map(([word, text]) => h("p", {}, h("b", { text: word }), ` ${text}`));

/**
 * @param {number} share
 * @param {string} cls
 */
export const bar = (share, cls) =>
  s(
    "svg",
    { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: cls, width: Math.max(share * 1000, 2).toFixed(1), height: 10 }),
  );
