/* What the beats of rounding ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { draws_view, errors_view, sums_view } from "./charts.js";
import { compute, MODES } from "./compute.js";
import { modes_view, paths_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/rounding.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now } from "./compute.js" */

const SURE = 2; // standard deviations

/** Where the count of draws that go up should be. @param {State} state @param {Data} data */
const expected = (state, data) => {
  const { share } = compute(state, data);
  const off = SURE * Math.sqrt(state.draws * share * (1 - share));
  return [state.draws * share - off, state.draws * share + off];
};
/** @type {Answers<State, Data>} */
export const answers = {
  goes_up: (state, data) => compute(state, data).aims[3] ?? 0,
  mean_error: (state, data) => compute(state, data).errors.means[MODES.indexOf(state.mode)],
  fewest: (state, data) => expected(state, data)[0],
  most: (state, data) => expected(state, data)[1],
  twice: (state, data) => {
    const [typed, , single] = compute(state, data).steps;
    return single.keeps === typed.keeps ? 2 : 0;
  },
  lost: (state, data) => {
    const { exact, chosen } = compute(state, data).sums;
    return exact - chosen.total;
  },
  least: (state, data) => {
    const { chosen } = compute(state, data).sums;
    return chosen.mean - chosen.half;
  },
  greatest: (state, data) => {
    const { chosen } = compute(state, data).sums;
    return chosen.mean + chosen.half;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  kept: (state, data) => {
    const { between, aims } = compute(state, data);
    if (!between) return "{number:text} is not between two values of {label:text}.";
    if (aims[0] === aims[1])
      return "**{number:text}** in {label:text}: both ways of rounding to nearest keep {modes.0.keeps:text}, toward zero keeps {modes.2.keeps:text}.";
    return "**{number:text}** is a tie in {label:text}: ties to even keeps {modes.0.keeps:text}, ties away from zero {modes.1.keeps:text}.";
  },
  biased: (state) =>
    state.mode === "stochastic"
      ? "One random draw for each remainder: mean error {errors.mean:signed 3} steps. Over many draws it vanishes."
      : `**Mean error {errors.mean:signed 3} steps**, over every remainder of a cast that drops ${state.cut === 1 ? "one bit" : "{cut:int} bits"}.`,
  drawn: (state, data) =>
    compute(state, data).between
      ? "Mean of {draws:int} draws: **{drawn.mean:num 5} ± {drawn.half:num 2}**, off by {drawn.bias:num 2}. To nearest keeps the same value every time, off by {drawn.nearest:num 2}."
      : "{number:text} is not between two values of {label:text}.",
  paths: () => "**{number:text}** in {label:text}: {agree:text}",
  summed: (state) =>
    state.how === "stochastic"
      ? "{n:int} terms, exact sum {sums.exact:signed 0}. Mean of sixteen stochastic sums in {sums.chosen.label:text}: **{sums.chosen.mean:signed 0} ± {sums.chosen.half:signed 0}**; the first one is drawn."
      : "{n:int} terms, exact sum {sums.exact:signed 0}. {sums.chosen.label:text} ends at **{sums.chosen.total:signed 0}** and last changes at term {sums.chosen.moved:int}.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  half_percent: (state, data) => {
    if (state.terms !== "products" || state.n !== 4096 || state.sum !== "bfloat16")
      return no("This goal needs 4,096 positive products and a BF16 accumulator.");
    const { chosen, exact } = compute(state, data).sums;
    const off = `${fmt.signed(100 * chosen.error, 2)} %`;
    if (state.how === "stochastic")
      return no(`This sum is off by ${off}, another draw by more or less: its mean is right, a single sum is not.`);
    if (Math.abs(chosen.error) >= 0.005)
      return no(`The sum is ${fmt.signed(chosen.total)} instead of ${fmt.signed(exact)}, off by ${off}.`);
    const [way, other] =
      state.how === "chunks" ? [`chunks of ${state.chunk}`, "Kahan’s sum"] : ["Kahan’s sum", "Short chunks"];
    return { reached: true, says: `Reached with ${way}: off by ${off}. ${other} would do it, too.` };
  },
  parted: (state, data) => {
    if (state.format !== "float16") return no("This goal needs FP16.");
    const now = compute(state, data);
    const size = Math.abs(Number(state.typed));
    if (!(60000 > size)) return no("The number must be a decimal below 60,000 in size.");
    if (!now.policies.some((row) => row.differs)) {
      const { side } = now.steps[2];
      return no(
        side === "on"
          ? "The number is exactly on a tie already, so FP32 changes nothing. Go a little above it."
          : `All casts agree on ${now.number}. How near to a tie must a number be for FP32 to put it there?`,
      );
    }
    return { reached: true, says: `Reached with ${now.number}: FP32 rounds it to a tie. ${now.agree}` };
  },
};

/**
 * @param {() => { el: Element[], update: (now: Now & State, hide: boolean) => void }} make
 * @returns {FigureMaker<State, Data, Now>}
 */
const drawing = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return {
    update: (state, now, { bet }) =>
      view.update(/** @type {Now & State} */ (withState(state, now)), bet === "open" || bet === "placed"),
  };
};
export const modesFigure = /* @__PURE__ */ drawing(modes_view);
export const errorsFigure = /* @__PURE__ */ drawing(errors_view);
export const drawsFigure = /* @__PURE__ */ drawing(draws_view);
export const pathsFigure = /* @__PURE__ */ drawing(paths_view);
export const sumsFigure = /* @__PURE__ */ drawing(sums_view);
