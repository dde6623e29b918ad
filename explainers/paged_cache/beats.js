/* What the beats of paged-cache ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h } from "../kit/dom.js";
import { fill, fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { lanes_legend, lanes_view } from "./lanes.js";
import { counted, pool_legend, pool_view, queues_view, tables_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now } from "./compute.js" */

const asking = (/** @type {BetMode | ""} */ bet) => bet === "open" || bet === "placed";

/** @type {Answers<State, Data>} */
export const answers = {
  kept: (state, data) => compute(state, data).rows.filter(({ lane }) => !lane.includes("x")).length,
  static_end: (state, data) => compute({ ...state, batching: "static" }, data).end,
};

/** @type {Captions<State, Data>} */
export const captions = {
  preempted: (state, data) =>
    compute(state, data).sums.preemptions
      ? "{blocks:int} blocks: **{sums.preemptions:int} preempted, {sums.repeated:int} tokens computed again**. All are answered after {end:int} steps."
      : "{blocks:int} blocks, of which at most {sums.peak:int} are in use: nobody is preempted. All are answered after {end:int} steps.",
  batched: () =>
    "All are answered after **{end:int} steps**. The first token comes after {sums.first_mean:fixed 1} steps on average; the largest step computes {sums.largest:int} tokens.",
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** What both goals ask for: as it is served by default. @param {State} state */
const by_default = (state) =>
  state.workload === "chat" && state.allocation === "paged" && state.batching === "continuous" && state.system === 0;

/** @type {Goals<State, Data>} */
export const goals = {
  calm: (state, data) => {
    if (!by_default(state) || state.dtype !== "bfloat16" || state.memory > 48 || state.moves.length)
      return no(
        "This goal needs the chat workload without a system prompt, paged, continuous, at most 48 MiB in BF16, and no moves.",
      );
    const { end, sums } = compute(state, data);
    const said = `${counted(sums.preemptions, "preemption")}, ${counted(end, "step")}`;
    if (sums.preemptions) return no(`${said}: too many run at once for this cache.`);
    if (end > 90) return no(`${said}: the cache has room for more at once.`);
    return {
      reached: true,
      says: `Reached with max_num_seqs at ${state.max_num_seqs}: ${said}, at most ${fmt.int(sums.peak)} blocks.`,
    };
  },
  by_hand: (state, data) => {
    if (!by_default(state) || state.max_num_seqs !== 4)
      return no("This goal needs the chat workload without a system prompt, paged, continuous, and max_num_seqs at 4.");
    const { end } = compute(state, data);
    if (!state.moves.length)
      return no(`First come, first served takes ${counted(end, "step")}. Which request should not start last?`);
    if (end > 112) return no(`Your order takes ${counted(end, "step")}. Long answers should start early.`);
    return {
      reached: true,
      says: `Reached in ${counted(end, "step")}. The longest answers started sooner, so nobody was left alone at the end.`,
    };
  },
};

/** @type {FigureMaker<State, Data, Now>} */
export const poolFigure = (el, { onSet }) => {
  const [pool, queues] = [pool_view(), queues_view((request) => onSet({ request }))];
  el.append(pool.el, pool_legend(), queues.el);
  return {
    update: (state, now, { bet }) => {
      const seen = withState(state, now);
      pool.update(seen, asking(bet));
      queues.update(seen);
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const tablesFigure = (el) => {
  const [pool, tables, title] = [pool_view(), tables_view(), h("p", { class: "cw-note" })];
  el.append(title, tables.el, pool.el);
  return {
    update: (state, now) => {
      const seen = withState(state, now);
      fill(title, "Block tables after step {at.step:int}, and the pool of {blocks:int} blocks.", seen);
      tables.update(seen);
      pool.update(seen);
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const lanesFigure = (el) => {
  const lanes = lanes_view();
  el.append(lanes.el, lanes_legend());
  return { update: (state, now) => lanes.update(withState(state, now)) };
};
