/* What was chosen -> a layout; the twin of gallery/planning/layout.py and of command/planning.py's layout_of.

A file with the name of a module of gallery/planning knows no page: it is that module's arithmetic, line by line, under the same
names. So others import it whole, `import * as layout`, and say layout.make as Python says layout.Layout. */

import * as schedules from "./schedules.js";
import * as arithmetic from "./sharding-arithmetic.js";
import * as stages from "./stages.js";

/** @import { Chosen, Device, Layout, LayoutFields } from "./types.d.ts" */

export const JOBS = ["train", "prefill", "decode"];
export const MOST = 1_000_000;
export const RECOMPUTES = ["none", "parts", "full"]; // or modules of REDONE, with commas
/* What Megatron-LM's selective recompute computes anew, by its own words, and "parts", several of them. */
export const REDONE = ["layernorm", "moe_act", "mla_up_proj", "moe"];
export const PARTS = ["layernorm", "moe_act", "mla_up_proj"];
/** @type {Omit<LayoutFields, "device" | "nodes" | "per_node">} */
export const DEFAULTS = {
  tp: 1,
  pp: 1,
  chunks: 1,
  cp: 1,
  ep: 1,
  etp: 1,
  zero: 1,
  job: "decode",
  sequence: 4096,
  batch: 0,
  micro_batch: 1,
  context: 32768,
  recompute: "none",
  offload: "",
  lora_rank: 0,
  redundant: 0,
  gradient_bytes: 4,
  weights_dtype: "",
  cache_dtype: "bfloat16",
  compute_dtype: "",
  used: 0.92,
  schedule: "",
  split: "",
  cp_kind: "all-gather",
  dp_shard: 0,
  order: "tp-cp-ep-dp-pp",
  weight_bytes: 2,
  optimizer_bytes: 12,
  dispatch_dtype: "",
  dcp: 1,
  imbalance: 1,
  mtp: 0,
  framework_bytes: null,
};

/**
 * Fields -> the layout, with what follows from them.
 * @param {Partial<LayoutFields>} fields
 * @returns {Layout}
 */
export const make = (fields) => {
  const one = /** @type {Layout} */ ({ ...DEFAULTS, ...fields });
  one.gpus = one.nodes * one.per_node;
  const { device } = one; // between racks, where there are several and a node is more than a tray
  one.outside_bytes =
    device &&
    (one.gpus > device.domain && one.per_node > device.gpus_per_node ? device.beyond_bytes : device.outside_bytes);
  one.dp = Math.floor(one.gpus / (one.tp * one.pp * one.cp));
  one.edp = Math.floor((one.tp * one.cp * one.dp) / (one.ep * one.etp));
  one.micro_batches = Math.max(Math.floor(one.batch / (one.dp * one.micro_batch)), 1);
  one.runs = one.schedule || (one.chunks > 1 && one.pp > 1 ? "interleaved" : "1f1b");
  const row = one.job === "train" && one.pp > 1 ? schedules.ROWS[one.runs] : undefined;
  one.placement = row?.placement ?? "loop";
  one.copies = row?.copies ?? 1;
  one.visits = Math.floor(one.micro_batches / one.copies);
  one.replicas = one.dp_shard ? Math.max(Math.floor(one.dp / one.dp_shard), 1) : 1;
  one.shard = Math.floor((one.dp * one.cp) / one.replicas);
  one.expert_shard = Math.floor(one.edp / arithmetic.gcd(one.edp, one.replicas));
  const alike = Math.floor((one.tp * one.cp * one.dp) / one.ep);
  one.usual_etp = one.job === "train" ? (one.ep > 1 ? 1 : one.tp) : Math.max(alike, 1);
  one.cut_as_dense = one.ep === 1 && one.etp === one.tp;
  one.modules = one.recompute.split(",");
  one.redone = one.recompute === "parts" ? PARTS : REDONE.filter((name) => one.modules.includes(name));
  one.saves_fp8 = one.job === "train" && ["fp8", "fp4"].includes(one.compute_dtype);
  one.dispatches_fp8 = one.dispatch_dtype ? one.dispatch_dtype === "fp8" : one.job !== "train";
  return one;
};

/**
 * Of the layers of a stage, the share whose activations stay on the GPU.
 * @param {Pick<Layout, "offload">} one
 * @param {number} layers
 * @returns {number}
 */
export const kept_share = ({ offload }, layers) => {
  const away = /^\d+$/.test(offload) ? Math.min(Number(offload), layers) : 0;
  return layers ? (layers - away) / layers : 1;
};

export const USUAL_BATCH = 2048;
export const AS_TYPED = [
  "nodes",
  "per_node",
  "tp",
  "pp",
  "chunks",
  "cp",
  "ep",
  "zero",
  "job",
  "sequence",
  "micro_batch",
  "context",
  "recompute",
  "offload",
  "lora_rank",
  "redundant",
  "used",
  "compute_dtype",
  "weights_dtype",
  "cache_dtype",
  "schedule",
  "split",
  "cp_kind",
  "dp_shard",
  "order",
  "dispatch_dtype",
  "dcp",
  "imbalance",
  "optimizer_bytes",
  "framework_bytes",
];

/**
 * Training: 2,048 sequences; prefill: one for each part; decode: as many as fit.
 * @param {Layout} one
 * @returns {number}
 */
export const usual_batch = (one) => {
  if (one.job !== "train") return one.job === "prefill" ? Math.max(one.dp, 1) : 0;
  const [row, each] = [schedules.ROWS[one.runs] ?? schedules.ROWS["1f1b"], Math.max(one.dp * one.micro_batch, 1)];
  const step = each * row.multiple(one.pp);
  return Math.ceil(Math.max(USUAL_BATCH, each * row.least(one.pp)) / step) * step;
};

/**
 * As many further tokens as a layout string has an m for.
 * @param {Pick<Layout, "job" | "split">} one
 * @returns {number}
 */
export const usual_mtp = ({ job, split }) =>
  job === "train" ? stages.expand_layout(split).join("").split("m").length - 1 : 0;

/**
 * What is chosen on the page -> a layout; what is left open (null: etp, batch, mtp) follows from the rest, as in
 * asked.py.
 * @param {Chosen} chosen
 * @param {Device[]} devices
 * @returns {Layout}
 */
export const of = (chosen, devices) => {
  const typed = /** @type {LayoutFields} */ (
    Object.fromEntries(AS_TYPED.map((name) => [name, /** @type {{ [name: string]: unknown }} */ (chosen)[name]]))
  );
  if (typed.split && typed.chunks === 1)
    typed.chunks = Math.max(Math.floor(stages.expand_layout(typed.split).length / Math.max(typed.pp, 1)), 1);
  const made = make({
    ...typed,
    device: devices.find((one) => one.name === chosen.device),
    gradient_bytes: chosen.gradient_dtype === "bfloat16" ? 2 : 4,
    weight_bytes: chosen.weights_dtype === "fp8" ? 1 : 2,
  });
  if (Math.min(made.tp, made.pp, made.cp, made.ep) < 1) return made;
  const whole = make({ ...made, mtp: chosen.mtp ?? usual_mtp(made), etp: chosen.etp ?? Math.max(made.usual_etp, 1) });
  const batch = chosen.job === "decode" ? chosen.n : chosen.batch;
  return make({ ...whole, batch: batch ?? usual_batch(whole) });
};
