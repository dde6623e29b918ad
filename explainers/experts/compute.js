/* Twin of legal.py and reference.py: a router, a room and some updates -> whom tokens meet, who is full, what is sent. */
import { lazy } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { load_of, most, one_token, routed, sum, up } from "./loads.js";
import { flips, largest, NODES, sigmoid, TOKENS, wall_of } from "./router.js";

/** @import { Data, State } from "../../.make/data_types/experts.d.ts" */

/**
 * A model: data.columns by name.
 * @typedef {{
 *   slug: string, title: string, layers: number, experts: number, k: number, width: number, groups: number, kept: number,
 *   shared: number, dense: number, active: number, total: number,
 * }} Model
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
