/* What a reader sets: the task and its keys, the gates, the order of the rows, which model. */
import { segmented, select, slider } from "../kit/controls.js";
import { commit } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */
/** @import { AfmModel, Setter } from "../kit/model.js" */

const MOST = 20;
/** @param {[value: string, label: string][]} rows */
const options = (rows) => rows.map(([value, label]) => ({ value, label }));
/** @param {number} v */
const two = (v) => fmt.fixed(v, 2);

/** Every control, under the key of the state that it sets. @param {AfmModel<State, Data>} model @param {Data} data */
export const makeControls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /** @param {"decay" | "shut" | "beta"} key @param {string} label */
  const share = (key, label) => slider({ label, min: 0, max: 1, step: 0.01, format: two, onInput: go(key) });
  return {
    task: segmented({
      label: "task",
      options: data.tasks.map((one) => ({ value: one.name, label: one.label })),
      onInput: (value) => commit(model, { task: value, step: MOST }),
    }),
    keys: segmented({
      label: "keys",
      options: options([
        ["axes", "orthogonal"],
        ["random", "random"],
      ]),
      onInput: go("keys"),
    }),
    sort: segmented({
      label: "order",
      options: options([
        ["paper", "by kind of gate"],
        ["error", "by error"],
        ["mean", "by mean of many streams"],
      ]),
      onInput: go("sort"),
    }),
    decay: share("decay", "decay α of a write"),
    shut: share("shut", "α of a separator"),
    beta: share("beta", "write strength β"),
    input: slider({
      label: "ln i of mLSTM",
      min: 0,
      max: 5,
      step: 0.1,
      format: (v) => fmt.fixed(v, 1),
      onInput: go("input"),
    }),
    head: slider({ label: "head of 8", min: 1, max: 8, onInput: go("head") }),
    pause: slider({ label: "separators", min: 1, max: 8, onInput: go("pause") }),
    seed: slider({ label: "seed", min: 1, max: 99, onInput: go("seed") }),
    layer: segmented({ label: "layer", options: data.layers, onInput: go("layer") }),
    model: select({
      label: "model",
      options: data.models.map(([slug, title]) => ({ value: slug, label: title })),
      onInput: go("model"),
    }),
  };
};
