/* The lab: ranks, shards and a stage; every rank's bytes at a moment of the step, the stages beside each other, what was counted. */
import { upto } from "../kit/arrays.js";
import { segmented, select } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { makeTransport, steadyText } from "../kit/time.js";
import { check, compute, DP, SHARDS, words_of } from "./compute.js";
import { bars_view, cards_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/data-parallel.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

/** @typedef {[key: keyof State, control: Control<State[keyof State]>][]} Controls */

export { check, compute } from "./compute.js";

const KEYS = ["stage", "dp", "shard", "convention", "model", "step"];
const MOMENTS = ["before", "forward", "backward", "reduce", "update", "gather"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const data_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @param {number} value */
  const ranks = (value) => commit(model, { dp: value, ...(model.get("shard") > value ? { shard: 0 } : {}) });
  return {
    model: select({
      label: "parameters",
      options: data.models.map(([value, label]) => ({ value, label })),
      onInput: go("model"),
    }),
    convention: segmented({
      label: "bytes per parameter",
      options: Object.keys(data.conventions),
      onInput: go("convention"),
    }),
    stage: segmented({ label: "ZeRO stage", options: [0, 1, 2, 3], onInput: go("stage") }),
    dp: segmented({ label: "ranks", options: DP, onInput: ranks }),
    shard: segmented({
      label: "sharded over",
      options: SHARDS.map((value) => ({ value, label: value ? String(value) : "all" })),
      onInput: go("shard"),
    }),
  };
};

/** @param {Now} now */
const told_of = (now) => [
  `{here.per:fixed 2} bytes per parameter between steps: {here.bytes:bytes} on each of {dp:int} ranks, with {copies:int} cop${now.copies === 1 ? "y" : "ies"} sharded over {shards:int} ranks${now.copies === 1 ? "" : " each"}.`,
  "A rank sends {sent.gradients:fixed 2} bytes of gradients and {sent.weights:fixed 2} of weights per parameter, counted in the simulated step; the ring formulas give {formula.gradients:fixed 2} and {formula.weights:fixed 2}.",
  `On {nodes:int} node${now.nodes === 1 ? "" : "s"} of eight GPUs, {leaves:bytes} leave each node in a step.`,
];

/** @typedef {ReturnType<typeof make_parts>} Parts */

const make_parts = () => ({
  cards: cards_view(),
  held: bars_view("per"),
  sends: bars_view("sends"),
  so_far: h("p"),
  agrees: h("p"),
  moment: steadyText({ class: "cw-data-parallel-moment" }),
  told: upto(3).map(() => h("p")),
});

/** What a rank holds, and what it sends: a section each. @param {Parts} parts */
const make_sections = ({ held, sends, agrees, told }) => [
  h(
    "div",
    { class: "cw-section", "data-below": true },
    heading("What does a rank hold?", "bytes per parameter, between two steps"),
    held.el,
    told[0],
  ),
  h(
    "div",
    { class: "cw-section" },
    heading("What does a rank send?", "bytes per parameter, in a step"),
    sends.el,
    told[1],
    told[2],
    agrees,
  ),
];

/**
 * The ranks at a moment of the step, and that moment in words.
 * @param {Parts} parts
 * @param {State} state
 * @param {Data} data
 */
const draw_moment = ({ cards, moment, so_far }, state, data) => {
  const now = { ...state, ...compute(state, data) };
  cards.update(now, state.dp);
  moment.update(
    upto(6).map((one) => words_of(state.stage, one, data)),
    state.step,
  );
  fill(
    so_far,
    "{now:fixed 2} bytes per parameter now, {now_bytes:bytes} on each rank; {so_far:bytes} sent so far.",
    now,
  );
};

/** What holds of the whole step. @param {Parts} parts @param {State & Now} now */
const print = ({ held, sends, told, agrees }, now) => {
  for (const view of [held, sends]) view.update(now, now.stage, false);
  told_of(now).forEach((words, i) => fill(told[i], words, now));
  agrees.textContent = now.agrees
    ? "The new weights equal those of the same step on one rank; both steps were run."
    : "The new weights differ from those of the same step on one rank.";
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "data-parallel");
    const data = readData(model);
    const made = data_controls(model, data);
    const parts = make_parts();
    const legend = makeLegend([
      { class: "weights", label: "weights" },
      { class: "gradients", label: "gradients" },
      { class: "optimizer", label: "optimizer" },
    ]);
    /** @type {[state: State | null, drawn: number]} */
    let [state, drawn] = [null, -1];
    /** @param {number} t */
    const show = (t) => {
      const step = Math.min(Math.floor(t), 5);
      if (!state || step === drawn) return;
      drawn = step;
      draw_moment(parts, { ...state, step }, data);
    };
    const play = makeTransport({
      label: "phases of a step",
      length: 5,
      rate: 0.8,
      format: (t) => MOMENTS[Math.min(Math.floor(t), 5)],
      onFrame: show,
      onStop: (t) => commit(model, { step: Math.round(t) }),
    });
    root.append(
      h("div", { class: "cw-row" }, made.model.el, made.convention.el, made.dp.el),
      h("div", { class: "cw-row" }, made.stage.el, made.shard.el),
      parts.cards.el,
      legend,
      play.el,
      parts.moment.el,
      parts.so_far,
      ...make_sections(parts),
    );
    /** @param {State} next */
    const update = (next) => {
      state = next;
      for (const [key, control] of /** @type {Controls} */ (Object.entries(made))) control.set(state[key]);
      drawn = -1;
      play.set(state.step);
      if (!play.playing()) show(state.step);
      print(parts, { ...state, ...compute(state, data) });
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      play.stop();
      off();
    };
  },
};
