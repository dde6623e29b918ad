/* Twin of small.py: eight tokens in small tiles -> softmax tile by tile, number by number. */
import { upto } from "../kit/arrays.js";
import { sum } from "./traffic.js";

/** @import { State } from "../../.make/data_types/flash.d.ts" */

/** @typedef {ReturnType<typeof cut>} Cut */

const QUERIES = [
  [2, 0],
  [-1, 2],
  [1, -1],
  [0, 2],
  [1, 1],
  [-1, 1],
  [1, 0],
  [0, 1],
];
const KEY_ROWS = [
  [0.5, 1],
  [2.5, 0.5],
  [0, 2],
  [1, 0],
  [1.5, 1.5],
  [0, 4],
  [1, 0.5],
  [0.5, 1],
];
const VALUES = [2, -1, 1, 3, 0, 5, -2, 1];
const [SIZE, NONE] = [8, "–"];
/** @param {number} fifth */
const keys_with = (fifth) => KEY_ROWS.map((key, i) => (i === 5 ? [0, fifth] : key));
/** @param {number} q @param {number} k @param {number} reach */
export const sees = (q, k, reach) => q >= k && reach > q - k;
/** @param {number} q @param {number} fifth @param {number} reach */
const scores_of = (q, fifth, reach) =>
  keys_with(fifth).map((key, k) => (sees(q, k, reach) ? QUERIES[q][0] * key[0] + QUERIES[q][1] * key[1] : -Infinity));
/** @param {number} x */
const number = (x) => (x === -Infinity ? NONE : x);

/** @param {number[]} scores @param {number[]} values @param {number} wide */
const online = (scores, values, wide) => {
  let [top, total, out] = [-Infinity, 0, 0];
  return upto(scores.length / wide).map((i) => {
    const tile = scores.slice(i * wide, (i + 1) * wide);
    const best = Math.max(top, ...tile);
    const factor = top > -Infinity ? Math.exp(top - best) : 0;
    const weights = tile.map((x) => (best > -Infinity ? Math.exp(x - best) : 0));
    const [fresh_sum, fresh_out] = [sum(weights), sum(weights.map((w, j) => w * values[i * wide + j]))];
    [top, total, out] = [best, total * factor + fresh_sum, out * factor + fresh_out];
    return { max: top, sum: total, out, factor, weights, fresh_sum, fresh_out };
  });
};

/** @param {number} fifth */
export const row_of = (fifth) => {
  const scores = scores_of(7, fifth, SIZE);
  const [first, second] = online(scores, VALUES, 4);
  /** @param {typeof first} one */
  const told = (one) => ({ max: one.max, sum: one.sum, out: one.out });
  const all = scores.map((x) => Math.exp(x - Math.max(...scores)));
  return {
    query: 7,
    scores,
    values: VALUES,
    weights: [...first.weights, ...second.weights],
    first: told(first),
    second: told(second),
    factor: second.factor,
    fresh_sum: second.fresh_sum,
    fresh_out: second.fresh_out,
    tiled: second.out / second.sum,
    plain: sum(all.map((w, i) => w * VALUES[i])) / sum(all),
  };
};

/** @param {string} tile @param {number} reach */
export const cut = (tile, reach) => {
  const [tall, wide] = tile.split("x").map(Number);
  const corners = upto(SIZE / tall).flatMap((r) => upto(SIZE / wide).map((k) => [r * tall, k * wide]));
  /** @param {number[]} corner */
  const needed = ([r, k]) => sum(upto(tall).map((i) => upto(wide).filter((j) => sees(r + i, k + j, reach)).length));
  const [order, skipped] = [corners.filter((one) => needed(one)), corners.filter((one) => !needed(one))];
  const met = sum(corners.map(needed));
  return {
    size: SIZE,
    scores: SIZE * SIZE,
    tall,
    wide,
    tiles: corners.length,
    computed: order.length,
    left: skipped.length,
    needed: met,
    needed_share: met / (SIZE * SIZE),
    share: order.length / corners.length,
    order,
    skipped,
  };
};

/** @param {Cut} small @param {Pick<State, "step" | "reach" | "fifth">} state */
export const walk_of = (small, { step: asked, reach, fifth }) => {
  const { tall, wide, order } = small;
  const step = Math.min(asked, order.length);
  const [r, k] = order[step - 1];
  const last = step === order.length || order[step][0] !== r;
  const rows = upto(tall).map((i) => {
    const one = online(scores_of(r + i, fifth, reach), VALUES, wide)[k / wide];
    const met = one.sum > 0;
    return {
      query: r + i,
      max: number(one.max),
      sum: met ? one.sum : NONE,
      out: met ? one.out : NONE,
      written: last ? one.out / one.sum : NONE,
    };
  });
  return {
    step,
    steps: order.length,
    row: r,
    row_to: r + tall - 1,
    key: k,
    key_to: k + wide - 1,
    scores: tall * wide,
    queries: QUERIES.slice(r, r + tall),
    keys: keys_with(fifth).slice(k, k + wide),
    values: VALUES.slice(k, k + wide),
    rows,
    cells: upto(tall).map((i) =>
      scores_of(r + i, fifth, reach)
        .slice(k, k + wide)
        .map(number),
    ),
  };
};
