/* What the beats of norms and loops share: a drawing as a figure, what a goal says while it is missed. */
import { withState } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/norms.d.ts" */
/** @import { FigureMaker, Goal } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now, Shown, State } from "./compute.js" */

/**
 * A drawing; `hide` leaves out what answers a bet.
 * @typedef {{ el: Element[], update(now: Shown, hide: boolean): void }} View
 */

/** @param {string} says @returns {Goal} */
export const no = (says) => ({ reached: false, says });
export const DEEP = 40;
/** @param {Now} now */
export const too_few = ({ cost }) => no(`This goal needs ${DEEP} passes or more; there are ${cost.passes}.`);
/** @param {BetMode | ""} bet */
export const opened = (bet) => bet === "open" || bet === "placed";
/** @param {() => View} make @returns {FigureMaker<State, Data, Now>} */
export const figure = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), opened(bet)) };
};
