/* The lab's controls: requests, cache and scheduler. */
import { segmented, select, slider, text_input, toggle } from "../kit/controls.js";
import { commit, makeOffer } from "../kit/model.js";
import { check, check_own } from "./compute.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { AfmModel, Setter } from "../kit/model.js" */

export const KEYS = [
  ...["workload", "seed", "own", "system", "block_size", "memory", "dtype", "allocation", "batching"],
  ...["prefix_caching", "max_num_seqs", "max_num_batched_tokens", "utilization", "moves", "step", "request"],
];
/** @param {(readonly [string, string])[]} rows */
const options = (rows) => rows.map(([value, label]) => ({ value, label }));
const ALLOCATIONS = options([
  ["paged", "in blocks (paged)"],
  ["max", "contiguous: max_model_len"],
  ["exact", "contiguous: its exact length"],
]);
const DTYPES = options([
  ["bfloat16", "BF16"],
  ["fp8", "FP8"],
]);
const BATCHINGS = options([
  ["continuous", "continuous, chunked prefill"],
  ["whole", "continuous, whole prompts"],
  ["static", "static"],
]);

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const makeControls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {Setter<State>} */
  const go = (key) => (value) => {
    offer(made[/** @type {keyof typeof made} */ (key)], { [key]: value });
  };
  /** @param {keyof Data["ranges"]} key @param {string} label */
  const range = (key, label, step = 1) => {
    const [min, max] = data.ranges[key];
    return slider({ label, min, max, step, onInput: go(key) });
  };
  const workloads = Object.entries(data.workloads).map(([value, { label }]) => ({ value, label }));
  const all = [
    ...workloads,
    { value: "seeded", label: "12 requests from a seed" },
    { value: "own", label: "your own" },
  ];
  const made = {
    workload: select({ label: "workload", options: all, onInput: go("workload") }),
    seed: range("seed", "seed"),
    own: text_input({ label: "arrival prompt answer, …", size: 26, allow: check_own, onInput: go("own") }),
    system: range("system", "system prompt, tokens"),
    memory: range("memory", "KV cache, MiB", 4),
    block_size: segmented({ label: "block_size", options: data.sizes, onInput: go("block_size") }),
    dtype: segmented({ label: "kv_cache_dtype", options: DTYPES, onInput: go("dtype") }),
    allocation: select({ label: "memory of a request", options: ALLOCATIONS, onInput: go("allocation") }),
    prefix_caching: toggle({ label: "prefix caching", onInput: go("prefix_caching") }),
    batching: select({
      label: "batching",
      options: BATCHINGS,
      onInput: (batching) => {
        const least = batching === "whole" ? data.limit : 0; // the longest prompt must fit into a step
        commit(model, { batching, max_num_batched_tokens: Math.max(least, model.get("max_num_batched_tokens")) });
      },
    }),
    max_num_seqs: range("max_num_seqs", "max_num_seqs"),
    max_num_batched_tokens: range("max_num_batched_tokens", "max_num_batched_tokens", 16),
    utilization: range("utilization", "gpu_memory_utilization, %"),
  };
  return made;
};
