/* What the beats of attention ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { apartFigure } from "../kit/apart-figure.js";
import { fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { load, waitingWords, whenLoaded } from "./load.js";
import { grid_view, heads_view, look_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/attention.d.ts" */
/** @import { Answers, Captions, Goal, Goals } from "../kit/beats.js" */
/** @import { Answered, Shown } from "./compute.js" */

const SCORED = [4, 3, 7]; // the tokens that the first bet names
const LOOKED = [3, 1, 13]; // the tokens that the last bet names

/** @type {Answers<State, Data>} */
export const answers = {
  most: (state, data) => SCORED.indexOf(compute(state, data).look?.best.at ?? -1),
  top: (state, data) => compute(state, data).look?.best.weight ?? 0,
  other: (state, data) => LOOKED.indexOf(compute(state, data).heads?.[0].best.at ?? -1),
};

const WAITING = "The vectors of this layer are loading.";
/** @param {(now: Answered) => string} words */
const answered = (words) => (/** @type {State} */ state, /** @type {Data} */ data) => {
  const now = /** @type {Shown} */ (withState(state, compute(state, data)));
  return now.look ? words(/** @type {Answered} */ (now)) : WAITING;
};

/** @type {Captions<State, Data>} */
export const captions = {
  scored: answered(
    ({ look }) =>
      `**{look.best.name:text}** has the largest dot product, {look.rows.${look.best.at}.dot:fixed 1}; divided by √{model.head_dim:int} that is a score of {look.rows.${look.best.at}.score:fixed 1}.`,
  ),
  sharpened: answered(({ scaled }) =>
    scaled
      ? "With the scale: **{look.best.name:text}** has {look.best.weight:percent 1}."
      : "Without the scale: **{look.best.name:text}** has {look.best.weight:percent 1}, and {look.counting:int} of {count:int} tokens have at least {few:percent 0}.",
  ),
  summed: answered(
    () =>
      "**{look.counting:int} of {count:int}** weights are at least {few:percent 0}. **{look.best.name:text}** gives {look.best.weight:percent 1} of the sum.",
  ),
  masks: answered(({ masked }) =>
    masked
      ? "**{pairs.computed:int} of {pairs.all:int}** pairs are left. The framed row is “{look.name:text}”, the last token: it sees all others."
      : "Without a mask all **{pairs.all:int}** pairs get a weight, the later tokens too.",
  ),
  headed: answered(
    () =>
      "From “{look.name:text}”, head {heads.0.head:int} attends most to **{heads.0.best.name:text}** ({heads.0.best.weight:percent 1}), head {heads.3.head:int} to **{heads.3.best.name:text}** ({heads.3.best.weight:percent 1}).",
  ),
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/**
 * A goal for one weight of the open token.
 * @param {number} wanted
 * @param {(now: Answered) => number} weightOf
 * @param {string} on
 * @returns {Goals<State, Data>[string]}
 */
const reaching = (wanted, weightOf, on) => (state, data) => {
  const now = /** @type {Shown} */ (withState(state, compute(state, data)));
  if (!now.look) return no("This layer’s vectors are not loaded yet.");
  const made = /** @type {Answered} */ (now);
  const [weight, name] = [weightOf(made), made.look.name];
  const where = `layer ${state.layer}, head ${state.head}`;
  if (!(state.scaled && state.masked)) return no("The goal counts with the scale and the mask on.");
  return wanted > weight
    ? no(`Now ${where}: “${name}” puts ${fmt.percent(weight, 1)} on ${on}.`)
    : { reached: true, says: `Reached: ${where}, “${name}” puts ${fmt.percent(weight, 1)} on ${on}.` };
};
/** @type {Goals<State, Data>} */
export const goals = {
  before: reaching(0.9, ({ look }) => (look.at >= 2 ? look.rows[look.at - 1].weight : 0), "the token before it"),
  same: reaching(
    0.5,
    ({ look, tokens }) =>
      look.rows.reduce((sum, row, j) => sum + (look.at > j && tokens[j].id === tokens[look.at].id ? row.weight : 0), 0),
    "earlier copies of itself",
  ),
};

/** A figure of the vectors. @param {(el: HTMLElement) => (now: Answered, hide: boolean) => void} make */
const drawing = (make) => apartFigure({ compute, load, waitingWords, whenLoaded, again: "layer" }, make, "look");

export const lookFigure = /* @__PURE__ */ drawing((el) => {
  const look = look_view();
  el.append(look.el);
  return (now, hide) => look.update(now, hide ? "scores" : "");
});
export const weightsFigure = /* @__PURE__ */ drawing((el) => {
  const look = look_view();
  el.append(look.el);
  return (now, hide) => look.update(now, hide ? "weights" : "");
});
export const valuesFigure = /* @__PURE__ */ drawing((el) => {
  const look = look_view({ values: true });
  el.append(look.el);
  return (now, hide) => look.update(now, hide ? "weights" : "");
});
export const gridFigure = /* @__PURE__ */ drawing((el) => {
  const grid = grid_view();
  el.append(grid.el);
  return (now) => grid.update(now, now.head);
});
export const headsFigure = /* @__PURE__ */ drawing((el) => {
  const heads = heads_view();
  el.append(heads.el);
  return (now, hide) => heads.update(now, hide);
});
