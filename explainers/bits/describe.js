/* A format and a code -> its fields, its formula and its neighbours, in numbers and in words. */

import { at, bareExponent, rank as bitsRank, bitWidth, decode, mantissa, ranks, signOf } from "../kit/codes.js";
import { inDigits, say, sayShort, short } from "../kit/fraction-text.js";
import { Q } from "../kit/fractions.js";
import { fmt } from "../kit/numbers.js";
import { stored as bitsStored, q } from "../kit/reals.js";
/** @import { Format } from "../kit/codes.js" */
/** @import { Fraction } from "../kit/fractions.js" */
/** @import { Real } from "../kit/reals.js" */

/**
 * A bit of a code.
 * @typedef {{ field: string, bit: number, on: number, worth: string, under: string, says: string }} Field
 */

/** @param {Format} f */
export const facts = (f) => {
  const [low, high] = ranks(f);
  const one = f.bias * mantissa(f);
  const below =
    f.specials === "codebook"
      ? f.values.filter((v) => Math.abs(v) < 1).length
      : f.specials === "int"
        ? 1
        : !f.sign_bits
          ? one
          : 2 * one - 1;
  return {
    label: f.label,
    words: f.words,
    line: factLine(f),
    count: high - low + 1,
    below_one: below,
    ends: [low, high].map((rank) => sayShort(bitsStored(f, at(f, rank)))),
  };
};
/** @param {Format} f */
export const factLine = (f) => {
  if (f.specials === "int") return `${bitWidth(f)} bits, two's complement; no infinity, no NaN, no -0`;
  if (f.specials === "codebook") return `${bitWidth(f)} bits that index a table; no infinity, no NaN, no -0`;
  const codes =
    f.specials === "fnuz" ? 1 : ({ ieee: mantissa(f) - 1, fn: 1, fnu: 1 }[f.specials] || 0) * (f.sign_bits ? 2 : 1);
  const said = codes ? `${fmt.int(codes)} NaN code${codes === 1 ? "" : "s"}` : "no NaN";
  const infinity = f.specials === "ieee" ? "±infinity" : "no infinity";
  const zero = bareExponent(f) ? "no zero" : f.sign_bits && f.specials !== "fnuz" ? "±0" : "no -0";
  return `${f.sign_bits ? "1 sign · " : ""}${f.exponent_bits} exponent · ${f.mantissa_bits} mantissa bits, bias ${f.bias}, ${infinity}, ${said}, ${zero}`;
};

/** @param {Format} f @param {number} code @returns {Field[]} */
export const fields = (f, code) => {
  const width = bitWidth(f);
  return Array.from({ length: width }, (_, k) => {
    const bit = width - 1 - k;
    const [field, place, of] = placeOf(f, bit);
    const on = Math.floor(code / 2 ** bit) % 2;
    const worth = worthOf(f, bit);
    const words = field === "sign" ? "sign bit" : `${field} bit ${place - 1} of ${of}, value ${worth}`;
    return { field, bit, on, worth, under: under(f, bit), says: `${words}, ${on ? "on" : "off"}` };
  });
};
/** @param {Format} f @param {number} bit @returns {string} */
export const under = (f, bit) => {
  const [field, place] = placeOf(f, bit);
  if (bitWidth(f) > 9) return place % 4 === 1 ? String(place - 1) : "";
  const worth = worthOf(f, bit);
  return field === "exponent"
    ? fmt.pow2(place - 1)
    : /** @type {{ [worth: string]: string }} */ ({ "1/2": "½", "1/4": "¼", "1/8": "⅛" })[worth] || worth;
};
/** @param {Field[]} fields @returns {{ [field: string]: number }} */
export const groups = (fields) =>
  fields.reduce(
    (made, b) => ({ ...made, [b.field]: 2 * (made[b.field] || 0) + b.on }),
    /** @type {{ [field: string]: number }} */ ({}),
  );
/** @param {Format} f @param {number} i @returns {[field: string, place: number, of: number]} */
export const placeOf = (f, i) => {
  if (f.specials === "int" || f.specials === "codebook")
    return [f.specials === "int" ? "integer" : "index", i + 1, bitWidth(f)];
  if (i < f.mantissa_bits) return ["mantissa", i + 1, f.mantissa_bits];
  if (i < f.mantissa_bits + f.exponent_bits) return ["exponent", i - f.mantissa_bits + 1, f.exponent_bits];
  return ["sign", 1, 1];
};
/** @param {Format} f @param {number} i @returns {string} */
export const worthOf = (f, i) => {
  const [field, place, of] = placeOf(f, i);
  if (field === "sign") return "±";
  if (field === "mantissa") return `1/${fmt.int(2 ** (of - place + 1))}`;
  return field === "integer" && place === of ? `-${2 ** (of - 1)}` : String(2 ** (place - 1));
};
/** @param {Format} f @param {number} code */
export const kind = (f, code) => {
  const value = decode(f, code);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : "infinity";
  if (value === 0) return "zero";
  if (f.specials === "int") return "whole number";
  if (f.specials === "codebook") return "table entry";
  return !bareExponent(f) && unsigned(f, code) < mantissa(f) ? "subnormal" : "normal";
};
/** @param {Format} f @param {number} code */
export const unsigned = (f, code) => (f.sign_bits && code >= signOf(f) ? code - signOf(f) : code);
/** @param {Format} f @param {number} code */
export const formula = (f, code) => {
  const what = kind(f, code);
  const { sup } = fmt;
  if (what === "NaN" || what === "infinity") return specialWords(f, code);
  if (f.specials === "codebook") return `table[${code}] = ${say(bitsStored(f, code))}`;
  if (f.specials === "int")
    return (
      fields(f, code)
        .filter((b) => b.on)
        .map((b) => b.worth)
        .join(" + ") || "0"
    );
  if (bareExponent(f)) return `2${sup(code)}⁻${sup(f.bias)}`;
  const magnitude = unsigned(f, code);
  const exponent = Math.floor(magnitude / mantissa(f));
  const sign = f.sign_bits ? `(-1)${sup(code === magnitude ? 0 : 1)} × ` : "";
  const lead = `${sign}2${sup(Math.max(exponent, 1))}⁻${sup(f.bias)}`;
  return `${lead} × (${exponent ? 1 : 0} + ${magnitude % mantissa(f)}/${mantissa(f)})`;
};
/** @param {Format} f @param {number} code */
export const specialWords = (f, code) => {
  if (f.specials === "ieee")
    return `exponent all ones, ${kind(f, code) === "infinity" ? "mantissa zero: infinity" : "mantissa not zero: NaN"}`;
  return (
    { fn: "exponent and mantissa all ones: NaN", fnuz: "the code of -0 is the one NaN" }[f.specials] || "all ones: NaN"
  );
};
/** @param {Real} x */
export const inPowers = (x) => {
  if (x.kind !== "finite") return "";
  const sign = x.negative ? "-" : "+";
  if (x.q.n === 0n) return `${sign}0`;
  const e = Q.log2(x.q);
  return `${sign}${short(Q.div(x.q, Q.pow2(e)), 6, 10)} × ${fmt.pow2(e)}`;
};

/** @param {Format} f @param {number} code */
export const neighbours = (f, code) => {
  const rank = bitsRank(f, code);
  const [low, high] = ranks(f);
  if (rank === null) return { up: "", down: "", spacing: "" };
  const past = f.specials === "ieee" ? "inf" : "";
  const step = rank < high ? Q.sub(q(f, rank + 1), q(f, rank)) : Q.sub(q(f, rank), q(f, rank - 1));
  return {
    up: rank < high ? inDigits(f, q(f, rank + 1)) : past,
    down: rank > low ? inDigits(f, q(f, rank - 1)) : past && `-${past}`,
    spacing: short(step),
  };
};
