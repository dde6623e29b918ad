/* The parts of the lab, built once: controls, drawings and sentences, and where each stands. */
import { number, segmented, select, slider, toggle } from "../kit/controls.js";
import { afterPaint, h } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit } from "../kit/model.js";
import { claimsList } from "./claims_list.js";
import { curveView } from "./curve_drawing.js";
import { LONGEST } from "./legal.js";
import { DEPTH, TOKENS } from "./mask.js";
import { maskView } from "./mask_drawing.js";
import { find } from "./stack.js";
import { marksLegend, stackView } from "./stack_drawing.js";
import { stacksTable } from "./stacks_table.js";
import { int } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { AfmModel } from "../kit/model.js" */
/** @import { Model } from "./stack.js" */

/** @type {[tokens: number, label: string][]} */
const CONTEXTS = [
  [8192, "8k"],
  [131072, "128k"],
  [1048576, "1M"],
];

/** Sets some of the state. @typedef {(changes: Partial<State>) => void} Go */

/** @param {Go} go */
const mask_controls = (go) => ({
  kind: segmented({
    label: "mask",
    options: [
      { value: "causal", label: "causal" },
      { value: "window", label: "sliding window" },
      { value: "chunked", label: "chunked" },
    ],
    onInput: (kind) => go({ kind }),
  }),
  span: slider({ label: "window or chunk", min: 1, max: TOKENS, value: 12, onInput: (span) => go({ span }) }),
  depth: slider({ label: "layers with this mask", min: 1, max: DEPTH, value: 1, onInput: (depth) => go({ depth }) }),
  first: slider({ label: "first tokens kept", min: 0, max: 8, value: 0, onInput: (first) => go({ first }) }),
  sink: toggle({ label: "a learned sink, as in gpt-oss and MiMo", onInput: (sink) => go({ sink }) }),
  logit: slider({
    label: "its logit",
    min: -8,
    max: 8,
    step: 0.5,
    value: 2,
    format: (v) => String(v).replace("-", "−"),
    onInput: (logit) => go({ logit }),
  }),
});

/** @param {Go} go @param {(slug: string) => void} pick @param {Data} data */
const stack_controls = (go, pick, data) => ({
  models: select({
    label: "model",
    options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })),
    onInput: pick,
  }),
  context: segmented({
    label: "context",
    options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${int(value)} tokens` })),
    onInput: (context) => go({ context }),
  }),
  typed: number({
    label: "tokens",
    value: 131072,
    min: 1,
    max: LONGEST,
    integer: true,
    size: 9,
    onInput: (context) => go({ context }),
  }),
});

/** @param {AfmModel<State, Data>} model @param {Data} data */
const parts_of = (model, data) => {
  /** @type {Go} */
  const go = (changes) => commit(model, changes);
  /** @param {string} slug */
  const pick = (slug) => {
    const found = /** @type {Model} */ (find(slug, data));
    go({ model: slug, layer: Math.min(model.get("layer"), found.stack.length - 1) });
  };
  const para = () => h("p");
  return {
    later: afterPaint(),
    ...mask_controls(go),
    mask: maskView((query) => go({ query })),
    row: h("p", { class: "cw-masks-main" }),
    more: [para(), para(), para()],
    ...stack_controls(go, pick, data),
    stack: stackView((layer) => go({ layer })),
    mix: h("p", { class: "cw-masks-main" }),
    knows: para(),
    verdict: para(),
    sinks: h("p", { class: "cw-note" }),
    compared: h("p", { class: "cw-note" }),
    curve: curveView((context) => go({ context })),
    holds: para(),
    full: para(),
    slope: para(),
    keys: makeLegend([
      { class: "cw-masks-key seen", label: "seen by one layer" },
      { class: "cw-masks-key known", label: "known through the layers below" },
    ]),
    legend: marksLegend(data),
    table: stacksTable(pick),
    claims: claimsList(data),
  };
};

/** @typedef {ReturnType<typeof parts_of>} View */

/** @param {HTMLElement} root @param {View} view */
const place = (root, view) =>
  root.append(
    h("div", { class: "cw-row" }, view.kind.el, view.span.el, view.depth.el),
    h(
      "div",
      { class: "cw-masks-pair" },
      view.mask.el,
      h(
        "div",
        { class: "cw-masks-read" },
        view.row,
        view.more,
        h("div", { class: "cw-masks-knobs" }, view.first.el, view.sink.el, view.logit.el),
        view.keys,
      ),
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("How far back can each layer reach?", "one bar per layer, the last on top; tokens back, on a log scale"),
      h("div", { class: "cw-row" }, view.models.el, view.context.el, view.typed.el),
      h(
        "div",
        { class: "cw-masks-pair" },
        view.stack.el,
        h(
          "div",
          { class: "cw-masks-read" },
          view.mix,
          view.knows,
          view.verdict,
          view.sinks,
          h("p", {
            class: "cw-note",
            text: "Solid bars: seen by the layer itself. Pale bars: known through the layers below.",
          }),
          view.legend.el,
        ),
      ),
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("Size of the cache", "bytes against context length, both on log scales"),
      h(
        "div",
        { class: "cw-masks-pair" },
        view.curve.el,
        h("div", { class: "cw-masks-read" }, view.holds, view.full, view.slope, view.compared),
      ),
      view.table.el,
    ),
    h(
      "div",
      { class: "cw-section" },
      heading("What does “1/7” compare?", "MiMo's claims, recomputed at the chosen context"),
      view.claims.el,
    ),
  );

/** @param {AfmModel<State, Data>} model @param {HTMLElement} root @param {Data} data */
export const build = (model, root, data) => {
  const view = parts_of(model, data);
  place(root, view);
  return view;
};
