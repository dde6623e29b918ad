/* The lab: two tokens and their dials, every pair's wavelength, and the sentences that read them. */

import { upto } from "../kit/arrays.js";
import { select, slider } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { check, compute, FURTHEST, PAIRS } from "./compute.js";
import { dials_view, distances_view, waves_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/position.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now, Row } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["model", "theta", "stretch", "query", "key", "pair"];
/** @type {[value: string, label: string][]} */
const STRETCHED = [
  ["own", "as in its config"],
  ["none", "none"],
  ["linear", "linear × 8"],
  ["llama3", "llama3 × 8"],
  ["yarn", "YaRN × 8"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const position_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @param {"query" | "key"} key */
  const token = (key) => slider({ label: `${key} at token`, min: 0, max: FURTHEST, onInput: go(key) });
  return {
    query: token("query"),
    key: token("key"),
    model: select({
      label: "model",
      options: /** @type {Row[]} */ (data.models).map((row) => ({
        value: row[0],
        label: row[1],
        group: row[0].split("/")[0],
      })),
      onInput: go("model"),
    }),
    theta: select({
      label: "base θ",
      options: data.bases.map((value) => ({ value, label: value ? fmt.int(value) : "the model’s" })),
      onInput: go("theta"),
    }),
    stretch: select({
      label: "RoPE scaling",
      options: STRETCHED.map(([value, label]) => ({ value, label })),
      onInput: go("stretch"),
    }),
    pair: slider({ label: "pair", min: 0, max: PAIRS - 1, onInput: go("pair") }),
  };
};

/** @param {Now} now */
const turning = ({ rope }) => [
  "Pair {here.pair:int} turns once in {here.wave:fixed 1} tokens: {here.times:fixed 2} times the {here.plain:fixed 1} it takes without scaling.",
  "{rope.title}: base {rope.theta:int}, {rope.kind}. {rope.dims:int} of {rope.head:int} dimensions of a head are rotated, in {rope.pairs:int} pairs. The fastest pair turns once in {rope.fastest:fixed 2} tokens, the slowest in {rope.slowest:int}.",
  `{rope.kept:int} pairs are unchanged, {rope.between:int} are slowed in part, {rope.slowed:int} by the full factor of {rope.factor:int}. Without scaling, {rope.unfinished:int} would not finish a turn within the {rope.trained:int} ${rope.original ? "trained tokens" : "tokens of its config"}.`,
];
const STILL = [
  "No pair turns, so there is nothing to scale.",
  "{rope.title}: {rope.dims:int} of {rope.head:int} dimensions of a head are rotated.",
  "",
];

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "position");
    const data = readData(model);
    const made = position_controls(model, data);
    const [dials, waves, far] = [dials_view(), waves_view(), distances_view()];
    const [scored, distant, ...told] = upto(5).map(() => h("p"));
    root.append(
      h("div", { class: "cw-row" }, made.query.el, made.key.el),
      ...dials.el,
      scored,
      h(
        "div",
        { class: "cw-section", "data-below": true },
        heading("How long does each pair take to turn?", "tokens for one turn, on a log scale"),
        h("div", { class: "cw-row" }, made.model.el, made.theta.el, made.stretch.el, made.pair.el),
        waves.el,
        told,
        heading("How does the score fall with distance?", "a key equal to its query; queries random"),
        far.el,
        distant,
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      dials.update(now);
      waves.update(now, now.here.pair, false);
      far.update(now, false);
      fill(distant, "{far.tokens:int} tokens apart, the mean score is {far.mean:fixed 2} ± {far.twice:fixed 2}.", now);
      fill(
        scored,
        "Query {query:int} and key {key:int} are {offset:int} tokens apart. A key equal to the query scores {score:fixed 3} of the maximum.",
        now,
      );
      told.forEach((p, i) => fill(p, (now.rope.pairs ? turning(now) : STILL)[i], now));
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
