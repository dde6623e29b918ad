// Numbers in words, as gallery/comparing/text/number.py writes them; the names of a model's figures and parts. Pure.

/** @import { Figures, Heads } from "../site/types.d.ts" */

/** @type {[size: number, unit: string][]} */
const UNITS = [
    [1e12, "T"],
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ],
  /** @type {[size: number, unit: string][]} */
  BYTES = [
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "KB"],
  ];
/**
 * @param {number} value
 * @returns {string}
 */
export const whole = (value) => Math.round(value).toLocaleString("en-US");
/**
 * @param {number} value
 * @param {number} digits
 */
const fixed = (value, digits) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/**
 * @param {number} value
 * @param {[size: number, unit: string][]} units
 * @param {string} one
 */
function scaled(value, units, one) {
  const size = Math.abs(value),
    [by, unit] = units.find(([step]) => size >= step * 0.99995) ?? [];
  if (by) return `${fixed(size / by, by >= 1e9 ? 2 : 1)} ${unit}`;
  return Number.isInteger(value) ? `${whole(size)}${one}` : `${fixed(size, 1)}${one}`;
}
/**
 * @param {number} value
 * @returns {string}
 */
export const amount = (value) => scaled(value, UNITS, "");
/**
 * @param {number} value
 * @returns {string}
 */
export const size = (value) => scaled(value, BYTES, " B");
/**
 * @param {number} value
 * @param {(value: number) => string} told
 * @returns {string}
 */
export const change = (value, told) => (value ? (value > 0 ? "+" : "−") + told(Math.abs(value)) : "=");

/** @param {number} value */
const context = (value) => (value ? whole(value) : "not stated");

/** What the models are called beside their titles. */
export const LETTERS = ["A", "B", "C", "D", "E", "F"];
/** @type {Heads} */
export const PARTS = {
  mixer: "Mixer",
  mlp: "MLP",
  norms: "Norms",
  position: "Position",
  sizes: "Sizes",
  beside: "Whole model",
};
/** @type {[key: keyof Figures, words: string, told: (value: any) => string][]} */
export const FIGURES = [
  ["parameters", "parameters", amount],
  ["active", "active per token", amount],
  ["layers", "layers", whole],
  ["context", "context", context],
  ["cache_bytes", "cache per token", (value) => (value ? size(value) : "no growing cache")],
  ["weights_bytes", "weights", (value) => (value === null ? "unknown" : size(value))],
];
