/* The lab's controls: the collective and its ranks, the size of the array, and the links. */
import { upto } from "../kit/arrays.js";
import { segmented, slider } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { makeOffer } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";
import { check } from "./compute.js";
import { levels } from "./timed.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel } from "../kit/model.js" */

/** The keys that have a control. @typedef {Exclude<keyof State, "step">} Controlled */
/**
 * A key -> what its control does with a value: the state takes it with what `also` gives, or with the first step.
 * @typedef {<Key extends Controlled>(
 *   key: Key,
 *   also?: (value: State[Key]) => Partial<State>,
 * ) => (value: State[Key]) => void} SetterOf
 */

/** @type {(keyof State)[]} */
export const KEYS = [
  "op",
  "algorithm",
  "ranks",
  "root",
  "step",
  "message",
  "alpha",
  "bandwidth",
  "per_node",
  "net_alpha",
  "net_bandwidth",
];

/**
 * What is run: the collective, its algorithm, and the ranks.
 * @param {AfmModel<State, Data>} model
 * @param {Data} data
 * @param {SetterOf} set
 */
const run_controls = (model, data, set) => {
  const start = data.start;
  /**
   * Hierarchical goes by nodes: two of them, where there was one or they are of unequal size.
   * @param {string} algorithm
   */
  const nodes_for = (algorithm) => {
    const [n, many] = [model.get("ranks"), model.get("per_node")];
    const half = upto(n)
      .filter((local) => local && n % local === 0)
      .at(-1);
    return { step: 0, ...(algorithm === "hierarchical" && !levels(n, many) ? { per_node: half } : {}) };
  };
  return {
    op: segmented({ label: "collective", options: data.ops, value: start.op, onInput: set("op") }),
    algorithm: segmented({
      label: "algorithm",
      options: data.algorithms.map((value) => ({
        value,
        label: value === "hierarchical" ? "hierarchical (2D)" : value,
      })),
      value: start.algorithm,
      onInput: set("algorithm", nodes_for),
    }),
    per_node: slider({
      label: "GPUs in a node",
      min: 1,
      max: 16,
      value: start.per_node,
      format: (many) => (model.get("ranks") > many ? String(many) : "all"),
      onInput: set("per_node"),
    }),
    ranks: slider({
      label: "ranks n",
      min: 2,
      max: 16,
      value: start.ranks,
      onInput: set("ranks", (n) => ({ step: 0, root: Math.min(model.get("root"), n - 1) })),
    }),
    root: slider({
      label: "root",
      min: 0,
      max: 15,
      value: start.root,
      onInput: set("root", (r) => ({ step: 0, root: Math.min(r, model.get("ranks") - 1) })),
    }),
  };
};

/** What a run's time depends on: the array and the links; the step stays. @param {State} start @param {SetterOf} set */
const time_sliders = (start, set) => {
  const keep = () => ({});
  /** @param {"alpha" | "net_alpha"} key @param {string} label */
  const start_up = (key, label) =>
    slider({
      label,
      min: 0,
      max: 100,
      step: 0.5,
      value: start[key],
      format: (a) => `${a} µs`,
      onInput: set(key, keep),
    });
  /** @param {"bandwidth" | "net_bandwidth"} key @param {string} label */
  const bandwidth = (key, label) =>
    slider({
      label,
      min: 1,
      max: 2000,
      value: start[key],
      format: (b) => `${fmt.int(b)} GB/s`,
      onInput: set(key, keep),
    });
  return {
    message: slider({
      label: "array S",
      min: 10,
      max: 34,
      value: start.message,
      format: (m) => fmt.kib(2 ** m, undefined, 0),
      onInput: set("message", keep),
    }),
    alpha: start_up("alpha", "start-up α"),
    net_alpha: start_up("net_alpha", "network α"),
    net_bandwidth: bandwidth("net_bandwidth", "network"),
    bandwidth: bandwidth("bandwidth", "bandwidth"),
  };
};

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const collectives_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {SetterOf} */
  const set = (key, also) => (value) => offer(made[key], { [key]: value, ...(also ? also(value) : { step: 0 }) });
  /** @type {{ [Key in Controlled]: Control<State[Key]> }} */
  const made = { ...run_controls(model, data, set), ...time_sliders(data.start, set) };
  const top = h(
    "div",
    { class: "cw-collectives-controls" },
    made.op.el,
    h("div", { class: "cw-row" }, made.algorithm.el, made.ranks.el, made.per_node.el, made.root.el),
  );
  const time = h(
    "div",
    { class: "cw-collectives-sliders" },
    made.message.el,
    made.alpha.el,
    made.bandwidth.el,
    made.net_alpha.el,
    made.net_bandwidth.el,
  );
  return { top, time, made };
};
