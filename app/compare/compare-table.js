// Two compared models -> the table of their differences, part by part, with what each costs.
import { disc, draw, make, parted } from "./compare-elements.js";
import { amount, change, PARTS, size, whole } from "./compare-numbers.js";

/** @import { ComparedModel, Difference, Pair } from "../site/types.d.ts" */

/**
 * @param {number | null} number
 * @param {number} most
 * @param {number} [apart]
 */
function cost(number, most, apart = 0) {
  if (apart) return make("td", { class: "n" }, `${change(apart, amount)}, not in total`);
  if (number === null) return make("td", { class: "n muted" }, "not counted");
  if (!number) return make("td", { class: "n muted" }, "=");
  const long = Math.max((Math.abs(number) / most) * 38, 0.8),
    svg = draw("svg", { class: "cmp-cost", viewBox: "0 0 80 8", "aria-hidden": "true" });
  svg.append(
    draw("path", { class: "zero", d: "M40 0V8" }),
    draw("path", number > 0 ? { d: `M40 1h${long}v6h-${long}z` } : { class: "less", d: `M40 1.5h-${long}v5h${long}z` }),
  );
  return make("td", { class: "n" }, change(number, amount), svg);
}
/**
 * @param {Difference} row
 * @param {number} wide the most parameters that any row costs
 * @param {number} busy the most active parameters
 */
const line = (row, wide, busy) =>
  make(
    "tr",
    { id: row.number ? `d-${row.number}` : undefined },
    make(
      "th",
      { scope: "row" },
      disc(row.number, false),
      row.number ? " " : "",
      `${row.what} `,
      make("code", {}, row.key),
    ),
    make("td", { class: "n" }, row.a || "none"),
    make("td", { class: "n" }, row.a === row.b ? "=" : make("b", {}, row.b || "none")),
    cost(row.parameters, wide, row.apart),
    cost(row.active, busy),
    make("td", { class: "n" }, row.cache === null ? "not counted" : change(row.cache, size)),
  );
/** @param {Difference} row */
const equalLine = (row) =>
  make(
    "tr",
    { class: "muted" },
    make("th", { scope: "row" }, `${row.what} `, make("code", {}, row.key)),
    make("td", { class: "n" }, row.a),
    make("td", { class: "n" }, "="),
    make("td"),
    make("td"),
    make("td"),
  );

/** @type {[words: string, mine: (row: Difference) => unknown][]} */
const SIDES = [
  ["Only in A", (row) => !row.b],
  ["Only in B", (row) => !row.a],
  ["In both, with other values", (row) => row.a && row.b],
];
/**
 * Rows of models that share little: those of A, those of B, those of both.
 * @param {Pair} found
 * @param {(row: Difference) => HTMLElement} told
 */
const bySide = (found, told) =>
  SIDES.map(([words, mine]) => /** @type {const} */ ([words, found.rows.filter(mine)])).map(([words, rows]) =>
    make(
      "tbody",
      {},
      make(
        "tr",
        { class: "cmp-part" },
        make("th", { scope: "rowgroup", colspan: 5 }, words),
        make("td", { class: "n muted" }, String(rows.length)),
      ),
      ...rows.map(told),
    ),
  );
/**
 * @param {Pair} found
 * @param {(row: Difference) => HTMLElement} told
 * @param {boolean} all whether equal fields are shown, too
 */
const byPart = (found, told, all) =>
  Object.entries(PARTS).map(([part, words]) => {
    const rows = found.rows.filter((row) => row.part === part),
      same = all ? found.equal.filter((row) => row.part === part) : [];
    const top = make(
      "tr",
      { class: "cmp-part" },
      make("th", { scope: "rowgroup" }, parted(part, words)),
      make("td", { class: "muted", colspan: 4 }, found.heads[part]),
      make("td", { class: "n muted" }, rows.length ? String(rows.length) : "="),
    );
    return make("tbody", {}, top, ...rows.map(told), ...same.map(equalLine));
  });
/** @param {ComparedModel[]} models */
const totals = ([{ figures: was }, { figures: is }]) =>
  make(
    "tbody",
    {},
    make(
      "tr",
      { class: "sum" },
      make("th", { scope: "row" }, "total"),
      make("td", { class: "n" }, amount(was.parameters)),
      make("td", { class: "n" }, amount(is.parameters)),
      make("td", { class: "n" }, change(is.parameters - was.parameters, whole)),
      make("td", { class: "n" }, change(is.active - was.active, whole)),
      make("td", { class: "n" }, change(is.cache_bytes - was.cache_bytes, size)),
    ),
  );

/**
 * @param {Pair & { far: boolean }} found
 * @param {ComparedModel[]} models
 * @param {boolean} all whether equal fields are shown, too
 * @returns {HTMLDivElement}
 */
export function table(found, [a, b], all) {
  /** @param {"parameters" | "active"} key */
  const most = (/** @type {"parameters" | "active"} */ key) =>
    Math.max(1, ...found.rows.map((row) => Math.abs(row[key] ?? 0)));
  const [wide, busy] = [most("parameters"), most("active")],
    /** @type {(row: Difference) => HTMLElement} */
    told = (row) => line(row, wide, busy);
  const head = [
    "Part and field",
    `A ${a.title}`,
    `B ${b.title}`,
    "Parameters",
    "Active per token",
    "Cache per token",
  ].map((words, i) => make("th", { scope: "col", class: i ? "n" : "" }, words));
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences" },
    make(
      "table",
      { class: "cmp-table" },
      make("caption", { class: "away" }, `Differences between ${a.title} and ${b.title}`),
      make("thead", {}, make("tr", {}, ...head)),
      ...(found.far ? bySide(found, told) : byPart(found, told, all)),
      totals([a, b]),
    ),
  );
}
