/* What the beats around the block ask and draw: answers, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { borrow_view, ceiling_view, drafts_view, loops_view, mixing_view, scores_view } from "./charts.js";
import { compute } from "./compute.js";
import { mixing_of } from "./mixing.js";
import { cost_of } from "./stack.js";
import { block_player } from "./view.js";

/** @import { Data } from "../../.make/data_types/around-the-block.d.ts" */
/** @import { Answers, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now, Shown, State } from "./compute.js" */

/**
 * A drawing; `hide` leaves out what answers a bet.
 * @typedef {{ el: Element[], update(now: Shown, hide: boolean): void }} View
 */

/** @type {Partial<State>[]} */
const CHANGES = [{ gate: "numbers" }, { norm: "sandwich" }, { parallel: true }];
/** @type {Answers<State, Data>} */
export const answers = {
  saver: (state) => {
    const plain = { ...state, norm: "pre", parallel: false };
    const each = CHANGES.map((one) => cost_of({ ...plain, ...one }).meetings);
    return each.indexOf(Math.min(...each));
  },
  louder: (state) => {
    const { gain } = mixing_of(state);
    return 0.05 > Math.abs(gain - 1) ? 1 : 0.5 > gain ? 2 : 0;
  },
};

const { fixed, percent } = fmt;
/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
const DEEP = 40;
/** @param {Now} now */
const too_few = ({ cost }) => no(`This goal needs ${DEEP} passes or more; there are ${cost.passes}.`);
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
  half_of_both: (state, data) => {
    const now = compute(state, data);
    const says = `${percent(now.share.weights)} of the weights and ${percent(now.share.kept)} of the cache`;
    if (DEEP > now.cost.passes) return too_few(now);
    if (now.share.weights > 0.5 || now.share.kept > 0.5)
      return no(`${says}, compared with ${now.cost.passes} plain layers.`);
    return {
      reached: true,
      says: `Reached: ${says}. Looping over layers saves only weights; sharing keys and values saves mostly cache.`,
    };
  },
};

/** @param {BetMode | ""} bet */
const opened = (bet) => bet === "open" || bet === "placed";
/** @param {() => View} make @returns {FigureMaker<State, Data, Now>} */
const figure = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), opened(bet)) };
};
export const scoresFigure = /* @__PURE__ */ figure(scores_view);
export const ceilingFigure = /* @__PURE__ */ figure(ceiling_view);
export const draftsFigure = /* @__PURE__ */ figure(drafts_view);
export const loopsFigure = /* @__PURE__ */ figure(loops_view);
export const borrowFigure = /* @__PURE__ */ figure(borrow_view);
export const mixingFigure = /* @__PURE__ */ figure(mixing_view);
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
