/* A plan that trains -> what each pipeline stage does, slot by slot; tests/site/plan_lanes.py does the same. */

import { rank_ops } from "../../../explainers/pipeline/schedules.js";
import { simulate } from "../../../explainers/pipeline/simulate.js";
import * as schedules from "./schedules.js";

/** @import { Fold, Layout, Op, Run } from "./types.d.ts" */

export const MOST_SLOTS = 160;
export const MOST_OPS = 60000;
export const UNFOLDED = ["gpipe", "looped-bfs", "dualpipe"];

/**
 * What runs when; null where that is too much to run. `most`: slots of a lane that are not folded.
 * @param {Layout} one
 * @param {number} [most]
 * @returns {Run | null}
 */
export const of = (one, most = MOST_SLOTS) => {
  const name = one.pp > 1 ? one.runs : "1f1b"; // one stage takes one micro-batch after the other
  return run(name, one.pp, one.pp > 1 ? one.chunks : 1, one.micro_batches, one.recompute === "full" ? 2 : 1, most);
};

/** @type {Map<string, Run | null>} */
export const kept = new Map();
/**
 * The same, worked out once.
 * @type {(...asked: Parameters<typeof found>) => Run | null}
 */
export const run = (...asked) => {
  const key = asked.join(" ");
  if (kept.size > 16) kept.clear();
  if (!kept.has(key)) kept.set(key, found(...asked));
  return kept.get(key) ?? null;
};

/**
 * @param {string} name
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @param {number} again forwards that a stage does once more going back
 * @param {number} most
 * @returns {Run | null}
 */
export const found = (name, p, v, m, again, most) => {
  const each = schedules.ROWS[name].rule === "rounds" && p > 1 ? p : 1;
  const keep = Math.max(2 * p + 3 * each, Math.ceil(48 / v));
  const rounds = 2 * v * m > most && !UNFOLDED.includes(name) ? Math.floor((m - keep) / each) : 0;
  if (rounds > 1) {
    const ops = executed(name, p, v, m - rounds * each, again);
    const length = (2 + again) * v * each;
    const at = steady(ops, length, each);
    if (at !== null) return make(name, v, (2 + again) * v, ops, { at, units: length, micros: each, rounds });
  }
  if (2 * p * v * m > MOST_OPS) return null;
  return make(name, v, (2 + again) * v, executed(name, p, v, m, again), null);
};

/**
 * @param {string} schedule
 * @param {number} chunks
 * @param {number} units
 * @param {Op[][]} ops
 * @param {Fold | null} fold
 * @returns {Run}
 */
export const make = (schedule, chunks, units, ops, fold) => {
  const ops_end = Math.max(...ops.map((own) => /** @type {number} */ (own[own.length - 1].at(-1))));
  return { schedule, chunks, units, ops, fold, ops_end, end: ops_end + (fold ? fold.units * fold.rounds : 0) };
};

/**
 * Every op with its start and end, in units.
 * @param {string} name
 * @param {number} p
 * @param {number} v
 * @param {number} m
 * @param {number} again
 * @returns {Op[][]}
 */
export const executed = (name, p, v, m, again) => {
  const lists = Array.from({ length: p }, (_, rank) => rank_ops(name, p, m, v, rank));
  const [times] = simulate(lists, v, m, [v, again * v, v, (2 + again) * v], 0);
  return lists.map((ops, rank) => ops.map((op, k) => /** @type {Op} */ ([...op, ...times[rank][k]])));
};

/**
 * When a round begins that all lanes repeat, in the middle of those that do.
 * @param {Op[][]} ops
 * @param {number} length
 * @param {number} micros
 * @returns {number | null}
 */
export const steady = (ops, length, micros) => {
  for (const op of ops[0]) {
    const at = /** @type {number} */ (op.at(-2));
    let found = 0;
    while (repeats(ops, at + found * length, length, micros)) found += 1;
    if (found) return at + Math.min(Math.floor(found / 2), found - 1) * length;
  }
  return null;
};

/**
 * The index of the first op that starts at a time or later.
 * @param {Op[]} own
 * @param {number} time
 * @returns {number}
 */
export const first = (own, time) => {
  let [low, high] = [0, own.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (own[middle].at(-2)) < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Whether every lane does from `at` on, for so long, what it does again after that, some micro-batches later.
 * @param {Op[][]} ops
 * @param {number} at
 * @param {number} length
 * @param {number} micros
 * @returns {boolean}
 */
export const repeats = (ops, at, length, micros) =>
  ops.every((own) => {
    const [from, middle, to] = [at, at + length, at + 2 * length].map((time) => first(own, time));
    if (from === middle || middle - from !== to - middle) return false;
    return own
      .slice(from, middle)
      .every((op, i) => shifted(op, length, micros).every((part, place) => part === own[middle + i][place]));
  });

/**
 * The same op some rounds later.
 * @param {Op} op
 * @param {number} units
 * @param {number} micros
 * @returns {(string | number)[]}
 */
export const shifted = (op, units, micros) =>
  op.map((part, place) =>
    typeof part === "string" ? part : place >= op.length - 2 ? part + units : place % 2 === 0 ? part + micros : part,
  );
