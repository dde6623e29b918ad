/* A state -> its run, counted, and the alpha-beta time of it: reference.compute, key by key; and which states are legal. */
import { upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { executed, progress } from "./machine.js";
import { between, cost_of, crossover_of, evaluate, largest_of, levels, offered_of, time_of } from "./timed.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */

/** What compute gives. @typedef {ReturnType<typeof compute>} Now */

/** A state, and what compute gives of it. @typedef {State & Now} Shown */

/** @param {number} us */
export const spelt = (us) =>
  us >= 1e6 ? `${fmt.fixed(us / 1e6, 2)} s` : us >= 1000 ? `${fmt.fixed(us / 1000, 2)} ms` : `${fmt.fixed(us, 1)} µs`;

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const { op, algorithm, ranks: n, root, per_node } = state;
  const made = executed(op, algorithm, n, root, per_node);
  const { run } = made;
  const local = Math.min(per_node, n);
  /** @type {{ steps: string, busiest: string, serial: string, [link: string]: string }} */
  const written = {
    ...data.formulas[`${op} ${algorithm}`],
    ...(n > per_node ? { inside: "", outside: between(op, algorithm, n, local, data) } : {}),
  };
  /** @type {<In, Out>(from: { [key: string]: In }, fn: (x: In) => Out) => { [key: string]: Out }} */
  const mapped = (from, fn) => Object.fromEntries(Object.entries(from).map(([key, x]) => [key, fn(x)]));
  const total = 2 ** state.message;
  const cost = cost_of(largest_of(op, algorithm, n, root, per_node), n, state);
  const { steps: _steps, ...chunks } = run.counted;
  const bytes = mapped(chunks, (x) => (x * total) / n);
  /** @type {{ time: string, steps: string, [amount: string]: string }} */
  const words = {
    time: spelt(cost.us),
    steps: spelt(cost.inside.steps * state.alpha + cost.outside.steps * state.net_alpha),
    ...mapped(bytes, (x) => fmt.kib(x)),
  };
  const bus = op === "all-reduce" ? 2 : op === "broadcast" ? 0 : 1;
  const offered = offered_of(state, data);
  const times_us = Object.fromEntries(offered.map((a) => [a, time_of(a, state)]));
  return {
    ...run,
    formula: mapped(written, (text) => text && evaluate(text, n, local)),
    written,
    nodes: Math.ceil(n / per_node),
    bytes,
    chunk_bytes: total / n,
    cost,
    time_us: cost.us,
    times_us,
    fastest: offered.reduce((a, b) => (times_us[a] > times_us[b] ? b : a)),
    bus_gbs: cost.us ? (total / cost.us / 1000) * (bus ? (bus * (n - 1)) / n : 1) : 0,
    crossover: n > per_node ? 0 : crossover_of(op, n, state, data),
    at: progress(made, state, state.step),
    words,
  };
}

/** Of a key of the state: from, to, whether it is whole, and what is legal. @type {{ [key: string]: [number, number, boolean, string] }} */
const RANGES = {
  ranks: [2, 16, true, "The number of ranks is a whole number from 2 to 16."],
  message: [10, 34, true, "The message is a whole power of two, from 2¹⁰ bytes (1 KiB) to 2³⁴ (16 GiB)."],
  alpha: [0, 100, false, "The start-up time α goes from 0 to 100 µs."],
  bandwidth: [1, 2000, false, "The bandwidth goes from 1 to 2,000 GB/s."],
  per_node: [1, 16, true, "The number of GPUs in a node is a whole number from 1 to 16."],
  net_alpha: [0, 100, false, "The start-up time between nodes goes from 0 to 100 µs."],
  net_bandwidth: [1, 2000, false, "The bandwidth between nodes goes from 1 to 2,000 GB/s."],
};

/**
 * A link may call an algorithm by its old name.
 * @param {State} state
 */
export function settle(state) {
  return state.algorithm === "naive" ? { ...state, algorithm: "direct" } : state;
}

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!data.ops.includes(state.op))
    return `The collectives here are ${data.ops.join(", ")}; there is no “${state.op}”.`;
  if (!data.algorithms.includes(state.algorithm))
    return `The algorithms here are ${data.algorithms.join(", ")}; there is no “${state.algorithm}”.`;
  for (const [key, [low, high, whole, sentence]] of Object.entries(RANGES)) {
    const x = state[/** @type {keyof State} */ (key)];
    if (typeof x !== "number" || !(x >= low && x <= high) || (whole && !Number.isInteger(x))) return sentence;
  }
  const n = state.ranks;
  if (!Number.isInteger(state.root) || !upto(n).includes(state.root))
    return `The root is one of the ${n} ranks, 0 to ${n - 1}.`;
  if (!Number.isFinite(state.step)) return "The step is a number.";
  if (state.algorithm !== "hierarchical" || levels(n, state.per_node)) return "";
  const legal = upto(n)
    .filter((local) => local && n % local === 0)
    .join(" or ");
  return `Hierarchical needs several nodes of equal size: for ${n} ranks, ${legal} in a node.`;
}
