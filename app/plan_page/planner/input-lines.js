/* A layout -> one line under each group of inputs, and one where they are folded. */

import { fmt } from "../../../explainers/kit/numbers.js";
import { tokens } from "./cache-copies.js";
import * as legalAxes from "./legal-axes.js";
import { product_dtype, reached } from "./product-format.js";
import * as words from "./words.js";

/** @import { Layout, Now } from "./types.d.ts" */

/**
 * The format whose peak products take, and why.
 * @param {Pick<Now, "layout" | "sheet">} now
 * @returns {string}
 */
export const products = ({ layout: one, sheet }) => {
  const [form, why] = product_dtype(one, sheet);
  return `${one.compute_dtype || reached(one.device, form)}: ${why}`;
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
