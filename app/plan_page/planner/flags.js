/* A layout -> the flags that start it: Megatron-LM for training, vLLM and SGLang for serving; the twin of gallery/planning/flags.py. */

import * as legalAxes from "./legal-axes.js";
import * as stages from "./stages.js";
import * as words from "./words.js";

/** @import { Layout, Sheet } from "./types.d.ts" */

/**
 * A flag's value: "" where it is left out, null where it stands alone.
 * @param {keyof Layout} field
 * @param {number} [least]
 * @returns {(one: Layout) => string}
 */
export const flag_over =
  (field, least = 1) =>
  (one) =>
    Number(one[field]) > least ? String(one[field]) : "";
/**
 * @param {(one: Layout) => boolean} test
 * @returns {(one: Layout) => null | ""}
 */
export const flag_if = (test) => (one) => (test(one) ? null : "");
/**
 * Formats of a cache as an engine spells them, where it does so otherwise; "": it has no such.
 * @type {{ [engine: string]: { [format: string]: string } }}
 */
export const CACHES = {
  vLLM: { float8_e4m3fn: "fp8_e4m3", float8_e5m2: "fp8_e5m2", float4_e2m1fn: "" },
  SGLang: { float8_e4m3fn: "fp8_e4m3", float8_e5m2: "fp8_e5m2", float4_e2m1fn: "fp4_e2m1" },
};
/**
 * @param {string} engine
 * @returns {(one: Layout) => string}
 */
export const cache = (engine) => (one) =>
  one.cache_dtype === "bfloat16" ? "" : (CACHES[engine][one.cache_dtype] ?? one.cache_dtype);
/**
 * @param {Layout} one
 * @returns {string}
 */
export const tokens = (one) => String(one.job === "decode" ? one.context : one.sequence);

/**
 * Copies stand on several nodes, as many on each.
 * @param {Layout} one
 * @returns {boolean}
 */
export const nodes_per_copy = ({ nodes, dp }) => nodes > 1 && dp > 1 && dp % nodes === 0;
/**
 * Experts are dealt over more GPUs than a copy's: SGLang's data parallelism of attention alone.
 * @param {Layout} one
 * @returns {boolean}
 */
export const shares_attention_ranks = ({ ep, etp, tp }) => ep * etp > tp;
/**
 * SGLang: of all parts that attend on their own together, of each copy where whole copies serve.
 * @param {Layout} one
 * @returns {number}
 */
export const requests = (one) => (shares_attention_ranks(one) ? one.batch : Math.ceil(one.batch / one.dp));

/** @type {{ [job: string]: string }} */
export const KERNELS = { prefill: "deepep_high_throughput", decode: "deepep_low_latency" };
/** @type {{ [kind: string]: string }} */
export const COMM = { "all-gather": "allgather", ring: "p2p", ulysses: "a2a" };
export const SHARDING = ["no_shard", "optim", "optim_grads", "optim_grads_params"];

/** @type {{ [engine: string]: [flag: string, value: (one: Layout) => string | null][] }} */
export const ENGINES = {
  "Megatron-LM": [
    ["--tensor-model-parallel-size", (one) => String(one.tp)],
    ["--sequence-parallel", flag_if((one) => one.tp > 1)],
    ["--pipeline-model-parallel-size", (one) => String(one.pp)],
    ["--num-virtual-stages-per-pipeline-rank", (one) => (one.chunks > 1 && !one.split ? String(one.chunks) : "")],
    ["--pipeline-model-parallel-layout", (one) => one.split],
    ["--mtp-num-layers", flag_over("mtp", 0)],
    ["--context-parallel-size", flag_over("cp")],
    ["--cp-comm-type", (one) => (one.cp > 1 ? COMM[one.cp_kind] : "")],
    ["--expert-model-parallel-size", flag_over("ep")],
    ["--moe-token-dispatcher-type", (one) => (one.ep > 1 ? "flex" : "")],
    ["--moe-enable-deepep", flag_if((one) => one.ep > 1)],
    ["--expert-tensor-parallel-size", (one) => (one.etp !== one.tp ? String(one.etp) : "")],
    ["--use-distributed-optimizer", flag_if((one) => one.zero > 0)],
    ["--use-megatron-fsdp", flag_if((one) => one.zero > 1)],
    ["--ckpt-format", (one) => (one.zero > 1 ? "fsdp_dtensor" : "")],
    ["--data-parallel-sharding-strategy", (one) => (one.zero > 1 ? SHARDING[one.zero] : "")],
    ["--num-distributed-optimizer-instances", flag_over("replicas")],
    ["--use-tp-pp-dp-mapping", flag_if((one) => one.order === "tp-cp-ep-pp-dp")],
    ["--micro-batch-size", (one) => String(one.micro_batch)],
    ["--global-batch-size", (one) => String(one.batch)],
    ["--seq-length", (one) => String(one.sequence)],
    ["--recompute-granularity", (one) => ({ none: "", full: "full" })[one.recompute] ?? "selective"],
    ["--recompute-method", (one) => (one.recompute === "full" ? "uniform" : "")],
    ["--recompute-num-layers", (one) => (one.recompute === "full" ? "1" : "")],
    [
      "--recompute-modules",
      (one) =>
        ({ none: "", full: "", parts: "layernorm moe_act" })[one.recompute] ?? one.recompute.replaceAll(",", " "),
    ],
    ["--fine-grained-activation-offloading", flag_if((one) => one.offload === "experts")],
    ["--offload-modules", (one) => (one.offload === "experts" ? "expert_fc1" : "")],
    ["--bf16", flag_if(() => true)],
    ["--fp8-format", (one) => (one.compute_dtype === "fp8" ? "hybrid" : "")],
    ["--fp4-format", (one) => (one.compute_dtype === "fp4" ? "e2m1" : "")],
    ["--fp8-param-gather", flag_if((one) => one.weight_bytes === 1)],
    ["--accumulate-allreduce-grads-in-fp32", flag_if((one) => one.gradient_bytes === 4)],
    ["--grad-reduce-in-bf16", flag_if((one) => one.gradient_bytes === 2)],
  ],
  vLLM: [
    ["--tensor-parallel-size", flag_over("tp")],
    ["--pipeline-parallel-size", flag_over("pp")],
    ["--data-parallel-size", flag_over("dp")],
    ["--data-parallel-size-local", (one) => (nodes_per_copy(one) ? String(one.dp / one.nodes) : "")],
    ["--enable-expert-parallel", flag_if((one) => one.ep > 1)],
    ["--all2all-backend", (one) => (one.ep > 1 && one.dp > 1 ? KERNELS[one.job] : "")],
    ["--decode-context-parallel-size", flag_over("dcp")],
    ["--max-model-len", tokens],
    ["--max-num-seqs", (one) => (one.batch ? String(Math.ceil(one.batch / one.dp)) : "")],
    ["--kv-cache-dtype", cache("vLLM")],
    ["--gpu-memory-utilization", (one) => words.g(one.used)],
    ["--enable-eplb", flag_if((one) => one.redundant > 0)],
    ["--eplb-config", (one) => (one.redundant ? `'{"num_redundant_experts":${one.redundant}}'` : "")],
  ],
  SGLang: [
    ["--tp-size", (one) => String(one.tp * (shares_attention_ranks(one) ? one.dp : 1))],
    ["--pp-size", flag_over("pp")],
    ["--dp-size", flag_over("dp")],
    ["--enable-dp-attention", flag_if((one) => one.dp > 1 && shares_attention_ranks(one))],
    ["--ep-size", flag_over("ep")],
    ["--moe-a2a-backend", (one) => (one.ep > 1 ? "deepep" : "")],
    ["--dcp-size", flag_over("dcp")],
    ["--nnodes", flag_over("nodes")],
    ["--context-length", tokens],
    ["--max-running-requests", (one) => (one.batch ? String(requests(one)) : "")],
    ["--kv-cache-dtype", cache("SGLang")],
    ["--mem-fraction-static", (one) => words.g(one.used)],
    ["--ep-num-redundant-experts", flag_over("redundant", 0)],
  ],
};

/**
 * Which engines do this job.
 * @param {Layout} one
 * @returns {string[]}
 */
export const engines = ({ job }) => (job === "train" ? ["Megatron-LM"] : ["vLLM", "SGLang"]);

/**
 * The modules that are computed anew, of those that the model has: Megatron-LM refuses others.
 * @param {Sheet} sheet
 * @returns {string}
 */
export const redone = (sheet) =>
  [
    ["layernorm", true],
    ["moe_act", legalAxes.experts_of(sheet).length],
    ["mla_up_proj", sheet.kinds.some((kind) => kind.context.some((row) => !row.kv_heads))],
  ]
    .filter(([, has]) => has)
    .map(([name]) => name)
    .join(" ");

/**
 * With a layout string where stages are uneven, which Megatron-LM takes no other way, and what is computed anew by its
 * own words; a model without experts has none to cut over several copies.
 * @param {Layout} one
 * @param {Sheet} sheet
 */
export const megatron_flags = (one, sheet) => {
  const [layers, parts] = [sheet.layers.length, one.pp * one.chunks];
  const modules = one.recompute === "parts" ? redone(sheet) : one.recompute;
  const made = { ...one, recompute: modules, etp: legalAxes.experts_of(sheet).length ? one.etp : one.tp };
  if (one.split || layers % parts === 0) return made;
  const shares = stages.chunks(layers, parts).map(([first, end]) => "t".repeat(end - first));
  return { ...made, split: `E${shares.join("|")}${"m".repeat(one.mtp)}L` };
};

/**
 * One line of flags, for a model.
 * @param {Layout} one
 * @param {string} engine
 * @param {Sheet} sheet
 * @returns {string}
 */
export const of = (one, engine, sheet) =>
  ENGINES[engine]
    .map(([name, value]) => [name, value(megatron_flags(one, sheet))])
    .filter(([, value]) => value !== "")
    .map(([name, value]) => (value === null ? name : `${name} ${/[|*(]/.test(value) ? `"${value}"` : value}`))
    .join(" ");

/**
 * What of the layout the engine's flags do not say.
 * @param {Layout} one
 * @param {string} engine
 * @returns {(string | boolean)[]}
 */
export const untold = (one, engine) => {
  const [many, train] = [one.tp * (engine === "vLLM" || shares_attention_ranks(one) ? one.dp : 1), one.job === "train"];
  const usual = one.ep > 1 ? many : 1;
  return [
    [!train && one.ep !== usual, `ep ${one.ep}: ${engine} deals experts over all ${many} GPUs`],
    [!train && one.ep > 1 && one.etp > 1, `etp ${one.etp} beside ep ${one.ep}`],
    [train && !["1f1b", "interleaved"].includes(one.runs), `the schedule ${one.runs}`],
    [train && one.optimizer_bytes !== 12, `${one.optimizer_bytes} bytes of optimizer`],
    [one.lora_rank > 0, `LoRA: a recipe of Megatron-Bridge has it, peft.dim = ${one.lora_rank}`],
    [train && /^\d+$/.test(one.offload), `activations of ${one.offload} layers on the host`],
    [train && !["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"].includes(one.order), `order ${one.order}`],
    [train && one.ep > 1 && one.dispatches_fp8, "tokens on their way to experts in FP8"],
    [CACHES[engine]?.[one.cache_dtype] === "", `a cache in ${one.cache_dtype}`],
    [!train && one.weights_dtype !== "", `weights in ${one.weights_dtype}: a checkpoint in it`],
  ]
    .filter(([yes]) => yes)
    .map(([, said]) => said);
};
