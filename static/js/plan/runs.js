/* A plan that trains -> what each pipeline stage does, slot by slot; the twin of app/plan_page/lanes.py. */

import { rank_ops } from "../../../explainers/pipeline/schedules.js";
import { simulate } from "../../../explainers/pipeline/simulate.js";
import * as schedules from "./schedules.js";

export const MOST_SLOTS = 160;
export const MOST_OPS = 60000;
export const UNFOLDED = ["gpipe", "looped-bfs", "dualpipe"];

/* What runs when; null where that is too much to run. `most`: slots of a lane that are not folded. */
export const of = (one, most = MOST_SLOTS) => {
  const name = one.pp > 1 ? one.runs : "1f1b"; // one stage takes one micro-batch after the other
  return run(name, one.pp, one.pp > 1 ? one.chunks : 1, one.micro_batches, one.recompute === "full" ? 2 : 1, most);
};

export const kept = new Map();
export const run = (...asked) => {
  const key = asked.join(" ");
  if (kept.size > 16) kept.clear();
  if (!kept.has(key)) kept.set(key, found(...asked));
  return kept.get(key);
};

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

export const make = (schedule, chunks, units, ops, fold) => {
  const ops_end = Math.max(...ops.map((own) => own.at(-1).at(-1)));
  return { schedule, chunks, units, ops, fold, ops_end, end: ops_end + (fold ? fold.units * fold.rounds : 0) };
};

/* Every op with its start and end, in units. */
export const executed = (name, p, v, m, again) => {
  const lists = Array.from({ length: p }, (_, rank) => rank_ops(name, p, m, v, rank));
  const [times] = simulate(lists, v, m, [v, again * v, v, (2 + again) * v], 0);
  return lists.map((ops, rank) => ops.map((op, k) => [...op, ...times[rank][k]]));
};

/* When a round begins that all lanes repeat, in the middle of those that do. */
export const steady = (ops, length, micros) => {
  for (const op of ops[0]) {
    const at = op.at(-2);
    let found = 0;
    while (repeats(ops, at + found * length, length, micros)) found += 1;
    if (found) return at + Math.min(Math.floor(found / 2), found - 1) * length;
  }
  return null;
};

/* The index of the first op that starts at a time or later. */
export const first = (own, time) => {
  let [low, high] = [0, own.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (own[middle].at(-2) < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

/* Whether every lane does from `at` on, for so long, what it does again after that, some micro-batches later. */
export const repeats = (ops, at, length, micros) =>
  ops.every((own) => {
    const [from, middle, to] = [at, at + length, at + 2 * length].map((time) => first(own, time));
    if (from === middle || middle - from !== to - middle) return false;
    return own
      .slice(from, middle)
      .every((op, i) => shifted(op, length, micros).every((part, place) => part === own[middle + i][place]));
  });

/* The same op some rounds later. */
export const shifted = (op, units, micros) =>
  op.map((part, place) => (place >= op.length - 2 ? part + units : place && place % 2 === 0 ? part + micros : part));
