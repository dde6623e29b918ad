/* The row of a state's scheme, and a block of numbers quantized as that row says. */
import { codec } from "./codec.js";
import { packing_of } from "./packing.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { State } from "./compute.js" */
/** @import { Row } from "./float32.js" */

/** @param {Pick<State, "scheme">} state @param {Data} data */
export const row_of = (state, data) => /** @type {Row} */ (data.schemes.find((row) => row.name === state.scheme));
/** @param {Data} data */
export const books_of = (data) => /** @type {{ [name: string]: number[] }} */ (data.books);

/** @param {State} state @param {Float32Array} x @param {string} rule @param {Data} data */
export const quantized = (state, x, rule, data) => {
  const row = row_of(state, data);
  let amax = 0;
  for (let i = 0; i < x.length; i += 1) amax = Math.max(amax, Math.abs(x[i]));
  const tensor_amax = "reach" in row.facts ? Math.max(Math.fround(state.tensor_amax), amax) : 0;
  const gguf = packing_of(row, state.packing) === "halves";
  return Object.assign(codec.quantize(row, x, rule, tensor_amax, books_of(data), gguf), { tensor_amax });
};
