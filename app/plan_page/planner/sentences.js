/* A plan -> its sentences: the headline, the because, what a reader should know. tests/site/plan_said.py holds their numbers. */

import { fmt } from "../../../explainers/kit/numbers.js";
import * as cacheMemory from "./cache-memory.js";
import * as fits from "./fits.js";
import * as legalAxes from "./legal-axes.js";
import * as placement from "./placement.js";
import * as schedules from "./schedules.js";
import * as seconds from "./seconds.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stages from "./stages.js";
import * as words from "./words.js";

/** @import { Held, Layout, MeasuredRun, Now, Rule } from "./types.d.ts" */

const CROSSINGS = {
  kv_source: "copies of keys and values that a later stage reads from an earlier one",
  weights_of: "copies of the weights that layers of several stages share",
};
const BINDS = {
  products: "Compute-bound",
  memory: "Memory-bound",
  inside: "Bound by communication inside a node",
  outside: "Bound by communication between nodes",
};
const IDLE = 0.005; // of a step: less is not worth a word

/**
 * @param {Layout} one
 * @returns {number}
 */
export const tokens = (one) => (one.job === "decode" ? one.context : one.sequence);

/**
 * The share of the cache, over all ranks, that is a copy of another tensor rank's.
 * @param {Now} now
 * @returns {number}
 */
export const copied = (now) => {
  const { layout: one, plan } = now;
  if (one.tp === 1 || !plan.fullest.cache_bytes) return 0;
  const kinds = kept(now, plan.fullest);
  const each = Array.from({ length: one.tp }, (_, place) => placement.copied_share(kinds, one, place));
  return each.reduce((sum, share) => sum + share, 0) / one.tp;
};

/**
 * [[rule, bytes of one sequence on this rank, dcp], ...] of what decoding keeps.
 * @param {Now} now
 * @param {Held} rank
 * @returns {[rule: Rule, bytes: number, dcp: number][]}
 */
export const kept = (now, rank) => {
  const { sheet, layout: one } = now;
  const kept = cacheMemory.cache_rows(sheet, one.cache_dtype, stages.count_kinds(sheet, rank.layers), now.bits);
  const context = tokens(one);
  return cacheMemory
    .kept_sums(one, kept, context)
    .map(([rule, dcp, bits]) => [
      sheet.rules[rule],
      arithmetic.part_of(bits, arithmetic.ratio(sheet.rules[rule], one, dcp), 8),
      dcp,
    ]);
};

/**
 * How many tokens a second a step makes at most: of a training GPU, or of all sequences that decode; 0 where unknown.
 * @param {Now} now
 * @returns {number}
 */
export const speed = (now) => {
  const { layout: one, plan, bound } = now;
  if (!plan.timed) return 0;
  if (one.job === "train") return (one.batch * one.sequence) / one.gpus / bound.seconds;
  if (one.job === "prefill") return one.pp === 1 ? (plan.here * one.dp * one.sequence) / bound.seconds : 0;
  return one.pp === 1 ? (one.batch || plan.here * one.dp) / bound.seconds : 0;
};

/**
 * @param {Now} now
 * @returns {string}
 */
export const headline = (now) => {
  const { layout: one, plan } = now;
  const capacity = words.gb(one.device.memory_bytes);
  if (!plan.fits) {
    const rank = fits.neediest(plan);
    const who = one.pp > 1 ? `stage ${rank.stage}` : "a GPU";
    return `Does not fit: ${fits.lacks_a_sequence(plan) ? "with one sequence " : ""}${who} needs ${words.gb(rank.total_bytes)} GB${one.used < 1 ? `; ${words.gb(plan.room_bytes)} of ${capacity} GB usable` : ` of ${capacity}`}.`;
  }
  if (one.job === "train")
    return `Fits: the fullest GPU holds ${words.gb(plan.fullest.total_bytes)} of ${capacity} GB, and a step takes at least ${words.duration(now.bound.seconds)}.`;
  if (plan.sequences === null)
    return `Fits: sequences need no cache, and a ${words.STEP[one.job]} takes at least ${words.duration(now.bound.seconds)}.`;
  const copies = copied(now);
  const and =
    copies >= 0.01
      ? `${words.share(copies)} of the cache is copies`
      : `a ${words.STEP[one.job]} takes at least ${words.duration(now.bound.seconds)}`;
  const many = plan.sequences === 1 ? "1 sequence" : `${words.int(plan.sequences)} sequences`;
  return `Fits ${plan.at_most ? "at most " : ""}${many} of ${words.int(tokens(one))} tokens, and ${and}.`;
};

/**
 * @param {Now} now
 * @returns {string}
 */
export const because = (now) => {
  const { layout: one, plan, bound } = now;
  if (!plan.fits) return why(now);
  const out = [`${BINDS[bound.term]}: at least ${words.duration(bound.seconds)} per ${words.STEP[one.job]}`];
  if (speed(now))
    out[0] += `, at most ${words.rate(speed(now))} tokens per second${one.job === "train" ? " and GPU" : ` over ${words.plural(one.batch || plan.here * one.dp, "sequence")}`}`;
  out[0] += ".";
  const leaving = now.talksAll.filter((talk) => talk.leaving_bytes);
  const axes = [...new Set(leaving.map((talk) => talk.axis))];
  if (now.talksAll.length)
    out.push(
      leaving.length
        ? `${words.and(axes)} ${axes.length > 1 ? "leave" : "leaves"} the node.`
        : "All communication stays inside a node.",
    );
  if (bound.bubble > IDLE) out.push(`The pipeline idles ${fmt.percent(bound.of_total)} of the step.`);
  return out.join(" ");
};

/**
 * Why it does not fit: the largest part of what the neediest rank needs.
 * @param {Pick<Now, "plan">} now
 */
const why = ({ plan }) => {
  const rank = fits.neediest(plan);
  const [name, word] = words.PARTS.reduce((best, part) => (rank[part[0]] > rank[best[0]] ? part : best));
  const share = fmt.percent(rank[name] / rank.total_bytes, 0);
  const of_one = fits.lacks_a_sequence(plan) && name === "cache_bytes" ? " for one sequence" : "";
  return `Because of ${words.gb(rank[name])} GB of ${word}${of_one}, ${share} of all.`;
};

/**
 * [[word, what to know], ...]
 * @param {Now} now
 * @returns {string[][]}
 */
export const notes = (now) => {
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

/**
 * The format whose peak products take, and why.
 * @param {Pick<Now, "layout" | "sheet">} now
 * @returns {string}
 */
export const products = ({ layout: one, sheet }) => {
  const [form, why] = seconds.product_dtype(one, sheet);
  return `${one.compute_dtype || seconds.reached(one.device, form)}: ${why}`;
};

/**
 * What is left for dp; of a layout with nothing in it, nothing.
 * @param {Pick<Layout, "dp">} one
 * @returns {string}
 */
export const dp = ({ dp }) => (Number.isFinite(dp) ? words.int(dp) : "–");

/**
 * One line under each group of inputs.
 * @param {Now} now
 */
export const lines = (now) => {
  const { sheet, layout: one, model } = now;
  const { device } = one;
  const kinds = legalAxes.experts_of(sheet);
  const experts = kinds.length
    ? `, ${kinds[0].num_experts} experts, ${kinds[0].num_experts_per_tok} active per token`
    : "";
  const heads = sheet.kv_heads.length ? `, ${sheet.kv_heads.join(" or ")} KV heads` : "";
  const peaks = Object.entries(device.peaks)
    .map(([name, flops]) => `${words.flops(flops)} ${name}`)
    .join(", ");
  const axes = `tp ${one.tp} × pp ${one.pp}${one.job === "train" ? ` × cp ${one.cp}` : ""} × dp ${dp(one)} = ${words.plural(one.gpus, "GPU")}`;
  const dealt = kinds.length
    ? one.ep > 1
      ? `; ep ${one.ep} is cut from tp × cp × dp: ${words.short((kinds[0].num_experts + one.redundant) / one.ep)} experts per GPU`
      : one.cut_as_dense
        ? "; experts are sharded like the rest"
        : `; experts are sharded over etp ${one.etp}`
    : "";
  const job = {
    train: `${words.plural(one.micro_batch ? one.micro_batches : 0, "micro-batch", "micro-batches")} of ${words.plural(one.micro_batch, "sequence")}; ${words.count(one.batch * one.sequence)} tokens per step`,
    prefill: "every prompt at its full length",
    decode: "every sequence at its full length",
  }[one.job];
  return {
    model: `${words.count(model.parameters)} parameters, ${sheet.layers.length} layers${experts}${heads}`,
    devices: `${words.gb(device.memory_bytes)} GB at ${words.short(device.bandwidth_bytes / 1e12)} TB/s; ${peaks}; ${words.short(device.inside_bytes / 1e9)} GB/s inside a node, ${words.short(one.outside_bytes / 1e9)} between nodes`,
    split: `${axes}${dealt}`,
    job,
    more: `etp ${one.etp}, cache ${one.cache_dtype}, weights ${one.weights_dtype || (one.job === "train" ? "bfloat16" : "as stored")}, memory used ${fmt.percent(one.used, 0)}; matmuls in ${products(now)}`,
  };
};

/**
 * @param {Now} now
 * @returns {string}
 */
export const sub = ({ layout: one, title }) =>
  `${title} on ${one.gpus} ${words.device(one.device.name)}, ${words.JOB[one.job]}`;

/** @param {Now} now */
export const folded = ({ layout: one, title }) => ({
  model: title,
  devices: `${one.nodes} × ${one.per_node} ${words.device(one.device.name)}`,
  split: `tp ${one.tp} · pp ${one.pp}${one.chunks > 1 ? ` × ${one.chunks}` : ""} · ep ${one.ep} · dp ${dp(one)}${one.job === "train" ? ` · zero ${one.zero}` : ""}`,
  job: `${words.JOB[one.job]}, ${words.int(tokens(one))}${one.job === "train" ? ` × ${words.int(one.batch)}` : ""}`,
});
