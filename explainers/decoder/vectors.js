/* Vectors of float64 numbers: products, norms, activations, short convolutions and rotations. */

/** @typedef {Float64Array} Numbers */

export const [TAPS, EPS, THETA, EACH] = [4, 1e-6, 1e5, 24];
/** @param {number} n */
export const range_of = (n) => Array.from({ length: n }, (_, i) => i);

/** @param {Numbers} matrix @param {Numbers} x */
export const times = (matrix, x, out = new Float64Array(matrix.length / x.length)) => {
  const n = x.length;
  for (let r = 0, at = 0; r < out.length; r += 1) {
    let sum = 0;
    for (let c = 0; c < n; c += 1, at += 1) sum += matrix[at] * x[c];
    out[r] = sum;
  }
  return out;
};
/** @param {Numbers} x @param {Numbers} weight */
export const rms = (x, weight) => {
  let sum = 0;
  for (const v of x) sum += v * v;
  const by = 1 / Math.sqrt(sum / x.length + EPS);
  return x.map((v, i) => v * by * weight[i]);
};
/** @param {number} x */
export const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
/** @param {number} x */
export const sigmoid = (x) => 0.5 * (1 + Math.tanh(x / 2));
/** @param {number} x */
export const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
/** @param {Numbers} x */
export const softmax = (x) => {
  const top = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const e = x.map((v) => Math.exp(v - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((v) => v / sum);
};

/**
 * Each channel over its last four tokens.
 * @param {Numbers[]} table
 * @param {Numbers} taps
 * @param {number[]} tokens
 * @param {number} t
 */
export const convolved = (table, taps, tokens, t) => {
  const out = new Float64Array(table[0].length);
  const rows = range_of(Math.min(TAPS, t + 1)).map((back) => table[tokens[t - back]]);
  for (let c = 0; c < out.length; c += 1) {
    let sum = 0;
    for (let back = 0; back < rows.length; back += 1) sum += taps[c * TAPS + TAPS - 1 - back] * rows[back][c];
    out[c] = sum;
  }
  return out;
};

/**
 * Pairs of each head's numbers, halves apart, turned by the position.
 * @param {Numbers} x
 * @param {number} heads
 * @param {number} from the first of them in each head
 * @param {number} dims how many turn
 * @param {number} t
 */
export const turned = (x, heads, from, dims, t) => {
  const [wide, half] = [x.length / heads, dims / 2];
  for (let i = 0; i < half; i += 1) {
    const angle = t * THETA ** (-i / half);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    for (let a = from + i; a < x.length; a += wide) {
      const [one, other] = [x[a], x[a + half]];
      x[a] = one * cos - other * sin;
      x[a + half] = other * cos + one * sin;
    }
  }
  return x;
};

/** Each head's numbers over their length. @param {Numbers} x @param {number} heads */
export const length_one = (x, heads) => {
  const wide = x.length / heads;
  for (let h = 0; h < heads; h += 1) {
    let sum = EPS;
    for (let i = h * wide; i < h * wide + wide; i += 1) sum += x[i] * x[i];
    for (let i = h * wide; i < h * wide + wide; i += 1) x[i] /= Math.sqrt(sum);
  }
  return x;
};
