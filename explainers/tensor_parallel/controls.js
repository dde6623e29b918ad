/* The controls of the lab: of the layer on t ranks, and of ZeRO. */
import { number, segmented, select, slider, toggle } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { makeOffer, readState } from "../kit/model.js";
import { check, settle } from "./legal.js";
import { rows_of, title_of } from "./shapes.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel } from "../kit/model.js" */

export const KEYS = [
  "view",
  "model",
  "tp",
  "sequence",
  "sequence_parallel",
  "step",
  "rank",
  "stage",
  "dp",
  "convention",
];

/**
 * The controls in rows: of both views, of the layer alone, and of ZeRO alone.
 * @param {{ [key: string]: Control<any> }} made
 */
const rows_with = (made) => {
  const layer = h("div", { class: "cw-row" }, made.tp.el, made.sequence.el, made.sequence_parallel.el);
  const zero = h("div", { class: "cw-row" }, made.stage.el, made.convention.el, made.dp.el);
  const shared = h("div", { class: "cw-row" }, made.model.el, made.view.el);
  return { el: h("div", { class: "cw-tensor-parallel-controls" }, shared, layer, zero), layer, zero };
};

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const tensor_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  const start = data.start;
  /** @type {<Key extends keyof State>(key: Key, also?: { rank?: number }) => (value: State[Key]) => void} */
  const set =
    (key, also = {}) =>
    (value) =>
      offer(made[key], { [key]: value, ...also });
  /** @returns {State} */
  const now = () => readState(model, KEYS);
  const names = rows_of(data)
    .map((m) => ({ value: m[0], label: title_of(m) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  /** @type {{ [key: string]: Control<any> }} */
  const made = {
    view: segmented({
      label: "show",
      options: [
        { value: "layer", label: "one layer on t ranks" },
        { value: "zero", label: "ZeRO: what each rank keeps" },
      ],
      value: start.view,
      onInput: set("view"),
    }),
    model: select({
      label: "model",
      options: names,
      value: start.model,
      onInput: (slug) =>
        offer(made.model, { model: slug, rank: -1, tp: settle({ ...now(), model: slug }, [], data).tp }),
    }),
    tp: slider({ label: "ranks t", min: 1, max: 16, value: start.tp, onInput: set("tp", { rank: -1 }) }),
    sequence: number({
      label: "tokens",
      min: 1,
      max: 2 ** 20,
      integer: true,
      value: start.sequence,
      allow: (sequence) => check({ ...now(), sequence }, data),
      onInput: set("sequence"),
    }),
    sequence_parallel: toggle({
      label: "sequence parallelism",
      value: start.sequence_parallel,
      onInput: set("sequence_parallel"),
    }),
    stage: segmented({ label: "ZeRO stage", options: [0, 1, 2, 3], value: start.stage, onInput: set("stage") }),
    dp: slider({ label: "data-parallel ranks D", min: 1, max: 64, value: start.dp, onInput: set("dp") }),
    convention: segmented({
      label: "bytes per parameter",
      options: Object.entries(data.conventions).map(([value, c]) => ({ value, label: c.label, title: c.source })),
      value: start.convention,
      onInput: set("convention"),
    }),
  };
  return { ...rows_with(made), made };
};
