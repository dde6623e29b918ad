/* What the beats of blocks ask and say: answers and goals; the page alone loads it. */
import { compute } from "./compute.js";
import { quantized, row_of } from "./quantizer.js";
import { results } from "./results.js";
import { given } from "./samples.js";
import { num, plain } from "./spell.js";

/** @import { Answers, Goals } from "../kit/beats.js" */
/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Results, State } from "./compute.js" */
/** @import { Priced } from "./parts.js" */

/** The block after this one. @typedef {Results & { values: number[], scale: number }} Following */

const FIRST = { scheme: "mxfp4", rule: "floor", sample: "bell", seed: 16, outlier: 1 };
/** @param {State} state @param {Data} data @param {Partial<State>} [changes] */
const reading = (state, data, changes) => compute({ ...state, ...changes }, data);
/** @param {State} state @param {Data} data */
const priced = (state, data) => /** @type {Priced} */ (data.ledger.find((r) => r.name === state.scheme));
/** @type {{ key: string, found: Following | null }} */
const followed = { key: "", found: null };
/** @param {State} state @param {Data} data @returns {Following} */
export const following = (state, data) => {
  const most = Math.max(state.tensor_amax, plain(reading(state, data).amax));
  const key = [state.sample, state.seed, state.own, most].join(" ");
  if (followed.key === key && followed.found) return followed.found;
  const x = Float32Array.from(given(state, 32).subarray(16));
  const made = quantized({ ...state, scheme: "nvfp4", tensor_amax: most }, x, "floor", data);
  const found = { values: Array.from(x), scale: made.scales[0], ...results(x, made, 16) };
  Object.assign(followed, { key, found });
  return found;
};
/** @param {State} state @param {Data} data */
const least = (state, data) => reading(state, data).levels.find((v) => v > 0) || 0;
/** @param {State} state @param {Data} data */
const least_rule = (state, data) => {
  const { lab } = reading(state, data, { scheme: "mxfp4" });
  const errors = [0, 2, 3].map((k) => plain(lab[k].mse));
  return errors.indexOf(Math.min(...errors));
};
/** @param {State} state @param {Data} data */
const chosen = (state, data) =>
  reading(state, data).lab.find((r) => r.rule === state.rule) || { kept: "", clipped_count: 0, mse: 0, often: "" };

/** @satisfies {Answers<State, Data>} */
export const answers = {
  label: (state, data) => row_of(state, data).label,
  least,
  half: (state, data) => least(state, data) / 2,
  next_zeros: (state, data) => following(state, data).zeros,
  next_scale: (state, data) => following(state, data).scale,
  least_rule,
  rule_kept: (state, data) => chosen(state, data).kept,
  rule_clips: (state, data) => chosen(state, data).clipped_count,
  rule_mse: (state, data) => chosen(state, data).mse,
  rule_often: (state, data) => chosen(state, data).often,
  rule_who: (state, data) => data.rules.find((r) => r.name === state.rule)?.who,
  many_floor: (_, data) => data.survey.mxfp4.bell.floor[1],
  many_rceil: (_, data) => data.survey.mxfp4.bell.rceil[1],
  many_even: (_, data) => data.survey.mxfp4.bell.even[1],
  element_bits: (state, data) => row_of(state, data).bits,
  beside_bits: (state, data) =>
    priced(state, data)
      .costs.slice(1)
      .reduce((sum, [, bits, per]) => sum + (bits * row_of(state, data).n) / per, 0),
  terms: (state, data) => reading(state, data).cost.terms.join("; "),
};

/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data */
const stop_clipping = (state, data) => {
  if (!Object.entries(FIRST).every(([key, v]) => state[/** @type {keyof typeof FIRST} */ (key)] === v))
    return no("This goal needs the first block, with MXFP4 and floor, without an outlier.");
  const now = reading(state, data);
  const changed = Object.keys(state.edits).filter((key) => now.shown > Number(key));
  if (!changed.length)
    return no(`Element ${now.clipped[0]} exceeds ${num(6 * plain(now.scale))}, the largest value with this scale.`);
  if (changed.length > 1 || changed[0] === "5") return no("Change only one number, and not element 5.");
  if (now.scale === "NaN") return no("A NaN clips nothing, but the whole block is lost.");
  const [value, scale] = [num(now.values[Number(changed[0])]), num(now.scale)];
  if (now.clipped_count) return no(`With element ${changed[0]} at ${value} the scale is ${scale}, and it still clips.`);
  const other = plain(now.amax) > plain(reading(state, data, { edits: {} }).amax) ? "smaller" : "larger";
  return {
    reached: true,
    says: `Reached with element ${changed[0]} at ${value}: the scale is ${scale}. A ${other} number can do it too.`,
  };
};
/** @param {State} state @param {Data} data */
const under_seven = (state, data) => {
  const now = reading(state, data);
  if (state.outlier < 32 || Object.keys(state.edits).length || now.n !== 32)
    return no("Set the outlier to × 32 in a block of 32 numbers, and change nothing else.");
  const { bits } = priced(state, data);
  const told = `${answers.label(state, data)}: ${now.zeros} of 32 are zero, ${num(bits)} bits per weight.`;
  if (now.zeros > 3 || bits >= 7) return no(told);
  const other = reading(state, data, { scheme: "mxfp6_e2m3" }).zeros;
  return {
    reached: true,
    says: `Reached with ${told} Its exponent bits make the difference: E2M3, with as many bits, has ${other}.`,
  };
};

/** @type {Goals<State, Data>} */
export const goals = { stop_clipping, under_seven };
