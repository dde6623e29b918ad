/* A plan -> what decoding keeps on a rank, and how much of it is a copy of another tensor rank's. */

import * as cacheMemory from "./cache-memory.js";
import * as placement from "./placement.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stages from "./stages.js";

/** @import { Held, Layout, Now, Rule } from "./types.d.ts" */

/**
 * @param {Layout} one
 * @returns {number}
 */
export const tokens = (one) => (one.job === "decode" ? one.context : one.sequence);

/**
 * The share of the cache, over all ranks, that is a copy of another tensor rank's.
 * @param {Now} now
 * @returns {number}
 */
export const copied = (now) => {
  const { layout: one, plan } = now;
  if (one.tp === 1 || !plan.fullest.cache_bytes) return 0;
  const kinds = kept(now, plan.fullest);
  const each = Array.from({ length: one.tp }, (_, place) => placement.copied_share(kinds, one, place));
  return each.reduce((sum, share) => sum + share, 0) / one.tp;
};

/**
 * [[rule, bytes of one sequence on this rank, dcp], ...] of what decoding keeps.
 * @param {Now} now
 * @param {Held} rank
 * @returns {[rule: Rule, bytes: number, dcp: number][]}
 */
export const kept = (now, rank) => {
  const { sheet, layout: one } = now;
  const kept = cacheMemory.cache_rows(sheet, one.cache_dtype, stages.count_kinds(sheet, rank.layers), now.bits);
  const context = tokens(one);
  return cacheMemory
    .kept_sums(one, kept, context)
    .map(([rule, dcp, bits]) => [
      sheet.rules[rule],
      arithmetic.part_of(bits, arithmetic.ratio(sheet.rules[rule], one, dcp), 8),
      dcp,
    ]);
};
