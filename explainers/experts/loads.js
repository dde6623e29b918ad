/* The loads of experts over a batch: how tokens are routed, with a skew, and with biases that level it. */
import {
  balance,
  chosen,
  counted,
  largest,
  marks_of,
  NODES,
  remembered,
  router_of,
  TOKENS,
  unlimited,
} from "./router.js";

/** @import { State } from "../../.make/data_types/experts.d.ts" */

/**
 * What is routed: how many experts, chosen, groups kept, and how unevenly.
 * @typedef {ReturnType<typeof routed>} Routed
 */

/**
 * A list or a typed array of numbers.
 * @typedef {{ reduce(each: (a: number, b: number) => number, from?: number): number }} Numbers
 */

/** @param {Numbers} all */
export const sum = (all) => all.reduce((a, b) => a + b, 0);
/** @param {Numbers} all */
export const most = (all) => all.reduce((a, b) => Math.max(a, b));
/** @param {readonly number[]} all */
export const up = (all) => [...all].sort((a, b) => a - b);

/* How many nodes each token is sent to, and how many of the best it still meets. */
/** @param {Int32Array} choice @param {number} experts @param {number} k */
const visited = (choice, experts, k) => {
  const found = new Int32Array(TOKENS);
  for (let t = 0; t !== TOKENS; t += 1) {
    let bits = 0;
    for (let i = t * k; i !== t * k + k; i += 1) bits |= 1 << Math.floor((choice[i] * NODES) / experts);
    for (; bits; bits &= bits - 1) found[t] += 1;
  }
  return found;
};
/** @param {Int32Array} choice @param {Int32Array} free @param {number} k @param {number} experts */
const still_met = (choice, free, k, experts) => {
  const found = new Int32Array(TOKENS);
  if (choice === free) return found.fill(k);
  const met = new Int32Array(experts); // the token after the last one that meets an expert
  for (let t = 0; t !== TOKENS; t += 1) {
    for (let i = t * k; i !== t * k + k; i += 1) met[choice[i]] = t + 1;
    for (let i = t * k; i !== t * k + k; i += 1) if (met[free[i]] === t + 1) found[t] += 1;
  }
  return found;
};
export const routed = /* @__PURE__ */ remembered(
  /** @param {number} experts @param {number} k @param {number} kept @param {number} skew @param {number} step @param {number} updates */ (
    experts,
    k,
    kept,
    skew,
    step,
    updates,
  ) => {
    const bias = balance(experts, k, kept, skew, step, updates);
    const all = router_of(experts, skew).scores;
    const free = updates ? chosen(all, experts, k, NODES, bias) : unlimited(experts, k, skew);
    const choice = kept === NODES ? free : chosen(all, experts, k, kept, bias);
    const nodes = visited(choice, experts, k);
    return {
      bias,
      choice,
      free,
      nodes,
      met: still_met(choice, free, k, experts),
      before: updates ? before_of(experts, k, kept, skew) : counted(choice, experts),
      nodes_free: free === choice ? nodes : visited(free, experts, k),
    };
  },
  6,
);
const before_of = /* @__PURE__ */ remembered(
  /** @param {number} experts @param {number} k @param {number} kept @param {number} skew */ (experts, k, kept, skew) =>
    counted(
      kept === NODES ? unlimited(experts, k, skew) : chosen(router_of(experts, skew).scores, experts, k, kept),
      experts,
    ),
);

/** @param {State} state @param {Routed} made @param {number} send */
export const one_token = ({ experts, k, kept, skew, token }, made, send) => {
  const ranked = [...router_of(experts, skew).scores.subarray(token * experts, (token + 1) * experts)].map(
    (s, e) => s + made.bias[e],
  );
  const marks = marks_of(ranked, 0, experts, NODES);
  const [nodes, nodes_free] = [made.nodes[token], made.nodes_free[token]];
  /** @param {Int32Array} all */
  const own = (all) => [...all.subarray(token * k, token * k + k)];
  return {
    ranked,
    marks,
    kept: up(largest(marks, kept)),
    free: own(made.free),
    chosen: own(made.choice),
    survive: made.met[token],
    nodes,
    nodes_free,
    bytes: nodes * send,
    bytes_free: nodes_free * send,
  };
};
/** @param {State} state @param {Routed} made */
export const load_of = (state, made) => {
  const { experts, k, skew } = state;
  const [counts, before] = [[...counted(made.choice, experts)], [...made.before]];
  const choices = TOKENS * k;
  const even = choices / experts;
  const room = Math.floor(state.room * even);
  const lost = room ? sum(counts.map((n) => Math.max(n - room, 0))) : 0;
  const busiest = most(counts);
  const pulled = router_of(experts, skew).probable;
  return {
    counts,
    before,
    order: largest(before, experts),
    even,
    choices,
    busiest,
    ratio: busiest / even,
    ratio_before: most(before) / even,
    idle: counts.filter((n) => even / 2 > n).length,
    room,
    lost,
    lost_share: lost / choices,
    aux: experts * sum(counts.map((n, e) => (n / choices) * pulled[e])),
  };
};
