/* What the beats on norms and gates ask and draw: answers, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { ceiling_view, scores_view } from "./charts.js";
import { compute } from "./compute.js";
import { cost_of } from "./stack.js";
import { DEEP, figure, no, opened, too_few } from "./telling.js";
import { block_player } from "./view.js";

/** @import { Data } from "../../.make/data_types/norms.d.ts" */
/** @import { Answers, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { Now, State } from "./compute.js" */

/** @type {Partial<State>[]} */
const CHANGES = [{ gate: "numbers" }, { norm: "sandwich" }, { parallel: true }];
const [GROWN, SMALL] = [4, 3];
/** @type {Answers<State, Data>} */
export const answers = {
  saver: (state) => {
    const plain = { ...state, norm: "pre", parallel: false };
    const each = CHANGES.map((one) => cost_of({ ...plain, ...one }).meetings);
    return each.indexOf(Math.min(...each));
  },
};

const { fixed, num, percent } = fmt;
/** @type {Goals<State, Data>} */
export const goals = {
  heard_to_the_end: (state, data) => {
    const now = compute(state, data);
    const [big, heard] = [fixed(now.size, 2), percent(now.heard)];
    if (DEEP > now.cost.passes) return too_few(now);
    if (now.size > 2) return no(`The stream’s size is ${big} at the end.`);
    if (0.5 > now.heard)
      return no(`The stream’s size is ${big}, but only ${heard} of it still comes from the embedding.`);
    return {
      reached: true,
      says: `Reached: size ${big}, ${heard} of it from the embedding. Sublayers that add less still change the stream.`,
    };
  },
  small_scores: (state, data) => {
    const now = compute(state, data);
    if (DEEP > now.cost.passes) return too_few(now);
    if (GROWN > state.grown) return no(`Queries and keys are scaled by ${num(state.grown, 4)}, not by ${GROWN}.`);
    const top = `The largest score is ${fixed(now.top, 1)}`;
    if (now.top > SMALL) return no(`${top}, above ${SMALL}.`);
    if (now.cost.meetings > now.cost.passes) return no(`${top}, but each layer needs two all-reduces.`);
    return {
      reached: true,
      says: `Reached: ${top[0].toLowerCase()}${top.slice(1)}. QK-norm or a cap of ${SMALL} limits it.`,
    };
  },
};

export const scoresFigure = /* @__PURE__ */ figure(scores_view);
export const ceilingFigure = /* @__PURE__ */ figure(ceiling_view);
/** @type {FigureMaker<State, Data, Now>} */
export const blockFigure = (el, { onSet }) => {
  const view = block_player((layer) => onSet({ layer }));
  el.append(...view.el);
  return {
    update: (state, now, { bet }) => {
      view.play.el.hidden = opened(bet);
      view.update(withState(state, now));
    },
  };
};
