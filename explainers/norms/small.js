/* Twin of small.py: scores with and without QK-norm, a soft ceiling, drafts. */
import { hash32, upto } from "../kit/arrays.js";
import { capped, dot, norm } from "./layer.js";
import { normal, remembered, sum } from "./mixing.js";

/** @import { State } from "./compute.js" */

const [SCORED, FIRST_SCORES, FIRST_DRAFTS, STEPS, MANY, MOST_DRAFTS, APART] = [8, 3000000, 4500000, 12, 4096, 7, 10];
const drawn_head = /* @__PURE__ */ remembered((/** @type {number} */ head) => {
  const [q, k] = [0, SCORED].map((from) => upto(SCORED).map((i) => normal(FIRST_SCORES + from + i, head)));
  return [q, [q[0], ...k.slice(1)]];
}, 8);
/** @param {number[][]} q @param {number[][]} k @param {number} head */
const scored = (q, k, head) => {
  const all = q.map((one) => k.map((other) => dot(one, other) / Math.sqrt(head)));
  const peaks = all.map((row) => 1 / sum(row.map((s) => Math.exp(s - Math.max(...row)))));
  const sizes = all.flat().map(Math.abs);
  return { all: sizes, top: Math.max(...sizes), peak: sum(peaks) / SCORED };
};
/** @param {Pick<State, "head" | "grown">} state */
export const scores_of = ({ head, grown }) => {
  const [q, k] = drawn_head(head).map((rows) => rows.map((row) => row.map((v) => v * grown)));
  return {
    bound: Math.sqrt(head),
    plain: scored(q, k, head),
    normed: scored(norm(q), norm(k), head),
    pairs: SCORED * SCORED,
  };
};
/** @param {Pick<State, "score" | "cap">} state */
export const ceiling_of = ({ score, cap }) => {
  const less = Math.max(score - APART, 0);
  const [out, less_out] = [score, less].map((v) => capped(v, cap));
  return { score, less, apart: score - less, out, less_out, left: out - less_out, lost: score - out };
};

const luck = /* @__PURE__ */ remembered(() =>
  Float64Array.from({ length: MANY * MOST_DRAFTS }, (_, i) => hash32(FIRST_DRAFTS + i) / 2 ** 32),
);
const accepted = /* @__PURE__ */ remembered(
  (/** @type {number} */ drafts, /** @type {number} */ accept) =>
    upto(MANY).map((step) => {
      let good = 0;
      while (good !== drafts && accept > luck()[step * MOST_DRAFTS + good]) good += 1;
      return good;
    }),
  64,
);
/** @param {Pick<State, "drafts" | "accept">} state */
export const drafted_of = ({ drafts, accept }) => {
  const good = accepted(drafts, accept);
  const tape = good.slice(0, STEPS);
  const expected = sum(upto(drafts + 1).map((i) => accept ** i));
  return {
    tape,
    steps: STEPS,
    tokens: sum(tape) + STEPS,
    checked: STEPS * (drafts + 1),
    expected,
    many: MANY,
    measured: sum(good) / MANY + 1,
    wasted: 1 - expected / (drafts + 1),
    end: 1 / (1 - accept),
  };
};
