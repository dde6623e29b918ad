/* A state -> the sentence that says what is legal, or "" where it is; and where a stream without a cursor is read. */
import { row_of } from "./mixers.js";
import { UNIT, UNITS, VALUES } from "./stream.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data } from "./compute.js" */

/** @param {number} v @param {number} most */
const whole = (v, most) => Number.isInteger(v) && v >= 0 && most >= v;

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!row_of(state.m, data)) return `No mixer here is called “${state.m}”; choose one from the list.`;
  const held = new Set();
  const parts = state.x.split(".");
  for (const part of parts) {
    const found = UNIT.exec(part);
    if (!found || Number(found[3] || 0) > VALUES)
      return `“${part}” is not an operation: a write is a key and a value up to ${VALUES}, like e12; a read is a key, like e, or a key and the answer fed after it, like e~9.`;
    if (part === "!" && !row_of(state.m, data).resets)
      return "“!” clears every key: only the mixers trained with resets support it.";
    if (part !== "!" && (found[2] || !found[3]) && !held.has(found[1]))
      return `${found[1]} is read before it is written.`;
    held.add(found[1]);
  }
  if (parts.length > UNITS) return `A stream has at most ${UNITS} operations.`;
  for (const [key, words, most] of /** @type {const} */ ([
    ["u", "The cursor must be", parts.length - 1],
    ["h", "A head must be", 3],
    ["draw", "A draw must be", 999],
  ])) {
    if (!whole(state[key], most)) return `${words} a whole number from 0 to ${most}.`;
  }
  if (!(state.temp >= 0.1 && 3 >= state.temp)) return "The temperature must be between 0.1 and 3.";
  if (!(state.top >= 0.05 && 1 >= state.top)) return "Top-p must be between 0.05 and 1.";
  return ["decode", "prefill"].includes(state.feed) ? "" : "Tokens are fed by decode or prefill.";
}

/**
 * A stream without a cursor is read at its end.
 * @param {State} state
 * @param {string[]} given
 */
export function settle(state, given) {
  return given.includes("x") && !given.includes("u") ? { ...state, u: state.x.split(".").length - 1 } : state;
}
