/* The update rules token by token and in chunks, and attention over the same writes: rules.py, in plain loops. */
import { D, dot, read_state, zeros } from "./writes.js";

/** @import { Rule } from "./compute.js" */
/** @import { Gates, Matrix } from "./writes.js" */

/** @param {Rule} rule @param {Gates} gates @returns {Matrix} */
export const alpha_of = (rule, { scalar, rows }) =>
  rule.decay === "channel" ? rows : scalar.map((a) => new Array(D).fill(rule.decay === "scalar" ? a : 1));

/** @param {Rule} rule @param {Matrix} k @param {Matrix} v @param {Matrix} alpha @param {number} beta */
export const recurrent = (rule, k, v, alpha, beta) => {
  let S = zeros();
  const states = [S];
  const outputs = k.map((key, t) => {
    S = S.map((row, i) => row.map((x) => alpha[t][i] * x));
    const now = read_state(S, key);
    const written = v[t].map((x, j) => (rule.delta ? beta * (x - now[j]) : x));
    S = S.map((row, i) => row.map((x, j) => x + key[i] * written[j]));
    states.push(S);
    return read_state(S, key);
  });
  return { states, outputs };
};

/**
 * @param {Rule} rule
 * @param {Matrix} S
 * @param {Matrix} k
 * @param {Matrix} v
 * @param {Matrix} alpha
 * @param {number} beta
 */
const one_chunk = (rule, S, k, v, alpha, beta) => {
  // U solves (I + b strict lower(A)) U = b (V - faded K S)
  const n = k.length;
  const decay = k.map((_, i) => {
    // decay[i][j + 1]: from after token j to token i; decay[i][0]: from before the chunk
    /** @type {Matrix} */
    const rows = [];
    /** @type {number[]} */
    let all = new Array(D).fill(1);
    for (let j = i; j >= 0; j -= 1) {
      rows[j + 1] = all;
      all = all.map((x, d) => x * alpha[j][d]);
    }
    rows[0] = all;
    return rows;
  });
  /** @param {number} i @param {number} j */
  const fade = (i, j) => k[i].map((x, d) => x * decay[i][j + 1][d]);
  const seen = k.map((_, i) => k.map((b, j) => (j <= i ? dot(fade(i, j), b) : 0)));
  /** @type {Matrix} */
  const written = [];
  for (let i = 0; i < n; i += 1) {
    let u = v[i];
    if (rule.delta) {
      const before = read_state(S, fade(i, -1));
      u = v[i].map((x, c) => {
        let sum = x - before[c];
        for (let j = 0; j < i; j += 1) sum -= seen[i][j] * written[j][c];
        return beta * sum;
      });
    }
    written.push(u);
  }
  const outputs = k.map((_, i) => {
    const o = read_state(S, fade(i, -1));
    for (let j = 0; j <= i; j += 1)
      written[j].forEach((u, c) => {
        o[c] += seen[i][j] * u;
      });
    return o;
  });
  const last = decay[n - 1];
  const after = S.map((row, d) =>
    row.map((x, c) => {
      let sum = last[0][d] * x;
      for (let j = 0; j < n; j += 1) sum += last[j + 1][d] * k[j][d] * written[j][c];
      return sum;
    }),
  );
  return { after, outputs };
};
/**
 * @param {Rule} rule
 * @param {Matrix} k
 * @param {Matrix} v
 * @param {Matrix} alpha
 * @param {number} beta
 * @param {number} size
 */
export const chunked = (rule, k, v, alpha, beta, size) => {
  let S = zeros();
  /** @type {Matrix} */
  const outputs = [];
  for (let from = 0; from < k.length; from += size) {
    const to = from + size;
    const part = one_chunk(rule, S, k.slice(from, to), v.slice(from, to), alpha.slice(from, to), beta);
    S = part.after;
    outputs.push(...part.outputs);
  }
  return { last: S, outputs };
};
/** @param {Matrix} all @param {Matrix} k @param {Matrix} v @param {number} sharp @returns {Matrix} */
export const attend = (all, k, v, sharp) =>
  all.map((q) => {
    const weights = k.map((key) => Math.exp(sharp * dot(q, key)));
    const sum = weights.reduce((a, b) => a + b, 0);
    return Array.from({ length: D }, (_, j) => weights.reduce((o, w, i) => o + (w / sum) * v[i][j], 0));
  });
