/* Attention over part of the keys, sum for sum as run.py has it: softmax on its way, merged, then finished; and the whole layer.
   A tensor is a list of rows, one per token, of heads times width numbers. */
import { upto } from "../kit/arrays.js";
import { exp } from "../kit/exp.js";

/** A row of numbers for each token. @typedef {Float64Array[]} Rows */

/** How many heads attend, and how. @typedef {{ heads: number, kv_heads: number, latent: boolean }} Heads */

/**
 * Softmax on its way: of each head the largest score, the sum and the output.
 * @typedef {{ top: Float64Array, total: Float64Array, out: Float64Array }} Soft
 */

export const [TOKENS, WIDE, LATENT] = [32, 4, 6];

/** @param {number} seed @param {number} wide @param {number} scale */
const made_rows = (seed, wide, scale) => {
  let x = seed;
  return upto(TOKENS).map(() =>
    Float64Array.from({ length: wide }, () => {
      x = (75 * x + 74) % 65537;
      return scale * (x / 65537 - 0.5);
    }),
  );
};
/**
 * @template {(string | number | boolean)[]} Given
 * @template Made
 * @param {(...given: Given) => Made} fn
 * @returns {(...given: Given) => Made}
 */
export const once = (fn) => {
  // each answer is worked out once
  /** @type {Map<string, Made>} */
  const known = new Map();
  return (...given) => {
    const key = given.join();
    if (!known.has(key)) known.set(key, fn(...given));
    return /** @type {Made} */ (known.get(key));
  };
};

/* Queries at places q_at over keys at k_at; of each query and head: largest score, sum, output. */
/**
 * @param {Rows} q
 * @param {Rows} kv
 * @param {number[]} q_at
 * @param {number[]} k_at
 * @param {Heads} one
 * @returns {Soft[]}
 */
export const attend = (q, kv, q_at, k_at, { heads, kv_heads, latent }) => {
  const [key, pair] = latent ? [LATENT, LATENT] : [WIDE, 2 * WIDE];
  const [root, skip] = [Math.sqrt(key), latent ? 0 : key];
  return q.map((query, i) => {
    const soft = {
      top: new Float64Array(heads).fill(-Infinity),
      total: new Float64Array(heads),
      out: new Float64Array(heads * WIDE),
    };
    const met = upto(kv.length).filter((j) => q_at[i] >= k_at[j]);
    for (let h = 0; h !== heads; h += 1) {
      const from = Math.floor((h * kv_heads) / heads) * pair;
      const scores = met.map((j) => {
        let sum = 0;
        for (let d = 0; d !== key; d += 1) sum += query[h * key + d] * kv[j][from + d];
        return sum / root;
      });
      const top = Math.max(...scores);
      scores.forEach((score, n) => {
        const p = exp(score - top);
        soft.total[h] += p;
        for (let d = 0; d !== WIDE; d += 1) soft.out[h * WIDE + d] += p * kv[met[n]][from + skip + d];
      });
      soft.top[h] = top;
    }
    return soft;
  });
};
/** @param {Soft} a @param {Soft} b @returns {Soft} */
export const merged = (a, b) => {
  if (!Number.isFinite(b.top[0])) return a;
  const top = a.top.map((x, h) => Math.max(x, b.top[h]));
  const [here, there] = [a, b].map((one) => one.top.map((x, h) => exp(x - top[h])));
  return {
    top,
    total: a.total.map((x, h) => x * here[h] + b.total[h] * there[h]),
    out: a.out.map((x, i) => x * here[Math.floor(i / WIDE)] + b.out[i] * there[Math.floor(i / WIDE)]),
  };
};
/** @param {Soft[]} soft @returns {Rows} */
export const finished = (soft) => soft.map((one) => one.out.map((x, i) => x / one.total[Math.floor(i / WIDE)]));

export const layer = /* @__PURE__ */ once(
  (/** @type {number} */ heads, /** @type {number} */ kv_heads, /** @type {boolean} */ latent) => {
    const [key, pair] = latent ? [LATENT, LATENT] : [WIDE, 2 * WIDE];
    const one = { heads, kv_heads, latent, q: made_rows(1, heads * key, 8), kv: made_rows(2, kv_heads * pair, 2) };
    const all = upto(TOKENS);
    return { ...one, out: finished(attend(one.q, one.kv, all, all, one)) };
  },
);
/** @param {Rows} rows @param {Rows} others */
export const furthest_off = (rows, others) =>
  rows.reduce((most, row, i) => row.reduce((m, x, j) => Math.max(m, Math.abs(x - others[i][j])), most), 0);
