/* One small layer on six tokens: weights, norms, attention, MLP, each with its gates. */
import { upto } from "../kit/arrays.js";
import { EPS, normal, remembered, sum } from "./mixing.js";

/** @import { State } from "./compute.js" */
/** @import { Entry, Rows } from "./stack.js" */

export const [TOKENS, WIDTH, HEADS, SIZE, INNER, OWN, ALPHA, SEED] = [6, 16, 2, 8, 32, 4, 3.5566, 5340000];
const [Q, K, V, O, GATE, HEADWISE, MLP_GATE, UP, DOWN, OWN_GATE, OWN_OUT, OWN_TABLE] = upto(12).map((i) => i + 2);
export const [tokens, first_head] = [upto(TOKENS), [0, SIZE]];
const matrix = /* @__PURE__ */ remembered((/** @type {number[]} */ ...[layer, which, rows, columns]) => {
  const [drawn, root] = [normal(SEED + 64 * layer + which, rows * columns), Math.sqrt(columns)];
  return upto(rows).map((i) => drawn.slice(i * columns, (i + 1) * columns).map((v) => v / root));
});
/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => {
  let made = 0;
  for (let i = 0; i !== a.length; i += 1) made += a[i] * b[i];
  return made;
};
/** @param {Rows} x @param {Rows} weight */
const linear = (x, weight, by = 1) => x.map((row) => weight.map((one) => by * dot(row, one)));
/** What a norm multiplies a token by. @param {number[]} row */
export const over = (row) => 1 / Math.sqrt(dot(row, row) / row.length + EPS);
/** @param {number[]} row */
const norm_row = (row) => {
  const by = over(row);
  return row.map((v) => v * by);
};
/** @param {Rows} x */
export const norm = (x) => x.map(norm_row);
/** The root mean square. @param {Rows} all */
export const size = (all) => Math.sqrt(sum(all.map((row) => dot(row, row))) / (all.length * all[0].length));
/** @param {number} v */
const sigmoid = (v) => 1 / (1 + Math.exp(-v));
/** @param {number} v */
const gelu = (v) => 0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
/** @param {number} v @param {number} cap */
export const capped = (v, cap) => (cap ? cap * Math.tanh(v / cap) : v);
/** @param {Rows} x */
const each_head = (x) => first_head.map((from) => x.map((row) => row.slice(from, from + SIZE)));

/** @param {State} state @param {number} layer @param {Rows} x @returns {Entry} */
export const keys_of = ({ grown, qk }, layer, x) => {
  const k = each_head(linear(x, matrix(layer, K, WIDTH, WIDTH), grown));
  return [qk ? k.map(norm) : k, each_head(linear(x, matrix(layer, V, WIDTH, WIDTH)))];
};
/**
 * @param {State} state
 * @param {number} layer
 * @param {Rows} x
 * @param {Entry} entry
 * @returns {[out: Rows, top: number]}
 */
export const mixer = ({ grown, qk, cap, gate }, layer, x, [k, v]) => {
  let top = 0;
  const drawn = each_head(linear(x, matrix(layer, Q, WIDTH, WIDTH), grown));
  const q = qk ? drawn.map(norm) : drawn;
  const opened =
    gate === "heads"
      ? linear(x, matrix(layer, HEADWISE, HEADS, WIDTH))
      : gate === "numbers"
        ? linear(x, matrix(layer, GATE, WIDTH, WIDTH))
        : null;
  const out = tokens.map((t) =>
    first_head.flatMap((from, h) => {
      const scores = upto(t + 1).map((j) => capped(dot(q[h][t], k[h][j]) / Math.sqrt(SIZE), cap));
      top = Math.max(top, ...scores.map(Math.abs));
      const powers = scores.map((s) => Math.exp(s - Math.max(...scores)));
      const all = sum(powers);
      return upto(SIZE).map((i) => {
        const value = sum(powers.map((p, j) => (p / all) * v[h][j][i]));
        return opened ? value * sigmoid(opened[t][gate === "heads" ? h : from + i]) : value;
      });
    }),
  );
  return [linear(out, matrix(layer, O, WIDTH, WIDTH)), top];
};
/** @param {number} layer @param {Rows} x */
export const mlp = (layer, x) => {
  const [gate, up] = [MLP_GATE, UP].map((which) => linear(x, matrix(layer, which, INNER, WIDTH)));
  return linear(
    gate.map((row, t) => row.map((g, i) => g * sigmoid(g) * up[t][i])),
    matrix(layer, DOWN, WIDTH, INNER),
  );
};
/** @param {number} layer @param {Rows} x */
export const own_of = (layer, x) => {
  const table = matrix(layer, OWN_TABLE, TOKENS, OWN);
  const gate = linear(x, matrix(layer, OWN_GATE, OWN, WIDTH));
  return norm(
    linear(
      gate.map((row, t) => row.map((g, i) => gelu(g) * table[t][i] * Math.sqrt(OWN))),
      matrix(layer, OWN_OUT, WIDTH, OWN),
    ),
  );
};
