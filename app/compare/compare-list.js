// Two compared models -> the list of their differences, which a phone shows instead of the table.
import { disc, make, parted } from "./compare-elements.js";
import { amount, change, PARTS, size } from "./compare-numbers.js";

/** @import { ComparedModel, Difference, Pair } from "../site/types.d.ts" */

/** @param {Difference} row */
const price = (row) =>
  row.apart
    ? `${change(row.apart, amount)}, not in total`
    : row.parameters === null
      ? ""
      : change(row.parameters, amount);
/** @param {Difference} row */
const small = (row) =>
  [
    row.active ? `${change(row.active, amount)} active` : "",
    row.cache ? `${change(row.cache, size)} of cache per token` : "",
  ]
    .filter(Boolean)
    .join(", ");
/** @param {Difference} row */
const line = (row) =>
  make(
    "li",
    { id: row.number ? `d-${row.number}` : undefined },
    make(
      "span",
      { class: "what" },
      disc(row.number, false),
      " ",
      make("b", {}, row.what),
      " ",
      make("code", {}, row.key),
    ),
    make(
      "span",
      { class: "v" },
      make("span", { class: "muted" }, `${row.a || "none"} → `),
      make("b", {}, row.b || "none"),
    ),
    make("span", { class: "small muted" }, small(row)),
    make("b", { class: "small n" }, price(row)),
  );

/**
 * The table on a phone: a part and its rows below each other, what differs first.
 * @param {Pair} found
 * @param {ComparedModel[]} models
 * @returns {HTMLDivElement}
 */
export function list(found, [a, b]) {
  const parts = Object.entries(PARTS)
    .map(([part, words]) => /** @type {const} */ ([words, part, found.rows.filter((row) => row.part === part)]))
    .filter(([, , rows]) => rows.length);
  const more = [b.figures.parameters - a.figures.parameters, b.figures.active - a.figures.active];
  return make(
    "div",
    { class: "cmp-list" },
    ...parts.map(([words, part, rows]) =>
      make(
        "section",
        {},
        make("h3", {}, parted(part, words), make("span", { class: "muted" }, String(rows.length))),
        make("ul", {}, ...rows.map(line)),
      ),
    ),
    make(
      "p",
      { class: "sum" },
      make("b", {}, "total"),
      make("b", {}, `${change(more[0], amount)} · ${change(more[1], amount)} active`),
    ),
  );
}
