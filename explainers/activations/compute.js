/* Outlier channels, and how scales are moved -> everything the page prints: the same keys and values as reference.py. */
import { lazy } from "../kit/arrays.js";
import { both } from "./feedback.js";
import { largest_of, layer_of, memory, quality, scaled, zeros_of } from "./layer.js";

/** @import { Data, State } from "../../.make/data_types/activations.d.ts" */
/** @import { Layer, Scheme, Side } from "./layer.js" */

/** A value over eight layers. @typedef {{ mean: number, low: number, high: number }} Spread */
/** @typedef {Spread & { name: string, label: string }} Row */
/** @typedef {Spread & { alpha: number }} Point */
/** @typedef {{ points: Point[], plain: Spread, best: Point, gain: Spread, last: Spread, from: number, to: number }} Curve */
/** @typedef {State & ReturnType<typeof compute>} Now */

export const METHODS = ["none", "smooth", "awq"];
/** @param {unknown[]} all */
const listed = (all) => `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
/** @param {unknown} value @param {number} low @param {number} high */
const is_whole = (value, low, high) => Number.isInteger(value) && Number(value) >= low && Number(value) <= high;

/** @param {State} state @param {Data} data */
export const check = (state, data) => {
  if (!data.seeds.includes(state.seed))
    return `The seed is a whole number from ${data.seeds[0]} to ${data.seeds.at(-1)}.`;
  if (!is_whole(state.loud, 1, data.loudest))
    return `Outlier channels are 1 to ${data.loudest} times as large as the others.`;
  if (!data.shared.includes(state.shared)) return `The share in common is ${listed(data.shared)}.`;
  if (!METHODS.includes(state.method)) return `Scales are moved by ${listed(METHODS)}.`;
  if (!Number.isFinite(state.alpha) || state.alpha < 0 || state.alpha > 1) return "Alpha is a number from 0 to 1.";
  if (!is_whole(state.stored, 0, data.made.inputs)) return `GPTQ has stored 0 to ${data.made.inputs} inputs.`;
  return "";
};

/** The mean of eight layers, the lowest and the highest. @param {number[]} all @returns {Spread} */
const spread = (all) => ({
  mean: all.reduce((sum, v) => sum + v, 0) / all.length,
  low: Math.min(...all),
  high: Math.max(...all),
});

const known = /* @__PURE__ */ memory(1024);
/** The dB of a scheme on each layer. @param {Scheme} scheme @param {{ loud: number, shared: number }} inputs @param {string} method @param {number} alpha @param {Data} data */
const qualities = (scheme, { loud, shared }, method, alpha, { seeds, made }) =>
  /** @type {number[]} */ (
    known(`${scheme.name} ${loud} ${shared} ${method} ${alpha}`, () =>
      seeds.map((seed) => quality(scheme, layer_of(seed, loud, shared, made), method, alpha, made)),
    )
  );

/** A scheme under each alpha; the best, what it gains, and the alphas that are as good. @param {string} name @param {State} state @param {string} method @param {Data} data @returns {Curve} */
const curve = (name, state, method, data) => {
  const scheme = /** @type {Scheme} */ (data.schemes.find((row) => row.name === name));
  const every = data.alphas.map((alpha) => qualities(scheme, state, method, alpha, data));
  const plain = qualities(scheme, state, "none", 0.5, data);
  const points = every.map((all, i) => ({ alpha: data.alphas[i], ...spread(all) }));
  const best = points.reduce((top, point, i) => (point.mean > points[top].mean ? i : top), 0);
  const good = points.filter((point) => point.mean >= points[best].mean - data.flat).map(({ alpha }) => alpha);
  /** @param {number[]} all */
  const over = (all) => spread(all.map((v, i) => v - plain[i]));
  return {
    points,
    plain: spread(plain),
    best: points[best],
    gain: over(every[best]),
    last: over(/** @type {number[]} */ (every.at(-1))),
    from: good[0],
    to: /** @type {number} */ (good.at(-1)),
  };
};

/** @param {Float64Array} sizes */
const median = (sizes) => {
  const sorted = sizes.slice().sort();
  return (sorted[sizes.length / 2 - 1] + sorted[sizes.length / 2]) / 2;
};

/** The largest magnitude of each channel over the median channel's, and INT8's step. @param {Float32Array} x @param {number} inputs */
const channel_sizes = (x, inputs) => {
  const sizes = largest_of(x, inputs);
  const [middle, most] = [median(sizes), Math.max(...sizes)];
  return { sizes: Array.from(sizes, (v) => v / middle), largest: most / middle, step: most / 127.5 / middle };
};

const QUALITIES = /** @type {const} */ (["weights", "outputs", "calibrated"]);
/** Rounding to nearest and GPTQ. @param {State} state @param {Data} data */
const fed_back = ({ seed, loud, shared, stored }, data) => {
  const side = data.schemes[0].weights;
  const every = data.seeds.map((one) => both(one, loud, shared, side, data.made));
  const drawn = every[data.seeds.indexOf(seed)];
  /** @param {(one: ReturnType<typeof both>, key: typeof QUALITIES[number]) => number} value */
  const each = (value) =>
    /** @type {Record<typeof QUALITIES[number], Spread>} */ (
      Object.fromEntries(QUALITIES.map((key) => [key, spread(every.map((one) => value(one, key)))]))
    );
  const lines = { nearest: drawn.nearest.line(), gptq: drawn.gptq.line() };
  return {
    nearest: each((one, key) => one.nearest[key]),
    gptq: each((one, key) => one.gptq[key]),
    gain: each((one, key) => one.gptq[key] - one.nearest[key]),
    lines,
    here: { nearest: lines.nearest[stored], gptq: lines.gptq[stored] },
    changed: drawn.gptq.errors[stored],
    step: drawn.step,
  };
};

/** @param {State} state @param {Data} data */
export const compute = (state, data) => {
  const { seed, loud, shared, method, alpha } = state;
  const { made, schemes, seeds } = data;
  /** @type {(Layer)[]} */
  let layers = [];
  const every = () => {
    if (!layers.length) layers = seeds.map((one) => scaled(layer_of(one, loud, shared, made), method, alpha, made));
    return layers;
  };
  const all = () => schemes.map((scheme) => qualities(scheme, state, method, alpha, data));
  return lazy(
    {},
    {
      channels: () => {
        const { tokens, weights } = every()[seeds.indexOf(seed)];
        return { inputs: channel_sizes(tokens, made.inputs), weights: channel_sizes(weights, made.inputs) };
      },
      zeros: () => {
        const side = /** @type {Side} */ (schemes[1].inputs);
        return {
          inputs: spread(every().map(({ tokens }) => zeros_of(side, tokens, made))),
          weights: spread(every().map(({ weights }) => zeros_of(side, weights, made))),
        };
      },
      rows: () => all().map((values, i) => ({ name: schemes[i].name, label: schemes[i].label, ...spread(values) })),
      gaps: () => {
        const [first, ...others] = all();
        const gap = (/** @type {number[]} */ values) => spread(values.map((v, i) => v - first[i]));
        return /** @type {Record<string, Spread>} */ (
          Object.fromEntries([first, ...others].map((values, i) => [schemes[i].name, gap(values)]))
        );
      },
      smooth: () => curve("w8a8_tensor", state, "smooth", data),
      awq: () => curve("w4a16", state, "awq", data),
      feedback: () => fed_back(state, data),
    },
  );
};
