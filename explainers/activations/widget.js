/* The lab: channels of a layer, scales moved between inputs and weights, every scheme, and GPTQ's steps. */
import { segmented, slider } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt, withState } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { bars_view, channels_view, curve_view } from "./charts.js";
import { check, compute } from "./compute.js";
import { say_step, steps_view } from "./steps.js";

/** @import { Data, State } from "../../.make/data_types/activations.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["seed", "loud", "shared", "method", "alpha", "stored"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  const times = (/** @type {number} */ v) => fmt.times(v);
  return {
    loud: slider({
      label: "outliers, times the others",
      min: 1,
      max: data.loudest,
      format: times,
      onInput: go("loud"),
    }),
    shared: segmented({
      label: "in common",
      options: data.shared.map((value) => ({ value, label: fmt.percent(value, 0) })),
      onInput: go("shared"),
    }),
    seed: segmented({ label: "layer drawn", options: data.seeds, onInput: go("seed") }),
    method: segmented({
      label: "scales moved",
      options: [
        { value: "none", label: "none" },
        { value: "smooth", label: "SmoothQuant" },
        { value: "awq", label: "AWQ" },
      ],
      onInput: go("method"),
    }),
    alpha: slider({ label: "α", min: 0, max: 1, step: 0.05, format: (v) => fmt.fixed(v, 2), onInput: go("alpha") }),
    stored: slider({ label: "inputs stored", min: 0, max: data.made.inputs, onInput: go("stored") }),
  };
};

const schemes_table = () =>
  makeTable({
    caption: "Signal over error of the outputs in dB, over eight layers",
    columns: [
      { label: "scheme", out: (/** @type {{ i: number }} */ row) => `rows.${row.i}.label` },
      ...["mean", "low", "high"].map((key) => ({
        label: { mean: "mean", low: "lowest", high: "highest" }[key] ?? "",
        align: /** @type {"right"} */ ("right"),
        out: (/** @type {{ i: number }} */ row) => `rows.${row.i}.${key}`,
        how: "signed 1",
      })),
    ],
  });

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "activations");
    const data = readData(model);
    const made = controls(model, data);
    const [channels, smooth, awq] = [channels_view(data.made.loud), curve_view("smooth"), curve_view("awq")];
    const [bars, table, steps] = [bars_view(), schemes_table(), steps_view()];
    const [zeros, smoothed, weighted, step, fed] = [h("p"), h("p"), h("p"), h("p"), h("p")];
    root.append(
      h("div", { class: "cw-row" }, made.loud.el, made.shared.el, made.seed.el),
      h("div", { class: "cw-row" }, made.method.el, made.alpha.el),
      channels.el,
      zeros,
      heading("What does each scheme lose?", "signal over error of the outputs"),
      ...bars.el,
      section("All numbers", "over eight layers", table.el),
      section("SmoothQuant under every α", "W8A8, one INT8 scale for all inputs", smooth.el, smoothed),
      section("AWQ under every α", "W4A16, INT4 groups of 128", awq.el, weighted),
      section(
        "GPTQ, input by input",
        "INT4 groups of 128",
        h("div", { class: "cw-row" }, made.stored.el),
        ...steps.el,
        step,
        fed,
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = /** @type {Now} */ (withState(state, compute(state, data)));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      made.alpha.enable(state.method !== "none");
      channels.update(now, true);
      bars.update(now);
      table.update(now.rows.map((row, i) => ({ ...row, i, now })));
      smooth.update(now, false);
      awq.update(now, false);
      steps.update(now, false);
      fill(
        zeros,
        "With one INT8 scale for all inputs, {zeros.inputs.mean:percent 1} of those outside the outlier channels round to zero ({zeros.inputs.low:percent 1} to {zeros.inputs.high:percent 1} over eight layers); with one for all weights, {zeros.weights.mean:percent 1} of them.",
        now,
      );
      fill(
        smoothed,
        "The best α gains {smooth.gain.mean:signed 1} dB ({smooth.gain.low:signed 1} to {smooth.gain.high:signed 1}).",
        now,
      );
      fill(
        weighted,
        "The best α gains {awq.gain.mean:signed 1} dB ({awq.gain.low:signed 1} to {awq.gain.high:signed 1}).",
        now,
      );
      say_step(step, now);
      fill(
        fed,
        "Over eight layers, GPTQ changes the outputs of new tokens by {feedback.gain.outputs.mean:signed 1} dB ({feedback.gain.outputs.low:signed 1} to {feedback.gain.outputs.high:signed 1}), those of its calibration tokens by {feedback.gain.calibrated.mean:signed 1}, and the weights by {feedback.gain.weights.mean:signed 1}.",
        now,
      );
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
