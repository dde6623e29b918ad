/* The lab: a model, a job, GPUs and an axis; what each GPU holds, the axis in words, what is sent and how long it takes. */
import { segmented, select } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { check, compute } from "./compute.js";
import { bars_view, grid_view, too_large } from "./view.js";

/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Data, Now, State } from "./compute.js" */

/** @typedef {[key: keyof State, control: Control<State[keyof State]>][]} Controls */

export { check, compute } from "./compute.js";

const KEYS = ["model", "job", "gpus", "axis"];
/** @type {[label: string, key: keyof Now["told"]][]} */
const TOLD = [
  ["split", "split"],
  ["copied", "copied"],
  ["who communicates", "talk"],
  ["what is sent", "sent"],
];
const JOBS = { train: "in a step of {batch:int} sequences", decode: "for the next token of all users" };

/** @param {AfmModel<State, Data>} model @param {Data} data */
const axis_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  return {
    model: select({
      label: "model",
      options: data.models.map((row) => ({ value: row.slug, label: row.title })),
      onInput: go("model"),
    }),
    job: segmented({
      label: "job",
      options: [
        { value: "train", label: "training" },
        { value: "decode", label: "serving" },
      ],
      onInput: go("job"),
    }),
    gpus: segmented({ label: "GPUs", options: data.gpus, onInput: go("gpus") }),
    axis: segmented({
      label: "axis",
      options: data.axes.map((value) => ({ value, label: data.words[value].name })),
      onInput: go("axis"),
    }),
  };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "which-axis");
    const data = readData(model);
    const made = axis_controls(model, data);
    const grid = grid_view();
    const [sent, times] = /** @type {const} */ (["sent", "ms"]).map(bars_view);
    const [said, sums, paid, large] = [h("p"), h("p"), h("p"), h("p")];
    const lines = TOLD.map(([label, key]) => ({ key, dd: h("dd"), dt: h("dt", { text: label }) }));
    root.append(
      h("div", { class: "cw-row" }, made.model.el, made.job.el, made.gpus.el),
      said,
      grid.el,
      h(
        "div",
        { class: "cw-section", "data-below": true },
        h("div", { class: "cw-row" }, made.axis.el),
        h(
          "dl",
          { class: "cw-which-axis-told" },
          lines.map(({ dt, dd }) => [dt, dd]),
        ),
        sums,
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("What does the busiest GPU send?", "in one step, on a log scale"),
        sent.el,
        paid,
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("What is the minimum step time?", "milliseconds, without link latency"),
        times.el,
        large,
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {Controls} */ (Object.entries(made))) control.set(state[key]);
      grid.update(now, state.axis, false);
      for (const { key, dd } of lines) dd.textContent = now.told[key];
      fill(
        said,
        "{title}: a single GPU would hold {one.total:bytes GB 0}; an H100 has {room:bytes GB 0}. On {gpus:int} GPUs with a single axis, each GPU holds at most:",
        now,
      );
      fill(
        sums,
        now.here.legal
          ? `{here.detail}: {here.total:bytes GB 0} on the most loaded GPU, {here.share:percent 0} of what a single GPU would hold.${now.here.fits ? "" : " That does not fit on an H100."}`
          : "{here.why:text}",
        now,
      );
      sent.update(now, state.axis, false);
      fill(
        paid,
        `${now.here.legal ? "With {here.detail}, a GPU sends at most {here.sent:bytes}, at least {here.away:bytes} of it to another node, " : "Bytes "}${JOBS[state.job]}.`,
        now,
      );
      times.update(now, state.axis, false);
      fill(large, too_large(now), now);
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
