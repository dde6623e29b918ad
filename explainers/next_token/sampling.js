/* Logits -> shares by temperature, what top-k and top-p leave, and the token that a number draws. Twin of sampling.py. */
import { hash32, upto } from "../kit/arrays.js";
import { softmax } from "./forward.js";

/** Token ids, the largest logit first; of equal ones the smaller id. @param {Float64Array} logits */
export const rank = (logits) => upto(logits.length).sort((a, b) => logits[b] - logits[a] || a - b);

/** The first of `rank`. @param {Float64Array} logits */
export const best = (logits) => logits.reduce((most, one, id) => (one > logits[most] ? id : most), 0);

/** @param {Float64Array} logits @param {number[]} order @param {number} temperature */
export const sharesOf = (logits, order, temperature) =>
  softmax(Float64Array.from(order, (id) => logits[id] / temperature));

/** @param {Float64Array} shares */
const total = (shares) => shares.reduce((a, b) => a + b, 0);

/**
 * Of sorted shares: how many top-k leaves (0: all), and how many of those top-p leaves, at least one. top-p sums the
 * shares of those that top-k left, as vLLM and transformers do.
 * @param {Float64Array} shares
 * @param {number} topK
 * @param {number} topP
 * @returns {[byK: number, kept: number]}
 */
export const cutOf = (shares, topK, topP) => {
  const byK = Math.min(topK || shares.length, shares.length);
  if (topP >= 1) return [byK, byK];
  const all = total(shares.subarray(0, byK));
  let [sum, kept] = [0, 0];
  while (byK > kept && topP > sum) sum += shares[kept++] / all;
  return [byK, Math.max(1, kept)];
};

/** The number from 0 to 1 that a draw has at a position of the text. @param {number} draw @param {number} position */
export const numberOf = (draw, position) => hash32(draw * 65536 + position) / 2 ** 32;

/** Which of some shares, laid one after another, the number u falls on. @param {Float64Array} shares @param {number} u */
export const pickOf = (shares, u) => {
  const all = total(shares);
  let [sum, at] = [0, 0];
  for (const share of shares) {
    sum += share / all;
    if (sum > u) break;
    at++;
  }
  return Math.min(at, shares.length - 1);
};
