/* What one weight costs: the terms of this scheme as a bar and as a list, and the bits per weight of every scheme. */
import { h, renderList, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Now } from "./compute.js" */

/** A row of the table of all schemes, the i-th of the ledger. @typedef {{ now: Now, i: number, label: string, class: string }} Item */

/** @param {Data} data */
const scheme_table = (data) => {
  /** @type {(column: number) => (row: Item) => string} */
  const out = (column) => (row) => `ledger.${row.i}.${column}`;
  const every = makeTable({
    caption: "Bits per weight of every scheme",
    columns: [
      { key: "label", label: "scheme" },
      { out: out(0), how: "fixed 3", label: "bits per weight", align: "right" },
      { out: out(1), label: "stored" },
      { out: out(2), label: "besides" },
      { out: out(3), label: "source" },
    ],
  });
  /** @param {string} name @param {Now} now */
  const update = (name, now) =>
    every.update(
      data.ledger.map((r, i) => ({ now, i, label: r.label, class: r.name === name ? "cw-blocks-current" : "" })),
    );
  return { el: every.el, update };
};

/** @param {Data} data */
export const cost_ledger = (data) => {
  const bar = h("div", { class: "cw-blocks-cost", "aria-hidden": "true", "data-omit": true });
  const sum = h("ul", { class: "cw-blocks-sum" });
  const [bits, models] = [h("strong", { class: "cw-big" }), h("p", { class: "cw-note" })];
  const every = scheme_table(data);
  const el = h(
    "div",
    {},
    bar,
    sum,
    h("p", {}, bits, " bits per weight"),
    models,
    h("details", { "data-omit": true }, h("summary", {}, "All schemes, cheapest first"), every.el),
  );
  let drawn = "";
  /** @param {{ name: string }} row @param {Now} now */
  const update = (row, now) => {
    if (drawn === row.name) return;
    drawn = row.name;
    renderList(
      bar,
      now.cost.shares,
      () => h("span"),
      (span, share, k) => {
        setAttrs(span, { class: `cw-blocks-share s${k}`, style: { "flex-grow": String(share) } });
        if (k === 0) put(span, "cost.terms.0", "text", now);
      },
    );
    const term = () => h("li", {}, h("i", { "aria-hidden": "true" }), h("span"));
    renderList(sum, now.cost.terms, term, (li, _, k) => {
      setAttrs(li.children[0], { class: `cw-blocks-share s${k}` });
      put(li.children[1], `cost.terms.${k}`, "text", now);
    });
    put(bits, "cost.bits", "num", now);
    put(models, "cost.models", "text", now);
    every.update(row.name, now);
  };
  return { el, update };
};
