/* What the beats of speculative ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h, setText } from "../kit/dom.js";
import { fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { load, running, waitingWords, whenLoaded } from "./load.js";
import { bars_view, legend, look_view, SIZES, SPEEDS, step_view, steps_view } from "./view.js";

/** @import { State } from "../../.make/data_types/speculative.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Answered, Data, Now, Shown } from "./compute.js" */
/** @import { Look } from "./places.js" */

/** What one draft of the opened step has. @param {State} state @param {Data} data */
const draftOf = (state, data) => {
  const { steps, at, look } = compute(state, data);
  return steps?.[at].drafts[look?.place ?? state.place];
};
/** The measured row of this number of drafts, or none. @param {State} state @param {Data} data */
const measuredRow = (state, data) => compute(state, data).measured.rows.find(({ k }) => k === state.k);

/** @type {Answers<State, Data>} */
export const answers = {
  accept: (state, data) => draftOf(state, data)?.accept ?? 0,
  draft_p: (state, data) => draftOf(state, data)?.p ?? 0,
  draft_q: (state, data) => draftOf(state, data)?.q ?? 0,
  draft_name: (state, data) => draftOf(state, data)?.name ?? "",
  naive: (state, data) => {
    const { look } = compute(state, data);
    return look?.rows[look.drafted ?? 0].naive ?? 0;
  },
  per_step: (state, data) => measuredRow(state, data)?.per_step ?? 0,
  by_formula: (state, data) => measuredRow(state, data)?.expected ?? 0,
};

const WAITING = "The models are loading.";
/** @param {string} words @param {"steps" | "look"} [wants] */
const answered =
  (words, wants = "steps") =>
  (/** @type {State} */ state, /** @type {Data} */ data) =>
    compute(state, data)[wants] ? words : WAITING;

/** @type {Captions<State, Data>} */
export const captions = {
  run: answered(
    "**{totals.tokens:int} tokens in {totals.steps:int} passes**: {totals.per_step:fixed 2} a step. {totals.accepted:int} of {totals.tried:int} checked drafts are accepted; the number at the right is the step’s tokens.",
  ),
  rule: (state, data) => {
    const draft = draftOf(state, data);
    return draft
      ? "“{draft_name:text}” is kept if a random number is below p/q = **{accept:fixed 2}**. After the first rejection all later drafts are discarded."
      : "This drafter proposes nothing here; the step is a normal one.";
  },
  output: answered(
    "With the correction from the positive part of p − q, the output is **exactly p**. A draft is accepted with a probability of {look.alpha:percent 1}, the sum of min(p, q). From p itself, {look.naive_off:percent 1} of the probability would be misplaced.",
    "look",
  ),
  measured: (state, data) =>
    `${measuredRow(state, data) ? "**{per_step:fixed 2} tokens a step** measured with {k:int} drafts; the formula gives {by_formula:fixed 2}" : "The formula gives {worth.now.expected:fixed 2} tokens a step"} with an acceptance rate of {measured.alpha:percent 1}.`,
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  lookup: (state, data) => {
    const { totals } = compute(state, data);
    if (state.drafter !== "lookup") return no("This goal is for prompt lookup, which needs no draft model.");
    if (!totals) return no("This run needs the models; load them.");
    const said = `${fmt.fixed(totals.per_step, 2)} tokens a step`;
    return 1.5 > totals.per_step
      ? no(`Now ${said}. Lookup finds what the text has said before.`)
      : {
          reached: true,
          says: `Reached: ${said}, with ${fmt.int(state.k)} drafts at temperature ${state.temperature}.`,
        };
  },
  batch: (state, data) => {
    const { worth } = compute(state, data);
    const said = `${fmt.fixed(worth.now.speedup, 2)} times as fast`;
    if (128 > state.batch)
      return no(`Now a batch of ${fmt.int(state.batch)}, ${said}. The goal is a batch of 128 or more.`);
    if (state.drafter !== "model" || 0.1 > state.cost)
      return no("The goal is for a draft model that costs 0.1 or more.");
    return 1.5 > worth.now.speedup
      ? no(`At a batch of ${fmt.int(state.batch)} it is ${said}. Fewer drafts leave more room below the ridge.`)
      : {
          reached: true,
          says: `Reached: ${said} with ${fmt.int(state.k)} drafts at a batch of ${fmt.int(state.batch)}.`,
        };
  },
};

/**
 * A figure that is drawn again once the weights are here.
 * @param {(el: HTMLElement) => (now: Answered, hide: boolean) => void} make
 * @param {"steps" | "look"} [wants]
 * @returns {FigureMaker<State, Data, Now>}
 */
const drawing =
  (make, wants = "steps") =>
  (el, { data, onSet }) => {
    const [box, waiting] = [h("div"), h("p", { class: "cw-note" })];
    const draw = make(box);
    el.append(box, waiting);
    /** @type {{ state: State, hide: boolean } | null} */
    let shown = null;
    /** @param {State} state @param {boolean} hide */
    const update = (state, hide) => {
      const now = /** @type {Shown} */ (withState(state, compute(state, data)));
      box.hidden = !now[wants];
      waiting.hidden = !box.hidden;
      if (now[wants]) draw(/** @type {Answered} */ (now), hide);
      else {
        if (!running(data)) load(data);
        setText(waiting, waitingWords());
      }
    };
    whenLoaded(() => {
      if (!shown) return;
      update(shown.state, shown.hide);
      onSet({ text: shown.state.text });
    });
    return {
      update: (state, _, { bet }) => {
        shown = { state, hide: bet === "open" || bet === "placed" };
        update(state, shown.hide);
      },
    };
  };

export const runFigure = /* @__PURE__ */ drawing((el) => {
  const steps = steps_view();
  el.append(steps.el, legend());
  return (now, hide) => steps.update(now, hide);
});
export const stepFigure = /* @__PURE__ */ drawing((el) => {
  const step = step_view();
  el.append(step.el);
  return (now, hide) => step.update(now, hide ? "verdicts" : "");
});
export const lookFigure = /* @__PURE__ */ drawing((el) => {
  const look = look_view();
  el.append(look.el);
  return (now, hide) => look.update(/** @type {Answered & { look: Look }} */ (now), hide);
}, "look");

/** @param {ReturnType<typeof bars_view>} view @returns {FigureMaker<State, Data, Now>} */
const plain = (view) => (el) => {
  el.append(view.el);
  return {
    update: (state, now, { bet }) =>
      view.update(/** @type {Shown} */ (withState(state, now)), bet === "open" || bet === "placed"),
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const speedFigure = (el, given) => plain(bars_view(SPEEDS))(el, given);
/** @type {FigureMaker<State, Data, Now>} */
export const batchFigure = (el, given) => plain(bars_view(SIZES))(el, given);
