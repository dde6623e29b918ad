/* A head of multi-head latent attention small enough to write down, computed in both orders: toy.py. */
import { upto } from "../kit/arrays.js";

/** @import { Carry } from "./compute.js" */

/** A matrix, row by row. @typedef {number[][]} Matrix */
/** @param {number[]} list */
const sum = (list) => list.reduce((a, b) => a + b, 0);

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
export const unpacked_of = (token) => ({
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

/** @param {string} turn @param {number} head */
export const carry_of = (turn, head) => {
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
export const distance_of = (turn, head, distance) => {
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
