/* Where a token's choice of experts lies, on average: gallery/planning/reach.py again, for the planner and for explainers. */

/**
 * A mixture, and how its router's rule spreads a token's choice: tokens by how many groups they use, and groups by how many
 * of their experts a token uses.
 * @typedef {{ num_experts: number, n_group: number, used: readonly number[], picks: readonly number[] }} Reach
 */

/**
 * The chance that none of so many draws without replacement is one of some.
 * @param {number} all
 * @param {number} some
 * @param {number} draws
 */
const missed = (all, some, draws) => {
  let chance = 1;
  for (let drawn = 0; drawn < draws; drawn += 1) chance *= Math.max(all - some - drawn, 0) / (all - drawn);
  return chance;
};

/** @param {readonly number[]} list */
const total = (list) => list.reduce((sum, one) => sum + one, 0);

/**
 * On how many of so many equal parts of the experts (ranks, or nodes) a token's choice is on average. Parts are whole
 * groups, or equal shares of one group.
 * @param {Reach} moe
 * @param {number} parts
 * @returns {number}
 */
export const count_parts = (moe, parts) => {
  const groups = total(moe.used) > 1 ? moe.n_group : 1;
  const whole = groups >= parts;
  const [reach, room] = whole ? [moe.used, groups] : [moe.picks, moe.num_experts / groups];
  const some = (whole ? groups : moe.num_experts) / parts;
  const found = total(reach.map((many, draws) => many * (1 - missed(room, some, draws))));
  return (parts * found) / total(reach);
};

/**
 * How many experts with weights a token uses on average.
 * @param {Reach} moe
 * @returns {number}
 */
export const count_chosen = ({ n_group, used, picks }) => {
  const groups = total(used) > 1 ? n_group : 1;
  return (groups * total(picks.map((many, at) => at * many))) / total(picks);
};

/**
 * The same, of parts that are not the token's own.
 * @param {Reach} moe
 * @param {number} parts
 * @returns {number}
 */
export const count_other_parts = (moe, parts) => count_parts(moe, parts) * (1 - 1 / parts);
