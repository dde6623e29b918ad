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

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const collectives_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {<Key extends Controlled>(key: Key, also?: (value: State[Key]) => Partial<State>) => (value: State[Key]) => void} */
  const set = (key, also) => (value) => offer(made[key], { [key]: value, ...(also ? also(value) : { step: 0 }) });
  const keep = () => ({});
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
  const start = data.start;
  /** @type {{ [Key in Controlled]: Control<State[Key]> }} */
  const made = {
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
    message: slider({
      label: "array S",
      min: 10,
      max: 34,
      value: start.message,
      format: (m) => fmt.kib(2 ** m, undefined, 0),
      onInput: set("message", keep),
    }),
    alpha: slider({
      label: "start-up α",
      min: 0,
      max: 100,
      step: 0.5,
      value: start.alpha,
      format: (a) => `${a} µs`,
      onInput: set("alpha", keep),
    }),
    net_alpha: slider({
      label: "network α",
      min: 0,
      max: 100,
      step: 0.5,
      value: start.net_alpha,
      format: (a) => `${a} µs`,
      onInput: set("net_alpha", keep),
    }),
    net_bandwidth: slider({
      label: "network",
      min: 1,
      max: 2000,
      value: start.net_bandwidth,
      format: (b) => `${fmt.int(b)} GB/s`,
      onInput: set("net_bandwidth", keep),
    }),
    bandwidth: slider({
      label: "bandwidth",
      min: 1,
      max: 2000,
      value: start.bandwidth,
      format: (b) => `${fmt.int(b)} GB/s`,
      onInput: set("bandwidth", keep),
    }),
  };
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
