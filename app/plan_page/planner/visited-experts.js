/* Tokens that are under way together -> the share of experts that they visit, and that a step therefore reads. */

import { count_chosen } from "../../../explainers/kit/reach.js";
import * as legalAxes from "./legal-axes.js";

/** @import { Experts, Plan, Sheet } from "./types.d.ts" */

/**
 * Share of the experts that so many tokens visit, each choosing its own evenly; of one that stands twice, each copy
 * meets half of its tokens.
 * @param {Sheet} sheet
 * @param {number} tokens
 * @param {number} [redundant]
 * @returns {number}
 */
export const visited_share = (sheet, tokens, redundant = 0) => {
  const found = legalAxes
    .experts_of(sheet)
    .map((moe) => stage_visited_share(moe, tokens, Math.min(redundant, moe.num_experts)));
  return found.length ? Math.min(...found) : 0;
};
/**
 * @param {Experts} moe
 * @param {number} tokens
 * @param {number} redundant
 * @returns {number}
 */
export const stage_visited_share = (moe, tokens, redundant) => {
  const many = moe.num_experts;
  const share = Math.min(count_chosen(moe) / many, 1);
  const [once, twice] = [1 - (1 - share) ** tokens, 1 - (1 - share / 2) ** tokens];
  return ((many - redundant) * once + 2 * redundant * twice) / (many + redundant);
};

/**
 * Tokens that one copy of the experts meets: its own share of all that are under way together.
 * @param {Pick<Plan, "here" | "layout">} plan
 * @returns {number}
 */
export const tokens_per_copy = ({ here, layout: one }) =>
  Math.ceil((one.batch || here * one.dp) / ((one.job === "decode" ? one.pp : 1) * one.edp)) *
  (one.job === "prefill" ? one.sequence : 1);
