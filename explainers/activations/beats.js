/* What the beats of activations ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { fmt, withState } from "../kit/numbers.js";
import { bars_view, channels_view, curve_view } from "./charts.js";
import { compute } from "./compute.js";
import { steps_view } from "./steps.js";

/** @import { Answers, Captions, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { BetMode } from "../kit/told.js" */
/** @import { Data, State } from "../../.make/data_types/activations.d.ts" */
/** @import { Now, Spread } from "./compute.js" */

const asking = (/** @type {BetMode | ""} */ bet) => bet === "open" || bet === "placed";

/** @type {Answers<State, Data>} */
export const answers = {
  weights_get: (state, data) => {
    const { high, low } = compute(state, data).feedback.gain.weights;
    return high < 0 ? 2 : low > 0 ? 0 : 1;
  },
};

/** @type {Captions<State, Data>} */
export const captions = {
  smoothed: (state) => {
    const [name, values] =
      state.method === "smooth"
        ? [
            "SmoothQuant with α = {alpha:num 2}",
            "{rows.1.mean:signed 1} dB ({rows.1.low:signed 1} to {rows.1.high:signed 1} over eight layers)",
          ]
        : ["Nothing moved", "{smooth.plain.mean:signed 1} dB"];
    return `${name}: **${values}**. The best α, {smooth.best.alpha:num 2}, gains {smooth.gain.mean:signed 1} dB ({smooth.gain.low:signed 1} to {smooth.gain.high:signed 1}).`;
  },
  weighted: (state) => {
    const now =
      state.method === "awq"
        ? "α = {alpha:num 2}: **{rows.0.mean:signed 1} dB** ({rows.0.low:signed 1} to {rows.0.high:signed 1} over eight layers). "
        : "";
    return `${now}The best α, {awq.best.alpha:num 2}, gains {awq.gain.mean:signed 1} dB ({awq.gain.low:signed 1} to {awq.gain.high:signed 1}); with the largest α the change is {awq.last.mean:signed 1} ({awq.last.low:signed 1} to {awq.last.high:signed 1}).`;
  },
};

/** @param {string} says @returns {Goal} */
const no = (says) => ({ reached: false, says });
/** @param {Spread} of */
const mean_of = ({ mean }) => `${fmt.signed(mean, 1)} dB`;
/** @type {Goals<State, Data>} */
export const goals = {
  int8_back: (state, data) => {
    if (state.loud !== 60) return no("Keep the outlier channels 60 times as large as the others.");
    const { rows, smooth } = compute(state, data);
    const said = `W8A8 with one scale reaches ${mean_of(rows[1])}`;
    if (rows[1].mean < 40) return no(`${said}; without moved scales it is ${mean_of(smooth.plain)}.`);
    return { reached: true, says: `Reached with α = ${fmt.num(state.alpha, 2)}: ${said}.` };
  },
  gptq_loses: (state, data) => {
    const { gain } = compute(state, data).feedback;
    const said = `On new tokens GPTQ changes the outputs by ${mean_of(gain.outputs)}, on its calibration tokens by ${mean_of(gain.calibrated)}.`;
    if (gain.outputs.high >= 0) return no(said);
    return {
      reached: true,
      says: `Reached: ${said} The inputs are uncorrelated, so what GPTQ fits is noise in its 256 calibration tokens.`,
    };
  },
};

/** @type {FigureMaker<State, Data, Now>} */
export const channelsFigure = (el, { data }) => {
  const view = channels_view(data.made.loud);
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), !asking(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const smoothFigure = (el, { data }) => {
  const [channels, curve] = [channels_view(data.made.loud), curve_view("smooth")];
  el.append(channels.el, curve.el);
  return {
    update: (state, now, { bet }) => {
      const all = withState(state, now);
      channels.update(all, false);
      curve.update(all, asking(bet));
    },
  };
};
/** @type {FigureMaker<State, Data, Now>} */
export const awqFigure = (el) => {
  const view = curve_view("awq");
  el.append(view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), asking(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const stepsFigure = (el) => {
  const view = steps_view();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(withState(state, now), asking(bet)) };
};
/** @type {FigureMaker<State, Data, Now>} */
export const schemesFigure = (el) => {
  const view = bars_view();
  el.append(...view.el);
  return {
    update: (state, now, { bet }) =>
      view.update(withState(state, now), asking(bet) ? ["w4a4_int4", "w4a4_mxfp4", "w4a4_nvfp4"] : []),
  };
};
