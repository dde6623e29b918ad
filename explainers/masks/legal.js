/* A state -> the sentence that says what is legal, or "" where it is. */
import { DEPTH, KINDS, TOKENS } from "./mask.js";
import { find } from "./stack.js";
import { int } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */

export const LONGEST = 2 ** 22;
/** @param {unknown} v @param {number} low @param {number} high */
const whole = (v, low, high) => Number.isInteger(v) && Number(v) >= low && Number(v) <= high;

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!KINDS.includes(state.kind)) return `A mask is one of ${KINDS.join(", ")}.`;
  for (const [key, low, high, what] of /** @type {[keyof State, number, number, string][]} */ ([
    ["span", 1, TOKENS, "The window or chunk"],
    ["first", 0, 8, "First tokens kept"],
    ["depth", 1, DEPTH, "The number of layers"],
    ["query", 0, TOKENS - 1, "The query"],
  ])) {
    if (!whole(state[key], low, high)) return `${what} is a whole number from ${low} to ${high}.`;
  }
  if (typeof state.logit !== "number" || !(state.logit >= -8 && state.logit <= 8))
    return "The sink's logit is a number from -8 to 8.";
  const model = find(state.model, data);
  if (!model) return `No model here is called “${state.model}”; choose one from the list.`;
  const last = model.stack.length - 1;
  if (!whole(state.layer, 0, last)) return `${model.title} has ${last + 1} layers: a layer from 0 to ${last}.`;
  if (!whole(state.context, 1, LONGEST)) return `The context is a whole number of tokens from 1 to ${int(LONGEST)}.`;
  return "";
}
