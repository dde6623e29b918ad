/* A plan -> what a reader should know of it: what is left out, copied or beyond the config, how each number is known. */

import { tokens } from "./cache-copies.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";
import * as words from "./words.js";

/** @import { Layout, MeasuredRun, Now } from "./types.d.ts" */

const CROSSINGS = {
  kv_source: "copies of keys and values that a later stage reads from an earlier one",
  weights_of: "copies of the weights that layers of several stages share",
};

/**
 * [[word, what to know], ...]
 * @param {Now} now
 * @returns {string[][]}
 */
export const list = (now) => {
  const { sheet, layout: one } = now;
  const out = [];
  const few = sheet.kv_heads.filter((kv) => one.tp > kv).sort((a, b) => a - b);
  if (few.length)
    out.push([
      "copied",
      `tp ${one.tp}: ${few.map((kv) => `${kv} key/value heads on ${one.tp / kv} ranks each`).join(", ")}`,
    ]);
  if (one.copies > 1)
    out.push([
      "copied",
      `${schedules.ROWS[one.runs].label} stores every stage on ${one.copies} ranks: all parameters are stored twice`,
    ]);
  if (one.lora_rank)
    out.push([
      "frozen",
      `all weights; LoRA trains adapters of rank ${one.lora_rank} on every linear layer of attention, MLPs and experts`,
    ]);
  if (sheet.longest && tokens(one) > sheet.longest)
    out.push([
      "beyond the config",
      `${words.int(tokens(one))} tokens, max_position_embeddings is ${words.int(sheet.longest)}`,
    ]);
  for (const name of [...stages.crossings(sheet, one)].sort()) out.push(["left out", CROSSINGS[name]]);
  if (sheet.further > one.mtp)
    out.push([
      "left out",
      `the layers that predict further tokens${one.job === "train" ? `, which mtp ${sheet.further} counts` : ""}`,
    ]);
  if (one.job !== "train") out.push(overhead(now));
  if (sheet.towers.length) out.push(["left out", `encoders: ${sheet.towers.join(", ")}`]);
  const { caveats = {} } = sheet;
  if (caveats.read_from_keys)
    out.push(["read from keys alone", `the model_type ${sheet.model_type} is not known here`]);
  for (const sentence of caveats.not_understood || []) out.push(["not understood", sentence]);
  for (const sentence of caveats.contradictions || []) out.push(["sources disagree", sentence]);
  if (caveats.unread?.length) out.push(["keys that nothing here reads", caveats.unread.slice(0, 8).join(", ")]);
  return out;
};

/**
 * What the engine holds beside weights and cache, and how it is known.
 * @param {Pick<Now, "layout" | "plan">} now
 * @returns {string[]}
 */
export const overhead = ({ layout: one, plan }) => {
  const each = `${words.gb(plan.fullest.framework_bytes)} GB per GPU`;
  if (one.framework_bytes !== null) return ["as typed", `activations and the engine's own memory: ${each}`];
  const held = `engine overhead (activations, sampling, communicators): ${each}`;
  const padded = plan.fullest.sequence_padding_bytes ? ", and whole pages for states and attention" : "";
  return plan.at_most
    ? [
        "extrapolated",
        `${held}, as measured with vLLM on H100; this layout was not measured and may need more${padded}`,
      ]
    : ["measured", `${held}, measured with vLLM on H100${padded}`];
};

const ACTIVATIONS =
  "what each operation of a layer needs for its derivative (arXiv 2205.05198), sequence parallel, no scores";
const FP8_SAVED = "what matrices read is saved in FP8 (Transformer Engine)";

/**
 * What is saved for the way back, and who says so.
 * @param {Layout} one
 * @returns {string}
 */
export const activations = (one) => {
  if (one.recompute === "full")
    return "what enters each layer, in 16 bits; all else is computed anew, one layer at a time";
  let spared = one.recompute === "parts" ? ", less what norms, latents and experts give, which is computed anew" : "";
  if (one.redone.length && !spared) spared = `, less what ${one.redone.join(" ")} gives, which is computed anew`;
  if (one.offload)
    spared += `, less what of ${/^\d+$/.test(one.offload) ? `${one.offload} layers` : "experts"} waits in host memory`;
  return `${ACTIVATIONS}${spared}${one.saves_fp8 ? `; ${FP8_SAVED}` : ""}`;
};

/**
 * What the recipe of a published run says of its memory.
 * @param {MeasuredRun} run
 * @returns {string}
 */
export const recipe = (run) =>
  [
    run.gradient_bytes === 2 && "gradients in bfloat16",
    run.recompute !== "none" && `recompute ${run.recompute}`,
    run.offload &&
      (run.offload === "experts" ? "experts' activations on the host" : `${run.offload} layers on the host`),
    run.lora_rank && `LoRA of rank ${run.lora_rank}`,
    run.optimizer_bytes !== 12 && `${run.optimizer_bytes} bytes of optimizer`,
    run.dp_shard && `zero over ${run.dp_shard} ranks`,
  ]
    .filter(Boolean)
    .join(", ");

/**
 * `source`: who published the runs.
 * @param {Now} now
 * @returns {string[][]}
 */
export const labels = ({ layout: one, runs, source }) => {
  const times = [
    "bounded",
    "times: everything at its full rate, overlapped with the slowest part; no latency, even expert load",
  ];
  if (one.job !== "train") return [["computed", "weights, cache and communication, tensor by tensor"], times];
  const ran = runs?.length
    ? [
        [
          "measured",
          `${words.plural(runs.length, "published run")} of this layout ran with ${recipe(runs[0])}: ${source}`,
        ],
      ]
    : [];
  return [
    ["computed", "weights, gradients, optimizer and communication, tensor by tensor"],
    ["extrapolated", `activations: ${activations(one)}`],
    times,
    ...ran,
  ];
};
