/* A rule of the sheet and a layout -> the share that one rank holds; the twin of gallery/planning/sharding/arithmetic.py. */

/** @import { Layout, Rule } from "./types.d.ts" */

/**
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
export const gcd = (a, b) => (b ? gcd(b, a % b) : a);

/**
 * [numerator, denominator] in lowest terms; of what dcp ranks share by tokens, where that is more than one.
 * @param {Rule} rule
 * @param {Pick<Layout, "tp" | "ep" | "etp" | "redundant">} one
 * @param {number} [dcp]
 * @returns {number[]}
 */
export const ratio = (rule, { tp: all, ep, etp, redundant }, dcp = 1) => {
  const tp = Math.floor(all / dcp);
  const [word] = rule;
  let [above, below] = [1, 1];
  if (word === "tp") below = tp;
  else if (word === "heads") [above, below] = [Math.max(Math.floor(rule[1] / tp), 1), rule[1]];
  else if (word === "groups") {
    const [, cut, width, groups] = rule;
    [above, below] = [cut + tp * width * Math.max(Math.floor(groups / tp), 1), tp * (cut + width * groups)];
  } else if (word === "experts") [above, below] = [rule[1] + redundant, rule[1] * ep * (rule[2] ? etp : 1)];
  below *= dcp;
  const common = gcd(above, below);
  return [above / common, below / common];
};

/**
 * A share of a sum, over `per` (8: of bits, in bytes), rounded up; whole numbers beyond 2^53 in BigInt.
 * @param {number} total
 * @param {number[]} share
 * @param {number} [per]
 * @returns {number}
 */
export const part_of = (total, [above, below], per = 1) => {
  const product = total * above;
  const under = below * per;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / under) + (product % under ? 1 : 0);
  const [whole, by] = [BigInt(total) * BigInt(above), BigInt(under)];
  return Number((whole + by - 1n) / by);
};
