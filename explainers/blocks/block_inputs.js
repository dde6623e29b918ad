/* What to quantize: the controls above the block, for its scheme, its numbers and the outlier among them. */
import { makeButton, number, select, slider } from "../kit/controls.js";
import { h, setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { codec } from "./codec.js";
import { compute } from "./compute.js";
import { row_of } from "./quantizer.js";
import { scheme_choice } from "./schemes.js";
import { num, plain } from "./spell.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Changes } from "../kit/model.js" */
/** @import { Now, State } from "./compute.js" */

/** The state as it is. @typedef {() => State} Get */
/** Changes it. @typedef {(changes: Changes<State>) => void} Change */

/** What searched.js adds: the field for pasted numbers. @type {{ own_numbers?: typeof import("./own.js").own_numbers }} */
export const extras = {};

const TIMES = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024];

/** How many times its size one element is. @param {Data} data @param {Get} get @param {Change} set */
const outlier_slider = (data, get, set) => {
  let typed_over = ""; // what element 5 holds where the slider does not say it
  const made = slider({
    label: `Outlier: element ${data.outlier_at}`,
    min: 0,
    max: TIMES.length - 1,
    format: (k) => typed_over || `× ${fmt.group(String(TIMES[k]))}`,
    onInput: (k) => {
      typed_over = "";
      const { [data.outlier_at]: _, ...edits } = get().edits;
      set({ outlier: TIMES[k], edits, picked: data.outlier_at });
    },
  });
  /** @param {State} state */
  const update = (state) => {
    const near = TIMES.reduce(
      (best, t, k) => (Math.abs(t - state.outlier) < Math.abs(TIMES[best] - state.outlier) ? k : best),
      0,
    );
    typed_over =
      data.outlier_at in state.edits ? "as typed" : TIMES[near] === state.outlier ? "" : `× ${num(state.outlier)}`;
    made.set(near);
    typed_over = "";
  };
  return { el: made.el, update };
};

/** @param {Data} data @param {Get} get @param {Change} set */
export const block_inputs = (data, get, set) => {
  /** @param {string} name */
  const to_scheme = (name) => {
    // a NaN stays behind where nobody knows what it does
    const row = row_of({ scheme: name }, data);
    const kept = Object.entries(get().edits).filter(([, v]) => v !== "NaN" || codec.is_mx(row));
    set({ scheme: name, picked: Math.min(get().picked, row.shown - 1), edits: Object.fromEntries(kept) });
  };
  const scheme = scheme_choice(data.schemes, to_scheme);
  const own = extras.own_numbers?.(data, (numbers) => set({ sample: "own", own: numbers, edits: {}, outlier: 1 }));
  /** @param {string} kind */
  const to_sample = (kind) => {
    const now = compute(get(), data).values.map((v) => Number(plain(v).toPrecision(7)));
    const numbers = kind === "own" && !get().own.length ? now : get().own; // to begin with, what is drawn
    set({ sample: kind, own: numbers, edits: {}, outlier: 1 });
  };
  const sample = select({ label: "Numbers from", options: data.samples, onInput: to_sample });
  const fresh = makeButton({
    label: "New numbers",
    onClick: () => set({ seed: (get().seed + 1) % 10000, edits: {}, outlier: 1 }),
  });
  const outlier = outlier_slider(data, get, set);
  const tensor = number({
    label: "Largest |x| of the tensor",
    min: 0.0001,
    max: 1e6,
    onInput: (v) => set({ tensor_amax: v }),
  });
  const row = h("div", { class: "cw-row cw-blocks-controls" }, sample.el, fresh.el, tensor.el, outlier.el);
  /** @param {State} state @param {Now} out */
  const update = (state, out) => {
    scheme.set(state.scheme);
    sample.set(state.sample);
    outlier.update(state);
    setAttrs(fresh.el, { hidden: state.sample === "own" });
    own?.update(state);
    setAttrs(tensor.el, { hidden: out.tensor_amax === 0 });
    tensor.set(state.tensor_amax);
  };
  return { els: [...scheme.els, row, own ? own.el : ""], update };
};
