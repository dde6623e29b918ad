/* What the beats of context-parallel ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { upto } from "../kit/arrays.js";
import { h } from "../kit/dom.js";
import { fmt, withState } from "../kit/numbers.js";
import { compute } from "./compute.js";
import { cache_view, chart_view, strips_view, swap_view } from "./deal.js";
import { mask_view } from "./mask.js";
import { cw } from "./rank_chips.js";
import { ring_player } from "./ring.js";
import { splits } from "./run.js";
import { bars_view } from "./work_bars.js";

/** @import { Data, State } from "../../.make/data_types/context-parallel.d.ts" */
/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Now } from "./compute.js" */

const MILLION = 1048576;
/** @type {Answers<State, Data>} */
export const answers = {
  all_heads: (state, data) => {
    const { ways, here } = compute(state, data);
    return (ways.ring.sent / here.kv) * here.heads;
  },
  furthest: (state, data) => {
    const { heads, kv } = compute(state, data).here;
    const most = Math.max(
      ...upto(2 * heads + 1)
        .slice(1)
        .filter((n) => splits(heads, kv, n)),
    );
    return kv >= most ? 0 : heads >= most ? 1 : 2;
  },
  less: (state, data) => compute(state, data).curve.less || "no number of",
  besides: (state, data) => Math.min(compute(state, data).decode.extra, 2),
  times: (state, data) => {
    const { heads, kv } = compute(state, data).here;
    return Math.floor(heads / kv);
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  swapped: (state, data) => {
    const { ways, swap } = compute(state, data);
    if (!ways.ulysses.sent)
      return "**Not on {cp:int} ranks**: {here.heads:int} query heads cannot be split evenly; over {swap.fits:int} ranks they can.";
    const kept = swap.copies > 1 ? "each KV head is copied to {swap.copies:int} ranks" : "no KV head is copied";
    return `On {cp:int} ranks, **${kept}**; each rank sends {ways.ulysses.sent:bytes MB 0} per layer, in four exchanges.`;
  },
  sends: (state, data) => {
    const { ways, curve } = compute(state, data);
    const where = "{row.title} on {cp:int} ranks: each sends **{ways.ring.sent:bytes MB 0}** with the ring";
    if (!ways.ulysses.sent) return `${where}. Its heads cannot be split evenly.`;
    const then = curve.less
      ? "With {curve.less:int} ranks or more, Ulysses sends less."
      : "Up to {curve.most:int} ranks, Ulysses never sends less.";
    return `${where}, **{ways.ulysses.sent:bytes MB 0}** with Ulysses. ${then}`;
  },
  kept: (state, data) => {
    const { cache } = compute(state, data);
    const [rank, alone] = [cache.rank, cache.alone].map((n) => fmt.bytes(n, "GB", 2));
    const leave = alone === rank ? "would store as much" : "would store {cache.alone:bytes GB 2} on each";
    return `Merged with these weights, the result is off by **{decode.off:num 2}**; a plain mean is off by {decode.mean_off:fixed 2}. **Each rank stores {cache.rank:bytes GB 2}** of {row.title}’s cache. Splitting only the heads over the same {gpus:int} GPUs ${leave}.`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  balanced: (state, data) => {
    const { most } = compute(state, data).work;
    const does = `he slowest rank does ${fmt.fixed(most, 3)} times the mean work`;
    if (state.cp !== 16)
      return no(
        `On ${state.cp} ranks, the slowest does ${fmt.fixed(most, 3)} times the mean work; this goal needs 16 ranks.`,
      );
    if (most > 1.01) return no(`T${does}: the others wait for it.`);
    return {
      reached: true,
      says: `Reached: the slowest rank does ${fmt.fixed(most, 4)} times the mean work. The ${state.order === "striped" ? "zigzag" : "striped"} order reaches it too.`,
    };
  },
  million: (state, data) => {
    if (state.model !== "meta-llama/Llama-3.1-70B" || state.sequence !== MILLION)
      return no("This goal needs 1,048,576 tokens of Llama 3.1 70B.");
    const { cache } = compute(state, data);
    const [rank, over] = [fmt.bytes(cache.rank, "GB", 1), `${state.cp} × ${state.tp} GPUs`];
    if (cache.rank >= 25e9) return no(`On ${over}, each rank stores ${rank}.`);
    return {
      reached: true,
      says: `Reached on ${over}: ${rank} each. ${state.tp === 1 ? "Splitting heads as well reaches it too." : "Splitting tokens over 16 ranks is enough without splitting heads."}`,
    };
  },
};

/** @param {BetMode | ""} bet */
const hushed = (bet) => bet === "open" || bet === "placed";
/** @type {FigureMaker<State, Data, Now>} */
export const dealtFigure = (el) => {
  const [mask, strips] = [mask_view(), strips_view("tokens of each rank")];
  el.append(h("div", { class: cw("both") }, h("div", {}, mask.svg), h("div", {}, strips.svg)));
  return {
    update: (state, now) => {
      mask.update(now);
      strips.update(now, now.owner, null);
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const workFigure = (el) => {
  const [mask, bars] = [mask_view(), bars_view()];
  el.append(h("div", { class: cw("both") }, h("div", {}, mask.svg), h("div", {}, bars.svg)));
  return {
    update: (state, now, { bet }) => {
      mask.update(now);
      bars.update(now, hushed(bet));
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const ringFigure = (el, { onSet }) => {
  const view = ring_player({ onStop: (step) => onSet({ step }) });
  el.append(...view.el);
  return { update: (state, now) => view.update(now, Math.min(state.step, state.cp)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const swapFigure = (el) => {
  const view = swap_view();
  el.append(...view.el);
  return { update: (state, now) => view.update(withState(state, now)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const chartFigure = (el) => {
  const view = chart_view();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(now, state.cp, hushed(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const cacheFigure = (el) => {
  const view = cache_view();
  el.append(view.svg);
  return { update: (state, now, { bet }) => view.update(now, hushed(bet)) };
};
