/* What the beats of speculative ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { apartFigure } from "../kit/apart-figure.js";
import { h } from "../kit/dom.js";
import { fill, fmt, withState } from "../kit/numbers.js";
import { bars_view, SIZES, SPEEDS } from "./charts.js";
import { compute, measuredOf } from "./compute.js";
import { load, waitingWords, whenLoaded } from "./load.js";
import { legend, look_view, NO_DRAFT, step_view, steps_view } from "./view.js";

/** @import { State } from "../../.make/data_types/speculative.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Answered, Data, Now, Shown } from "./compute.js" */
/** @import { Look } from "./places.js" */

/** What one draft of the opened step has. @param {State} state @param {Data} data */
const draftOf = (state, data) => {
  const { steps, at, look } = compute(state, data);
  return steps?.[at].drafts[look?.place ?? state.place];
};
/** The measured row of this number of drafts, or none. @param {Pick<State, "drafter" | "temperature" | "k">} state @param {Data} data */
const measuredRow = (state, data) => measuredOf(state, data).rows.find(({ k }) => k === state.k);
/** What the draft model's eight drafts gave at one temperature. @param {Data} data @param {number} temperature */
const eight = (data, temperature) => measuredRow({ drafter: "model", temperature, k: 8 }, data);
/** "draft", or for any number but one "drafts". @param {number} many */
const drafts = (many) => (many === 1 ? "draft" : "drafts");

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
  rejected: (state, data) => compute(state, data).look?.rejected ?? 0,
  one_measured: (_, data) => eight(data, 1)?.per_step ?? 0,
  one_formula: (_, data) => eight(data, 1)?.expected ?? 0,
  half_measured: (_, data) => eight(data, 0.5)?.per_step ?? 0,
  half_formula: (_, data) => eight(data, 0.5)?.expected ?? 0,
};

const LINE = "The line marks the speed without speculation.";
/** What is said of the draft model's measured steps. @param {State} state @param {Data} data */
const modelWords = (state, data) => {
  if (!measuredRow(state, data))
    return "The formula gives {worth.now.expected:fixed 2} tokens a step with an acceptance rate of {measured.alpha:percent 1}.";
  const said = `**{per_step:fixed 2} tokens a step** measured with {k:int} ${drafts(state.k)}`;
  return state.k === 1
    ? `${said}: the draft is accepted in {measured.alpha:percent 1} of the steps.`
    : `${said}; the formula gives {by_formula:fixed 2} with the acceptance rate at one draft, {measured.alpha:percent 1}.`;
};
/** The same for prompt lookup, which often has no draft. @param {State} state @param {Data} data */
const lookupWords = (state, data) =>
  `${measuredRow(state, data) ? `**{per_step:fixed 2} tokens a step** measured with {k:int} ${drafts(state.k)}. ` : ""}${APPLIES}${state.temperature ? "" : " This small model often repeats itself, so it is no evidence for general text."}`;
const APPLIES =
  "With one draft a step, {measured.rate:percent 0} of {measured.checked:int} checked drafts are accepted; {measured.empty:percent 0} of the steps have no draft, so the formula does not apply.";
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
    if (!draft) return compute(state, data).steps ? NO_DRAFT : WAITING;
    const { steps, at } = /** @type {Answered} */ (compute(state, data));
    return draft.verdict === "discarded"
      ? `“{draft_name:text}” is discarded untested, since “{steps.${at}.drafts.${steps[at].kept}.name:text}” was rejected.`
      : "“{draft_name:text}” is kept if a random number is below p/q = **{accept:fixed 2}**. After the first rejection all later drafts are discarded.";
  },
  output: (state, data) => {
    const { look } = compute(state, data);
    if (!look) return WAITING;
    return look.drafted === null
      ? NO_DRAFT
      : "With the correction from the positive part of p − q, the output is **exactly p**. A draft is accepted with a probability of {look.alpha:percent 1}, the sum of min(p, q). From p itself, {look.naive_off:percent 1} of the probability would be misplaced.";
  },
  measured: (state, data) => (state.drafter === "lookup" ? lookupWords(state, data) : modelWords(state, data)),
  cost: (state, data) => {
    const { best } = compute(state, data).worth;
    return best.speedup > 1
      ? `**{worth.best.k:int} ${drafts(best.k)} ${best.k === 1 ? "is" : "are"} best** at a cost of {worth.cost:fixed 2}: {worth.best.speedup:fixed 2} times as fast as without. ${LINE}`
      : `**No number of drafts pays** at a cost of {worth.cost:fixed 2}: one draft gives {worth.rows.0.speedup:fixed 2} times the plain speed. ${LINE}`;
  },
  batch: (state, data) => {
    const { slower } = compute(state, data).worth;
    return slower > 1
      ? `With {k:int} ${drafts(state.k)} speculation is no faster from a **batch of {worth.slower:int}** on. ${LINE}`
      : `With {k:int} ${drafts(state.k)} at a cost of {worth.cost:fixed 2} speculation is ${slower ? "no faster at any batch" : "faster at every batch"}. ${LINE}`;
  },
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
          says: `Reached: ${said}, with ${fmt.int(state.k)} ${drafts(state.k)} at temperature ${state.temperature}.`,
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
          says: `Reached: ${said} with ${fmt.int(state.k)} ${drafts(state.k)} at a batch of ${fmt.int(state.batch)}.`,
        };
  },
};

/** A figure of the run, or of a place. @param {(el: HTMLElement) => (now: Answered, hide: boolean) => void} make @param {"steps" | "look"} [wants] */
const drawing = (make, wants = "steps") =>
  apartFigure({ compute, load: (_, data) => load(data), waitingWords, whenLoaded, again: "text" }, make, wants);

export const runFigure = /* @__PURE__ */ drawing((el) => {
  const [steps, text] = [steps_view(), h("p", { class: "cw-note cw-speculative-text" })];
  el.append(text, steps.el, legend());
  return (now, hide) => {
    fill(text, "The text: “{text:text}”", now);
    steps.update(now, hide);
  };
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
