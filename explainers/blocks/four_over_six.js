/* NVFP4 whose largest number becomes 6 or 4 in each block, whichever errs less: codec.py has it, too. */
import { codec } from "./codec.js";
import { amax_of, code, f32, round } from "./float32.js";

/** @import { Coded, Made } from "./float32.js" */

/** @param {Float32Array} x @param {Coded} row @param {number} tensor_amax @returns {Made} */
export const four_over_six = (x, { format, scale_format, facts }, tensor_amax) => {
  const tensor = codec.tensor_scale(tensor_amax, facts);
  const given = x.map((v) => v / tensor);
  const amax = amax_of(given);
  const [one, other] = [facts.target, facts.other].map((target) => {
    const stored = Math.max(round(Math.min(f32(amax / target), facts.ceiling), scale_format), facts.least);
    const made = codec.scaled(given, format, stored, code(stored, scale_format), format.largest, round);
    let error = 0;
    for (let i = 0; i < given.length; i += 1) error += f32(f32(made.values[i] - given[i]) ** 2);
    return { error, made, scale: f32(stored * tensor) };
  });
  const { made, scale } = other.error < one.error ? other : one;
  for (let i = 0; i < given.length; i += 1) made.values[i] = f32(made.elements[i] * scale);
  const second = [one, other].map(({ error }) => f32((error * (tensor * tensor)) / x.length));
  return Object.assign(made, { scales: [scale], second });
};
