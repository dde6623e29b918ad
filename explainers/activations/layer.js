/* A seed -> a small layer and its inputs, scales moved between them, and what a scheme makes of the outputs: layer.py again.
   A matrix is a Float32Array, row by row, INPUTS numbers to a row. */
import { codec } from "../blocks/codec.js";
import { pcg64, standard_normal } from "../matrix/pcg64.js";

/** @import { Data } from "../../.make/data_types/activations.d.ts" */
/** @import { Row } from "../blocks/float32.js" */

/** @typedef {Data["made"]} MadeOf */
/** @typedef {Data["schemes"][number]} Scheme */
/** @typedef {Scheme["weights"]} Side */
/** @typedef {{ weights: Float32Array, tokens: Float32Array, calibration: Float32Array }} Layer */

/** Remembers what was made, the last `limit` of it. @template T @param {number} limit */
export const memory = (limit) => {
  /** @type {Map<string, T>} */
  const known = new Map();
  /** @param {string} key @param {() => T} make @returns {T} */
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= limit) known.clear();
    known.set(key, made);
    return made;
  };
};

/** @typedef {{ weights: Float32Array, own: Float64Array, common: Float64Array }} Drawn */
const draws = /* @__PURE__ */ memory(16);

/** What a seed draws: the weights, what each input has of its own, and what all have in common. @param {number} seed @param {MadeOf} made @returns {Drawn} */
const drawn_of = (seed, { inputs, outputs, tokens, calibrated, sigma, common: many }) =>
  /** @type {Drawn} */ (
    draws(`${seed}`, () => {
      const rng = pcg64(seed);
      const rows = tokens + calibrated;
      const weights = Float32Array.from(standard_normal(rng, new Float64Array(outputs * inputs)), (v) => sigma * v);
      const own = standard_normal(rng, new Float64Array(rows * inputs));
      const causes = standard_normal(rng, new Float64Array(rows * many));
      const mix = standard_normal(rng, new Float64Array(many * inputs));
      const common = new Float64Array(rows * inputs);
      for (let t = 0; t < rows; t += 1)
        for (let i = 0; i < many; i += 1)
          for (let c = 0; c < inputs; c += 1) common[t * inputs + c] += causes[t * many + i] * mix[i * inputs + c];
      return { weights, own, common };
    })
  );

const layers = /* @__PURE__ */ memory(32);
/** The layer of a seed: `shared` of an input's variance is common to all, outlier channels are `loud` times as large. @param {number} seed @param {number} loud @param {number} shared @param {MadeOf} made */
export const layer_of = (seed, loud, shared, made) =>
  /** @type {Layer} */ (
    layers(`${seed} ${loud} ${shared}`, () => {
      const { weights, own, common } = drawn_of(seed, made);
      const [alone, together] = [Math.sqrt(1 - shared), Math.sqrt(shared / made.common)];
      const all = new Float32Array(own.length);
      for (let i = 0; i < all.length; i += 1) {
        const v = alone * own[i] + together * common[i];
        all[i] = made.loud.includes(i % made.inputs) ? v * loud : v;
      }
      const cut = made.tokens * made.inputs;
      return { weights, tokens: all.subarray(0, cut), calibration: all.subarray(cut) };
    })
  );

/** The largest magnitude of each column. @param {Float32Array} x @param {number} columns */
export const largest_of = (x, columns) => {
  const found = new Float64Array(columns);
  for (let i = 0; i < x.length; i += 1) found[i % columns] = Math.max(found[i % columns], Math.abs(x[i]));
  return found;
};

/** The mean magnitude of each column. @param {Float32Array} x @param {number} columns */
const mean_of = (x, columns) => {
  const found = new Float64Array(columns);
  for (let i = 0; i < x.length; i += 1) found[i % columns] += Math.abs(x[i]);
  return found.map((sum) => sum / (x.length / columns));
};

/** @typedef {{ mean: Float64Array, largest: Float64Array, weights: Float64Array }} Sizes */
/** @type {WeakMap<Layer, Sizes>} */
const sizes = new WeakMap();
/** Of each input, over the calibration tokens, and of its weights. @param {Layer} layer @param {number} inputs */
const sizes_of = (layer, inputs) => {
  const { calibration, weights } = layer;
  const known = sizes.get(layer);
  if (known) return known;
  const found = {
    mean: mean_of(calibration, inputs),
    largest: largest_of(calibration, inputs),
    weights: largest_of(weights, inputs),
  };
  sizes.set(layer, found);
  return found;
};

/** What each input is divided by, and its weights multiplied. @param {Layer} layer @param {string} method @param {number} alpha @param {MadeOf} made */
const scales_of = (layer, method, alpha, { inputs }) => {
  const { mean, largest, weights } = sizes_of(layer, inputs);
  return method === "smooth"
    ? Float32Array.from(largest, (v, i) => v ** alpha / weights[i] ** (1 - alpha))
    : Float32Array.from(mean, (v) => v ** alpha);
};

/** The same layer with the scales moved. @param {Layer} layer @param {string} method @param {number} alpha @param {MadeOf} made @returns {Layer} */
export const scaled = (layer, method, alpha, made) => {
  if (method === "none") return layer;
  const s = scales_of(layer, method, alpha, made);
  const [weights, tokens] = [layer.weights.slice(), layer.tokens.slice()];
  for (let at = 0; at < weights.length; at += s.length) for (let i = 0; i < s.length; i += 1) weights[at + i] *= s[i];
  for (let at = 0; at < tokens.length; at += s.length) for (let i = 0; i < s.length; i += 1) tokens[at + i] /= s[i];
  return { weights, tokens, calibration: layer.calibration };
};

/** What comes back of numbers. @param {Side} side @param {Float32Array} x */
export const store = (side, x) => {
  const out = new Float32Array(x.length);
  const share = side.share || x.length;
  let amax = 0;
  for (const v of x) amax = Math.max(amax, Math.abs(v));
  const row = /** @type {Row} */ (/** @type {unknown} */ (side));
  for (let at = 0; at < x.length; at += share)
    out.set(codec.quantize(row, x.subarray(at, at + share), "floor", amax, {}, false).values, at);
  return out;
};

/**
 * The outputs, token by token; four at a time, which is twice as fast.
 * @param {ArrayLike<number>} x @param {ArrayLike<number>} w @param {number} inputs
 */
export const product = (x, w, inputs) => {
  const [given, by] = [new Float64Array(x), new Float64Array(w)];
  const y = new Float64Array((x.length / inputs) * (w.length / inputs));
  let to = 0;
  for (let from = 0; from < given.length; from += inputs)
    for (let row = 0; row < by.length; row += 4 * inputs) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let i = 0, at = row; i < inputs; i += 1, at += 1) {
        const v = given[from + i];
        a += v * by[at];
        b += v * by[at + inputs];
        c += v * by[at + 2 * inputs];
        d += v * by[at + 3 * inputs];
      }
      y[to] = a;
      y[to + 1] = b;
      y[to + 2] = c;
      y[to + 3] = d;
      to += 4;
    }
  return y;
};

/** 10 log10 of signal over error. @param {ArrayLike<number>} truth @param {ArrayLike<number>} found */
export const decibels = (truth, found) => {
  let [signal, error] = [0, 0];
  for (let i = 0; i < truth.length; i += 1) {
    signal += truth[i] * truth[i];
    error += (found[i] - truth[i]) * (found[i] - truth[i]);
  }
  return 10 * Math.log10(signal / error);
};

/** @type {WeakMap<Layer, Float64Array>} */
const truths = new WeakMap();
/** The outputs of a layer before anything is quantized. @param {Layer} layer @param {number} inputs */
export const truth_of = (layer, inputs) => {
  const known = truths.get(layer);
  if (known) return known;
  const made = product(layer.tokens, layer.weights, inputs);
  truths.set(layer, made);
  return made;
};

/** Signal over error of the outputs under a scheme, in dB. @param {Scheme} scheme @param {Layer} layer @param {string} method @param {number} alpha @param {MadeOf} made */
export const quality = (scheme, layer, method, alpha, made) => {
  const moved = scaled(layer, method, alpha, made);
  const tokens = scheme.inputs ? store(scheme.inputs, moved.tokens) : moved.tokens;
  return decibels(truth_of(layer, made.inputs), product(tokens, store(scheme.weights, moved.weights), made.inputs));
};

/** The share of numbers outside the outlier channels that become zero. @param {Side} side @param {Float32Array} x @param {MadeOf} made */
export const zeros_of = (side, x, { inputs, loud }) => {
  let [zeros, all] = [0, 0];
  store(side, x).forEach((v, i) => {
    if (loud.includes(i % inputs)) return;
    all += 1;
    if (v === 0) zeros += 1;
  });
  return zeros / all;
};
