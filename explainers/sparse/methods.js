/* Twin of methods.py: a text -> which tokens each method reads and with which weights. READS has each by its key. */
import { hash32, upto } from "../kit/arrays.js";
import { dot, order, TOKENS } from "./texts.js";

/** @import { State } from "../../.make/data_types/sparse.d.ts" */
/** @import { Rows, Text } from "./texts.js" */
/** What a method reads: of each head and token its weight, and whether it is read by itself. @typedef {{ weights: Rows, single: boolean[][], reads: number, scored: number }} Read */

const [FINE, COARSE, GATE, STEPS] = [4, 16, 6, 10];
const NEVER = Number.NEGATIVE_INFINITY;

/** @param {number[]} scores */
export const softmax = (scores) => {
  const most = scores.reduce((a, b) => Math.max(a, b));
  const raised = scores.map((one) => Math.exp(one - most));
  const sum = raised.reduce((a, b) => a + b);
  return raised.map((one) => one / sum);
};
/** Products of queries with keys. @param {Rows} q @param {Rows} k @returns {Rows} */
const products = (q, k) => q.map((one) => k.map((key) => dot(one, key)));
/** @param {Rows} q @param {Rows} k */
const scaled = (q, k) => products(q, k).map((row) => row.map((one) => one / Math.sqrt(q[0].length)));
/** @param {Text} text */
export const scoresOf = ({ q, k }) => scaled(q, k);
/** Rows times weights, added up. @param {Rows} weights @param {Rows} rows @returns {Rows} */
export const mix = (weights, rows) =>
  weights.map((one) => {
    const sum = Array(rows[0].length).fill(0);
    one.forEach((weight, j) => {
      if (weight) for (let d = 0; sum.length > d; d++) sum[d] += weight * rows[j][d];
    });
    return sum;
  });
/** The sum of each block of rows, each row times what it gives. @param {Rows} rows @param {number} block @param {number[]} given */
const sums = (rows, block, given) =>
  upto(rows.length / block).map((b) =>
    rows[0].map((_, d) => upto(block).reduce((sum, i) => sum + given[b * block + i] * rows[b * block + i][d], 0)),
  );
/** @param {Rows} rows @param {number} block */
export const means = (rows, block) => sums(rows, block, Array(rows.length).fill(1 / block));
/** @param {boolean[]} flags */
const marked = (flags) => flags.filter(Boolean).length;

/** Attention over chosen tokens, of each head or of all. @param {Text} text @param {boolean[][]} chosen @param {number} [scored] @returns {Read} */
const over = (text, chosen, scored = 0) => {
  const single = text.q.map((_, head) => chosen[head] ?? chosen[0]);
  const weights = scoresOf(text).map((row, head) => softmax(row.map((one, j) => (single[head][j] ? one : NEVER))));
  return { weights, single, reads: marked(single[0]), scored };
};
/** @param {number[]} values @param {number} count */
const largest = (values, count) => {
  const found = Array(values.length).fill(false);
  for (const place of order(values).slice(0, count)) found[place] = true;
  return found;
};
/** @param {boolean[]} flags @param {number} block */
const spread = (flags, block) => upto(flags.length * block).map((j) => flags[Math.floor(j / block)]);
/** Tokens of the best blocks; the own is one of them. @param {number[]} values @param {number} block @param {number} budget */
const blocks = (values, block, budget) =>
  spread(largest([...values.slice(0, -1), Infinity], Math.max(1, Math.floor(budget / block))), block);
/** @param {Text} text @param {Rows} keys */
const indexScores = ({ index_q }, keys) =>
  keys.map((key) => index_q.reduce((sum, one) => sum + Math.max(dot(one, key), 0), 0));
/** @param {number} count */
const last = (count) => upto(TOKENS).map((j) => j >= TOKENS - count);
/** @param {...boolean[]} flags */
const either = (...flags) => flags[0].map((_, j) => flags.some((one) => one[j]));

/** What each token gives to its block's entry. @param {Text} text @param {number} block @param {boolean} gated */
const slots = ({ k }, block, gated) =>
  upto(TOKENS / block).flatMap((b) =>
    softmax(k.slice(b * block, (b + 1) * block).map((key) => (gated ? GATE * Math.sqrt(dot(key, key)) : 0))),
  );
/**
 * One softmax over chosen entries and the window's tokens.
 * @param {Text} text @param {number} block @param {number[]} given @param {boolean[]} chosen @param {number} window
 * @returns {Read}
 */
const blended = (text, block, given, chosen, window) => {
  const entries = scaled(text.q, sums(text.k, block, given));
  const many = upto(chosen.length).map((b) =>
    Math.log(given.slice(b * block, (b + 1) * block).reduce((sum, one) => sum + one * one, 0)),
  );
  const near = last(window);
  const weights = scoresOf(text).map((row, head) => {
    const found = softmax([
      ...entries[head].map((one, b) => (chosen[b] ? one - many[b] : NEVER)),
      ...row.map((one, j) => (near[j] ? one : NEVER)),
    ]);
    return row.map((_, j) => found[chosen.length + j] + found[Math.floor(j / block)] * given[j]);
  });
  return { weights, single: text.q.map(() => near), reads: marked(chosen) + window, scored: 0 };
};

/** @param {Rows[]} outputs three @param {Rows} wanted the gates, in tenths, that come nearest */
const gates = (outputs, wanted) => {
  const [flat, aim] = [outputs.map((one) => one.flat()), wanted.flat()];
  const [pairs, hits] = [flat.map((a) => flat.map((b) => dot(a, b))), flat.map((a) => dot(a, aim))];
  let [best, least] = [[0, 0, 0], Infinity];
  for (let i = 0; (STEPS + 1) ** 3 > i; i++) {
    const tried = [Math.floor(i / 121), Math.floor(i / 11) % 11, i % 11].map((one) => one / STEPS);
    const off = dot(
      tried,
      pairs.map((row, g) => dot(row, tried) - 2 * hits[g]),
    );
    if (least > off) [best, least] = [tried, off];
  }
  return best;
};

/** @type {{ [key: string]: (text: Text, state: State) => Read }} */
export const READS = {
  full: (text) => over(text, [Array(TOKENS).fill(true)]),
  best: (text, { budget }) =>
    over(
      text,
      scoresOf(text).map((row) => largest(row, budget)),
      TOKENS,
    ),
  window: (text, { budget }) => over(text, [last(budget)]),
  strided: (text, { budget }) => {
    const half = budget / 2;
    return over(text, [
      either(
        last(half),
        upto(TOKENS).map((j) => (TOKENS - 1 - j) % (TOKENS / half) === 0),
      ),
    ]);
  },
  bigbird: (text, { budget, seed }) => {
    const eighth = budget / 8;
    const ends = either(
      last(3 * eighth),
      upto(TOKENS).map((j) => 2 * eighth > j),
    );
    const drawn = ends.map((end, j) => (end ? -1 : hash32(j + 65536 * (8 * seed + 4))));
    return over(text, [either(ends, largest(drawn, 3 * eighth))]);
  },
  moba: (text, { block, budget }) =>
    over(
      text,
      products(text.q, means(text.k, block)).map((row) => blocks(row, block, budget)),
      TOKENS / block,
    ),
  nsa: (text, { block, budget, window }) => {
    const coarse = scaled(text.q, means(text.k, block)).map(softmax);
    const votes = coarse[0].map((_, b) => coarse.reduce((sum, row) => sum + row[b], 0));
    const picked = over(text, [blocks(votes, block, budget)]);
    const near = over(text, [last(window)]);
    const branches = [
      coarse.map((row) => upto(TOKENS).map((j) => row[Math.floor(j / block)] / block)),
      picked.weights,
      near.weights,
    ];
    const gate = gates(
      branches.map((one) => mix(one, text.v)),
      mix(scoresOf(text).map(softmax), text.v),
    );
    return {
      weights: branches[0].map((row, head) =>
        row.map((_, j) =>
          dot(
            gate,
            branches.map((one) => one[head][j]),
          ),
        ),
      ),
      single: picked.single.map((row, head) => either(row, near.single[head])),
      reads: votes.length + picked.reads + near.reads,
      scored: votes.length,
    };
  },
  block_max: (text, { block, budget }) => {
    const [query] = means(text.index_q, text.index_q.length);
    const found = text.index_k.map((key) => dot(query, key));
    const most = upto(TOKENS / block).map((b) => Math.max(...found.slice(b * block, (b + 1) * block)));
    return over(text, [blocks(most, block, budget)], TOKENS);
  },
  pooled: (text, { block, budget }) =>
    over(text, [blocks(indexScores(text, means(text.index_k, block)), block, budget)], TOKENS / block),
  dsa: (text, { budget }) => over(text, [largest(indexScores(text, text.index_k), budget)], TOKENS),
  csa: (text, { budget, gated, window }) => {
    const given = slots(text, FINE, gated);
    const found = indexScores(text, sums(text.index_k, FINE, given));
    const read = blended(text, FINE, given, largest(found, budget / FINE), window);
    return { ...read, scored: found.length };
  },
  hca: (text, { gated, window }) =>
    blended(text, COARSE, slots(text, COARSE, gated), Array(TOKENS / COARSE).fill(true), window),
};
