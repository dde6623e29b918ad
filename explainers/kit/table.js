/* Tables of rows, and lists of labelled numbers, that are filled anew with each state. */
import { h, lastChild, renderList, setAttrs, setText } from "./dom.js";
import { fill, put } from "./numbers.js";

/** @import { AttrValue } from "./dom.js" */

/**
 * A column of a table. It prints `row[key]`, by `format` if there is one, or is bound: the value at the path `out(row)` of
 * `row.now`, in the format `how`. `mark` gives the cell a data-mark.
 * @template Row
 * @typedef {{
 *   key?: string | number,
 *   label?: string,
 *   align?: string,
 *   class?: string,
 *   format?: (value: any, row: Row) => unknown,
 *   out?: (row: Row) => string,
 *   how?: string,
 *   mark?: (value: any, row: Row) => AttrValue,
 * }} Column
 */

/**
 * A table that scrolls sideways where it has to. A row may have a `class`; rows of bound columns carry `now`.
 * @template {object} [Row={ [key: string]: any }]
 * @param {{ caption: string, columns: readonly Column<Row>[], rows?: readonly Row[] }} given
 * @returns {{ el: HTMLDivElement, update(rows: readonly Row[]): void }}
 */
export const makeTable = ({ caption, columns, rows = [] }) => {
  const head = h(
    "tr",
    {},
    columns.map((c) =>
      h(c.label ? "th" : "td", {
        scope: c.label ? "col" : false,
        class: c.align === "right" && "cw-right",
        text: c.label ?? "",
      }),
    ),
  );
  const body = h("tbody");
  const el = h(
    "div",
    { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "cw-table" }, h("caption", { text: caption }), h("thead", {}, head), body),
  );
  /** @type {(c: Column<Row>, i: number) => HTMLTableCellElement} */
  const cell = (c, i) =>
    h(i === 0 ? "th" : "td", {
      scope: i === 0 ? "row" : false,
      class: [c.align === "right" && "cw-right", c.class].filter(Boolean).join(" ") || false,
    });
  /** @type {(td: Element, c: Column<Row>, row: Row) => void} */
  const fillCell = (td, c, row) => {
    const values = /** @type {{ [key: string]: any }} */ (row);
    const value = values[c.key ?? ""];
    if (c.out) put(td, c.out(row), c.how, values.now);
    else setText(td, c.format ? c.format(value, row) : (value ?? ""));
    if (c.mark) setAttrs(td, { "data-mark": c.mark(c.out ? td.textContent : value, row) || false });
  };
  /** @param {readonly Row[]} now */
  const update = (now) =>
    renderList(
      body,
      now,
      () => h("tr", {}, columns.map(cell)),
      (tr, row) => {
        setAttrs(tr, { class: /** @type {{ class?: AttrValue }} */ (row).class || false });
        columns.forEach((c, i) => {
          fillCell(tr.children[i], c, row);
        });
      },
    );
  update(rows);
  return { el, update };
};

/**
 * The same, whose rows a phone reads one below the other, each value with the label of its column (learn.css).
 * @type {typeof makeTable}
 */
export const makeStack = (given) => {
  const { el, update } = makeTable(given);
  const table = lastChild(el);
  setAttrs(table, { class: "cw-table cw-stack" });
  const label = () => {
    for (const tr of lastChild(table).children)
      given.columns.forEach((c, i) => {
        setAttrs(tr.children[i], { "data-label": (i > 0 && c.label) || false });
      });
  };
  label();
  return {
    el,
    update: (rows) => {
      update(rows);
      label();
    },
  };
};

/**
 * Numbers with their labels, as a list: each row is a label and a template.
 * @param {string} name a class
 * @param {readonly (readonly [label: string, template: string])[]} rows
 */
export const makeResults = (name, rows) => {
  const values = rows.map(() => h("dd"));
  const el = h(
    "dl",
    { class: name },
    rows.map(([label], i) => h("div", {}, h("dt", { text: label }), values[i])),
  );
  /** @param {object} now */
  const update = (now) => {
    for (const [i, [, template]] of rows.entries()) fill(values[i], template, now);
  };
  return { el, update };
};
