/* Training layouts by the ten thousand -> which fit, and their least times: what no axis touches is done once; gallery/planning/search_batched.py. */

import * as activationMemory from "./activation-memory.js";
import * as candidates from "./candidates.js";
import { count_passes, sent_bytes } from "./collective-bytes.js";
import * as communication from "./communication.js";
import { expert_route, gathered_tokens } from "./expert-communication.js";
import { data_parallel, list_once_per_step } from "./gradient-communication.js";
import * as layout from "./layout.js";
import * as legalAxes from "./legal-axes.js";
import * as lora from "./lora.js";
import { NUMBERS, RULE } from "./pieces.js";
import { count_sends, crosses_nodes, pipeline_parallel } from "./pipeline-communication.js";
import * as rankMemory from "./rank-memory.js";
import * as schedules from "./schedules.js";
import * as seconds from "./seconds.js";
import * as stageWeights from "./stage-weights.js";
import * as stages from "./stages.js";
import * as work from "./work.js";

/** @import { Counts, FoundLayout, KindCounts, Layout, Sheet, Talk } from "./types.d.ts" */

/**
 * A stage as far as its times differ from others': sums of parameters and of adapters by rule, how often it sends.
 * @typedef {{
 *   stage: number, layers: number[], counts: Counts, kinds: KindCounts, sums: Map<number, number>,
 *   adapters: Map<number, number>, last: boolean,
 * sends: number[],
 * }} StagePart
 */

/**
 * FLOPs of a sequence, forth: of a layer of each kind and of the head; what frozen weights spare of both; FLOP a
 * second.
 * @typedef {{ each: number[], head: number, frozen: number[], frozen_head: number, rate: number }} Work
 */

/**
 * All but routed experts: bytes held, read and sent, seconds of products; `late`: what waits for no micro-batch.
 * @typedef {{
 *   bytes: number, seconds: number, read: number, optimizer: number,
 *   inside: number, outside: number, late_inside: number, late_outside: number,
 * }} DenseSide
 */

/**
 * Routed experts: bytes held and sent, and those that each token makes them send.
 * @typedef {{
 *   bytes: number, weights: number, optimizer: number,
 *   inside: number, outside: number, inside_token: number, outside_token: number,
 * }} RoutedSide
 */

export const ALIKE = 1.02; // times further apart than this differ in their first three digits

/**
 * The stages of a layout, equal ones once: the one that holds most activations.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {StagePart[]}
 */
export const distinct_stages = (sheet, one) => {
  /** @type {Map<string, StagePart>} */
  const found = new Map();
  const rows = stageWeights.per_stage(sheet, one);
  const [firsts, lasts, tables] = [
    stages.first_stages(one),
    stages.last_stages(one),
    stageWeights.table_stages(sheet, one),
  ];
  stages.of(sheet.layers.length, one).forEach((layers, stage) => {
    const [counts, sends] = [stages.count_on_stage(sheet, one, stage, layers), count_sends(one, stage)];
    const [first, last] = [firsts.includes(stage), lasts.includes(stage)];
    const key = [
      [...counts].sort((a, b) => a[0] - b[0]).join(";"),
      first,
      last,
      sends,
      crosses_nodes(one, stage),
      tables.includes(stage),
    ].join(" ");
    const like = found.get(key);
    if (like && stages.in_flight(like.stage, one) >= stages.in_flight(stage, one)) return;
    const kinds = [...counts].map(([kind, many]) => /** @type {KindCounts[number]} */ ([sheet.kinds[kind], many]));
    const sums = stageWeights.sum_by_rule(rows[stage].map(([piece, times]) => [piece[RULE], piece[NUMBERS] * times]));
    const adapters = stageWeights.sum_by_rule(lora.adapter_rows(one, rows[stage]));
    found.set(key, { stage, layers, counts, kinds, sums, adapters, last, sends });
  });
  return [...found.values()];
};

/**
 * [bytes that stay in a node, bytes that leave it].
 * @param {Talk[]} found
 * @returns {number[]}
 */
export const sum_links = (found) => {
  let [total, leaving] = [0, 0];
  for (const talk of found) {
    total += talk.bytes;
    leaving += talk.leaving_bytes;
  }
  return [total - leaving, leaving];
};

/**
 * Each part of a layout, without routed experts and without the meetings of tensor ranks.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Work} side
 * @param {StagePart[]} own
 * @returns {DenseSide[]}
 */
export const dense_side = (sheet, one, side, own) => {
  const many = one.visits * sheet.loops;
  const [tokens, cut] = [(one.sequence * one.micro_batch) / one.cp, one.tp * one.cp * one.copies];
  return own.map((part) => {
    const [numbers] = stageWeights.rank_numbers(sheet, one, part.sums);
    const [adapters] = stageWeights.rank_numbers(sheet, one, part.adapters);
    const [weights, gradients, optimizer] = rankMemory.state_bytes(numbers, one, one.shard, adapters);
    let [forth, spared] = [0, 0];
    for (const [kind, times] of part.counts) {
      forth += times * side.each[kind];
      spared += times * side.frozen[kind];
    }
    const [all, less] = part.last ? [forth + side.head, spared + side.frozen_head] : [forth, spared];
    const flops = all * work.FORTH_AND_BACK - less + (one.recompute === "full" ? forth : 0);
    const saved = Math.ceil(activationMemory.dense_activations(sheet, one, part.stage, part.counts));
    const [inside, outside] = sum_links([
      ...communication.context_parallel(one, part.kinds, many),
      ...pipeline_parallel(sheet, one, part.sends, tokens, many),
    ]);
    const [late_inside, late_outside] = sum_links(
      list_once_per_step(sheet, one, { stage: part.stage, numbers, expert_numbers: 0, adapters, expert_adapters: 0 }),
    );
    return {
      bytes: weights + gradients + optimizer + saved + (one.framework_bytes ?? 0),
      seconds: ((flops / cut) * one.batch) / one.dp / side.rate,
      read: weights * count_passes(one) * one.visits,
      optimizer: 2 * optimizer,
      inside,
      outside,
      late_inside,
      late_outside,
    };
  });
};

/**
 * The same with the meetings of tensor ranks, which depend on how experts are cut.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {DenseSide[]} base
 * @param {StagePart[]} own
 * @returns {DenseSide[]}
 */
export const add_collectives = (sheet, one, base, own) => {
  if (one.tp === 1) return base;
  const [tokens, visits] = [(one.sequence * one.micro_batch) / one.cp, one.visits * sheet.loops];
  return base.map((side, i) => {
    const [inside, outside] = sum_links(communication.tensor_parallel(sheet, one, own[i].kinds, tokens, visits));
    return { ...side, inside: side.inside + inside, outside: side.outside + outside };
  });
};

/**
 * Routed experts of each part.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {StagePart[]} parts
 * @returns {RoutedSide[]}
 */
export const routed_side = (sheet, one, parts) =>
  parts.map((part) => {
    const numbers = stageWeights.rank_numbers(sheet, one, part.sums)[1];
    const own = stageWeights.rank_numbers(sheet, one, part.adapters)[1];
    const [weights, gradients, optimizer] = rankMemory.state_bytes(numbers, one, one.expert_shard, own);
    const way = one.ep > 1 ? expert_route(one, part.kinds) : { there: 0, back: 0, away_there: 0, away_back: 0 };
    const [seen, seen_away] = sent_bytes(one, "etp", one.etp, gathered_tokens(one, part.kinds), 2);
    const [there, away] = [way.there + way.back + seen, way.away_there + way.away_back + seen_away];
    const [inside, outside] = sum_links(
      data_parallel(one, { stage: part.stage, numbers, expert_numbers: numbers, adapters: own, expert_adapters: own }),
    );
    return {
      bytes: weights + gradients + optimizer,
      weights,
      optimizer,
      inside,
      outside,
      inside_token: there - away,
      outside_token: away,
    };
  });

/**
 * [at least, nothing hides] of the slowest stage, as seconds.js has it; `many` tokens of a rank in a step, `share`: the
 * bubble.
 * @param {Layout} one
 * @param {DenseSide[]} base
 * @param {RoutedSide[]} experts
 * @param {number} often
 * @param {number} many
 * @param {number} share the bubble
 * @returns {number[]}
 */
export const least_times = ({ device, outside_bytes }, base, experts, often, many, share) => {
  let [slowest, apart, slowest_flow, least_flow, least_apart] = [0, 0, 0, Infinity, Infinity];
  base.forEach((side, i) => {
    const more = experts[i];
    const reads = side.read + more.weights * often;
    const [memory, whole] = [
      reads / device.bandwidth_bytes,
      (reads + side.optimizer + 2 * more.optimizer) / device.bandwidth_bytes,
    ];
    const [here, here_whole] = [
      memory > side.seconds ? memory : side.seconds,
      whole > side.seconds ? whole : side.seconds,
    ];
    const [inside, outside] = [
      (side.inside + many * more.inside_token) / device.inside_bytes,
      (side.outside + many * more.outside_token) / outside_bytes,
    ];
    const inside_whole = inside + (side.late_inside + more.inside) / device.inside_bytes;
    const outside_whole = outside + (side.late_outside + more.outside) / outside_bytes;
    slowest = Math.max(here_whole, inside_whole, outside_whole, slowest);
    apart = Math.max(here_whole + inside_whole + outside_whole, apart);
    const flow = Math.max(here, inside, outside);
    slowest_flow = Math.max(flow, slowest_flow);
    least_flow = Math.min(flow, least_flow);
    least_apart = Math.min(here + inside + outside, least_apart);
  });
  return [Math.max(slowest, slowest_flow + share * least_flow), apart + share * least_apart];
};

export const NOTHING = { bytes: 0, weights: 0, optimizer: 0, inside: 0, outside: 0, inside_token: 0, outside_token: 0 };

/**
 * Every legal tp, pp, chunks and cp, and all ways to deal out its experts.
 * @param {Sheet} sheet
 * @param {Layout} one
 */
export const bases = (sheet, one) => {
  const [rate, head] = [seconds.peak(one, sheet), work.head_flops(sheet, one)];
  const [even, busy] = [1, 2].map((ep) => {
    const some = { ...one, ep };
    const [frozen, frozen_head] = work.frozen_flops(sheet, some);
    return { each: work.kind_flops(sheet, some), head, frozen, frozen_head, rate };
  });
  /** @type {Map<string, [own: StagePart[], all: [ep: number, etp: number, experts: RoutedSide[]][]]>} */
  const splits = new Map();
  const dealt = legalAxes.experts_of(sheet).length > 0;
  return candidates.dense(sheet, one).map((made) => {
    const key = [
      made.pp,
      made.chunks,
      ...(made.order.endsWith("pp") ? [] : [made.tp, made.cp]),
      made.zero > 1 ? made.visits : 0,
      made.replicas,
    ].join(" ");
    if (!splits.has(key)) {
      const own = distinct_stages(sheet, made);
      splits.set(key, [
        own,
        candidates
          .folds(sheet, made)
          .map(([ep, etp]) => [ep, etp, routed_side(sheet, layout.make({ ...made, ep, etp }), own)]),
      ]);
    }
    const [own, all] = /** @type {[StagePart[], [number, number, RoutedSide[]][]]} */ (splits.get(key));
    /** @type {typeof all} */
    const sides = dealt ? all : [[1, made.tp, all[0][2]]];
    const plain = dense_side(sheet, made, even, own);
    const share = schedules.bubble(made.runs, made.pp, made.chunks, made.micro_batches);
    const times = least_times(
      made,
      plain,
      own.map(() => NOTHING),
      0,
      0,
      share,
    );
    return { least: times, layout: made, own, sides, plain, share, busy };
  });
};

/**
 * [ep, etp, bytes of the fullest rank, its sides] of every way that fits.
 * @param {Sheet} sheet
 * @param {ReturnType<typeof bases>[number]} base
 * @param {number} room bytes
 * @returns {[ep: number, etp: number, bytes: number, base: DenseSide[], experts: RoutedSide[]][]}
 */
export const fit_within = (sheet, base, room) => {
  const made = base.layout;
  /** @type {[ep: number, etp: number, bytes: number, base: DenseSide[], experts: RoutedSide[]][]} */
  const out = [];
  /** @type {[Map<string, DenseSide[]>, Map<string, number[]>]} */
  const [kinds, saved] = [new Map(), new Map()];
  for (const [ep, etp, experts] of base.sides) {
    const [as_dense, busy] = [ep === 1 && etp === made.tp, ep > 1 && made.imbalance > 1];
    const [key, fold] = [`${as_dense} ${busy}`, `${busy} ${etp}`];
    let [side, held] = [kinds.get(key), saved.get(fold)];
    if (!side || !held) {
      const some = layout.make({ ...made, ep, etp });
      side ??= add_collectives(sheet, some, busy ? dense_side(sheet, some, base.busy, base.own) : base.plain, base.own);
      held ??= base.own.map((part) =>
        Math.ceil(activationMemory.routed_activations(sheet, some, part.stage, part.counts)),
      );
      kinds.set(key, side);
      saved.set(fold, held);
    }
    let size = 0;
    for (let i = 0; i < side.length; i += 1) size = Math.max(size, side[i].bytes + experts[i].bytes + held[i]);
    if (size <= room) out.push([ep, etp, size, side, experts]);
  }
  return out;
};

/**
 * {legal, fits: how many, found: the fast ones}: at most `own` seconds, or near the best ten, by the order (0: at
 * least, 1: nothing hides).
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} [order]
 * @param {number} [own]
 * @param {number} [best]
 */
export const search_fitting = (sheet, one, order = 0, own = 0, best = 10) => {
  const room = Math.trunc(one.device.memory_bytes * one.used);
  let [legal_, fits_] = [0, 0];
  /** @type {[FoundLayout[], number[]]} */
  const [found, fastest] = [[], []];
  const every = bases(sheet, one)
    .map((base, i) => /** @type {const} */ ([base, i]))
    .sort((a, b) => a[0].least[order] - b[0].least[order] || a[1] - b[1]);
  for (const [base] of every) {
    const [made, some] = [base.layout, fit_within(sheet, base, room)];
    legal_ += base.sides.length;
    fits_ += some.length;
    if (fastest.length === best && base.least[order] > Math.max(own, fastest[best - 1]) * ALIKE) continue;
    const often = count_passes(made) * made.visits;
    const many = ((made.sequence * made.micro_batch) / made.cp / made.tp) * often * sheet.loops;
    for (const [ep, etp, bytes, side, experts] of some) {
      const times = least_times(made, side, experts, often, ep === 1 && etp === made.tp ? 0 : many, base.share);
      found.push({ seconds: times[0], unhidden: times[1], bytes, base: made, ep, etp });
      fastest.push(times[order]);
      fastest.sort((a, b) => a - b);
      fastest.length = Math.min(fastest.length, best);
    }
  }
  return { legal: legal_, fits: fits_, found };
};
