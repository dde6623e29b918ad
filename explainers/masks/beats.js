/* What the beats of masks ask, say and draw: answers, captions, goals and figures; the page alone loads it. */

import { findIn, lastChild, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { configEnds } from "../kit/model.js";
import { curveView } from "./curve_drawing.js";
import { seen } from "./mask.js";
import { maskView, ROLE } from "./mask_drawing.js";
import { find, firstKnown, inAll, savesWords, stackOf } from "./stack.js";
import { marksLegend, stackView } from "./stack_drawing.js";
import { plural } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Model } from "./stack.js" */
/** @import { Now } from "./compute.js" */

const GOAL = { context: 131072, query: 40, depth: 3 };
/** @param {string} slug @param {Data} data */
const modelOf = (slug, data) => /** @type {Model} */ (find(slug, data));
/** @param {State} state @param {Data} data */
const stackNow = (state, data) => stackOf(modelOf(state.model, data), state, data);

/** @param {State} state @param {Data} data */
const deep = (state, data) => {
  const { first } = stackNow(state, data);
  return first.includes(0) ? first.indexOf(0) + 1 : `none of its ${first.length}`;
};
/** @param {State} state @param {Data} data */
const below_ = (state, data) => {
  const { first } = stackNow(state, data);
  const at = [state.context - 1, ...first].at(first.indexOf(0)); // -1, the last, where none knows it
  return state.context - /** @type {number} */ (at);
};
/** @param {State} state */
const gain = (state) => {
  const mask = seen(state);
  return mask.known === mask.keys ? 2 : mask.known >= 3 * mask.keys ? 0 : 1;
};

/** @param {number} n */
const ending = (n) => (n === 1 ? "" : "s");
/** @param {State} state */
const known = (state) => {
  const mask = seen(state);
  const spans = mask.known_ranges.map(([from, to], i) =>
    (from === to ? [0] : [0, 1]).map((end) => `{mask.known_ranges.${i}.${end}}`).join(" to "),
  );
  return `After {depth:int} layer${ending(state.depth)}, query {query} can know about **{mask.known:int} token${ending(mask.known)}**: ${spans.join(", ")}. {mask.row}`;
};
/** @param {State} state @param {Data} data */
const kept = (state, data) => {
  const now = stackNow(state, data);
  const less =
    now.bytes_full > now.bytes
      ? ", {stack.ratio:fixed 2} times less than {stack.bytes_full:bytes}."
      : " with every token in every layer.";
  return `**{stack.title}**, {stack.mix}: {stack.tokens_hold} **{stack.bytes:bytes}**${less}`;
};

/** @param {string} says @returns {Goal} */
const notYet = (says) => ({ reached: false, says });
/** @param {State} state @param {number} span */
const oldestKnown = (state, span) => seen({ ...state, span }).known_ranges[0][0];
/** @param {State} state @returns {Goal} */
const key_0 = (state) => {
  const { kind, query, depth, first, span } = state;
  if (kind !== "window" || query !== GOAL.query || depth !== GOAL.depth || first !== 0)
    return notYet(`This goal needs query ${GOAL.query}, ${GOAL.depth} sliding-window layers and no first tokens kept.`);
  const [oldest, smaller] = [span, Math.max(1, span - 1)].map((one) => oldestKnown(state, one));
  if (oldest) return notYet(`With a window of ${span}, the oldest key that the query can know about is ${oldest}.`);
  if (!smaller) return notYet(`A window of ${span} reaches key 0, but so does a smaller one.`);
  const hint = `One layer with a window of ${span} would be enough if the first token were kept.`;
  return { reached: true, says: `Reached with a window of ${span}; ${span - 1} reaches only key ${smaller}. ${hint}` };
};

/** @param {Model} model @param {number} context The first token that its last layer knows. */
const missed = (model, context) => /** @type {number} */ (firstKnown(model, context - 1).at(-1));
/** @param {Model} model @param {number} context */
const saving = (model, context) => inAll(model, context, true) / inAll(model, context, false) || 1;
/** @param {State} state @param {Data} data @returns {Goal} */
const saves_most = (state, data) => {
  const { context } = state;
  if (context !== GOAL.context) return notYet("This goal needs 128k tokens.");
  const model = modelOf(state.model, data);
  const now = saving(model, context);
  const told = `${model.title} saves ${savesWords(now)}`;
  const far = missed(model, context);
  /** @param {Model} one */
  const beyond = (one) => {
    const ends = configEnds({ ...state, model: one.slug }, data);
    return ends ? `: its context length is ${plural(ends, "token")}` : "";
  };
  if (far) return notYet(`${told}, but token 0 is ${plural(far, "token")} out of reach.`);
  const more = data.models.map(([slug]) => modelOf(slug, data)).filter((one) => saving(one, context) > now);
  if (more.some((one) => !missed(one, context)))
    return notYet(`${told} and can know about token 0. Another model here saves more and can know about it, too.`);
  const near = more
    .slice(0, 1)
    .map((one) => ` ${one.title} saves more but cannot know about token 0${beyond(one)}.`)
    .join("");
  return { reached: true, says: `Reached: ${told} and can know about token 0.${near}` };
};

/** The lab's own drawings; an open bet hides what it asks for. @param {BetMode | ""} bet */
const asking = (bet) => bet === "open" || bet === "placed";
/** @type {FigureMaker<State, Data, Now>} */
export const maskFigure = (el, { onSet }) => {
  const view = maskView((query) => onSet({ query }));
  const legend = makeLegend([
    { class: "cw-masks-key seen", label: "seen by one layer" },
    { class: "cw-masks-key known", label: "known through the layers below" },
  ]);
  el.append(view.el, legend);
  const [mark, known] = [findIn(legend, ".seen"), lastChild(legend)];
  return {
    update: (state, now) => {
      view.update(now.mask, state);
      setAttrs(mark, { class: `cw-masks-key seen ${ROLE[state.kind]}` });
      known.style.visibility = state.depth > 1 ? "" : "hidden";
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const stackFigure = (el, { data, onSet }) => {
  const [view, legend] = [stackView((layer) => onSet({ layer })), marksLegend(data)];
  el.append(view.el, legend.el);
  return {
    update: (state, now, { width, bet }) => {
      view.update(now.stack, state, Math.max(260, width), asking(bet));
      legend.update(now.stack.marks);
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const curveFigure = (el, { onSet }) => {
  const view = curveView((context) => onSet({ context: Math.min(131072, context) }));
  el.append(view.el);
  return { update: (state, now, { width, bet }) => view.update(now.stack, state, Math.max(260, width), asking(bet)) };
};

/** @type {Answers<State, Data>} */
export const answers = { deep, below: below_, gain };
/** @type {Captions<State, Data>} */
export const captions = { known, kept };
/** @type {Goals<State, Data>} */
export const goals = { key_0, saves_most };
