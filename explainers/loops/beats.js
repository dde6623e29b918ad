/* What the beats on drafts, loops and streams ask and draw: answers, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute } from "../norms/compute.js";
import { mixing_of } from "../norms/mixing.js";
import { DEEP, figure, no, too_few } from "../norms/telling.js";
import { borrow_view, drafts_view, loops_view, mixing_view } from "./charts.js";

/** @import { Data } from "../../.make/data_types/loops.d.ts" */
/** @import { Answers, Goals } from "../kit/beats.js" */
/** @import { State } from "../norms/compute.js" */

/** @type {Answers<State, Data>} */
export const answers = {
  louder: (state) => {
    const { gain } = mixing_of(state);
    return 0.05 > Math.abs(gain - 1) ? 1 : 0.5 > gain ? 2 : 0;
  },
};

const { fixed, percent } = fmt;
const [TOKENS, DISCARDED] = [3, 0.15];
/** @type {Goals<State, Data>} */
export const goals = {
  cheap_drafts: (state, data) => {
    const { drafted } = compute(state, data);
    const says = `${fixed(drafted.expected, 2)} tokens per step, with ${percent(drafted.wasted)} of the checked tokens discarded`;
    return TOKENS > drafted.expected || drafted.wasted > DISCARDED
      ? no(`${says}.`)
      : { reached: true, says: `Reached: ${says}. More drafts pay only if nearly all are accepted.` };
  },
  half_of_both: (state, data) => {
    const now = compute(state, data);
    const says = `${percent(now.share.weights)} of the weights and ${percent(now.share.kept)} of the cache`;
    if (DEEP > now.cost.passes) return too_few(now);
    if (now.share.weights > 0.5 || now.share.kept > 0.5)
      return no(`${says}, compared with ${now.cost.passes} plain layers.`);
    return {
      reached: true,
      says: `Reached: ${says}. Looping over layers saves only weights; sharing keys and values saves mostly cache.`,
    };
  },
};

export const draftsFigure = /* @__PURE__ */ figure(drafts_view);
export const loopsFigure = /* @__PURE__ */ figure(loops_view);
export const borrowFigure = /* @__PURE__ */ figure(borrow_view);
export const mixingFigure = /* @__PURE__ */ figure(mixing_view);
