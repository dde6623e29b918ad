/* What was measured -> everything the page prints: the same keys and values as reference.py. */

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */

/** What was measured of one matrix. @typedef {{ [name: string]: number[] }} Source */
/** A value over the other matrices. @typedef {{ mean: number, low: number, high: number }} Spread */
/** A difference: of the matrix that is shown, and over the others. @typedef {Spread & { here: number }} Gap */
/**
 * A scheme on one matrix, in dB.
 * @typedef {{
 *   name: string, label: string, bits: number, weights: number, rotated: number, out: number, out_rotated: number,
 *   zeros: number, gain: number,
 * }} Row
 */
/**
 * @typedef {{
 *   rows: Row[], maps: (Row & { mapped: string })[], now: Row, ends: number[], many: { out: Spread, zeros: Spread, gain: Gap },
 *   gaps: { [name: string]: Gap }, turns: { [name: string]: Gap }, bit: number,
 * }} Computed
 */
/** @typedef {State & Computed} Now */

const RULES = ["floor", "rceil", "even"];
export const SHOWN = ["error", "zeros", "scales", "values"];
/** @param {unknown[]} all */
const listed = (all) => `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;

/** @param {State} state @param {Data} data */
export const check = (state, data) => {
  const { side } = data.made;
  if (!data.seeds.includes(state.seed))
    return `The seed is a whole number from ${data.seeds[0]} to ${data.seeds.at(-1)}.`;
  if (!data.schemes.some((row) => row.name === state.scheme))
    return `No scheme here is called “${state.scheme}”; choose one from the table.`;
  if (!data.loud.includes(state.loud)) return `Input 300 is ${listed(data.loud)} times as large as the others.`;
  if (state.drawn && state.loud !== 1) return "A drawing has no inputs: they stay equally large.";
  if (!RULES.includes(state.rule)) return `The rule is ${listed(RULES)}.`;
  if (!SHOWN.includes(state.shown)) return `A map shows ${listed(SHOWN)}.`;
  for (const key of /** @type {const} */ (["row", "column"]))
    if (!Number.isInteger(state[key]) || state[key] < 0 || state[key] >= side)
      return `The ${key} is a whole number from 0 to ${side - 1}.`;
  return "";
};

/**
 * 10 log10 of signal over error in what comes out: inputs are independent, one of them `loud` times as large.
 * @param {Source} source @param {string} name @param {number} loud
 */
export const decibels = (source, name, loud, turned = false) => {
  const extra = loud * loud - 1;
  const [signal, column] = source.signal;
  const [error, error_column] = source[name].slice(turned ? 2 : 0);
  return 10 * Math.log10((signal + extra * column) / (error + extra * error_column));
};

/** @param {Data} data @param {(source: Source) => number} value @returns {Spread} */
const of_seeds = (data, value) => {
  const sources = /** @type {{ [seed: string]: Source }} */ (data.sources);
  const all = data.seeds.slice(1).map((seed) => value(sources[seed]));
  return { mean: all.reduce((sum, v) => sum + v, 0) / all.length, low: Math.min(...all), high: Math.max(...all) };
};

/** @param {{ name: string, label: string, bits: number }} scheme @param {Source} source @param {number} loud @returns {Row} */
export const row_of = ({ name, label, bits }, source, loud) => {
  const [out, out_rotated] = [decibels(source, name, loud), decibels(source, name, loud, true)];
  const [weights, rotated] = [decibels(source, name, 1), decibels(source, name, 1, true)];
  return { name, label, bits, weights, rotated, out, out_rotated, zeros: source[name][4], gain: out_rotated - out };
};

/** The schemes of the maps: MXFP4 under the rule that is chosen. @param {{ rule: string }} state @param {Data} data */
export const mapped_of = ({ rule }, data) =>
  data.mapped.map((name) => (name.startsWith("mxfp4") ? `mxfp4_${rule}` : name));

/** The two ends of the colour scale; a loud input makes room for larger errors. @param {State} state @param {Data} data */
export const ends_of = ({ drawn, shown, loud }, data) => {
  const all = /** @type {{ [shown: string]: number[] }} */ (data.ends[drawn ? "drawing" : "weights"]);
  const [low, high] = all[shown];
  return [low, shown === "error" ? high * Math.max(1, loud / 4) : high];
};

/** @param {State} state @param {Data} data @returns {Computed} */
export const compute = (state, data) => {
  const { loud } = state;
  const source = /** @type {{ [seed: string]: Source }} */ (data.sources)[state.drawn ? "picture" : state.seed];
  const rows = data.schemes.map((scheme) => row_of(scheme, source, loud));
  const find = (/** @type {string} */ name) => /** @type {Row} */ (rows.find((row) => row.name === name));
  /** @param {(source: Source) => number} value @returns {Gap} */
  const both = (value) => ({ here: value(source), ...of_seeds(data, value) });
  /** @param {string} name @param {string} [under] */
  const gap = (name, under = "mxfp4_floor") => both((one) => decibels(one, name, loud) - decibels(one, under, loud));
  /** @param {string} name */
  const turn = (name) => both((one) => decibels(one, name, loud, true) - decibels(one, name, loud));
  const [four, six] = [find("q4_k"), find("q6_k")];
  return {
    rows,
    maps: mapped_of(state, data).map((name, i) => ({
      ...find(name),
      mapped: data.schemes.find((row) => row.name === data.mapped[i])?.mapped ?? "",
    })),
    now: find(state.scheme),
    ends: ends_of(state, data),
    many: {
      out: of_seeds(data, (one) => decibels(one, state.scheme, loud)),
      zeros: of_seeds(data, (one) => one[state.scheme][4]),
      gain: turn(state.scheme),
    },
    gaps: {
      q4_k: gap("q4_k"),
      rceil: gap("mxfp4_rceil"),
      fp32: gap("fp4_32"),
      fp8: gap("fp8_128", "fp8_tensor"),
      fp4: gap("fp4_128", "fp4_tensor"),
      nvfp4: gap("nvfp4"),
    },
    turns: Object.fromEntries(data.mapped.map((name) => [name, turn(name)])),
    bit: (six.weights - four.weights) / (six.bits - four.bits),
  };
};
