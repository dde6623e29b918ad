// Whole numbers, decimals and bytes, as a model's page writes them.

/** @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
/**
 * @param {number} n
 * @returns {string}
 */
export const int = (n) => grouped(String(Math.round(n)));
/**
 * @param {number} x
 * @param {number} digits
 * @returns {string}
 */
export function fixed(x, digits) {
  const [whole, part] = x.toFixed(digits).split(".");
  return grouped(whole) + (part ? `.${part}` : "");
}
/** @type {[size: number, unit: string][]} */
const UNITS = [
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
];
/**
 * @param {number} n
 * @param {number} [digits]
 * @returns {string}
 */
export function inBytes(n, digits = 1) {
  const found = UNITS.find(([size]) => n >= size);
  return found ? `${fixed(n / found[0], digits)} ${found[1]}` : `${Number.isInteger(n) ? int(n) : fixed(n, 0)} B`;
}
