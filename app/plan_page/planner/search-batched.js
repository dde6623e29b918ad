/* Training layouts by the ten thousand -> which fit, and their least times: what no axis touches is done once; gallery/planning/search_batched.py. */

import * as activationMemory from "./activation-memory.js";
import * as candidates from "./candidates.js";
import { count_passes } from "./collective-bytes.js";
import { distinct_stages } from "./distinct-stages.js";
import * as layout from "./layout.js";
import * as legalAxes from "./legal-axes.js";
import { peak } from "./product-format.js";
import * as schedules from "./schedules.js";
import { add_collectives, dense_side, routed_side } from "./stage-sides.js";
import * as work from "./work.js";

/** @import { FoundLayout, Layout, Sheet } from "./types.d.ts" */
/** @import { StagePart } from "./distinct-stages.js" */
/** @import { DenseSide, RoutedSide } from "./stage-sides.js" */

export const ALIKE = 1.02; // times further apart than this differ in their first three digits

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
  const [rate, head] = [peak(one, sheet), work.head_flops(sheet, one)];
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
