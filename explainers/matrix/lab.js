/* The parts of the lab, put together: controls, maps, the scatter plot and the table of schemes. */
import { segmented, select } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit } from "../kit/model.js";
import { makeStack } from "../kit/table.js";
import { scatter_view } from "./charts.js";
import { SHOWN } from "./compute.js";
import { live_maps } from "./live.js";
import { maps_row, scale_legend } from "./maps.js";

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { AfmModel, Setter } from "../kit/model.js" */
/** @import { Row } from "./compute.js" */
/** @import { OwnSlice } from "./own.js" */
/** @import { make_pool } from "./pool.js" */

/** What widget.js adds: a single file has no room for it, and no page around it. @type {{ own_slice: OwnSlice | null, make_pool: typeof make_pool | null }} */
export const extras = { own_slice: null, make_pool: null };

/** @type {[label: string, key: keyof Row, how: string][]} */
const COLUMNS = [
  ["scheme", "label", "text"],
  ["bits", "bits", "num 4"],
  ["weights", "weights", "signed 1"],
  ["rotated", "rotated", "signed 1"],
  ["out", "out", "signed 1"],
  ["out, rotated", "out_rotated", "signed 1"],
  ["zeros", "zeros", "percent 1"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const matrix_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  const [first, ...others] = data.seeds;
  return {
    drawn: segmented({
      label: "the numbers",
      options: [
        { value: false, label: "weights made here" },
        { value: true, label: "a drawing" },
      ],
      onInput: (drawn) => commit(model, drawn ? { drawn, loud: 1, shown: "values" } : { drawn, shown: "error" }),
    }),
    seed: select({
      label: "seed",
      options: [first, ...others].map((value) => ({ value, label: String(value) })),
      onInput: go("seed"),
    }),
    loud: segmented({
      label: "error of",
      options: data.loud.map((value) => ({
        value,
        label: value === 1 ? "the weights" : `outputs, input 300 × ${value}`,
        title: value === 1 ? "also of outputs, where all inputs are equally large" : "",
      })),
      onInput: go("loud"),
    }),
    shown: segmented({
      label: "shown",
      options: SHOWN.map((value) => ({ value, label: value })),
      onInput: go("shown"),
    }),
    rule: segmented({
      label: "MXFP4’s scale rule",
      options: ["floor", "rceil", "even"],
      onInput: (rule) =>
        commit(model, model.get("scheme").startsWith("mxfp4") ? { rule, scheme: `mxfp4_${rule}` } : { rule }),
    }),
    scheme: select({
      label: "scheme",
      options: data.schemes.map(({ name, label }) => ({ value: name, label })),
      onInput: (scheme) =>
        commit(model, scheme.startsWith("mxfp4") ? { scheme, rule: scheme.slice("mxfp4_".length) } : { scheme }),
    }),
  };
};

/** @param {AfmModel<State, Data>} model @param {HTMLElement} root @param {Data} data @param {HTMLElement | null} home */
export const build = (model, root, data, home) => {
  const made = matrix_controls(model, data);
  /** @param {string} scheme @param {{ row: number, column: number } | null} at */
  const onPick = (scheme, at) => {
    const own = maps.own();
    const limit = model.get("drawn") ? data.made.drawn : data.made.side;
    const { rows, columns } = own ?? { rows: limit, columns: limit };
    const place = at && {
      row: Math.min(Math.floor(at.row * rows), limit - 1),
      column: Math.min(Math.floor((at.column * columns) / 32) * 32, limit - 1),
    };
    commit(model, { scheme, ...place });
  };
  const [plain, turned] = [maps_row({ onPick }), maps_row({ turned: true, onPick })];
  const [legend, scatter, maps] = [scale_legend(), scatter_view(), live_maps(data, extras.make_pool?.(home, data))];
  const [says, source] = [h("p", { class: "cw-matrix-says" }), h("p", { class: "cw-note", hidden: true })];
  const table = makeStack({
    caption: "Every scheme: signal to noise in dB",
    columns: COLUMNS.map(([label, key, how], i) => ({
      label,
      align: i ? "right" : "",
      how,
      out: (row) => `rows.${row.i}.${key}`,
    })),
  });
  const pills = makeLegend([
    { class: "in", label: "error of the weights" },
    { class: "out", label: "error of what comes out" },
  ]);
  root.append(
    h("div", { class: "cw-row" }, made.drawn.el, made.seed.el, made.loud.el),
    h("div", { class: "cw-row" }, made.shown.el, made.rule.el, made.scheme.el),
    source,
    h(
      "div",
      { "data-omit": true }, // pictures are heavy; those of the beats stand there before any script
      heading("Four bits, six ways to share a scale"),
      legend.el,
      plain.el,
      heading(
        "The same, rotated first",
        "random signs, a Hadamard matrix over every 32 inputs; the error is turned back",
      ),
      turned.el,
    ),
    says,
    h(
      "div",
      { class: "cw-section", "data-below": true },
      heading("What does a bit buy?", "signal to noise against bits per weight"),
      scatter.el,
      pills,
      table.el,
    ),
  );
  return { made, plain, turned, legend, scatter, maps, says, source, table };
};
