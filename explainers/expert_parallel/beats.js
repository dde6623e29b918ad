/* Twin of beats.py: answers, captions, goals and figures of the beats; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute, find } from "./compute.js";
import { fold_view, loads_view, map_player, spread_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now } from "./compute.js" */
/** @import { Row } from "./routing.js" */

const DEEPSEEK = "deepseek-ai/DeepSeek-V3";
/** @param {number} n */
const kb = (n) => fmt.bytes(n, "KB");
/** @type {Answers<State, Data>} */
export const answers = {
  more_gpus: (state, data) => {
    const { edp, ep, etp, dp, cp, tp, gpus } = compute(state, data).fold;
    const more = edp * ep * etp - dp * cp * tp;
    return more > 0 ? (more >= gpus ? 0 : 1) : 2;
  },
};

/** @param {Now} now @param {Row} row */
const groups_said = (now, row) => {
  if (!now.here.marks.length) return "There are no groups: every expert may be picked";
  return `${now.kept} of ${now.groups} groups stay, those whose ${row.group_score === "max" ? "best score is highest" : "two best scores are highest together"}`;
};
/** @param {Pick<Now, "here" | "copy">} now */
const out_said = ({
  here: {
    visits: { away },
  },
  copy,
}) => {
  if (!away) return "All its experts are on its own node: nothing crosses the network";
  return `One copy goes to ${away === 1 ? "the other node" : `each of ${away} other nodes`}, ${kb(away * copy.out)} over the network`;
};
/** @param {State} state @param {Data} data */
const moment = (state, data) => {
  const now = compute(state, data);
  const {
    here: { visits },
    copy,
    at,
  } = now;
  const [gpus, nodes] = /** @type {const} */ ([
    ["gpus", "GPU"],
    ["nodes", "node"],
  ]).map(([key, word]) => (visits[key] === 1 ? `one ${word}` : `${visits[key]} ${word}s`));
  const { inside, away } = visits;
  const says = [
    `Each of ${now.experts} experts has a score, drawn as a bar`,
    groups_said(now, /** @type {Row} */ (find(state.model, data))),
    `Its ${now.chosen} experts stand on ${gpus} of ${nodes}`,
    out_said(now),
    `From the GPU where it came in, ${inside} copies go on inside nodes, ${kb(inside * copy.out)}`,
    `Each GPU adds up what its experts made; ${inside} sums go back inside nodes, ${kb(inside * copy.back)}`,
    `${away} sums cross the network, ${kb(away * copy.back)}, and are added up where the token stands`,
  ];
  return `**Step ${at.number} of ${at.steps}: ${at.name}.** ${says[state.step]}.`;
};
/** @param {State} state @param {Data} data */
const crowd = (state, data) => {
  const { load, drop, gpus, copied } = compute(state, data);
  const full = `**The fullest of ${gpus} GPUs gets ${fmt.fixed(load.ratio, 2)} times the mean.** The most loved expert is picked ${fmt.fixed(load.expert_ratio, 2)} times as often as the average.`;
  const lost = drop.choices
    ? `${fmt.percent(drop.share)} of choices find no room, in ${fmt.int(drop.tokens)} tokens.`
    : "Nothing is dropped.";
  return `${full} ${lost}${copied ? ` ${copied} experts stand in more than one slot.` : ""}`;
};
/** @param {State} state @param {Data} data */
const folded = (state, data) => {
  const { fold, experts } = compute(state, data);
  const attention = fold.tp === 1 ? "all of attention" : `part ${fold.here.tp} of ${fold.tp} of attention`;
  const each = experts / fold.ep;
  const held = `${each === 1 ? "an expert" : `${each} experts`} of a layer${fold.etp === 1 ? "" : `, cut by ${fold.etp}`}`;
  return `**GPU ${state.gpu}** has ${attention} and ${held}, which are ${fold.edp === 1 ? "nowhere else" : `on ${fold.edp} GPUs in all`}. One colour: the same weights.`;
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const light = (state, data) => {
  if (state.model !== DEEPSEEK) return no("This goal is about DeepSeek V3.");
  const { layer, drop } = compute(state, data);
  const costs = `${fmt.bytes(layer.model_bytes, "MB", 2)} a token`;
  if (drop.choices) return no(`It costs ${costs}, but ${fmt.percent(drop.share)} of choices are dropped.`);
  const away = fmt.fixed(layer.away, 2);
  if (layer.model_bytes >= 2.5e6) return no(`It costs ${costs}, to ${away} other nodes on average.`);
  return {
    reached: true,
    says: `Reached: ${costs}, to ${away} other nodes. ${state.nodes === 8 ? "Fewer nodes do it too." : "Fewer groups on all 8 nodes do it too."}`,
  };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const level = (state, data) => {
  if (state.model !== DEEPSEEK || state.nodes !== 8 || 0.2 > state.skew)
    return no("This goal is about DeepSeek V3 on 64 GPUs and a skew of 0.2 or more.");
  const { load, drop } = compute(state, data);
  const ratio = `${fmt.fixed(load.ratio, 2)} times the mean`;
  if (drop.choices) return no(`The fullest computes ${ratio}, but ${fmt.percent(drop.share)} of choices are dropped.`);
  if (load.ratio >= 1.5) return no(`The fullest gets ${ratio}.`);
  return {
    reached: true,
    says: `Reached with spare slots: ${ratio}. ${state.spare === 2 ? "One on each GPU would do." : "Each costs the memory of an expert."}`,
  };
};

/** @type {FigureMaker<State, Data, Now>} */
export const mapFigure = (el, { onSet }) => {
  const player = map_player((step) => onSet({ step }));
  el.append(...player.el);
  return { update: (state, now) => player.set(state, now) };
};
/** @type {(make: () => { el: Element[], update(now: Now): void }) => FigureMaker<State, Data, Now>} */
const plainFigure = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return { update: (state, now) => view.update(now) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const foldFigure = (el) => {
  const view = fold_view();
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(now, state.gpu, bet === "open" || bet === "placed") };
};
export const spreadFigure = /* @__PURE__ */ plainFigure(spread_view);
export const loadsFigure = /* @__PURE__ */ plainFigure(loads_view);

/** @type {Captions<State, Data>} */
export const captions = { moment, crowd, folded };
/** @type {Goals<State, Data>} */
export const goals = { light, level };
