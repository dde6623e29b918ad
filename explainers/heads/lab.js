/* The parts of the lab, put together: controls on top, fans, bars and numbers, ranks, and the inside of MLA. */
import { number, segmented, select } from "../kit/controls.js";
import { afterPaint, h, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, readState } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";
import { barsView } from "./bars.js";
import { circuitView } from "./circuit.js";
import { compute, find } from "./compute.js";
import { legalRanks, ownStop, RANKS, resolve } from "./counting.js";
import { fansView } from "./fans.js";
import { ranksView } from "./ranks.js";
import { readout, toyTable, waysTable } from "./readout.js";
import { stopSlider } from "./stop_slider.js";
import { checkRanks, readsWords } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */
/** @import { AfmModel, Setter } from "../kit/model.js" */
/** @import { Model } from "./counting.js" */

/** @typedef {ReturnType<typeof build>} View */

export const KEYS = ["model", "shape", "kv", "context", "head", "tp", "path", "rope"];
/** @type {[tokens: number, label: string][]} */
const CONTEXTS = [
  [8192, "8k"],
  [131072, "128k"],
  [1048576, "1M"],
];
/**
 * @param {number} tp
 * @param {number[]} legal
 */
export const nearest = (tp, legal) => legal.filter((t) => t <= tp).pop() || 1;

/**
 * What the state becomes where another model or another number of key/value heads is chosen.
 * @param {AfmModel<State, Data>} model
 * @param {Data} data
 */
const makeSteering = (model, data) => {
  const shapeNow = () => {
    const found = /** @type {Model} */ (find(readState(model, KEYS), data));
    return found.shapes[model.get("shape")];
  };
  /** @param {number} kv */
  const toKv = (kv) => {
    const legal = legalRanks(shapeNow().heads, kv);
    commit(model, { kv: kv === ownStop(shapeNow()) ? -1 : kv, tp: nearest(model.get("tp"), legal) });
  };
  /** @param {string} slug */
  const toModel = (slug) => {
    const shape = /** @type {Model} */ (find({ model: slug }, data)).shapes[0];
    commit(model, {
      model: slug,
      shape: 0,
      kv: -1,
      head: Math.min(model.get("head"), shape.heads - 1),
      tp: nearest(model.get("tp"), legalRanks(shape.heads, ownStop(shape))),
    });
  };
  return { shapeNow, toKv, toModel };
};

/**
 * @param {AfmModel<State, Data>} model
 * @param {Data} data
 * @param {ReturnType<typeof makeSteering>} steering
 */
const makeControls = (model, data, { shapeNow, toKv, toModel }) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  return {
    models: select({
      label: "model",
      options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })),
      onInput: toModel,
    }),
    stops: stopSlider("Key/value heads", toKv),
    context: segmented({
      label: "context",
      options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${fmt.int(value)} tokens` })),
      onInput: go("context"),
    }),
    tp: stopSlider("Ranks", go("tp")),
    typed: number({
      label: "ranks",
      value: 8,
      min: 1,
      max: RANKS,
      integer: true,
      size: 3,
      allow: (t) => checkRanks(t, shapeNow().heads, resolve(readState(model, KEYS), shapeNow())),
      onInput: go("tp"),
    }),
    path: segmented({ label: "decode", options: ["expanded", "absorbed"], onInput: go("path") }),
    rope: segmented({
      label: "RoPE",
      options: [
        { value: "apart", label: "separate" },
        { value: "inside", label: "inside the key" },
      ],
      onInput: go("rope"),
    }),
  };
};

/**
 * @param {AfmModel<State, Data>} model
 * @param {HTMLElement} root
 * @param {Data} data
 */
export const build = (model, root, data) => {
  const steering = makeSteering(model, data);
  const fans = fansView(
    (head) => {
      const n = compute(readState(model, KEYS), data);
      setText(view.reads, readsWords(head, n.kv, n.heads));
    },
    (head) => commit(model, { head }),
  );
  const view = {
    ...makeControls(model, data, steering),
    fans,
    mlaTitle: heading("Inside MLA"),
    shapesOf: "", // whose kinds of attention `shape` lists
    shape: /** @type {ReturnType<typeof select> | null} */ (null),
    later: afterPaint(),
    shapes: h("div"),
    above: h("span"),
    hint: h("span"),
    kept: h("b"),
    reads: h("b"),
    read: readout(),
    bars: barsView(steering.toKv),
    ranks: ranksView(),
    circuit: circuitView(),
    spread: h("p"),
    per: h("b"),
    all: h("b"),
    waste: h("b"),
    ways: waysTable(),
    toy: toyTable(),
    agree: h("p", { class: "cw-heads-agree" }),
  };
  layOut(root, view);
  return view;
};

/** @param {HTMLElement} root @param {View} view */
const layOut = (root, view) => {
  root.append(
    h("div", { class: "cw-row cw-heads-top" }, view.models.el, view.shapes, view.stops.el),
    h("p", { class: "cw-heads-above" }, view.above, view.hint),
    view.fans.el,
    h("p", { class: "cw-heads-below" }, view.kept, view.reads),
    h("div", { class: "cw-split cw-section" }, h("div", {}, view.bars.el), h("div", {}, view.context.el, view.read.el)),
    h(
      "div",
      { class: "cw-section", "data-below": true },
      heading("Split over GPUs", "tensor parallelism splits query heads, and key/value heads with them"),
      h("div", { class: "cw-row cw-heads-top" }, view.typed.el, view.tp.el),
      view.ranks.el,
      view.spread,
      h(
        "p",
        {},
        "Each rank stores ",
        view.per,
        " per token, all ranks together ",
        view.all,
        ": ",
        view.waste,
        " what one copy takes.",
      ),
      makeLegend([
        { class: "cw-heads-dot-q", label: "query heads" },
        { class: "cw-heads-dot-kv", label: "cached, first copy" },
        { class: "cw-heads-dot-copy", label: "cached again" },
      ]),
    ),
    h(
      "div",
      { class: "cw-section" },
      view.mlaTitle,
      h(
        "div",
        { class: "cw-heads-pair" },
        h("div", { "data-omit": true }, view.path.el, view.circuit.el),
        h(
          "div",
          {},
          view.ways.el,
          h("p", { class: "cw-note", text: "FLOPs of one layer for one new token, per token in the cache." }),
          heading("Why RoPE needs its own dimensions"),
          view.rope.el,
          view.toy.el,
          view.agree,
        ),
      ),
    ),
  );
};
