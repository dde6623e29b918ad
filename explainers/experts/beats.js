/* What the beats of experts ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { GOAL, loads_view, updates_player } from "./charts.js";
import { compute } from "./compute.js";
import { groups_view } from "./groups.js";
import { sum } from "./loads.js";
import { BATCH } from "./router.js";
import { eight_view, route_view, wall_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/experts.d.ts" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now, Shown } from "./compute.js" */

const HELPED = 5;
/** @type {{ [name: string]: (state: State, data: Data) => number }} */
export const answers = {
  weighed_by: (state, data) => {
    const { weights, scores: plain, chosen: met, scale } = compute(state, data).eight;
    const parts = state.scoring === "after" ? plain.map(Math.exp) : plain;
    if (!weights[HELPED]) return 2;
    const alone = (parts[HELPED] / sum(met.map((i) => parts[i]))) * scale;
    return 1e-9 > Math.abs(weights[HELPED] - alone) ? 1 : 0;
  },
  fresh: () => BATCH,
};

/** @param {number} n */
const ending = (n) => (n === 1 ? "" : "s");
/**
 * Experts by their numbers.
 * @param {"entered" | "left"} key
 * @param {number[]} experts
 */
const listed = (key, experts) =>
  `expert${ending(experts.length)} ${experts.map((_, i) => `{eight.${key}.${i}}`).join(" and ")}`;
const { fixed } = fmt;
/** @type {Captions<State, Data>} */
export const captions = {
  met: (state, data) => {
    const { shared, dense } = compute(state, data).of;
    const mine =
      "**{of.title}: {of.active:count} of {of.total:count} parameters are active for one token.** They include {of.met:int} of {of.all:int} experts";
    const many = ending(dense);
    const beside = dense ? `the MLP${many} of {of.dense} dense layer${many}, ` : "";
    return `${mine}${shared ? ", {of.shared} shared in each of {of.layers} layers" : ""}, and everything that is not routed: attention or its replacement, ${beside}norms, routers and output head.`;
  },
  decided: (state, data) => {
    const { entered, left } = compute(state, data).eight;
    const made =
      state.scoring === "after"
        ? "the softmax of only the chosen logits"
        : "the expert’s score divided by the sum of the chosen scores";
    const rule = `A weight is ${made}, times {eight.scale:fixed 1}.`;
    if (!entered.length) return `**The three best scores are chosen.** ${rule}`;
    return `**The bias brings in ${listed("entered", entered)} in place of ${listed("left", left)}.** ${rule}`;
  },
  limited: (state, data) => {
    const own = `**Token {token} gets {here.survive} of its {k} best experts** and is sent to {here.nodes} node${ending(compute(state, data).here.nodes)}.`;
    return `${own} On average over {tokens:int} tokens, {mean.survive:fixed 1} are kept, and the limit cuts the number of nodes from {mean.nodes_free:fixed 1} to {mean.nodes:fixed 1}. Each send to a node is {of.send:int} bytes per layer and token.`;
  },
  crowd: (state, data) => {
    const full = "**The busiest of {experts} experts gets {load.busiest:int} of {load.choices:int} choices.**";
    if (!compute(state, data).load.room)
      return `${full} Nothing is dropped, and every GPU waits for this expert’s GPU.`;
    return `${full} {load.lost:int} choices are dropped, {load.lost_share:percent}; {load.idle} experts stay under half the average load.`;
  },
  level: () =>
    "**After {updates} updates with a step of {step}, the busiest expert gets {load.ratio:fixed 2} times the average load.** The biases range from {low:signed 3} to {high:signed 3}. Each update sees {fresh} new tokens, so the load never gets exactly even.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const even = (state, data) => {
  if (state.experts !== 64 || state.k !== 6 || 0.8 > state.skew)
    return no("This goal needs 6 of 64 experts and a skew of 0.8 or more.");
  const { load } = compute(state, data);
  const ratio = `${fixed(load.ratio, 3)} times the average load`;
  if (load.ratio > GOAL) return no(`The busiest expert gets ${ratio}.`);
  if (load.lost) return no(`The busiest expert gets ${ratio}, but ${load.lost} choices are dropped.`);
  const hint = 0.003 > state.step ? "A step of 0.003 is faster." : "A smaller step works too; larger ones overshoot.";
  return { reached: true, says: `Reached with step ${state.step} after ${state.updates} updates: ${ratio}. ${hint}` };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const near = (state, data) => {
  const first = even(state, data);
  const { most: away } = compute(state, data).mean;
  if (!first.reached) return no(first.says);
  if (away > 3) return no(`Balanced, but a token is sent to up to ${away} nodes.`);
  return { reached: true, says: `Reached: ${away} nodes at most. The group limit makes balancing slower.` };
};

/** @param {BetMode | ""} bet */
const opened = (bet) => bet === "open" || bet === "placed";
/**
 * @param {() => { el: Element[], update: (now: Shown, hide: boolean) => void }} make
 * @returns {FigureMaker<State, Data, Now>}
 */
const figure = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), opened(bet)) };
};
export const wallFigure = /* @__PURE__ */ figure(wall_view);
export const eightFigure = /* @__PURE__ */ figure(eight_view);
export const groupsFigure = /* @__PURE__ */ figure(groups_view);
export const loadsFigure = /* @__PURE__ */ figure(() => loads_view("crowd"));
export const routeFigure = /* @__PURE__ */ figure(route_view);
/** @type {FigureMaker<State, Data, Now>} */
export const levellingFigure = (el, { data, onSet }) => {
  const view = loads_view("level");
  const player = updates_player(
    data,
    (state, now) => view.update(now),
    (updates) => onSet({ updates }),
  );
  el.append(...view.el, player.el);
  return {
    update: (state, now, { bet }) => {
      player.el.hidden = opened(bet);
      player.set(state, { ...state, ...now });
    },
  };
};

/** @type {Goals<State, Data>} */
export const goals = { even, near };
