/* What the beats of expert parallelism ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { find } from "./legal.js";
import { loads_view, spread_view } from "./loads.js";
import { map_player } from "./node_map.js";
import { COLOURS, fold_view } from "./two_meshes.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now } from "./compute.js" */
/** @import { Row } from "./routing.js" */

const DEEPSEEK = "deepseek-ai/DeepSeek-V3";
/** @type {(visits: "away" | "inside", copy: "out" | "back") => (state: State, data: Data) => number} */
const bytes_of = (visits, copy) => (state, data) => {
  const now = compute(state, data);
  return now.here.visits[visits] * now.copy[copy];
};
/** @type {Answers<State, Data>} */
export const answers = {
  more_gpus: (state, data) => {
    const { edp, ep, etp, dp, cp, tp, gpus } = compute(state, data).fold;
    const more = edp * ep * etp - dp * cp * tp;
    return more > 0 ? (more >= gpus ? 0 : 1) : 2;
  },
  each: (state, data) => {
    const { experts, fold } = compute(state, data);
    return experts / fold.ep;
  },
  network_out: bytes_of("away", "out"),
  inside_out: bytes_of("inside", "out"),
  inside_back: bytes_of("inside", "back"),
  network_back: bytes_of("away", "back"),
};

/** @param {Pick<Now, "here">} now @param {Row} row */
const groups_said = (now, row) => {
  if (!now.here.marks.length) return "There are no groups: any expert can be picked";
  return `{kept:int} of {groups:int} groups are kept, those with the highest ${row.group_score === "max" ? "best score" : "sum of two best scores"}`;
};
/** @param {Pick<Now, "here">} now */
const out_said = ({ here }) => {
  const { away } = here.visits;
  if (!away) return "All the token's experts are on its own node: nothing crosses the network";
  return `One copy goes to ${away === 1 ? "the other node" : "each of {here.visits.away:int} other nodes"}, {network_out:bytes KB} over the network`;
};
/** @param {State} state @param {Data} data */
const moment = (state, data) => {
  const now = compute(state, data);
  const [gpus, nodes] = /** @type {const} */ ([
    ["gpus", "GPU"],
    ["nodes", "node"],
  ]).map(([key, word]) => (now.here.visits[key] === 1 ? `one ${word}` : `{here.visits.${key}:int} ${word}s`));
  const says = [
    "Each of {experts:int} experts has a score, drawn as a bar",
    groups_said(now, /** @type {Row} */ (find(state.model, data))),
    `The token's {chosen:int} experts are on ${gpus} of ${nodes}`,
    out_said(now),
    "From its first GPU in each node, {here.visits.inside:int} copies go on inside nodes, {inside_out:bytes KB}",
    "Each GPU sums its experts' outputs; {here.visits.inside:int} sums go back inside nodes, {inside_back:bytes KB}",
    "{here.visits.away:int} sums cross the network, {network_back:bytes KB}, and are summed on the token's GPU",
  ];
  return `**Step {at.number:int} of {at.steps:int}: {at.name}.** ${says[state.step]}.`;
};
/** @param {State} state @param {Data} data */
const crowd = (state, data) => {
  const { drop, copied } = compute(state, data);
  const full =
    "**The most loaded of {gpus:int} GPUs gets {load.ratio:fixed 2} times the mean.** The most popular expert is picked {load.expert_ratio:fixed 2} times as often as the average.";
  const lost = drop.choices
    ? "{drop.share:percent 1} of expert choices are dropped; they belong to {drop.tokens:int} tokens."
    : "No tokens are dropped.";
  return `${full} ${lost}${copied ? " {copied:int} experts are in more than one slot." : ""}`;
};
/** @param {State} state @param {Data} data */
const folded = (state, data) => {
  const { fold } = compute(state, data);
  const attention = fold.tp === 1 ? "all of attention" : "part {fold.here.tp:int} of {fold.tp:int} of attention";
  const some = answers.each(state, data) === 1 ? "an expert" : "{each:int} experts";
  const held = `${some} of a layer${fold.etp === 1 ? "" : ", sharded {fold.etp:int} ways"}`;
  const copies = fold.edp === 1 ? "on no other GPU" : "on {fold.edp:int} GPUs in all";
  const many = fold.gpus / fold.edp > COLOURS;
  return `**GPU {gpu:int}** has ${attention} and ${held}, which are ${copies}. GPUs of the same colour have the same weights.${many ? " Only the experts of GPU {gpu:int} are coloured." : ""}`;
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const light = (state, data) => {
  if (state.model !== DEEPSEEK) return no("This goal needs DeepSeek V3.");
  const { layer, drop } = compute(state, data);
  const costs = `${fmt.bytes(layer.model_bytes, "MB", 2)} per token`;
  if (drop.choices) return no(`Traffic is ${costs}, but ${fmt.percent(drop.share)} of choices are dropped.`);
  const away = fmt.fixed(layer.away, 2);
  if (layer.model_bytes >= 2.5e6) return no(`Traffic is ${costs}, with ${away} other nodes on average.`);
  return {
    reached: true,
    says: `Reached: ${costs}, with ${away} other nodes on average. ${state.nodes === 8 ? "Fewer nodes reach it too." : "Fewer groups on all 8 nodes reach it too."}`,
  };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const level = (state, data) => {
  if (state.model !== DEEPSEEK || state.nodes !== 8 || 0.2 > state.skew)
    return no("This goal needs DeepSeek V3 on 64 GPUs and a skew of 0.2 or more.");
  const { load, drop } = compute(state, data);
  const ratio = `${fmt.fixed(load.ratio, 2)} times the mean`;
  if (drop.choices)
    return no(`The most loaded GPU computes ${ratio}, but ${fmt.percent(drop.share)} of choices are dropped.`);
  if (load.ratio >= 1.5) return no(`The most loaded GPU gets ${ratio}.`);
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
