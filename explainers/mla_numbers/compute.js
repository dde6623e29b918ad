/* Twin of reference.py, costs.py and toy.py: sizes -> bytes, FLOPs and GPUs; four tokens -> two circuits. */
import { upto } from "../kit/arrays.js";

/** @import { Data, State } from "../../.make/data_types/mla-numbers.d.ts" */

/** @typedef {Data["chips"][number]} Chip */

/**
 * A model: COLUMNS by name.
 * @typedef {{
 *   slug: string, title: string, heads: number, rank: number, rope: number, nope: number, v: number, layers: number,
 *   turned: number, picked: number,
 * }} Size
 */

/** A matrix, row by row. @typedef {number[][]} Matrix */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

const COLUMNS = ["slug", "title", "heads", "rank", "rope", "nope", "v", "layers", "turned", "picked"];
export const LISTED = {
  rank: [0, 64, 128, 256, 512, 1024, 1536, 2048, 2560],
  rope: [-1, 0, 32, 64, 128],
  heads: [0, 16, 32, 64, 128],
  context: Array.from({ length: 11 }, (_, i) => 2 ** (10 + i)),
  ranks: [1, 2, 4, 8, 16],
  split: ["heads", "sequences"],
  turn: ["none", "apart", "every"],
  head: [1, 2],
  token: [0, 1, 2, 3],
};
const COUNTS = { fresh: [1, 512], distance: [0, 31], step: [0, 5] };
/** @param {number[]} list */
const sum = (list) => list.reduce((a, b) => a + b, 0);
/** @param {string} slug @param {Data} data */
const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return /** @type {Size | undefined} */ (row && Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]])));
};

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  const chips = data.chips.map((one) => one.key);
  if (!chips.includes(state.chip)) return `A chip is one of ${chips.join(", ")}.`;
  for (const [key, all] of /** @type {[keyof typeof LISTED, (string | number)[]][]} */ (Object.entries(LISTED)))
    if (!all.includes(state[key])) return `${key} is one of ${all.join(", ")}.`;
  for (const [key, [low, high]] of /** @type {[keyof typeof COUNTS, number[]][]} */ (Object.entries(COUNTS))) {
    const n = state[key];
    if (!Number.isInteger(n) || low > n || n > high) return `${key} is a whole number from ${low} to ${high}.`;
  }
  return "";
}

/* ------------------------------------------------------------ bytes, FLOPs, GPUs */
const GROUPED = 2 * 8 * 128;
export const [POINTS, LAST, LIMIT] = [8, 512, 65536];
/** @param {Size} size */
const kept_of = ({ heads, rank, rope, nope, v, layers }) => {
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
const ways_of = (size, chip) => {
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
const grow_of = (size, context, fresh) => {
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
const gpus_of = (size, other, ranks, split) => {
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

/* ------------------------------------------------------------ four tokens; columns are tokens */
const DIVIDE = 2;
const LATENTS = [
  [1, 0, 2],
  [0, 1, -1],
  [2, -1, 0],
  [1, 1, 1],
];
const PLACES = [
  [1, 0],
  [0, 1],
  [1, 1],
  [-1, 1],
];
const KEY_UP = [
  [
    [1, 0, 1],
    [0, 1, -1],
  ],
  [
    [1, 1, 0],
    [-1, 0, 1],
  ],
];
const VALUE_UP = [
  [
    [1, -1, 0],
    [0, 1, 2],
  ],
  [
    [0, 1, 1],
    [2, 0, -1],
  ],
];
const [QUERIES, QUERY_PLACES] = [
  [
    [1, -1],
    [2, 1],
  ],
  [
    [1, 0],
    [0, 1],
  ],
];
export const [SEEN, SPAN] = [32, 1024];
/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => sum(a.map((x, i) => x * b[i])) + 0;
/** @param {Matrix} rows @param {number[]} column */
const by = (rows, column) => rows.map((row) => dot(row, column)); // a matrix times a vector
/** @param {Matrix} rows */
const flip = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));
/** @param {number[]} pair @param {number} at */
const turned = ([a, b], at) => [a * Math.cos(at) - b * Math.sin(at) + 0, b * Math.cos(at) + a * Math.sin(at) + 0];
/** @param {number[]} scores */
const softmax = (scores) => {
  const all = scores.map((x) => Math.exp(x - Math.max(...scores)));
  return all.map((x) => x / sum(all));
};

/** @param {string} turn @param {number} head */
export const circuits_of = (turn, head) => {
  const at = head - 1;
  const [wk, wv, own] = [KEY_UP[at], VALUE_UP[at], QUERIES[at]];
  const [place, every] = [turn !== "none", turn === "every"];
  const small = PLACES.map((one, t) => turned(one, place ? t : 0));
  const qr = turned(QUERY_PLACES[at], place ? 3 : 0);
  const keys = LATENTS.map((c, t) => turned(by(wk, c), every ? t : 0));
  const q = turned(own, every ? 3 : 0);
  const values = LATENTS.map((c) => by(wv, c));
  const carried = by(flip(wk), own);
  const beside = small.map((one) => dot(qr, one));
  /** @param {number[]} scores */
  const ended = (scores) => ({ scores: [scores], weights: [softmax(scores)] });
  const first = ended(keys.map((k, t) => (dot(q, k) + beside[t]) / DIVIDE));
  const second = ended(LATENTS.map((c, t) => (dot(carried, c) + beside[t]) / DIVIDE));
  const mixed = by(flip(LATENTS), second.weights[0]);
  const apart = Math.max(...first.scores[0].map((x, t) => Math.abs(x - second.scores[0][t])));
  return {
    c: flip(LATENTS),
    kr: flip(small),
    qr: [qr],
    wk,
    wv,
    q: [q],
    k: flip(keys),
    v: flip(values),
    carried: [carried],
    expanded: { ...first, out: [by(flip(values), first.weights[0])] },
    absorbed: { ...second, mixed: [mixed], out: [by(wv, mixed)] },
    apart,
    equal: 1e-9 > apart,
    divide: DIVIDE,
    head,
  };
};

const COUNTED = { expanded: [24, 16, 0, 24, 8], absorbed: [6, 20, 0, 12, 6] }; // multiply-adds of each step
const MADE = { expanded: [8, 0, 0, 8, 0], absorbed: [3, 0, 0, 3, 0] }; // numbers written on the way
/** @param {number} step */
export const counted_to = (step) => {
  /** @param {"expanded" | "absorbed"} name */
  const way = (name) => ({ flops: 2 * sum(COUNTED[name].slice(0, step)), made: sum(MADE[name].slice(0, step)) });
  return { step, reads: 20, expanded: way("expanded"), absorbed: way("absorbed") };
};
/** @param {number} token */
const unpacked_of = (token) => ({
  token,
  c: [LATENTS[token]],
  kr: [PLACES[token]],
  kept: 5,
  numbers: 12,
  heads: KEY_UP.map((wk, i) => ({
    wk,
    wv: VALUE_UP[i],
    key: [[...by(wk, LATENTS[token]), ...PLACES[token]]],
    value: [by(VALUE_UP[i], LATENTS[token])],
  })),
});

/** @type {Map<string, Carry>} */
const carry_known = new Map();
/**
 * What has to be absorbed for a key at each distance.
 * @typedef {{ waves: Matrix, different: number, span: number, needed: Matrix }} Carry
 */

/** @param {string} turn @param {number} head */
const carry_of = (turn, head) => {
  const key = turn + head;
  if (!carry_known.has(key)) {
    const up = flip(KEY_UP[head - 1]);
    const each = upto(SPAN).map((d) => by(up, turned(QUERIES[head - 1], turn === "every" ? d : 0)));
    const different = new Set(each.map((one) => one.map((x) => Math.floor(x * 1e6 + 0.5)).join())).size;
    carry_known.set(key, {
      waves: flip(each.slice(0, SEEN)),
      different,
      span: SPAN,
      needed: flip([3, 2, 1, 0].map((d) => each[d])),
    });
  }
  return /** @type {Carry} */ (carry_known.get(key));
};
/** @param {string} turn @param {number} head @param {number} distance */
const distance_of = (turn, head, distance) => {
  const [own, at] = [QUERIES[head - 1], turn === "every" ? distance : 0];
  const seen = turned(own, at);
  return {
    distance,
    q: [own],
    turning: flip([turned([1, 0], at), turned([0, 1], at)]),
    seen: [seen],
    carried: [by(flip(KEY_UP[head - 1]), seen)],
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Size} */ (find(state.model, data));
  const size = {
    ...row,
    rank: state.rank || row.rank,
    heads: state.heads || row.heads,
    rope: state.rope >= 0 ? state.rope : row.rope,
  };
  const chip = /** @type {Chip} */ (data.chips.find((one) => one.key === state.chip));
  const { turn, head } = state;
  return {
    size,
    on: chip,
    kept: kept_of(size),
    ways: ways_of(size, chip),
    grow: grow_of(size, state.context, state.fresh),
    gpus: gpus_of(size, data.other, state.ranks, state.split),
    unpack: unpacked_of(state.token),
    toy: circuits_of(turn, head),
    so_far: counted_to(state.step),
    carry: { ...carry_of(turn, head), ...distance_of(turn, head, state.distance) },
  };
}
