/* What ranks hold -> whether it fits, the fullest rank, how many sequences and how long a context; gallery/planning/fits.py. */

import * as cacheMemory from "./cache-memory.js";
import * as engine from "./engine.js";
import * as rankMemory from "./rank-memory.js";
import * as stages from "./stages.js";

/** @import { Bits, Held, Layout, Plan, Sheet } from "./types.d.ts" */

export const LONGEST = 2 ** 27;

/**
 * @param {Held[]} ranks
 * @returns {Held}
 */
export const most = (ranks) => ranks.reduce((best, rank) => (rank.total_bytes > best.total_bytes ? rank : best));
/**
 * @param {Held[]} ranks
 * @returns {Held}
 */
export const least = (ranks) => ranks.reduce((best, rank) => (rank.total_bytes < best.total_bytes ? rank : best));

/**
 * `longest` is a function: it is found when somebody asks for it. flight: sequences that pass a stage together; while
 * decoding, groups of them follow each other through a pipeline, as many as it has stages.
 * @param {Layout} one
 * @param {Held[]} ranks
 * @param {number} room_bytes
 * @param {number | null} sequences
 * @param {() => number | null} [longest]
 * @param {number} [here]
 * @returns {Plan}
 */
export const make = (one, ranks, room_bytes, sequences, longest = () => null, here = 0) => {
  const [fullest, emptiest] = [most(ranks), least(ranks)];
  /** @type {number | null | undefined} */
  let known;
  return {
    layout: one,
    ranks,
    room_bytes,
    sequences,
    here,
    flight: one.job === "decode" ? Math.ceil(here / one.pp) : here,
    fullest,
    emptiest,
    get longest_context() {
      return known === undefined ? (known = longest()) : known;
    },
    at_most: !engine.is_measured(one),
    timed: one.job === "train" || here > 0,
    fits: fullest.total_bytes <= room_bytes && sequences !== 0,
  };
};

/**
 * Sequences for which every stage of one part has room; null where a sequence keeps nothing.
 * @param {Held[]} ranks
 * @param {number} room bytes
 * @returns {number | null}
 */
export const per_part = (ranks, room) => {
  if (ranks.some((rank) => rank.before_text_bytes > room)) return 0;
  const counts = ranks
    .filter((rank) => rank.sequence_bytes)
    .map((rank) => Math.floor(Math.max(room - rank.before_text_bytes, -1) / rank.sequence_bytes));
  return counts.length ? Math.min(...counts) : null;
};

/**
 * Serving: whether all has room but what one sequence keeps.
 * @param {Plan} plan
 * @returns {boolean}
 */
export const lacks_a_sequence = (plan) => plan.sequences === 0 && plan.fullest.total_bytes <= plan.room_bytes;

/**
 * The rank for which room is looked for: the fullest; with one sequence, where that alone is too much.
 * @param {Plan} plan
 * @returns {Held}
 */
export const neediest = (plan) => {
  if (!lacks_a_sequence(plan)) return plan.fullest;
  return plan.ranks
    .map((rank) => rankMemory.make({ ...rank, cache_bytes: rank.cache_bytes + rank.sequence_cache_bytes }))
    .reduce((best, rank) => (rank.total_bytes > best.total_bytes ? rank : best));
};

/**
 * The longest context of which every stage can keep one sequence; null where no context is too long.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Held[]} ranks
 * @param {number} room bytes
 * @param {Bits} bits_of
 * @returns {number | null}
 */
export const longest = (sheet, one, ranks, room, bits_of) => {
  const kinds = ranks.map((rank) => stages.count_kinds(sheet, rank.layers));
  const kept = kinds.map((own) => cacheMemory.cache_rows(sheet, one.cache_dtype, own, bits_of));
  /**
   * @param {number} i
   * @param {number} context
   */
  const size = (i, context) => {
    const cached = cacheMemory.cache_bytes(sheet, one, kept[i], context);
    return cached + cacheMemory.padding_bytes(sheet, one, kinds[i], context, cached, bits_of);
  };
  /** @param {number} context */
  const fit = (context) => ranks.every((rank, i) => rank.before_text_bytes + size(i, context) <= room);
  if (fit(LONGEST)) return null;
  let [low, high] = [0, LONGEST];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fit(middle)) low = middle;
    else high = middle;
  }
  return low;
};

/**
 * The plan of a legal layout.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {Bits} bits_of
 * @returns {Plan}
 */
export const make_plan = (sheet, one, bits_of) => {
  const room = Math.trunc(one.device.memory_bytes * one.used);
  const ranks = rankMemory.list_rank_memory(sheet, one, bits_of);
  if (one.job === "train") return make(one, ranks, room, null);
  const each = per_part(ranks, room);
  const here = one.batch ? Math.ceil(one.batch / one.dp) : each === null ? 1 : each;
  const filled = ranks.map((rank) => rankMemory.make({ ...rank, cache_bytes: here * rank.sequence_bytes }));
  return make(
    one,
    filled,
    room,
    each === null ? null : each * one.dp,
    () => longest(sheet, one, ranks, room, bits_of),
    here,
  );
};
