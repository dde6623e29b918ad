/* GPTQ's error feedback: feedback.py again. The factor of the inverse Hessian is found without inverting it. */
import { codec } from "../blocks/codec.js";
import { roundEven } from "../kit/arrays.js";
import { decibels, layer_of, memory, product, truth_of } from "./layer.js";

/** @import { Row } from "../blocks/float32.js" */
/** @import { Layer, MadeOf, Side } from "./layer.js" */

/** The step of each row's INT4 grid. @param {Float32Array} weights @param {Side} side @param {number} inputs */
export const grid_of = (weights, side, inputs) => {
  const row = /** @type {Row} */ (/** @type {unknown} */ (side));
  return Array.from({ length: weights.length / inputs }, (_, r) => {
    const block = weights.subarray(r * inputs, (r + 1) * inputs);
    return codec.quantize(row, block, "floor", 0, {}, false).scales[0];
  });
};

/** The sums of products of all pairs of inputs over the tokens. @param {Float32Array} x @param {number} n */
const hessian_of = (x, n) => {
  const [h, token] = [new Float64Array(n * n), new Float64Array(n)];
  for (let at = 0; at < x.length; at += n) {
    token.set(x.subarray(at, at + n));
    for (let i = 0; i < n; i += 1) {
      const v = token[i];
      for (let j = i; j < n; j += 1) h[i * n + j] += v * token[j];
    }
  }
  for (let i = 0; i < n; i += 1) for (let j = 0; j < i; j += 1) h[i * n + j] = h[j * n + i];
  return h;
};

/**
 * The upper factor U of the inverse: H = M Mᵀ with M upper triangular, found from the last column on; U is the inverse of M.
 * @param {Float64Array} h @param {number} n @param {number} damp
 */
const factor_of = (h, n, damp) => {
  const m = h.slice();
  let mean = 0;
  for (let i = 0; i < n; i += 1) mean += h[i * n + i] / n;
  for (let i = 0; i < n; i += 1) m[i * n + i] += damp * mean;
  for (let j = n - 1; j >= 0; j -= 1)
    for (let i = j; i >= 0; i -= 1) {
      let left = m[i * n + j];
      for (let k = j + 1; k < n; k += 1) left -= m[i * n + k] * m[j * n + k];
      m[i * n + j] = i === j ? Math.sqrt(left) : left / m[j * n + j];
    }
  const u = new Float64Array(n * n);
  for (let j = 0; j < n; j += 1) {
    u[j * n + j] = 1 / m[j * n + j];
    for (let i = j - 1; i >= 0; i -= 1) {
      let sum = 0;
      for (let k = i + 1; k <= j; k += 1) sum += m[i * n + k] * u[k * n + j];
      u[i * n + j] = -sum / m[i * n + i];
    }
  }
  return u;
};

/**
 * Input by input onto the grid; without `upper` each weight is rounded by itself. `rows`: row 0 after each step.
 * @param {Float32Array} weights @param {number[]} steps @param {Float64Array | null} upper @param {number} n
 */
const stored_of = (weights, steps, upper, n) => {
  const now = Float64Array.from(weights);
  const rows = [now.slice(0, n)];
  for (let j = 0; j < n; j += 1) {
    for (let r = 0; r < steps.length; r += 1) {
      const [at, step] = [r * n, steps[r]];
      const before = now[at + j];
      const kept = Math.min(Math.max(even_of(before / step), -8), 7) * step;
      now[at + j] = kept;
      if (!upper) continue;
      const error = (before - kept) / upper[j * n + j];
      for (let k = j + 1; k < n; k += 1) now[at + k] -= error * upper[j * n + k];
    }
    rows.push(now.slice(0, n));
  }
  return { weights: now, rows };
};

/** The nearest whole number, ties to even. @param {number} v */
const even_of = (v) => roundEven(Math.floor(v), v - Math.floor(v), 1);

/** eᵀ H e. @param {ArrayLike<number>} given @param {Float64Array} h @param {number} n */
const energy = (given, h, n) => {
  const e = new Float64Array(given);
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    if (!e[i]) continue;
    let row = h[i * n + i] * e[i];
    for (let j = 0, at = i * n; j < i; j += 1) row += 2 * h[at + j] * e[j];
    sum += e[i] * row;
  }
  return sum;
};

/** @param {Layer} layer @param {Side} side @param {MadeOf} made */
const both_of = (layer, side, made) => {
  const { inputs: n, damp } = made;
  const h = hessian_of(layer.calibration, n);
  const steps = grid_of(layer.weights, side, n);
  /** The energy of outputs of the calibration tokens under weights. @param {ArrayLike<number> & { slice(from: number, to: number): ArrayLike<number> }} w */
  const outputs = (w) => steps.reduce((sum, _, r) => sum + energy(w.slice(r * n, (r + 1) * n), h, n), 0);
  const calibrated = outputs(layer.weights);
  /** @param {Float64Array | null} upper */
  const told = (upper) => {
    const { weights, rows } = stored_of(layer.weights, steps, upper, n);
    const errors = rows.map((row) => Array.from(row, (v, i) => v - layer.weights[i]));
    return {
      weights: decibels(layer.weights, weights),
      outputs: decibels(truth_of(layer, n), product(layer.tokens, weights, n)),
      calibrated: 10 * Math.log10(calibrated / outputs(weights.map((v, i) => v - layer.weights[i]))),
      errors,
      line: () => {
        const signal = energy(layer.weights.subarray(0, n), h, n);
        return errors.map((error) => Math.sqrt(Math.max(energy(error, h, n) / signal, 0)));
      },
    };
  };
  return { nearest: told(null), gptq: told(factor_of(h, n, damp)), step: steps[0] };
};

const known = /* @__PURE__ */ memory(32);
/** Rounding to nearest and GPTQ on the layer of a seed. @param {number} seed @param {number} loud @param {number} shared @param {Side} side @param {MadeOf} made */
export const both = (seed, loud, shared, side, made) =>
  /** @type {ReturnType<typeof both_of>} */ (
    known(`${seed} ${loud} ${shared}`, () => both_of(layer_of(seed, loud, shared, made), side, made))
  );
