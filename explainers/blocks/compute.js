/* The block of a state and everything the page prints about it: the same keys and values as reference.py. */
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";
import { packed, packing_of, scale_bytes } from "./packing.js";
import { words } from "./parts.js";

/** @import { Data, State as Plain } from "../../.make/data_types/blocks.d.ts" */
/** @import { Elements, Facts, Made, Row } from "./float32.js" */
/** @import { Packed } from "./packing.js" */
/** @import { Told } from "./parts.js" */

/** A number as JSON has it. @typedef {number | "NaN"} Real */
/** The numbers that were changed, by their places: JSON has no -0. @typedef {{ [i: string]: Real | "-0" }} Edits */
/** @typedef {Omit<Plain, "edits" | "own"> & { edits: Edits, own: number[] }} State */

/**
 * What quantizing did to a block: of each number that is drawn, and of all.
 * @typedef {{
 *   codes: number[], elements: Real[], dequantized: Real[], errors: Real[], relative: Real[], clipped: number[],
 *   clipped_count: number, zeros: number, mse: Real, rms: Real, worst: Real, off: Real,
 * }} Results
 */

/**
 * The same block under one of the scale rules.
 * @typedef {Pick<Results, "dequantized" | "clipped" | "clipped_count" | "mse" | "worst"> & {
 *   rule: string, scale: Real, scale_code: number, kept: string, often: string, best: string,
 * }} Ruled
 */

/**
 * The block of a state, without words.
 * @typedef {Results & Packed & {
 *   n: number, shown: number, values: Real[], amax: Real, peak: number, low: Real, high: Real, subs: number, sub: number,
 *   scale: Real, scale_code: number, zero: number | null, second: number[], tensor_amax: number, tensor_scale: number,
 *   before: Pick<Results, "dequantized" | "zeros" | "off">, levels: number[], scale_bytes: number[], lab: Ruled[],
 *   tile: number[], picked: number,
 * }} Block
 */

/** @typedef {Block & Told} Now */

/**
 * [share that clips, error] of many blocks.
 * @typedef {{ [scheme: string]: { [sample: string]: { [rule: string]: number[] } } }} Survey
 */

export const blocks = /* @__PURE__ */ (() => {
  const TILE = 128;
  /** @param {number} seed @param {number} i @param {number} lane */
  const noise = (seed, i, lane) => {
    // murmur3's finalizer
    let h = (i * 8 + lane + Math.imul(seed, 0x9e3779b9)) >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
    return (h ^ (h >>> 16)) >>> 0;
  };
  /** @param {number} seed @param {number} i */
  const bell = (seed, i) => {
    let total = 0;
    for (let lane = 0; lane < 4; lane += 1) {
      const h = noise(seed, i, lane);
      total += (h >>> 16) + (h & 0xffff);
    }
    return (total - 262140) / 53510;
  };
  /** @type {{ [sample: string]: (seed: number, i: number, n: number) => number }} */
  const raw = {
    bell,
    heavy: (seed, i) => (0.8 * bell(seed, i)) / Math.sqrt(Math.sqrt(((noise(seed, i, 4) >>> 16) + 1) / 65536)),
    ramp: (seed, i, n) => (6 * (i % Math.min(n, TILE))) / (Math.min(n, TILE) - 1) - 3,
  };
  /** @type {{ key: string, x: Float64Array }} */
  const kept = { key: "", x: new Float64Array() }; // a tile of 16,384 is made once, not at every move
  /** @param {Pick<State, "sample" | "seed"> & { own?: number[] }} state @param {number} n */
  const given = ({ sample: kind, seed, own = [] }, n) =>
    kind === "own" ? Float64Array.from({ length: n }, (_, i) => own[i % own.length]) : sample(kind, seed, n);
  /** @param {string} kind @param {number} seed @param {number} n */
  const sample = (kind, seed, n) => {
    const key = `${kind} ${seed} ${n}`;
    if (kept.key !== key) {
      kept.key = key;
      kept.x = Float64Array.from({ length: n }, (_, i) => Math.floor(raw[kind](seed, i, n) * 100 + 0.5) / 100);
    }
    return kept.x;
  };
  /** @param {Pick<State, "scheme">} state @param {Data} data */
  const row_of = (state, data) => /** @type {Row} */ (data.schemes.find((row) => row.name === state.scheme));

  /** @param {State} state @param {Data} data */
  const values = (state, data) => {
    const row = row_of(state, data);
    const x = Float64Array.from(given(state, row.n));
    x[data.outlier_at] *= state.outlier;
    for (const [key, value] of Object.entries(state.edits)) if (Number(key) < row.shown) x[Number(key)] = Number(value);
    return Float32Array.from(x);
  };

  /** @param {number} v @returns {Real} */
  const json = (v) => (Number.isNaN(v) ? "NaN" : v);
  /** @param {Float32Array} x @param {Made} made @param {number} shown @returns {Results} */
  const results = (x, made, shown) => {
    /** @type {[Real[], Real[], number[]]} */
    const [errors, relative, clipped] = [[], [], []];
    let [total, worst, clipped_count, zeros, off, given] = [0, 0, 0, 0, 0, 0];
    const beyond = made.clipped;
    for (let i = 0; i < x.length; i += 1) {
      const error = made.values[i] - x[i];
      const share = x[i] ? Math.abs(error / x[i]) : x[i] === 0 ? 0 : NaN;
      if (i < shown) errors.push(json(error));
      if (i < shown) relative.push(json(share));
      if (i < shown && beyond[i]) clipped.push(i);
      clipped_count += beyond[i];
      if (made.values[i] === 0 && x[i] !== 0) zeros += 1;
      if (x[i] !== 0) given += 1;
      total += error * error;
      off += share;
      worst = Math.max(worst, Math.abs(error));
    }
    /** @param {Float64Array} array */
    const first = (array) => Array.from(array.subarray(0, shown), json);
    return {
      codes: Array.from(made.codes.subarray(0, shown)),
      elements: first(made.elements),
      dequantized: first(made.values),
      errors,
      relative,
      clipped,
      clipped_count,
      zeros,
      mse: json(total / x.length),
      rms: json(Math.sqrt(total / x.length)),
      worst: json(worst),
      off: json(off / Math.max(1, given)),
    };
  };

  /** @param {State} state @param {Float32Array} x @param {string} rule @param {Data} data */
  const quantized = (state, x, rule, data) => {
    const row = row_of(state, data);
    let amax = 0;
    for (let i = 0; i < x.length; i += 1) amax = Math.max(amax, Math.abs(x[i]));
    const tensor_amax = "reach" in row.facts ? Math.max(Math.fround(state.tensor_amax), amax) : 0;
    const gguf = packing_of(row, state.packing) === "halves";
    return Object.assign(codec.quantize(row, x, rule, tensor_amax, books(data), gguf), { tensor_amax });
  };
  /** @type {{ key: string, found: Results | null }} */
  const unchanged = { key: "", found: null }; // the block before anything was changed: the same at every move
  /** @param {State} state @param {Float32Array} x @param {Row} row @param {Data} data */
  const before = (state, x, row, data) => {
    const plain = Float32Array.from(given(state, row.n));
    const key = [state.sample, state.seed, state.own, row.name, state.rule, state.tensor_amax, state.packing].join(" ");
    const now = unchanged.key === key ? unchanged.found : null;
    const found = now ?? results(plain, quantized(state, plain, state.rule, data), row.shown);
    Object.assign(unchanged, { key, found });
    const { dequantized, zeros, off } = found;
    return { dequantized: x.every((v, i) => v === plain[i]) ? [] : dequantized, zeros, off };
  };

  /**
   * @param {State} state
   * @param {Float32Array} x
   * @param {string} rule
   * @param {Row} row
   * @param {Data} data
   * @returns {Ruled}
   */
  const lab = (state, x, rule, row, data) => {
    const made = quantized(state, x, rule, data);
    const { dequantized, clipped, clipped_count, mse, worst } = results(x, made, row.shown);
    const many = /** @type {Survey} */ (data.survey)[row.name][state.sample]?.[rule];
    const often = many
      ? `Of 2,048 such blocks, ${fmt.percent(many[0], 0)} clip; the mean squared error is ${words.num(many[1], 2)}.`
      : "";
    const [scale, scale_code] = [json(made.scales[0]), made.scale_codes[0]];
    const kept = `${words.power(scale)} · ${words.hex(scale_code, 8)}`;
    return { rule, scale, scale_code, kept, dequantized, clipped, clipped_count, mse, worst, often, best: "" };
  };
  /** @param {State} state @param {Float32Array} x @param {Row} row @param {Data} data */
  const labs = (state, x, row, data) => {
    const made = data.rules.map(({ name }) => lab(state, x, name, row, data));
    const least = Math.min(...made.flatMap(({ mse }) => (mse === "NaN" ? [] : [mse])));
    for (const one of made) {
      const like = made.filter((r) => r !== one && r.mse === one.mse).map((r) => r.rule);
      if (one.mse === least) one.best = like.length ? `least, like ${like.join(", ")}` : "least error";
    }
    return made;
  };

  /** What an element can be before scaling. @param {Row} row @param {Made} made @param {Data} data @returns {number[]} */
  const possible = (row, made, data) => {
    const format = /** @type {Elements | null} */ (row.format);
    const facts = /** @type {Facts} */ (row.facts);
    if (row.books.length) return books(data)[row.books[0]];
    if (format)
      return format.sizes.length ? format.sizes.flatMap((v) => [v, -v]) : [-1, 0, 1].map((k) => k * format.largest);
    if (row.kind === "q6_k") return [-facts.half, 0, facts.half - 1];
    if (row.bits > 4) return [facts.low, 0, facts.high];
    const zero = row.kind === "hqq" ? made.second[0] : /^(q4_k|mlx)$/.test(row.kind) ? 0 : (made.zeros?.[0] ?? 8);
    return Array.from({ length: 16 }, (_, i) => Math.fround(i - zero));
  };
  /** What is added to a scaled element. @param {Row} row @param {Made} made @param {number} sub */
  const shift = (row, { second, zeros }, sub) =>
    row.kind === "q4_k" ? -Math.fround(second[1] * (zeros?.[sub] ?? 0)) : row.kind === "mlx" ? second[0] : 0;
  /** @param {Row} row @param {Made} made @param {number} sub @param {Data} data */
  const levels = (row, made, sub, data) => {
    const scale = made.scales[sub];
    if (Number.isNaN(scale)) return [];
    const by = shift(row, made, sub);
    const all = possible(row, made, data).map((v) => Math.fround(Math.fround(v * scale) + by) + 0);
    return [...new Set(all)].sort((a, b) => a - b);
  };
  /** @param {Data} data */
  const books = (data) => /** @type {{ [name: string]: number[] }} */ (data.books);

  /** @param {Float32Array} x */
  const tile = (x) => {
    /** @type {number[]} */
    const most = new Array(256).fill(0);
    for (let i = 0; i < x.length; i += 1) {
      const patch = Math.floor(i / 1024) * 16 + Math.floor((i % TILE) / 8);
      most[patch] = Math.max(most[patch], Math.abs(x[i]));
    }
    return most;
  };

  /** @param {State} state @param {Data} data @returns {Now} */
  const compute = (state, data) => {
    const row = row_of(state, data);
    const x = values(state, data);
    let [amax, peak, low, high] = [0, 0, x[0], x[0]];
    x.forEach((v, i) => {
      if (!Number.isNaN(amax) && !(amax >= Math.abs(v))) {
        amax = Math.abs(v);
        peak = i;
      }
      low = Math.min(low, v);
      high = Math.max(high, v);
    });
    const made = quantized(state, x, state.rule, data);
    const found = results(x, made, row.shown);
    const picked = Math.min(state.picked, row.shown - 1);
    const subs = made.scales.length;
    const sub = Math.floor((picked * subs) / row.n);
    const out = {
      n: row.n,
      shown: row.shown,
      values: Array.from(x.subarray(0, row.shown), json),
      amax: json(amax),
      peak,
      low: json(low),
      high: json(high),
      subs,
      sub,
      scale: json(made.scales[sub]),
      scale_code: made.scale_codes[sub],
      zero: made.zeros?.[sub] ?? null,
      second: made.second,
      tensor_amax: made.tensor_amax,
      tensor_scale: codec.tensor_scale(made.tensor_amax, /** @type {Facts} */ (row.facts)),
      ...found,
      before: before(state, x, row, data),
      levels: levels(row, made, sub, data),
      ...packed(row, state.packing, found.codes, data),
      scale_bytes: scale_bytes(row, made, sub),
      lab: codec.is_mx(row) ? labs(state, x, row, data) : [],
      tile: row.kind === "fp8" && row.n === TILE * TILE ? tile(x) : [],
      picked,
    };
    return Object.assign(out, words.told(state, out, row, data));
  };

  /** @param {unknown} v @param {number} low @param {number} high */
  const between = (v, low, high) => typeof v === "number" && Number.isFinite(v) && v >= low && v <= high;
  /** @param {unknown} v @param {number} low @param {number} high */
  const whole = (v, low, high) => between(v, low, high) && Number.isInteger(v);
  /** @param {{ name: string }[]} rows */
  const names = (rows) => rows.map((row) => row.name);
  /** The sentence about a word that is none of those that are known, or "". @param {string} what @param {string} word @param {string[]} known */
  const unknown = (what, word, known) =>
    known.includes(word) ? "" : `There is no ${what} “${word}”. There are: ${known.join(", ")}.`;
  /** @param {State} state @param {Data} data */
  const check = (state, data) => {
    const word =
      unknown("scheme", state.scheme, names(data.schemes)) ||
      unknown("scale rule", state.rule, names(data.rules)) ||
      unknown(
        "sample",
        state.sample,
        data.samples.map((row) => row.value),
      ) ||
      unknown("packing", state.packing, Object.keys(data.packings));
    if (word) return word;
    const own = Array.isArray(state.own) && state.own.every((v) => between(v, -data.limit, data.limit));
    if (!own || state.own.length > data.own || (state.sample === "own" && !state.own.length))
      return "Your own numbers are 1 to 256 numbers from -10,000 to 10,000.";
    if (!whole(state.seed, 0, 9999)) return "The seed is a whole number from 0 to 9,999.";
    if (!whole(state.picked, 0, 127)) return "The picked element is a whole number from 0 to 127.";
    if (!between(state.outlier, 1, 1024)) return "The outlier is a number from 1 to 1,024: how many times its size.";
    if (!between(state.tensor_amax, 0.0001, 1e6))
      return "The tensor's largest value is a number from 0.0001 to 1,000,000.";
    /** @param {[string, Edits[string]]} edit */
    const legal = ([key, v]) =>
      /^(0|[1-9]\d{0,2})$/.test(key) &&
      Number(key) < 128 &&
      (v === "-0" || v === "NaN" || between(v, -data.limit, data.limit));
    if (!Object.entries(state.edits).every(legal))
      return "A changed value is a number from -10,000 to 10,000, or NaN, at an element from 0 to 127.";
    if (!codec.is_mx(row_of(state, data)) && Object.values(state.edits).includes("NaN"))
      return "NaN is supported here only for the MX schemes: choose one, or remove the NaN.";
    return "";
  };
  return { compute, check, row_of, given, quantized, results };
})();
/** @param {State} state @param {Data} data */
export function compute(state, data) {
  return blocks.compute(state, data);
}
/** @param {State} state @param {Data} data */
export function check(state, data) {
  return blocks.check(state, data);
}
