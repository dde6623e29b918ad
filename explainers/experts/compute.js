/* Twin of legal.py and reference.py: a router, a room and some updates -> whom tokens meet, who is full, what is sent. */
import { lazy } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import {
  balance,
  chosen,
  counted,
  flips,
  largest,
  marks_of,
  NODES,
  remembered,
  router_of,
  sigmoid,
  TOKENS,
  unlimited,
  wall_of,
} from "./router.js";

/** @import { Data, State } from "../../.make/data_types/experts.d.ts" */

/**
 * A model: data.columns by name.
 * @typedef {{
 *   slug: string, title: string, layers: number, experts: number, k: number, width: number, groups: number, kept: number,
 *   shared: number, dense: number, active: number, total: number,
 * }} Model
 */

/**
 * What is routed: how many experts, chosen, groups kept, and how unevenly.
 * @typedef {ReturnType<typeof routed>} Routed
 */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

export const [MOST_K, UPDATES, LAST_TOKEN, MOST_SKEW] = [24, 200, 4095, 2];
const [ID_BYTES, WIDE_BYTES, BESIDE_BYTES, TEXT] = [256, 4, 8, 32768];
/** @param {string} slug @param {Data} data */
export const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return /** @type {Model | undefined} */ (row && Object.fromEntries(row.map((value, i) => [data.columns[i], value])));
};
/** @param {number} v @param {number} low @param {number} high */
const whole = (v, low, high) => Number.isInteger(v) && v >= low && high >= v;

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const { model, experts, k, kept, skew, step, updates, room, token, scoring, bias } = state;
  if (!find(model, data)) return `No mixture of experts here is called “${model}”; choose one from the list.`;
  if (!data.experts.includes(experts)) return `There are ${data.experts.join(", ")} experts to choose from.`;
  if (!whole(k, 1, MOST_K)) return `A token is sent to 1 to ${MOST_K} experts.`;
  if (!whole(kept, 1, NODES)) return `Of ${NODES} groups, 1 to ${NODES} are kept.`;
  if (k > (experts / NODES) * kept)
    return "The groups that are kept have fewer experts than a token is sent to; keep more, or choose fewer.";
  if (typeof skew !== "number" || !(skew >= 0 && MOST_SKEW >= skew))
    return `A skew is a number from 0 to ${MOST_SKEW}.`;
  if (!data.steps.includes(step)) return `A step is one of ${data.steps.join(", ")}.`;
  if (!whole(updates, 0, UPDATES)) return `There are 0 to ${UPDATES} updates.`;
  if (!data.rooms.includes(room)) return "Capacity is 1, 1.25, 1.5 or 2 times the average load; 0 means no limit.";
  if (!whole(token, 0, LAST_TOKEN)) return `A token is one of 0 to ${fmt.int(LAST_TOKEN)}.`;
  if (!["sigmoid", "softmax", "after"].includes(scoring))
    return "Scores come from sigmoid, softmax, or softmax after choosing.";
  return bias === true || bias === false ? "" : "The bias is on or off.";
}

/**
 * A list or a typed array of numbers.
 * @typedef {{ reduce(each: (a: number, b: number) => number, from?: number): number }} Numbers
 */

/** @param {Numbers} all */
export const sum = (all) => all.reduce((a, b) => a + b, 0);
/** @param {Numbers} all */
export const most = (all) => all.reduce((a, b) => Math.max(a, b));
/** @param {readonly number[]} all */
const up = (all) => [...all].sort((a, b) => a - b);

/** @param {Pick<State, "scoring" | "bias">} state @param {Data["eight"]} eight */
const eight_of = ({ scoring, bias }, { logits: given, biases, k, scale }) => {
  const powers = given.map((x) => Math.exp(x - most(given)));
  const scored = /** @type {{ [scoring: string]: number[] }} */ ({
    sigmoid: given.map(sigmoid),
    softmax: powers.map((v) => v / sum(powers)),
    after: given,
  })[scoring];
  const parts = scoring === "after" ? powers : scored;
  const added = biases.map((b) => (bias ? b : 0));
  const ranked = scored.map((s, i) => s + added[i]);
  const [choice, unbiased] = [ranked, scored].map((all) => up(largest(all, k)));
  const of_chosen = sum(largest(ranked, k).map((i) => parts[i]));
  const weights = scored.map((s, i) => (choice.includes(i) ? (parts[i] / of_chosen) * scale : 0));
  return {
    logits: given,
    scores: scored,
    biases: added,
    ranked,
    chosen: choice,
    weights,
    scale,
    whole: 1 + sum(weights),
    entered: choice.filter((i) => !unbiased.includes(i)),
    left: unbiased.filter((i) => !choice.includes(i)),
  };
};

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
const routed = /* @__PURE__ */ remembered(
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
const one_token = ({ experts, k, kept, skew, token }, made, send) => {
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
const load_of = (state, made) => {
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

/** @param {Model} model */
const route_of = ({ layers, k, experts }) => {
  const ids = layers * k;
  const id_bytes = experts > ID_BYTES ? 2 : 1;
  const bytes = ids * id_bytes;
  const bits = (experts - 1).toString(2).length;
  return {
    ids,
    id_bytes,
    bytes,
    bits,
    packed: Math.ceil((ids * bits) / 8),
    beside: BESIDE_BYTES,
    share: bytes / (bytes + BESIDE_BYTES),
    times: bytes / BESIDE_BYTES,
    tokens: TEXT,
    all_bytes: bytes * TEXT,
    wide_bytes: ids * WIDE_BYTES * TEXT,
    text_bytes: BESIDE_BYTES * TEXT,
  };
};
/** @param {Model} row */
const model_of = (row) => {
  const scales = 4 * Math.ceil(row.width / 128);
  const { layers, experts, k } = row;
  return {
    ...row,
    share: row.active / row.total,
    part: k / experts,
    all: layers * experts,
    met: layers * k,
    last: layers - 1,
    scales,
    send: row.width + scales,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const { experts, k, kept, skew, step, updates } = state;
  const made = () => routed(experts, k, kept, skew, step, updates);
  const row = /** @type {Model} */ (find(state.model, data));
  const of = model_of(row);
  /** @param {Int32Array} all */
  const mean = (all) => sum(all) / TOKENS;
  return lazy(
    {
      of,
      eight: eight_of(state, data.eight),
      tokens: TOKENS,
      groups: NODES,
      route: route_of(row),
      wall: wall_of(row.layers, row.experts, row.k, row.groups, row.kept),
    },
    {
      // the first beat asks for no tokens, and they take most of the time
      here: () => one_token(state, made(), of.send),
      load: () => load_of(state, made()),
      biases: () => [...made().bias],
      low: () => made().bias.reduce((a, b) => Math.min(a, b)),
      high: () => most(made().bias),
      mean: () => {
        const [{ nodes: each, nodes_free, met }, nodes] = [made(), mean(made().nodes)];
        return {
          survive: mean(met),
          nodes,
          nodes_free: mean(nodes_free),
          most: most(each),
          bytes: nodes * of.send,
          each: k * of.send,
        };
      },
      flips: () => {
        const flipped = flips(experts, k, skew);
        return { tokens: flipped, share: flipped / TOKENS, any: 1 - (1 - flipped / TOKENS) ** row.layers };
      },
    },
  );
}
