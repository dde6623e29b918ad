/* What the beats of data-parallel ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { compute, DP, WEIGHT_BYTES } from "./compute.js";
import { bars_view, cards_view } from "./view.js";

/** @import { Answers, Captions, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { Data, State } from "../../.make/data_types/data-parallel.d.ts" */
/** @import { Now } from "./compute.js" */

/** @param {State} state @param {Data} data @param {Partial<State>} [changes] */
const with_changes = (state, data, changes = {}) => compute({ ...state, ...changes }, data);
/** @satisfies {Answers<State, Data>} */
export const answers = {
  weights: (state, data) => WEIGHT_BYTES * with_changes(state, data).parameters,
  how_often: (state, data) => {
    const { meetings } = with_changes(state, data);
    return meetings === 0 ? 2 : meetings === 1 ? 1 : 0;
  },
  dearer: (state, data) => {
    const times = with_changes(state, data, { stage: 3 }).sends / with_changes(state, data, { stage: 0 }).sends;
    return 1.25 > times ? 0 : 1.75 > times ? 1 : 2;
  },
  flat: (state, data) => with_changes(state, data, { shard: 0 }).leaves,
  flat_held: (state, data) => with_changes(state, data, { shard: 0 }).here.bytes,
};
/** @satisfies {Captions<State, Data>} */
export const captions = {
  leaving: (state, data) =>
    `${with_changes(state, data).copies === 1 ? "One copy" : "{copies:int} copies"} on {nodes:int} nodes: **{leaves:bytes GB}** leave each node in a step, and each rank holds {here.bytes:bytes GB}.`,
};

/** @param {number} bytes */
const gb = (bytes) => fmt.bytes(bytes, "GB");
const [CARD, LIMIT] = [80e9, 20e9];
/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  seventy: (state, data) => {
    if (state.model !== "meta-llama/Llama-3.1-70B") return no("This goal needs Llama 3.1 70B.");
    const held = with_changes(state, data).here.bytes;
    const said = `tage ${state.stage} holds ${gb(held)} on each of ${state.dp} ranks`;
    if (held > CARD) return no(`S${said}.`);
    if (DP.some((dp) => state.dp > dp && CARD >= with_changes(state, data, { dp, stage: 3, shard: 0 }).here.bytes))
      return no(`S${said}. Fewer ranks are enough.`);
    return { reached: true, says: `Reached: s${said}, before any activations.` };
  },
  both: (state, data) => {
    if (state.model !== "paper" || state.dp !== 16) return no("This goal needs the 7.5 B model on 16 ranks.");
    const now = with_changes(state, data);
    const said = `each rank holds ${gb(now.here.bytes)}, and ${gb(now.leaves)} leave each node`;
    if (now.here.bytes > LIMIT || now.leaves > LIMIT) return no(`${said[0].toUpperCase()}${said.slice(1)}.`);
    return { reached: true, says: `Reached: ${said}. The rest stays on the fast links inside a node.` };
  },
};

/** @type {FigureMaker<State, Data, Now>} */
export const cardsFigure = (el) => {
  const view = cards_view();
  el.append(view.el);
  return { update: (state, now) => view.update(now, state.dp) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const sendsFigure = (el) => {
  const view = bars_view("sends");
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(now, state.stage, bet === "open" || bet === "placed") };
};
