/* The costs of both ways to attend: cache, multiply-adds, the context where they cross, GPUs that share a cache: costs.py. */
import { upto } from "../kit/arrays.js";

/** @import { Data } from "../../.make/data_types/mla-numbers.d.ts" */
/** @import { Chip, Size } from "./compute.js" */

/* ------------------------------------------------------------ bytes, FLOPs, GPUs */
const GROUPED = 2 * 8 * 128;
export const [POINTS, LAST, LIMIT] = [8, 512, 65536];
/** @param {Size} size */
export const kept_of = ({ heads, rank, rope, nope, v, layers }) => {
  const [numbers, grown] = [rank + rope, heads * (nope + rope + v)];
  return {
    numbers,
    bytes: 2 * numbers,
    unpacked_numbers: grown,
    unpacked_bytes: 2 * grown,
    times: grown / numbers,
    grouped_numbers: GROUPED,
    grouped_bytes: 2 * GROUPED,
    model_bytes: 2 * numbers * layers,
  };
};
/** @param {Size} size */
const core_of = ({ heads, rank, rope, nope, v }) => ({
  absorbed: 2 * heads * (2 * rank + rope),
  unpacked: 2 * heads * (nope + rope + v),
  unpacking: 2 * rank * heads * (nope + v),
});

/** @param {Size} size @param {Chip} chip */
export const ways_of = (size, chip) => {
  const [each, held] = [core_of(size), kept_of(size)];
  /** @param {number} flops @param {number} bytes */
  const way = (flops, bytes) => ({
    flops,
    bytes,
    intensity: flops / bytes,
    ns: Math.max((flops / chip.peak) * 1e9, (bytes / chip.bandwidth) * 1e9),
  });
  const [absorbed, unpacked] = [way(each.absorbed, held.bytes), way(each.unpacked, held.unpacked_bytes)];
  return {
    absorbed,
    unpacked,
    rebuilt: way(each.unpacked + each.unpacking, held.bytes),
    more_flops: absorbed.flops / unpacked.flops,
    less_bytes: unpacked.bytes / absorbed.bytes,
    faster: unpacked.ns / absorbed.ns,
  };
};

/** @param {number} context @param {number} fresh */
const pairs_of = (context, fresh) => fresh * context + (fresh * (fresh + 1)) / 2;
/** @param {Size} size @param {number} context @param {number} fresh */
const both_of = (size, context, fresh) => {
  const [each, seen] = [core_of(size), pairs_of(context, fresh)];
  return {
    absorbed: fresh * each.unpacking + seen * each.absorbed,
    unpacked: (context + fresh) * each.unpacking + seen * each.unpacked,
  };
};
/** @param {Size} size @param {number} context */
const crossing_of = ({ rank, nope, v }, context) => {
  const [gain, needed] = [2 * rank - nope - v, context * rank * (nope + v)];
  let [low, high] = [1, LIMIT];
  if (needed >= pairs_of(context, high) * gain) return 0;
  while (high > low) {
    const middle = Math.floor((low + high) / 2);
    if (pairs_of(context, middle) * gain > needed) high = middle;
    else low = middle + 1;
  }
  return low;
};
/** @param {Size} size @param {number} context @param {number} fresh */
export const grow_of = (size, context, fresh) => {
  const along = upto(POINTS + 1).map((i) => (LAST * i) / POINTS);
  const lines = along.map((n) => both_of(size, context, n));
  const now = both_of(size, context, fresh);
  const [low, high] = [Math.min(now.absorbed, now.unpacked), Math.max(now.absorbed, now.unpacked)];
  return {
    new: along,
    absorbed: lines.map((one) => one.absorbed),
    unpacked: lines.map((one) => one.unpacked),
    now: { ...now, times: high / low },
    crossing: crossing_of(size, context),
    cheaper: now.absorbed > now.unpacked ? "unpacked" : "absorbed",
    each: core_of(size),
  };
};

/** @param {Size} size @param {Data["other"]} other @param {number} ranks @param {string} split */
export const gpus_of = (size, other, ranks, split) => {
  const one = kept_of(size).model_bytes;
  const copies = split === "heads" ? ranks : 1;
  const theirs = split === "heads" ? Math.max(1, Math.floor(ranks / other.pairs)) : 1;
  return {
    ranks,
    one,
    each: (one * copies) / ranks,
    share: copies / ranks,
    copies,
    all: one * copies,
    other: {
      ...other,
      each: (other.bytes * theirs) / ranks,
      share: theirs / ranks,
      copies: theirs,
      all: other.bytes * theirs,
    },
  };
};
