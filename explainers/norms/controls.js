/* The controls of one stack, for the labs that show some of them: norms and loops. */
import { toggle as kitToggle, segmented, select, slider } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { makeOffer } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";
import { check, find, switches } from "./compute.js";

/** @import { Data } from "../../.make/data_types/norms.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { AfmModel, Setter } from "../kit/model.js" */
/** @import { Model, State } from "./compute.js" */

/** What has a control. @typedef {Omit<State, "layer">} Chosen */
/**
 * What has a slider.
 * @typedef {"layers" | "loops" | "borrow" | "scale" | "cap" | "grown" | "score" | "drafts" | "accept"} Sliding
 */

/** @type {(keyof State)[]} */
export const KEYS = [
  "model",
  "norm",
  "scale",
  "layers",
  "layer",
  "qk",
  "grown",
  "head",
  "cap",
  "score",
  "gate",
  "parallel",
  "drafts",
  "accept",
  "loops",
  "borrow",
  "own",
  "streams",
  "rounds",
];
/** @type {[value: string, label: string][]} */
const NORM_NAMES = [
  ["pre", "pre-norm"],
  ["post", "post-norm, 2017"],
  ["sandwich", "sandwich norm"],
  ["behind", "output norm only"],
  ["normed", "normalised stream"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const lab_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @param {string} slug */
  const of = (slug) => /** @type {Model} */ (find(slug, data));
  /** @type {Setter<Chosen>} */
  const go = (key) => (value) => offer(made[key], { [key]: value });
  /**
   * @param {Sliding} key
   * @param {string} label
   * @param {number} min
   * @param {number} max
   * @param {{ step?: number, format?: (value: number) => string }} [more]
   */
  const slide = (key, label, min, max, more) => slider({ label, min, max, onInput: go(key), ...more });
  /**
   * @template {keyof Chosen} Key
   * @param {Key} key
   * @param {string} label
   * @param {readonly (State[Key] | Option<State[Key]>)[]} options
   */
  const choose = (key, label, options) => select({ label, options, onInput: go(key) });
  /** @param {"parallel" | "own" | "qk"} key @param {string} label */
  const toggle = (key, label) => kitToggle({ label, onInput: go(key) });
  /**
   * @template {keyof Chosen} Key
   * @param {Key} key
   * @param {string} label
   * @param {readonly (State[Key] | Option<State[Key]>)[]} options
   */
  const pills = (key, label, options) => segmented({ label, options, onInput: go(key) });
  /** @type {{ [Key in keyof Chosen]: Control<State[Key]> }} */
  const made = {
    model: select({
      label: "set up like",
      options: data.models.map((row) => {
        const { slug: value, title: label } = of(String(row[0]));
        return { value, label };
      }),
      onInput: (slug) => offer(made.model, { model: slug, ...switches(of(slug), data) }),
    }),
    norm: choose(
      "norm",
      "norms",
      NORM_NAMES.map(([value, label]) => ({ value, label })),
    ),
    layers: slide("layers", "layers", 1, 128),
    loops: slide("loops", "runs", 1, 16),
    borrow: slide("borrow", "last layers reusing KV", 0, 127),
    scale: slide("scale", "residual scale", 0.01, 2, { step: 0.01, format: (v) => fmt.fixed(v, 2) }),
    gate: pills("gate", "gate", [
      { value: "none", label: "none" },
      { value: "heads", label: "per head" },
      { value: "numbers", label: "per element" },
    ]),
    parallel: toggle("parallel", "parallel sublayers"),
    own: toggle("own", "per-layer embedding"),
    qk: toggle("qk", "QK-norm"),
    streams: pills("streams", "streams", [1, 4]),
    rounds: choose(
      "rounds",
      "Sinkhorn rounds",
      data.kinds.rounds.map((value) => ({ value, label: value || "free" })),
    ),
    cap: slide("cap", "cap", 0, 200, { format: (v) => (v ? String(v) : "none") }),
    grown: slide("grown", "query and key scale", 0.25, 16, { step: 0.25, format: (v) => fmt.num(v, 4) }),
    head: choose("head", "head size", data.kinds.head),
    score: slide("score", "score", 0, 200),
    drafts: slide("drafts", "drafts", 0, 7),
    accept: slide("accept", "acceptance rate", 0.05, 0.99, { step: 0.01, format: (v) => fmt.percent(v, 0) }),
  };
  return made;
};
/**
 * A row of controls by their keys.
 * @param {ReturnType<typeof lab_controls>} made
 * @param {...keyof Chosen} keys
 */
export const row_of = (made, ...keys) =>
  h(
    "div",
    { class: "cw-row" },
    keys.map((key) => made[key].el),
  );
