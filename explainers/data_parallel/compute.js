/* Twin of reference.py and run.py: one executed step of Adam on shards and copies, what each rank holds and sends. */
import { upto } from "../kit/arrays.js";
import { makeMesh } from "../kit/mesh.js";
import { makeNetwork } from "../kit/network.js";

/** @import { Data, State } from "../../.make/data_types/data-parallel.d.ts" */

/** What of a parameter travels. @typedef {"weights" | "gradients"} Tensor */
/**
 * What of a parameter a rank holds: so many bytes, and its share of all.
 * @typedef {{ name: Tensor | "optimizer", bytes: number, share: number }} Part
 */
/**
 * What the busiest rank sends at a moment, in numbers per parameter.
 * @typedef {{ moment: number, what: string, many: number }} Sent
 */
/** Numbers of each rank. @typedef {{ [rank: number]: Float64Array }} Parts */
/**
 * One step as it ran: how far from one rank's, what was sent, what leaves a node.
 * @typedef {{ away: number } & ReturnType<typeof counted>} Ran
 */
/** @typedef {ReturnType<typeof compute>} Now */

export const [DP, SHARDS, NODE, ADAM_BYTES, WEIGHT_BYTES] = [[2, 4, 8, 16, 32, 64], [0, 2, 4, 8], 8, 12, 2];
/** @param {State} state @param {Data} data */
const model_of = (state, data) => data.models.find((row) => row[0] === state.model);
/** @param {unknown} v @param {number[]} list */
const whole_in = (v, list) => typeof v === "number" && list.includes(v);

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!model_of(state, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  if (!whole_in(state.dp, DP)) return "The number of ranks is 2, 4, 8, 16, 32 or 64.";
  if (!whole_in(state.shard, SHARDS) || state.shard > state.dp)
    return `A copy is sharded over 2, 4 or 8 ranks, at most all there are; 0 means all ${state.dp}.`;
  if (!Object.hasOwn(data.conventions, state.convention))
    return `The conventions are ${Object.keys(data.conventions).join(", ")} bytes per parameter.`;
  if (!whole_in(state.stage, [0, 1, 2, 3])) return "ZeRO has the stages 0, 1, 2 and 3.";
  return whole_in(state.step, upto(6)) ? "" : "A phase of the step is a whole number from 0 to 5.";
}

/** @param {number} seed @param {number} rows @param {number} many */
const numbers = (seed, rows, many) =>
  upto(rows).map((r) =>
    Float64Array.from(upto(many), (i) => (((r * many + i) * 7919 + seed * 104729) % 1009) / 1009 - 0.5),
  );
/** @param {Float64Array} w @param {Float64Array} g */
const adam = (w, g) =>
  w.map((x, i) => x - (0.125 * ((0.1 * g[i]) / 0.1)) / (Math.sqrt((0.001 * (g[i] * g[i])) / 0.001) + 1e-8));

/* The log, per number of the model: by moment and tensor of the busiest rank, and what leaves a node. */
/**
 * @param {ReturnType<typeof makeNetwork>} net
 * @param {number[]} when
 * @param {number} n numbers
 * @param {number} d ranks
 */
const counted = ({ log }, when, n, d) => {
  /** @type {{ [momentAndTensor: string]: Float64Array }} */
  const by = {};
  /** @type {{ [tensor: string]: number }} */
  const leaves = { weights: 0, gradients: 0 };
  log.forEach((move, i) => {
    const key = `${when[i]} ${move.tensor}`;
    by[key] = by[key] || new Float64Array(d);
    by[key][move.source] += move.bytes / 8 / n;
    if (move.link === "outside") leaves[move.tensor] += move.bytes / 8 / n;
  });
  const nodes = Math.max(Math.ceil(d / NODE), 1);
  const sent = Object.entries(by).map(([key, each]) => ({
    moment: Number(key[0]),
    what: key.slice(2),
    many: Math.max(...each),
  }));
  return {
    sent,
    leaves: { weights: leaves.weights / nodes, gradients: leaves.gradients / nodes },
    meetings: new Set(sent.map(({ moment }) => moment)).size,
  };
};

/** @type {{ [key: string]: Ran }} */
const runs = {};
/** @param {number} stage @param {number} shards @param {number} copies @returns {Ran} */
const run_step = (stage, shards, copies) =>
  (runs[`${stage},${shards},${copies}`] ??= (() => {
    const [d, n, each] = [shards * copies, 2 * shards * copies, 2 * copies];
    const net = makeNetwork(makeMesh({ copy: copies, shard: shards }, NODE), "hierarchical");
    const ranks = upto(d);
    const [[w], rows] = [numbers(11, 1, n), numbers(12, d, n)];
    /** @param {number} r */
    const from = (r) => each * net.mesh.place(r, "shard");
    /** @type {number[]} */
    const when = [];
    /** @template T @param {number} moment @param {T} made */
    const at = (moment, made) => {
      while (net.log.length > when.length) when.push(moment);
      return made;
    };
    /** @param {number} moment @param {string} what @param {Parts} parts */
    const gather = (moment, what, parts) => at(moment, net.all_gather(parts, "shard", what));
    /** @param {(r: number) => Float64Array} make @returns {Parts} */
    const by_rank = (make) => Object.fromEntries(ranks.map((r) => [r, make(r)]));
    /** @param {Parts} grads */
    const summed = (grads) => {
      const met = net.all_reduce(net.reduce_scatter(grads, "shard", "gradients"), "copy", "gradients");
      return at(3, stage === 0 ? net.all_gather(met, "shard", "gradients") : met);
    };
    const mine = by_rank((r) => w.slice(from(r), from(r) + each));
    const all = by_rank(() => w);
    const forward = stage === 3 ? gather(1, "weights", mine) : all;
    const backward = stage === 3 ? gather(2, "weights", mine) : all;
    const met = summed(by_rank((r) => forward[r].map((x, i) => x * rows[r][i] + backward[r][i] * 0.5)));
    /** @param {number} r */
    const mean = (r) => met[r].map((x) => x / d);
    let after = by_rank((r) => adam(stage === 0 ? w : mine[r], mean(r)));
    if (stage === 1 || stage === 2) after = gather(5, "weights", after);
    const total = ranks.reduce(
      (sum, r) => sum.map((x, i) => x + (w[i] * rows[r][i] + w[i] * 0.5)),
      new Float64Array(n),
    );
    const answer = adam(
      w,
      total.map((x) => x / d),
    );
    const away = Math.max(
      ...ranks.map((r) => Math.max(...after[r].map((x, i) => Math.abs(x - answer[stage === 3 ? from(r) + i : i])))),
    );
    return { away, ...counted(net, when, n, d) };
  })());

/** @param {number} stage @param {number} shards @param {number} gradient @returns {Part[]} */
const rest = (stage, shards, gradient) =>
  /** @type {[name: Part["name"], bytes: number, dealt: number][]} */ ([
    ["weights", WEIGHT_BYTES, 3],
    ["gradients", gradient, 2],
    ["optimizer", ADAM_BYTES, 1],
  ]).map(([name, bytes, dealt]) => ({ name, bytes, share: stage >= dealt ? 1 / shards : 1 }));
/** @param {number} stage @param {number} shards @param {number} gradient @param {number} moment */
const parts_of = (stage, shards, gradient, moment) =>
  rest(stage, shards, gradient).map((part) => {
    let { share } = part;
    if (part.name === "weights" && (moment === 1 || moment === 2)) share = 1;
    if (part.name === "gradients") share = 2 > moment ? 0 : moment === 2 ? 1 : share;
    return { ...part, share };
  });
/** @param {number} stage @param {number} shards @param {number} copies @param {number} travels */
const formula_of = (stage, shards, copies, travels) => {
  const [once, twice] = [(shards - 1) / shards, (2 * (copies - 1)) / copies / shards];
  return {
    gradients: travels * (once + twice + (stage === 0 ? once : 0)),
    weights: WEIGHT_BYTES * [0, 1, 1, 2][stage] * once,
  };
};
/** @param {number} stage @param {number} step @param {Data} data @returns {string} */
export const words_of = (stage, step, data) =>
  stage === 0 && step === 5 ? data.nothing : (stage === 3 && data.shared[step]) || data.moments[step];
/** @param {number[]} list */
const sum_of = (list) => list.reduce((a, b) => a + b, 0);

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const [, title, parameters] = /** @type {Data["models"][number]} */ (model_of(state, data));
  const { stage, dp: d, step } = state;
  const kind = data.conventions[state.convention];
  const shards = state.shard || d;
  const copies = d / shards;
  const ran = run_step(stage, shards, copies);
  /** @type {{ [tensor: string]: number }} */
  const size = { weights: WEIGHT_BYTES, gradients: kind.travels };
  /** @param {Tensor} what */
  const per = (what) => size[what] * sum_of(ran.sent.filter((one) => one.what === what).map((one) => one.many));
  const rows = upto(4).map((z) => {
    const held = sum_of(rest(z, shards, kind.gradient).map((part) => part.bytes * part.share));
    const { gradients, weights } = formula_of(z, shards, copies, kind.travels);
    return {
      per: held,
      bytes: held * parameters,
      sends: gradients + weights,
      sent: (gradients + weights) * parameters,
    };
  });
  const parts = parts_of(stage, shards, kind.gradient, step);
  const now = sum_of(parts.map((part) => part.bytes * part.share));
  const sent = { weights: per("weights"), gradients: per("gradients") };
  return {
    title,
    parameters,
    shards,
    copies,
    nodes: Math.max(Math.ceil(d / NODE), 1),
    words: words_of(stage, step, data),
    parts,
    now,
    now_bytes: now * parameters,
    rows,
    here: rows[stage],
    sent,
    sends: sent.weights + sent.gradients,
    so_far: sum_of(ran.sent.filter((one) => step >= one.moment).map((one) => size[one.what] * one.many)) * parameters,
    formula: formula_of(stage, shards, copies, kind.travels),
    leaves: (size.weights * ran.leaves.weights + size.gradients * ran.leaves.gradients) * parameters,
    meetings: ran.meetings,
    agrees: 1e-12 > ran.away,
    label: kind.label,
  };
}
