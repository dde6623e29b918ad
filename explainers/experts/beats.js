/* Twin of beats.py: answers, captions, goals and figures of the beats; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { GOAL, groups_view, loads_view, updates_player } from "./charts.js";
import { compute, sum } from "./compute.js";
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
};

/** @param {number[]} experts */
const listed = (experts) => `${experts.length === 1 ? "expert" : "experts"} ${experts.join(" and ")}`;
const { int, fixed, percent, signed, count } = fmt;
/** @type {Captions<State, Data>} */
export const captions = {
  met: (state, data) => {
    const { title, active, total, met, all, shared, layers, dense } = compute(state, data).of;
    const mine = `**${title}: a token meets ${count(active)} of ${count(total)} parameters.** These are ${int(met)} of ${int(all)} experts`;
    const many = dense === 1 ? "" : "s";
    const beside = dense ? `the MLP${many} of ${dense} dense layer${many}, ` : "";
    return `${mine}${shared ? `, ${shared} shared in each of ${layers} layers` : ""}, and all that is not routed: attention or its like, ${beside}norms, routers, embedding, head.`;
  },
  decided: (state, data) => {
    const { entered, left, scale } = compute(state, data).eight;
    const made =
      state.scoring === "after"
        ? "the softmax of the chosen logits alone"
        : "a score, divided by the sum of the chosen ones’";
    const rule = `A weight is ${made}, times ${fixed(scale, 1)}.`;
    if (!entered.length) return `**The three best scores are chosen.** ${rule}`;
    return `**Thanks to the bias ${listed(entered)} ${entered.length === 1 ? "enters" : "enter"} in place of ${listed(left)}.** ${rule}`;
  },
  limited: (state, data) => {
    const { here, mean, of, tokens } = compute(state, data);
    const own = `**Token ${state.token} meets ${here.survive} of its ${state.k} best** and is sent to ${here.nodes} node${here.nodes === 1 ? "" : "s"}.`;
    const nodes = `${fixed(mean.nodes_free, 1)} nodes become ${fixed(mean.nodes, 1)}`;
    return `${own} Over ${int(tokens)} tokens ${fixed(mean.survive, 1)} survive, and ${nodes}. A send is ${int(of.send)} bytes, one for each node, layer and token.`;
  },
  crowd: (state, data) => {
    const { load } = compute(state, data);
    const full = `**The busiest of ${state.experts} gets ${int(load.busiest)} of ${int(load.choices)} choices.**`;
    if (!load.room) return `${full} Nothing is dropped, and all wait for it.`;
    return `${full} ${int(load.lost)} choices find no room, ${percent(load.lost_share)}; ${load.idle} experts stay under half their share.`;
  },
  level: (state, data) => {
    const { low, high, load } = compute(state, data);
    const went = `The biases went from ${signed(low, 3)} to ${signed(high, 3)}`;
    return `**After ${state.updates} updates of ${state.step} the busiest gets ${fixed(load.ratio, 2)} times its share.** ${went}. Each update sees 512 fresh tokens, so nothing is ever quite level.`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const even = (state, data) => {
  if (state.experts !== 64 || state.k !== 6 || 0.8 > state.skew)
    return no("This goal is about 6 of 64 experts and a skew of 0.8 or more.");
  const { load } = compute(state, data);
  const ratio = `${fixed(load.ratio, 3)} times the even share`;
  if (load.ratio > GOAL) return no(`The busiest gets ${ratio}.`);
  if (load.lost) return no(`The busiest gets ${ratio}, but ${load.lost} choices are dropped.`);
  const hint = 0.003 > state.step ? "A step of 0.003 is faster." : "A slower step does it too, and larger ones hunt.";
  return { reached: true, says: `Reached with step ${state.step} after ${state.updates} updates: ${ratio}. ${hint}` };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const near = (state, data) => {
  const first = even(state, data);
  const { most: away } = compute(state, data).mean;
  if (!first.reached) return no(first.says);
  if (away > 3) return no(`Level, but a token is sent to up to ${away} nodes.`);
  return { reached: true, says: `Reached: ${away} nodes at most. The limit took more updates to level.` };
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
