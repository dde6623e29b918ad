/* Distinct stages -> what each holds, reads and sends: without routed experts and of these alone, for any way to deal them out. */

import * as activationMemory from "./activation-memory.js";
import { count_passes, sent_bytes } from "./collective-bytes.js";
import * as communication from "./communication.js";
import { expert_route, gathered_tokens } from "./expert-communication.js";
import { data_parallel, list_once_per_step } from "./gradient-communication.js";
import { pipeline_parallel } from "./pipeline-communication.js";
import * as rankMemory from "./rank-memory.js";
import * as stageWeights from "./stage-weights.js";
import * as work from "./work.js";

/** @import { Layout, Sheet, Talk } from "./types.d.ts" */
/** @import { StagePart } from "./distinct-stages.js" */

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
