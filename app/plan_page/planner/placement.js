/* A layout -> what the page draws of it: the ranks of a stage by node, who holds a part of a tensor, whose cache is a copy. */

import * as ranks from "./ranks.js";

/** @import { Layout, Owners, Rule } from "./types.d.ts" */

/**
 * @param {Layout} one
 * @returns {number}
 */
export const perStage = (one) => one.tp * one.cp * one.dp;

/**
 * The ranks of a stage, in order.
 * @param {Layout} one
 * @param {number} stage
 * @returns {number[]}
 */
export const stage_ranks = (one, stage) => {
  if (one.order.endsWith("pp")) return Array.from({ length: perStage(one) }, (_, i) => stage * perStage(one) + i);
  return Array.from({ length: one.gpus }, (_, rank) => rank).filter((rank) => ranks.stage_of(one, rank) === stage);
};

/**
 * The same by node: [{node, ranks}]; several stages may stand in one.
 * @param {Layout} one
 * @param {number} stage
 */
export const nodes = (one, stage) => {
  /** @type {{ node: number, ranks: number[] }[]} */
  const out = [];
  for (const rank of stage_ranks(one, stage)) {
    const node = Math.floor(rank / one.per_node);
    if (out.at(-1)?.node !== node) out.push({ node, ranks: [] });
    out.at(-1)?.ranks.push(rank);
  }
  return out;
};

/**
 * 0–7; 0, 4, 8, 12; 0, 4, … 252
 * @param {number[]} list
 * @returns {string}
 */
export const words = (list) => {
  if (list.every((rank, i) => !i || rank === list[i - 1] + 1))
    return list.length === 1 ? `${list[0]}` : `${list[0]}–${list.at(-1)}`;
  return list.length <= 4 ? list.join(", ") : `${list[0]}, ${list[1]}, … ${list.at(-1)}`;
};

/**
 * Who holds a thing dealt by a rule: {axis, parts, copies, holds(rank) -> its part or -1}. `expert`: which one of many.
 * @param {Layout} one
 * @param {Rule} rule
 * @param {number} [expert]
 * @returns {Owners}
 */
export const owners = (one, rule, expert = 0) => {
  const [word] = rule;
  if (word === "experts") {
    const each = (rule[1] + one.redundant) / one.ep;
    const [cut, home] = [rule[2] ? one.etp : 1, Math.floor(expert / each)];
    return {
      axis: one.ep > 1 ? "ep" : "etp",
      parts: cut,
      copies: one.edp * (one.etp / cut),
      holds: (rank) => (ranks.place(one, "ep", rank) === home ? ranks.place(one, "etp", rank) % cut : -1),
    };
  }
  const parts = word === "heads" ? Math.min(rule[1], one.tp) : word === "whole" ? 1 : one.tp;
  return {
    axis: parts > 1 ? "tp" : "dp",
    parts,
    copies: perStage(one) / parts,
    holds: (rank) => Math.floor((ranks.place(one, "tp", rank) * parts) / one.tp),
  };
};

/**
 * The share of a tensor rank's cache that a rank before it keeps as well: 1 where all of it is a copy.
 * @param {[rule: Rule, bytes: number, dcp: number][]} kinds
 * @param {Layout} one
 * @param {number} place of the rank on tp
 * @returns {number}
 */
export const copied_share = (kinds, one, place) => {
  let [all, copies] = [0, 0];
  for (const [rule, bytes, dcp] of kinds) {
    const [many, at] = [one.tp / dcp, Math.floor(place / dcp)];
    const apart = rule[0] === "whole" ? 1 : rule[0] === "heads" ? Math.min(rule[1], many) : many;
    all += bytes;
    if (at % (many / apart)) copies += bytes;
  }
  return all ? copies / all : 0;
};
