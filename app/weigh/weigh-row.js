// A row of the table of models that stand beside a page's own.

import { beside, crossing } from "./cache-words.js";

/** @import { GrowthSheet, TitledSheet, WeighState } from "../site/types.d.ts" */

/**
 * @param {"th" | "td"} tag
 * @param {string} text
 * @param {{ [name: string]: string }} [attributes]
 */
function cell(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/**
 * Its last cell is empty.
 * @param {string} slug
 * @param {TitledSheet} other
 * @param {GrowthSheet} own
 * @param {Pick<WeighState, "ctx" | "batch" | "kv">} state
 * @returns {HTMLTableRowElement}
 */
export function madeRow(slug, [title, sheet], own, state) {
  const row = document.createElement("tr"),
    [size, times] = beside(own, sheet, state);
  row.dataset.slug = slug;
  row.append(
    cell("th", title, { scope: "row" }),
    cell("td", size, { class: "n" }),
    cell("td", times, { class: "n" }),
    cell("td", crossing(own, sheet, state)),
    cell("td", ""),
  );
  return row;
}
