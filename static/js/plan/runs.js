/* A plan that trains -> what each pipeline stage does, slot by slot; the twin of app/planned_lanes.py.

`pipeline` is explainers/pipeline/schedules.js and simulate.js: app/pages/plan.py puts them in front. */
const runs = {};

runs.MOST_SLOTS = 160;
runs.MOST_OPS = 60000;
runs.UNFOLDED = ["gpipe", "looped-bfs", "dualpipe"];

/* What runs when; null where that is too much to run. `most`: slots of a lane that are not folded. */
runs.of = (one, most = runs.MOST_SLOTS) => {
  const name = one.pp > 1 ? one.runs : "1f1b";  // one stage takes one micro-batch after the other
  return runs.run(name, one.pp, one.pp > 1 ? one.chunks : 1, one.micro_batches, one.recompute === "full" ? 2 : 1, most);
};

runs.kept = new Map();
runs.run = (...asked) => {
  const key = asked.join(" ");
  if (runs.kept.size > 16) runs.kept.clear();
  if (!runs.kept.has(key)) runs.kept.set(key, runs.found(...asked));
  return runs.kept.get(key);
};

runs.found = (name, p, v, m, again, most) => {
  const each = schedules.ROWS[name].rule === "rounds" && p > 1 ? p : 1;
  const keep = Math.max(2 * p + 3 * each, Math.ceil(48 / v));
  const rounds = 2 * v * m > most && !runs.UNFOLDED.includes(name) ? Math.floor((m - keep) / each) : 0;
  if (rounds > 1) {
    const ops = runs.executed(name, p, v, m - rounds * each, again);
    const length = (2 + again) * v * each;
    const at = runs.steady(ops, length, each);
    if (at !== null) return runs.make(name, v, (2 + again) * v, ops, { at, units: length, micros: each, rounds });
  }
  if (2 * p * v * m > runs.MOST_OPS) return null;
  return runs.make(name, v, (2 + again) * v, runs.executed(name, p, v, m, again), null);
};

runs.make = (schedule, chunks, units, ops, fold) => {
  const ops_end = Math.max(...ops.map((own) => own.at(-1).at(-1)));
  return { schedule, chunks, units, ops, fold, ops_end, end: ops_end + (fold ? fold.units * fold.rounds : 0) };
};

/* Every op with its start and end, in units. */
runs.executed = (name, p, v, m, again) => {
  const lists = Array.from({ length: p }, (_, rank) => pipeline.rank_ops(name, p, m, v, rank));
  const [times] = pipeline.simulate(lists, v, m, [v, again * v, v, (2 + again) * v], 0);
  return lists.map((ops, rank) => ops.map((op, k) => [...op, ...times[rank][k]]));
};

/* When a round begins that all lanes repeat, in the middle of those that do. */
runs.steady = (ops, length, micros) => {
  for (const op of ops[0]) {
    const at = op.at(-2);
    let found = 0;
    while (runs.repeats(ops, at + found * length, length, micros)) found += 1;
    if (found) return at + Math.min(Math.floor(found / 2), found - 1) * length;
  }
  return null;
};

/* The index of the first op that starts at a time or later. */
runs.first = (own, time) => {
  let [low, high] = [0, own.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (own[middle].at(-2) < time) low = middle + 1; else high = middle;
  }
  return low;
};

/* Whether every lane does from `at` on, for so long, what it does again after that, some micro-batches later. */
runs.repeats = (ops, at, length, micros) => ops.every((own) => {
  const [from, middle, to] = [at, at + length, at + 2 * length].map((time) => runs.first(own, time));
  if (from === middle || middle - from !== to - middle) return false;
  return own.slice(from, middle).every((op, i) => runs.shifted(op, length, micros).every((part, place) => part === own[middle + i][place]));
});

/* The same op some rounds later. */
runs.shifted = (op, units, micros) => op.map((part, place) => (place >= op.length - 2 ? part + units : place && place % 2 === 0 ? part + micros : part));
