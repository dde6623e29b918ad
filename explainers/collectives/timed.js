/* Formulas and the alpha-beta time over two kinds of links: formulas.py and timed.py. */
import { upto } from "../kit/arrays.js";
import { makeMesh } from "../kit/mesh.js";
import { makeSchedule } from "../kit/schedules.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */

/**
 * A formula's value in chunks of S / n, or in steps: n ranks on k nodes of l; without `local` all share one.
 * @param {string} formula
 * @param {number} n
 * @param {number} [local]
 */
export const evaluate = (formula, n, local = n) => {
  /** @param {number} x */
  const log2 = (x) => Math.ceil(Math.log2(x));
  const [log, l, k] = [log2(n), local, Math.ceil(n / local)];
  const ones = upto(n).reduce((sum, d) => sum + d.toString(2).split("1").length - 1, 0);
  const both = log2(k) + log2(l);
  /** @type {Record<string, number>} */
  const values = {
    "2(n − 1)": 2 * (n - 1),
    "n − 1": n - 1,
    "⌈log₂ n⌉": log,
    "2⌈log₂ n⌉": 2 * log,
    "2(n − 1)/n · S": 2 * (n - 1),
    "(n − 1)/n · S": n - 1,
    "(n − 1) · S": (n - 1) * n,
    "(n − 1)/2 · S": ((n - 1) * n) / 2,
    "ones/n · S": ones,
    "⌈log₂ n⌉ · S": log * n,
    "2⌈log₂ n⌉ · S": 2 * log * n,
    S: n,
    "l + k − 2": l + k - 2,
    "2(l + k − 2)": 2 * (l + k - 2),
    "(2n − l − k)/n · S": 2 * n - l - k,
    "⌈log₂ k⌉ + ⌈log₂ l⌉": both,
    "(⌈log₂ k⌉ + ⌈log₂ l⌉) · S": both * n,
    "⌈log₂ k⌉ · S": log2(k) * n,
    "(n − l) · S": (n - l) * n,
    "(n − l)/n · S": n - l,
    "2(k − 1)/n · S": 2 * (k - 1),
    "(k − 1)/n · S": k - 1,
  };
  return values[formula];
};
/** @param {string} op @param {string} algorithm @param {number} n @param {number} local @param {Data} data */
export const between = (op, algorithm, n, local, data) => {
  if (algorithm === "ring") return data.formulas[`${op} ring`].busiest;
  return n % local ? "" : data.between[`${op} ${algorithm}`] || "";
};
/** @param {number} n @param {number} per_node */
export const levels = (n, per_node) => n > per_node && n % per_node === 0;

/**
 * What a function gave for its last arguments: sliders move over the same runs.
 * @template {(string | number)[]} Args
 * @template Made
 * @param {(...args: Args) => Made} make
 * @param {number} size
 * @returns {(...args: Args) => Made}
 */
export const remembered = (make, size) => {
  /** @type {Map<string, Made>} */
  const all = new Map();
  return (...args) => {
    const key = args.join();
    if (all.size === size && !all.has(key)) all.clear();
    if (!all.has(key)) all.set(key, make(...args));
    return /** @type {Made} */ (all.get(key));
  };
};

/** @typedef {[op: string, algorithm: string, n: number, root: number, per_node: number]} Run a run's arguments */

/* Of each step, the chunks of the largest message inside a node, and of the largest between nodes: timed.py. */
export const largest_of = /* @__PURE__ */ remembered((/** @type {Run} */ ...[op, algorithm, n, root, per_node]) => {
  const grid = makeMesh({ tp: n }, per_node);
  const plan = makeSchedule(op, algorithm, n, root, algorithm === "hierarchical" ? grid.neighbours(grid.ranks) : 0);
  return plan.steps.map((step) => {
    const sizes = new Map();
    for (const { source, destination } of step.sends)
      sizes.set(source * n + destination, (sizes.get(source * n + destination) || 0) + 1);
    const most = { inside: 0, outside: 0 };
    for (const [pair, size] of sizes) {
      const link = grid.link(Math.floor(pair / n), pair % n);
      most[link] = Math.max(most[link], size);
    }
    return [most.inside, most.outside];
  });
}, 40);
/** @param {number[][]} steps @param {number} n @param {State} state */
export const cost_of = (steps, n, state) => {
  const total = 2 ** state.message;
  const links = [
    [state.alpha, state.bandwidth],
    [state.net_alpha, state.net_bandwidth],
  ];
  const waits = [
    { steps: 0, chunks: 0, us: 0, bytes: 0 },
    { steps: 0, chunks: 0, us: 0, bytes: 0 },
  ];
  for (const chunks of steps) {
    const [near, far] = links.map(([alpha, speed], i) =>
      chunks[i] ? alpha + (chunks[i] * total) / n / speed / 1000 : 0,
    );
    const link = Number(far > near);
    waits[link].steps += 1;
    waits[link].chunks += chunks[link];
  }
  links.forEach(([alpha, speed], i) => {
    const own = waits[i];
    own.us = own.steps * alpha + (own.chunks * total) / n / speed / 1000;
    own.bytes = (own.chunks * total) / n;
  });
  return { inside: waits[0], outside: waits[1], us: waits[0].us + waits[1].us };
};
/** @param {string} algorithm @param {State} state */
export const time_of = (algorithm, state) =>
  cost_of(largest_of(state.op, algorithm, state.ranks, state.root, state.per_node), state.ranks, state).us;
/** @param {State} state @param {Data} data */
export const offered_of = (state, data) =>
  data.algorithms.filter((a) => a !== "hierarchical" || levels(state.ranks, state.per_node));

/**
 * On one node, the message above which the ring beats the tree.
 * @param {string} op
 * @param {number} n
 * @param {State} state
 * @param {Data} data
 */
export const crossover_of = (op, n, state, data) => {
  const [ring, tree] = ["ring", "tree"].map((a) => data.formulas[`${op} ${a}`]);
  const later = evaluate(ring.steps, n) - evaluate(tree.steps, n);
  const fewer = evaluate(tree.serial, n) - evaluate(ring.serial, n);
  return later > 0 && fewer > 0 ? (later * state.alpha * 1000 * state.bandwidth * n) / fewer : 0;
};
