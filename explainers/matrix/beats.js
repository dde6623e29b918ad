/* What the beats of matrix ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fmt } from "../kit/numbers.js";
import { bars_view, scatter_view } from "./charts.js";
import { compute } from "./compute.js";
import { kept_pictures, maps_row } from "./maps.js";

/** @import { Answers, FigureMaker, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { Now } from "./compute.js" */

const asking = (/** @type {BetMode | ""} */ bet) => bet === "open" || bet === "placed";
const CLOSE = 0.5; // dB: what is no difference

/** The schemes of the bet on the rotation, in the order of its options. */
const OPTIONS = ["fp4_tensor", "mxfp4_floor", "nvfp4", "q4_k"];

/** @type {Answers<State, Data>} */
export const answers = {
  fp8_gain: (state, data) => {
    const { here } = compute(state, data).gaps.fp8;
    return here < CLOSE ? 0 : here < 10 ? 1 : 2;
  },
  loses: (state, data) => {
    const { turns } = compute(state, data);
    return OPTIONS.findIndex((name) => turns[name].here < 0);
  },
};

/** @param {string} says */
const no = (says) => ({ reached: false, says });
/** @type {Goals<State, Data>} */
export const goals = {
  thirty: (state, data) => {
    const { now } = compute(state, data);
    if (state.loud !== 30 || state.drawn) return no("Take input 300 thirty times as large as the others, and weights.");
    const said = `${now.label}: ${fmt.signed(now.out, 1)} dB at ${fmt.num(now.bits, 4)} bits.`;
    if (now.bits > 4.25 || now.out < 30) return no(said);
    return { reached: true, says: `Reached with ${said}` };
  },
  beats_q4_k: (state, data) => {
    const { now, rows } = compute(state, data);
    const other = rows.find(({ name }) => name === "q4_k");
    if (state.drawn || !other) return no("Choose weights, not the drawing.");
    const said = `${now.label} has ${fmt.signed(now.out, 1)} dB at ${fmt.num(now.bits, 4)} bits, Q4_K ${fmt.signed(other.out, 1)} dB at ${fmt.num(other.bits, 3)}.`;
    if (now.bits <= other.bits || now.out >= other.out) return no(said);
    return { reached: true, says: `Reached: ${said}` };
  },
};

/** @type {FigureMaker<State, Data, Now>} */
export const mapsFigure = (el, { data, onSet }) => {
  const pictures = kept_pictures(data);
  const row = maps_row({ onPick: (scheme) => onSet({ scheme }) });
  el.append(row.el);
  return { update: (state, now, { bet }) => row.update({ ...state, ...now }, pictures, asking(bet)) };
};

/** @type {FigureMaker<State, Data, Now>} */
export const turnedFigure = (el, { data }) => {
  const pictures = kept_pictures(data);
  const places = OPTIONS.map((name) => data.mapped.indexOf(name));
  const [plain, turned] = [maps_row({ places }), maps_row({ places, turned: true })];
  const below = h("p", { class: "cw-note", text: "Above: as it is. Below: rotated first." });
  el.append(plain.el, below, turned.el);
  return {
    update: (state, now, { bet }) => {
      const all = { ...state, ...now };
      plain.update(all, pictures);
      turned.update(all, pictures, asking(bet));
      for (const part of [below, turned.el]) part.hidden = asking(bet);
    },
  };
};

/** @param {readonly string[]} names @param {readonly string[]} asked @returns {FigureMaker<State, Data, Now>} */
const bars = (names, asked) => (el) => {
  const view = bars_view(names);
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update({ ...state, ...now }, asking(bet) ? asked : []) };
};
export const fp8Figure = /* @__PURE__ */ bars(
  ["fp8_tensor", "fp8_128", "mxfp8", "fp4_tensor", "fp4_128"],
  ["fp8_128", "mxfp8"],
);
export const loudFigure = /* @__PURE__ */ bars(
  ["mxfp4_floor", "mxfp4_rceil", "fp4_32", "nvfp4", "q4_0", "q4_k"],
  ["mxfp4_floor", "mxfp4_rceil", "fp4_32", "nvfp4", "q4_0"],
);

/** @type {FigureMaker<State, Data, Now>} */
export const scatterFigure = (el) => {
  const view = scatter_view();
  el.append(
    view.el,
    makeLegend([
      { class: "in", label: "error of the weights" },
      { class: "out", label: "error of what comes out" },
    ]),
  );
  return {
    update: (state, now, { width, bet }) =>
      view.update({ ...state, ...now }, Math.max(300, width), asking(bet) ? ["q6_k"] : []),
  };
};
