/* What the beats of flash ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt } from "../kit/numbers.js";
import { roof_view } from "./bars.js";
import { compute } from "./compute.js";
import { pieces_view } from "./online_softmax.js";
import { row_of } from "./small.js";
import { square_view } from "./square.js";
import { tiles_view } from "./tiles.js";
import { walk_player } from "./walk.js";

/** @import { Data, State } from "../../.make/data_types/flash.d.ts" */
/** @import { Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Now, Shown } from "./compute.js" */

/** @type {{ [name: string]: (state: State, data: Data) => number }} */
export const answers = { mended: (state) => (1 > row_of(state.fifth).factor ? 1 : 2) };

/** @type {Captions<State, Data>} */
export const captions = {
  moved: (state, data) => {
    const cache = compute(state, data).kept.fits
      ? "K and V of this head are {kv:bytes} and may stay in the L2 cache of {chip.l2:bytes MB 0}: then only {ends:bytes} move."
      : "K and V of this head, {kv:bytes}, do not fit the L2 cache of {chip.l2:bytes MB 0}.";
    return `**A tile of {rows:int} rows does {tiled.intensity:int} FLOP per byte.** Past the ridge at {chip.ridge:int}, a kernel is compute-bound. ${cache}`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {State} state */
const cut_of = (state) => `${state.rows} × ${state.keys}`;
/** @param {Now} now */
const filled = ({ sram, chip }) => `${fmt.bytes(sram.total, "KB")} of ${fmt.bytes(chip.sram, "KB")}`;
/** @type {Goals<State, Data>} */
export const goals = {
  past_ridge: (state, data) => {
    if (state.chip !== "h100_sxm") return no("This goal needs an H100.");
    const now = compute(state, data);
    const [got, ridge] = [fmt.int(now.tiled.intensity), fmt.int(now.chip.ridge)];
    if (!now.sram.fits) return no(`Tiles of ${cut_of(state)} do not fit: ${filled(now)}.`);
    if (now.chip.ridge >= now.tiled.intensity)
      return no(
        `Tiles of ${cut_of(state)} reach ${got} FLOP per byte, the ridge is at ${ridge}, and they fill ${filled(now)}. What fills the SRAM?`,
      );
    return {
      reached: true,
      says: `Reached with head size ${now.head.qk} and tiles of ${cut_of(state)}: ${got} FLOP per byte. At head size 128, no tile that fits reaches the ridge.`,
    };
  },
  under_80: (state, data) => {
    const now = compute(state, data);
    const { qk, v, window } = now.head;
    if ([state.chip, qk, v, window, state.tokens].join() !== "h100_sxm,128,128,0,8192")
      return no("This goal needs an H100, 8,192 tokens, head size 128 and causal attention without a window.");
    if (!now.sram.fits) return no(`Tiles of ${cut_of(state)} do not fit: ${filled(now)}.`);
    const moved = fmt.bytes(now.tiled.bytes);
    if (now.tiled.bytes >= 80e6)
      return no(
        `Tiles of ${cut_of(state)} move ${moved} and fill ${filled(now)}. Which side of the tile could be smaller?`,
      );
    return {
      reached: true,
      says: `Reached with tiles of ${cut_of(state)}: ${moved}. No other tile that fits gets below 80 MB.`,
    };
  },
};

/**
 * @param {() => { el: Element | Element[], update: (now: Shown, hide: boolean) => void }} make
 * @returns {FigureMaker<State, Data, Now>}
 */
const drawing = (make) => (el) => {
  const view = make();
  el.append(...[view.el].flat());
  return { update: (state, now, { bet }) => view.update({ ...state, ...now }, bet === "open" || bet === "placed") };
};
export const squareFigure = /* @__PURE__ */ drawing(square_view);
export const piecesFigure = /* @__PURE__ */ drawing(pieces_view);
export const tilesFigure = /* @__PURE__ */ drawing(tiles_view);
export const roofFigure = /* @__PURE__ */ drawing(roof_view);
/** @type {FigureMaker<State, Data, Now>} */
export const walkFigure = (el, { onSet }) => {
  const player = walk_player((step) => onSet({ step }));
  el.append(...player.el);
  return { update: (state, now) => player.update({ ...state, ...now }, state) };
};
