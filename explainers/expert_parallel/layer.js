/* Twin of layer.py: a batch through one layer -> where each token goes, what is sent, and what each GPU computes. */
import { upto } from "../kit/arrays.js";
import { count_other_parts } from "../kit/reach.js";
import { exchange_of, OUT_AND_BACK } from "./exchange.js";
import { STEPS } from "./legal.js";
import { sent_to, slots_of } from "./placing.js";
import { grouped, PER_NODE, remembered, route, rule_of, TOKENS } from "./routing.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Sent } from "./placing.js" */
/** @import { Routed, Row, Rule } from "./routing.js" */

/**
 * What the layer depends on: the model, and some keys of the state.
 * @typedef {{ row: Row } & Pick<State, "nodes" | "limit" | "kind" | "skew" | "capacity" | "spare">} Key
 */

/**
 * The layer: how often each expert is chosen, the expert in each slot, and how many tokens a slot has room for (0: all).
 * @typedef {Routed & Sent & { row: Row, nodes: number, load: number[], slots: number[], room: number }} Made
 */

/** @typedef {ReturnType<typeof exchange_of>} Exchanged */

/** @typedef {ReturnType<typeof copy_of>} Copy */

/** @type {(key: Key) => Made} */
export const dealt = /* @__PURE__ */ remembered(({ row, nodes, limit, kind, skew, capacity, spare }) => {
  const { choice, scores } = route(row, { kind, skew }, limit);
  const load = upto(row.experts).map(() => 0);
  for (const one of choice) for (const e of one) load[e] += 1;
  const slots = slots_of(load, nodes, spare);
  const room = Math.ceil((capacity * TOKENS * row.k) / row.experts);
  return { row, nodes, choice, scores, load, slots, room, ...sent_to(choice, slots, room) };
});
/** @type {(key: Key) => Exchanged} */
export const exchanged = /* @__PURE__ */ remembered((key) => exchange_of(dealt(key)));
/** @type {(made: Sent, fn: (token: number, slot: number, ok: boolean) => void) => void} */
const each_choice = ({ where, fits }, fn) =>
  where.forEach((row, t) => row.forEach((slot, i) => fn(t, slot, fits[t][i])));

/** @param {Made} made */
export const others = (made) => {
  const per = made.slots.length / made.nodes;
  const each = TOKENS / made.nodes;
  return made.where.map(
    (row, t) =>
      new Set(
        row
          .filter((slot, i) => made.fits[t][i] && Math.floor(slot / per) !== Math.floor(t / each))
          .map((slot) => Math.floor(slot / per)),
      ).size,
  );
};
/** @param {number[]} values @param {number} length */
export const counts = (values, length) => {
  const out = upto(length).map(() => 0);
  for (const v of values) out[v] += 1;
  return out;
};
/** @param {number[]} values */
export const mean_of = (values) => values.reduce((a, b) => a + b, 0) / values.length;
/** @param {number[]} values */
const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);

/** @param {State} state @param {Made} made @param {Rule} rule */
export const journey = (state, made, rule) => {
  const { token, nodes } = state;
  const gpus = nodes * PER_NODE;
  const per = made.slots.length / gpus;
  const scores = made.scores(token);
  const goals = made.where[token].filter((_, i) => made.fits[token][i]);
  const home = Math.floor((token * gpus) / TOKENS);
  const at = sorted(goals.map((slot) => Math.floor(slot / per)));
  const node = (/** @type {number} */ gpu) => Math.floor(gpu / PER_NODE);
  const doors = sorted(at.map(node));
  const away = doors.filter((one) => one !== node(home));
  const inside = at.filter((gpu) => gpu % PER_NODE !== home % PER_NODE);
  return {
    gpu: home,
    node: node(home),
    scores: [...scores],
    low: Math.min(...scores),
    high: Math.max(...scores),
    picks: made.choice[token],
    goals,
    gpus: at,
    nodes: doors,
    away,
    inside,
    lost: made.row.k - goals.length,
    visits: { gpus: at.length, nodes: doors.length, away: away.length, inside: inside.length },
    ...grouped(scores, rule),
  };
};
/** @param {{ visits: { away: number, inside: number } }} here @param {Copy} copy @param {number} step */
export const sent_by = ({ visits: { away, inside } }, copy, step) => {
  const upto_step = (/** @type {number[]} */ steps) => steps.slice(0, step + 1).reduce((a, b) => a + b, 0);
  return {
    network: upto_step([0, 0, 0, away * copy.out, 0, 0, away * copy.back]),
    inside: upto_step([0, 0, 0, 0, inside * copy.out, inside * copy.back, 0]),
    number: step + 1,
    steps: STEPS.length,
    name: STEPS[step],
  };
};
/** @param {Made} made @param {number} gpus */
export const load_of = (made, gpus) => {
  const per = made.slots.length / gpus;
  const [asked, kept] = [0, 1].map(() => upto(gpus).map(() => 0));
  each_choice(made, (t, slot, ok) => {
    asked[Math.floor(slot / per)] += 1;
    if (ok) kept[Math.floor(slot / per)] += 1;
  });
  const all = TOKENS * made.row.k;
  const [most, expert] = [Math.max(...kept), Math.max(...made.load)];
  return {
    asked,
    kept,
    mean: all / gpus,
    most,
    busiest: kept.indexOf(most),
    ratio: most / (all / gpus),
    expert,
    expert_ratio: (expert * made.load.length) / all,
  };
};
/**
 * To how many other nodes a token of a fair router goes on average, as the planner has it; null where loads are uneven, slots
 * or tokens are dropped or copied, or a reader's limit cuts a model that has no groups.
 * @param {Key} key
 * @param {Data} data
 */
export const expected_away = ({ row, nodes, limit, skew, capacity, spare }, data) => {
  const { groups, kept } = rule_of(row, limit);
  const free = 2 > groups || kept >= groups;
  if (skew || capacity || spare || !(free || row.groups > 1)) return null;
  const picks = [...upto(row.k).map(() => 0), 1];
  return count_other_parts(
    { num_experts: row.experts, n_group: groups, used: free ? [0, 1] : data.used[row.slug][limit], picks },
    nodes,
  );
};
/** @param {Made & Exchanged} made @param {Copy} copy @param {number[]} away @param {Rule} rule @param {number | null} even */
export const traffic = (made, copy, away, rule, even) => {
  const per = made.slots.length / made.nodes;
  let far = 0;
  each_choice(made, (t, slot, ok) => {
    if (ok && Math.floor(slot / per) !== Math.floor((t * made.nodes) / TOKENS)) far += 1;
  });
  const [out, within, within_back, out_back] = OUT_AND_BACK.map((name) => made.counted[name]);
  const reach = rule.groups > 1 ? rule.kept * Math.ceil(made.nodes / rule.groups) : made.nodes;
  const mean = even ?? out / TOKENS;
  const each = even === null ? far / TOKENS : made.row.k * (1 - 1 / made.nodes);
  const [most, both] = [Math.min(reach, made.row.k, made.nodes - 1), copy.out + copy.back];
  return {
    network: out,
    inside: within,
    network_back: out_back,
    inside_back: within_back,
    network_out_bytes: out * copy.out,
    network_back_bytes: out_back * copy.back,
    inside_out_bytes: within * copy.out,
    inside_back_bytes: within_back * copy.back,
    busiest: made.busiest,
    busiest_bytes: made.busiest * copy.out,
    away: mean,
    counted: out / TOKENS,
    seen: Math.max(...away),
    most,
    each,
    token_bytes: mean * both,
    each_bytes: each * both,
    model_bytes: mean * both * made.row.layers,
    most_bytes: most * both * made.row.layers,
  };
};

/** @param {number} width @param {string} dispatch */
export const copy_of = (width, dispatch) => {
  const scales = dispatch === "fp8" ? Math.ceil(width / 128) : 0;
  return { numbers: width, scales, out: width * (scales ? 1 : 2) + 4 * scales, back: 2 * width };
};
