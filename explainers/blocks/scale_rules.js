/* The same block under each of the scale rules, and which of them errs least. */
import { fmt } from "../kit/numbers.js";
import { quantized } from "./quantizer.js";
import { json, results } from "./results.js";
import { hex, num, power } from "./spell.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Ruled, State, Survey } from "./compute.js" */
/** @import { Row } from "./float32.js" */

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
    ? `Of 2,048 such blocks, ${fmt.percent(many[0], 0)} clip; the mean squared error is ${num(many[1], 2)}.`
    : "";
  const [scale, scale_code] = [json(made.scales[0]), made.scale_codes[0]];
  const kept = `${power(scale)} · ${hex(scale_code, 8)}`;
  return { rule, scale, scale_code, kept, dequantized, clipped, clipped_count, mse, worst, often, best: "" };
};
/** @param {State} state @param {Float32Array} x @param {Row} row @param {Data} data */
export const labs = (state, x, row, data) => {
  const made = data.rules.map(({ name }) => lab(state, x, name, row, data));
  const least = Math.min(...made.flatMap(({ mse }) => (mse === "NaN" ? [] : [mse])));
  for (const one of made) {
    const like = made.filter((r) => r !== one && r.mse === one.mse).map((r) => r.rule);
    if (one.mse === least) one.best = like.length ? `least, like ${like.join(", ")}` : "least error";
  }
  return made;
};
