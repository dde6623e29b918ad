/* What the beats of linear-family ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { costs_view, halves_view } from "./charts.js";
import { compute } from "./compute.js";
import { reads_view, rows_view, stream_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Column, Shown } from "./view.js" */
/** @import { Now } from "./compute.js" */

const KEEPERS = ["retnet", "mamba2", "gla"];

/** @param {State} state @param {Data} data @param {string} name */
const rule = (state, data, name) => compute(state, data).rules[data.rules.findIndex((one) => one.name === name)];
/** @param {number[]} sizes */
const least = (sizes) => sizes.indexOf(Math.min(...sizes));

/** Whether A reads the new value, the sum of both, or their mean. @param {State} state @param {Data} data */
const heard = (state, data) => {
  const first = compute({ ...state, step: 8 }, data).target;
  const { target } = compute(state, data);
  const { reads } = rule(state, data, "mlstm");
  /** @param {(old: number, now: number) => number} of */
  const off = (of) => reads.reduce((sum, x, j) => sum + Math.abs(x - of(first[j] ?? 0, target[j] ?? 0)), 0);
  return least([off((_, now) => now), off((old, now) => old + now), off((old, now) => (old + now) / 2)]);
};
/** @type {Answers<State, Data>} */
export const answers = {
  heard,
  a_linear: (state, data) => rule(state, data, "linear").errors[0],
  a_mlstm: (state, data) => rule(state, data, "mlstm").errors[0],
  keeper: (state, data) => least(KEEPERS.map((name) => rule(state, data, name).error)),
  left: (state, data) => rule(state, data, "rwkv7").errors[4],
};

/** @type {Captions<State, Data>} */
export const captions = {
  fading: () =>
    "RetNet’s half-lives run from {halves.retnet_ends.0:fixed 1} to **{halves.retnet_ends.1:int} tokens**, those of {halves.title:text}’s layer {layer:int} from {halves.lightning_ends.0:sig 3} to **{halves.lightning_ends.1:int}**.",
  kept: (state) =>
    state.keys === "axes"
      ? "After {now:int} of {length:int} tokens: RetNet is **{rules.1.error:percent 0} off**, {rules.3.label:text} {rules.3.error:percent 0}, mLSTM {rules.4.error:percent 0}, GLA **{rules.5.error:percent 0}**."
      : "At the end of {streams:int} streams with random keys: RetNet is {rules.1.mean:percent 0} ± {rules.1.half:percent 1} off, {rules.3.label:text} **{rules.3.mean:percent 0} ± {rules.3.half:percent 1}**, GLA **{rules.5.mean:percent 0} ± {rules.5.half:percent 1}**.",
  forgot: () =>
    "After {now:int} of {length:int} tokens, the error of E is **{rules.6.errors.4:percent 0}** in DeltaNet, {rules.7.errors.4:percent 0} in Gated DeltaNet, {rules.8.errors.4:percent 0} in KDA, **{rules.9.errors.4:percent 0}** in {rules.9.label:text}.",
  costs: (state, data) =>
    compute(state, data).cost.token
      ? "{cost.title:text}: one {cost.rule:text} layer holds {cost.state:bytes MB 2}, an attention layer {cost.token:int} B per token, more **from {cost.crossing:int} tokens on**."
      : "{cost.title:text}: one {cost.rule:text} layer holds {cost.state:bytes MB 2}; there are no attention layers.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @param {string} task */
const atEnd = (state, data, task) => {
  const now = compute(state, data);
  return state.task === task && state.keys === "axes" && now.now === now.length ? now : null;
};
/** @type {Goals<State, Data>} */
export const goals = {
  prompt: (state, data) => {
    const now = atEnd(state, data, "keep");
    if (!now) return no("Choose “keep a prompt” with orthogonal keys, and go to the last token.");
    const best = now.rules[least(now.rules.map((one) => one.error))];
    const off = `${best.label} is ${fmt.percent(best.error)} off`;
    if (best.error >= 0.01) return no(`The best rule: ${off}. What else takes a part of the prompt?`);
    return { reached: true, says: `Reached: ${off}. Its gate closes four channels and leaves the other four open.` };
  },
  rwkv: (state, data) => {
    const now = atEnd(state, data, "forget");
    if (!now) return no("Choose “forget a document” with orthogonal keys, and go to the last token.");
    const { error } = rule(state, data, "rwkv7");
    const off = `RWKV-7 is ${fmt.percent(error)} off with ${state.pause === 1 ? "one separator" : `${state.pause} separators`}`;
    if (error >= 0.05) return no(`${off}. Each separator takes nearly half.`);
    return { reached: true, says: `Reached: ${off}. Gated DeltaNet needs one.` };
  },
};

/** @typedef {{ el: Element, update: (now: Shown, hide: boolean) => unknown }} View */
/** @param {(data: Data) => View[]} make @returns {FigureMaker<State, Data, Now>} */
const drawing =
  (make) =>
  (el, { data }) => {
    const views = make(data);
    el.append(...views.map((one) => one.el));
    return {
      update: (state, now, { bet }) => {
        for (const one of views)
          one.update(/** @type {Shown} */ (withState(state, now)), bet === "open" || bet === "placed");
      },
    };
  };
/** Some rules as rows below the stream. @param {Data} data @param {string[]} only @param {Column[]} columns */
const rows = (data, only, columns) => {
  const view = rows_view(data, { only, columns });
  return { el: view.el, update: (/** @type {Shown} */ now) => view.update(now) };
};
/** @param {number} key @param {string} of @returns {Column} */
const column = (key, of) => ({ key, label: `error of ${of}` });
export const twiceFigure = /* @__PURE__ */ drawing((data) => [
  stream_view(),
  rows(data, ["linear", "mlstm"], [column(0, "A")]),
  reads_view(data, ["linear", "mlstm"]),
]);
export const halvesFigure = /* @__PURE__ */ drawing(() => [halves_view()]);
export const keepFigure = /* @__PURE__ */ drawing((data) => [
  stream_view(),
  rows(data, ["retnet", "mamba2", "mlstm", "gla"], [column(0, "A"), column(6, "G")]),
]);
export const forgetFigure = /* @__PURE__ */ drawing((data) => [
  stream_view(),
  rows(data, ["deltanet", "gdn", "kda", "rwkv7"], [column(0, "A"), column(4, "E")]),
]);
export const costsFigure = /* @__PURE__ */ drawing((data) => [costs_view(data)]);
