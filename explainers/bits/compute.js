/* A state -> everything the page prints: reference.py again, key for key, string for string. */

import { casts, modes } from "../kit/casts.js";
import { rank as bitsRank, bitWidth } from "../kit/codes.js";
import { digits, hex, hexfloat, minusZero, say, sayShort } from "../kit/fraction-text.js";
import { fmt } from "../kit/numbers.js";
import { stored as bitsStored, nearest, value } from "../kit/reals.js";
import { parse } from "../kit/typed-numbers.js";
import { facts, fields, formula, groups, inPowers, kind, neighbours } from "./describe.js";
import { codes } from "./grid.js";
import { last, ticks } from "./line.js";
import { bins, binWords, everywhere, measure } from "./rounding.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Real } from "../kit/reals.js" */

/** @typedef {ReturnType<typeof compute>} Now */

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const f = data.formats[state.format];
  if (!f) return `There is no format “${state.format.slice(0, 40)}”. There is ${Object.keys(data.formats).join(", ")}.`;
  if (state.typed.trim()) return parse(state.typed, f).says || "";
  const last = 2 ** bitWidth(f) - 1;
  if (!Number.isInteger(state.code) || state.code < 0 || state.code > last)
    return `${f.label} has ${bitWidth(f)} bits: its codes are 0 to ${fmt.int(last)}.`;
  return "";
}

/** @param {State} state @param {string[]} given @returns {State} */
export function settle(state, given) {
  // a link that sets a code and types nothing means the code
  return given.includes("code") && !given.includes("typed") ? { ...state, typed: "" } : state;
}

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const f = data.formats[state.format];
  const typed = state.typed.trim();
  const read = typed ? parse(typed, f) : { code: state.code };
  const code = read.code ?? nearest(f, /** @type {Real} */ (read.x));
  const stored = bitsStored(f, code);
  const x = read.x || stored;
  return {
    format: facts(f),
    code,
    hex: hex(f, code),
    fields: fields(f, code),
    groups: groups(fields(f, code)),
    kind: kind(f, code),
    value: say(stored),
    short: sayShort(stored, digits(f), digits(f) + 3),
    hexfloat: stored.kind === "finite" && !minusZero(stored) ? hexfloat(value(stored)) : "",
    formula: formula(f, code),
    scientific: inPowers(stored),
    ...neighbours(f, code),
    typed: measure(f, x, code, typed !== ""),
    bins: bins(f, code),
    bin_words: binWords(bins(f, code), bitsRank(f, code)),
    everywhere: everywhere(x, data.formats),
    ...casts(f, data, x),
    modes: modes(f, data.modes, x),
    codes: codes(f, code),
    ticks: ticks(f),
    last: last(f),
  };
}
