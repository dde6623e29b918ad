/* What the beats of sparse ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { costs_view, strips_legend, strips_view, weights_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/sparse.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now, Shown } from "./compute.js" */

const NEAREST = ["window", "hca", "dsa"]; // the methods that the fifth bet names

/** @type {Answers<State, Data>} */
export const answers = {
  nearest: (state, data) => {
    const { of } = compute(state, data);
    const errors = NEAREST.map((key) => of[key].error);
    return errors.indexOf(Math.min(...errors));
  },
  // a token's entry of every layer that has an indexer: how many are kept for each that is read
  one_in: (state, data) => {
    const read = compute(state, data).published.find(({ label }) => label === "DSA")?.read ?? 1;
    return state.tokens / read;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  held: (state, data) =>
    compute(state, data).needles.length
      ? "**{holding:int} of {count:int} tokens** hold {much:percent 0} in the head that spreads most. The {heads:int} heads put {on_needle:percent 1} on the needle on average."
      : "**{holding:int} of {count:int} tokens** hold {much:percent 0} in the head that spreads most of {heads:int}.",
  fixed: (state, data) =>
    compute(state, data).needles.length
      ? "The window keeps **{of.window.mass:percent 0}** of the attention, and {of.window.finders:int} of {heads:int} heads read their needle; BigBird keeps {of.bigbird.mass:percent 0}, {of.bigbird.finders:int} of {heads:int}."
      : "The window keeps **{of.window.mass:percent 0}** of the attention, BigBird {of.bigbird.mass:percent 0}. Without a needle there is none to miss.",
  blocked: (state, data) =>
    compute(state, data).rank
      ? "By mean key the first needle’s block has **rank {rank:int} of {blocks:int}**: {of.moba.finders:int} of {heads:int} heads read their needle. By its best token: {of.block_max.finders:int} of {heads:int}."
      : "{blocks:int} blocks and no needle: MoBA keeps **{of.moba.mass:percent 0}** of the attention.",
  indexed: (state, data) =>
    compute(state, data).needles.length
      ? "DSA keeps **{of.dsa.mass:percent 0}** with {budget:int} of {count:int} tokens; the largest weights would keep {of.best.mass:percent 0}. {of.dsa.finders:int} of {heads:int} heads read their needle."
      : "DSA keeps **{of.dsa.mass:percent 0}** with {budget:int} of {count:int} tokens; the largest weights would keep {of.best.mass:percent 0}.",
  blends: (state, data) =>
    compute(state, data).needles.length
      ? "HCA’s {of.hca.reads:int} entries are **{of.hca.error:percent 0} off**, with {of.hca.needle:percent 0} of their weight on the needle (full attention: {on_needle:percent 0}); DSA is {of.dsa.error:percent 0} off."
      : "HCA’s {of.hca.reads:int} entries are **{of.hca.error:percent 0} off**; DSA is {of.dsa.error:percent 0} off with {of.dsa.reads:int}, the window {of.window.error:percent 0}.",
  costs: () =>
    "{cost.title:text} reads **{cost.reads:bytes}** for a new token at {tokens:int}, {cost.index_share:percent 1} of that keys of its indexer; all entries would be {cost.dense:bytes}, {cost.saves:fixed 1} times as much.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  hidden: (state, data) => {
    if (state.text !== "hidden") return no("Choose the text “a needle among opposites”.");
    if (!["moba", "pooled"].includes(state.method)) return no("Choose MoBA or the pooled indexer: both go by means.");
    const { chosen, heads } = compute(state, data);
    const said = `${chosen.label} with blocks of ${state.block}: ${chosen.finders} of ${heads} heads read the needle`;
    if (state.budget > 32) return no(`${said}, but the budget is ${state.budget}.`);
    if (heads > chosen.finders) return no(`${said}. What does a mean of fewer tokens hide?`);
    return { reached: true, says: `Reached: ${said}. Smaller blocks hide less, and there are more of them to score.` };
  },
  fewer: (state, data) => {
    if (1048576 > state.tokens) return no("The length is not yet 1,048,576.");
    const { cost } = compute(state, data);
    const said = `${cost.title} reads ${fmt.fixed(cost.saves, 1)} times fewer bytes`;
    return cost.saves >= 10
      ? { reached: true, says: `Reached: ${said}. Its indexers read few keys: layers share one, or keys are pooled.` }
      : no(`${said}; ${fmt.percent(cost.index_share)} of what it reads are keys of indexers.`);
  },
};

/** @typedef {{ el: Element[], update: (now: Shown, hide: boolean) => void }} View */
/** @param {(data: Data) => View[]} make @returns {FigureMaker<State, Data, Now>} */
const drawing =
  (make) =>
  (el, { data }) => {
    const views = make(data);
    el.append(...views.flatMap((one) => one.el));
    return {
      update: (state, now, { bet }) => {
        for (const one of views) one.update(withState(state, now), bet === "open" || bet === "placed");
      },
    };
  };
/** Strips of some methods; `hide` is what an open bet asks for. @param {Data} data @param {string[]} only @param {"numbers" | "strips"} hide @returns {View} */
const strips = (data, only, hide) => {
  const view = strips_view(data, { only });
  const kinds = data.methods.filter(({ key }) => only.includes(key)).map(({ kind }) => kind);
  return { el: [...view.el, strips_legend(kinds)], update: (now, open) => view.update(now, open ? hide : "") };
};

export const weightsFigure = /* @__PURE__ */ drawing(() => [weights_view()]);
export const fixedFigure = /* @__PURE__ */ drawing((data) => [
  weights_view(),
  strips(data, ["window", "strided", "bigbird"], "numbers"),
]);
export const blocksFigure = /* @__PURE__ */ drawing((data) => [
  weights_view(),
  strips(data, ["moba", "block_max"], "strips"),
]);
export const indexFigure = /* @__PURE__ */ drawing((data) => [weights_view(), strips(data, ["best", "dsa"], "strips")]);
export const blendFigure = /* @__PURE__ */ drawing((data) => [
  weights_view(),
  strips(data, ["window", "dsa", "nsa", "csa", "hca"], "numbers"),
]);
export const costsFigure = /* @__PURE__ */ drawing(() => [costs_view()]);
