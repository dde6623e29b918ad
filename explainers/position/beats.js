/* What the beats of position ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { gettext } from "../kit/gettext.js";
import { fmt } from "../kit/numbers.js";
import { compute, find } from "./compute.js";
import { dials_view, distances_view, waves_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/position.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Model, Now } from "./compute.js" */

/** @type {Answers<State, Data>} */
export const answers = {
  moved: (state, data) => {
    const change =
      compute({ ...state, query: state.query + 100, key: state.key + 100 }, data).score - compute(state, data).score;
    return 1e-9 > Math.abs(change) ? 1 : change > 0 ? 2 : 0;
  },
  still: (state, data) => {
    const { head, dims } = /** @type {Model} */ (find(state.model, data));
    return head - dims;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  slowed: (state, data) => {
    const { rope } = compute(state, data);
    if (!rope.pairs) return gettext("**{rope.title}** does not rotate any pairs.");
    const own = rope.original
      ? gettext("**{rope.unfinished:int} of {rope.pairs:int} pairs** would not finish a turn in training.")
      : gettext(
          "**{rope.unfinished:int} of {rope.pairs:int} pairs** would not finish a turn within the {rope.trained:int} tokens of its config.",
        );
    if (rope.factor === 1) return gettext("{rope.title}, without scaling: {own}", { own });
    return gettext(
      "{rope.title}, {rope.kind}, factor {rope.factor:int}: {own} {rope.slowed:int} are slowed by the full factor, {rope.between:int} in part; {rope.kept:int} are unchanged.",
      { own },
    );
  },
  share: (state, data) => {
    const { rope } = compute(state, data);
    const before =
      rope.slowest > rope.slowest_plain * (1 + 1e-9)
        ? gettext(", {rope.slowest_plain:int} before its RoPE scaling ({rope.kind}, factor {rope.factor:int})")
        : "";
    return rope.dims
      ? gettext(
          "**{rope.title}**: {rope.dims:int} of {rope.head:int} dimensions are rotated, {rope.share:percent 0}; its slowest pair turns once in {rope.slowest:int} tokens{before}.",
          { before },
        )
      : gettext(
          "**{rope.title}**: none of {rope.head:int} dimensions are rotated. Order comes from its other layers, which carry a state.",
        );
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  smallest_base: (state, data) => {
    const { rope } = compute(state, data);
    if (!rope.pairs || state.stretch !== "none" || !state.theta)
      return no(gettext("Choose a model with RoPE, a base from the list and no scaling."));
    const said = { base: fmt.int(state.theta), turn: fmt.int(rope.slowest) };
    const takes = gettext("With base {base}, the slowest pair turns once in {turn} tokens.", said);
    if (131072 >= rope.slowest) return no(takes);
    const before = data.bases[data.bases.indexOf(state.theta) - 1];
    if (before && compute({ ...state, theta: before }, data).rope.slowest > 131072)
      return no(gettext("{takes} A smaller base is enough.", { takes }));
    return {
      reached: true,
      says: gettext(
        "Reached: with base {base}, the slowest pair turns once in {turn} tokens; the next smaller base is too small.",
        said,
      ),
    };
  },
  eightfold: (state, data) => {
    if (state.model !== "Qwen/Qwen3-8B" || state.theta)
      return no(gettext("This goal needs Qwen3 8B with its own base."));
    const { waves, plain, rope } = compute(state, data);
    const [slow, fast] = [
      /** @type {number} */ (waves.at(-1)) / /** @type {number} */ (plain.at(-1)),
      waves[0] / plain[0],
    ];
    if (8 - 1e-6 > slow) return no(gettext("Its slowest pair is as fast as before."));
    if (fast > 1 + 1e-9)
      return no(
        gettext("Its fastest pair is slowed too, {times} times: neighbouring tokens become hard to tell apart.", {
          times: fmt.fixed(fast, 0),
        }),
      );
    return {
      reached: true,
      says: gettext("Reached with {kind}: {kept} pairs unchanged. {other} works too.", {
        kind: rope.kind,
        kept: rope.kept,
        other: state.stretch === "yarn" ? "llama3" : "YaRN",
      }),
    };
  },
};

/** @type {FigureMaker<State, Data, Now>} */
export const dialsFigure = (el) => {
  const view = dials_view();
  el.append(...view.el);
  return { update: (state, now) => view.update(now) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const wavesFigure = (el) => {
  const view = waves_view();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(now, -1, bet === "open" || bet === "placed") };
};
/** @type {FigureMaker<State, Data, Now>} */
export const distancesFigure = (el) => {
  const view = distances_view();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(now, bet === "open" || bet === "placed") };
};
