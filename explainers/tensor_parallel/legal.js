/* A state -> the sentence that says what is legal, or "" where it is; and what a link leaves open. */
import { fmt } from "../kit/numbers.js";
import { legal_ranks, model_of, uneven_kv } from "./shapes.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Model } from "./shapes.js" */

/** @param {unknown} x @param {number} low @param {number} high */
const is_whole = (x, low, high) => typeof x === "number" && Number.isInteger(x) && x >= low && x <= high;

/** @param {State} state @param {string[]} given @param {Data} data @returns {State} */
export function settle(state, given, data) {
  const model = model_of(state, data);
  if (!model || given.includes("tp")) return state;
  /** @param {number} t */
  const far = (t) => Math.abs(t - state.tp);
  return { ...state, tp: legal_ranks(model).reduce((best, t) => (far(best) > far(t) ? t : best)) };
}

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const model = model_of(state, data);
  if (model === null)
    return `No model here is called “${state.model}”. The list has models whose layers all use softmax attention.`;
  if (!is_whole(state.sequence, 1, 2 ** 20)) return "The sequence is a whole number of tokens from 1 to 1,048,576.";
  if (!is_whole(state.tp, 1, 16)) return "The number of ranks is a whole number from 1 to 16.";
  if (typeof state.sequence_parallel !== "boolean" || !is_whole(state.step, 0, 9))
    return "The step is a whole number from 0 to 9; sequence parallelism is on or off.";
  if (!is_whole(state.rank, -1, 15)) return "The selected rank is a whole number, or -1 for none.";
  return fits(state, model) || check_zero(state, data);
}

/** @param {State} state @param {Model} model */
const fits = (state, model) => {
  const { tp: t, sequence: s } = state;
  const { heads, mlp, also } = model;
  const works = `Legal for ${model.title}: ${legal_ranks(model).join(", ")}.`;
  if (heads % t) return `${t} ranks cannot share ${heads} query heads evenly: ${heads} / ${t} is not whole. ${works}`;
  const [kv, wide] = [uneven_kv(model, t), [mlp, ...also].find((number) => number % t)];
  if (kv) return `${kv} KV heads can be neither split nor copied evenly over ${t} ranks. ${works}`;
  if (wide)
    return `${t} ranks cannot cut ${fmt.int(wide)} MLP columns evenly: ${fmt.int(wide)} / ${t} is not whole. ${works}`;
  if (state.sequence_parallel && s % t)
    return `Sequence parallelism gives every rank the same number of tokens: ${t} does not divide ${fmt.int(s)}.`;
  return "";
};

/** @param {State} state @param {Data} data */
const check_zero = (state, data) => {
  if (!["layer", "zero"].includes(state.view)) return "The view is layer or zero.";
  if (!is_whole(state.stage, 0, 3)) return "ZeRO has the stages 0, 1, 2 and 3.";
  if (!is_whole(state.dp, 1, 64)) return "The number of data-parallel ranks is a whole number from 1 to 64.";
  return state.convention in data.conventions
    ? ""
    : `The conventions are ${Object.keys(data.conventions).join(", ")} bytes per parameter.`;
};
