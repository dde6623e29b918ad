/* What was chosen -> a layout; the twin of gallery/planning/layout.py and of command/planning.py's layout_of.

Files up to search.js know no page: they are arithmetic, line by line that of gallery/planning, under the same names. */
const layout = {};

layout.JOBS = ["train", "prefill", "decode"];
layout.MOST = 1_000_000;
layout.DEFAULTS = {
  tp: 1, pp: 1, chunks: 1, cp: 1, ep: 1, etp: 1, zero: 1, job: "decode", sequence: 4096, batch: 0, micro_batch: 1,
  context: 32768, recompute: "none", redundant: 0, gradient_bytes: 4, weights_dtype: "", cache_dtype: "bfloat16",
  compute_dtype: "", used: 0.92, schedule: "", split: "", cp_kind: "all-gather", dp_shard: 0, order: "tp-cp-ep-dp-pp", weight_bytes: 2,
  optimizer_bytes: 12, dispatch_dtype: "", dcp: 1, imbalance: 1, framework_bytes: 0,
};

/* Fields -> the layout, with what follows from them. */
layout.make = (fields) => {
  const one = { ...layout.DEFAULTS, ...fields };
  one.gpus = one.nodes * one.per_node;
  one.dp = Math.floor(one.gpus / (one.tp * one.pp * one.cp));
  one.edp = Math.floor((one.tp * one.cp * one.dp) / (one.ep * one.etp));
  one.micro_batches = Math.max(Math.floor(one.batch / (one.dp * one.micro_batch)), 1);
  one.runs = one.schedule || (one.chunks > 1 && one.pp > 1 ? "interleaved" : "1f1b");
  one.replicas = one.dp_shard ? Math.max(Math.floor(one.dp / one.dp_shard), 1) : 1;
  one.shard = Math.floor((one.dp * one.cp) / one.replicas);
  one.expert_shard = Math.floor(one.edp / cuts.gcd(one.edp, one.replicas));
  const alike = Math.floor((one.tp * one.cp * one.dp) / one.ep);
  one.usual_etp = one.job === "train" ? (one.ep > 1 ? 1 : one.tp) : Math.max(alike, 1);
  one.cut_as_dense = one.ep === 1 && one.etp === one.tp;
  one.dispatches_fp8 = one.dispatch_dtype ? one.dispatch_dtype === "fp8" : one.job !== "train";
  return one;
};

layout.USUAL_BATCH = 2048;
layout.AS_TYPED = ["tp", "pp", "chunks", "cp", "ep", "zero", "job", "sequence", "micro_batch", "context", "recompute", "redundant", "used", "compute_dtype", "weights_dtype", "cache_dtype",
  "schedule", "split", "cp_kind", "dp_shard", "order", "dispatch_dtype", "dcp", "imbalance", "optimizer_bytes", "framework_bytes"];

/* The choices of the page -> a layout; what they leave open (null: dp, etp, the batch) follows from the rest. */
layout.of = (chosen, devices) => {
  const { nodes, per_node, tp, pp, chunks, cp, ep, job } = chosen;
  const dp = Math.max(Math.floor((nodes * per_node) / Math.max(tp * pp * cp, 1)), 1);
  const step = dp * chosen.micro_batch * (chunks > 1 ? pp : 1);
  const usual = { train: Math.ceil(layout.USUAL_BATCH / Math.max(step, 1)) * step, prefill: dp, decode: 0 }[job];
  const typed = Object.fromEntries(layout.AS_TYPED.map((name) => [name, chosen[name]]));
  const fields = {
    ...typed, device: devices.find((one) => one.name === chosen.device), nodes, per_node,
    batch: chosen.batch ?? usual, gradient_bytes: chosen.gradient_dtype === "bfloat16" ? 2 : 4, weight_bytes: chosen.weights_dtype === "fp8" ? 1 : 2,
  };
  const whole = Math.min(tp, pp, cp, ep) > 0;
  return layout.make({ ...fields, etp: chosen.etp ?? (whole ? layout.make(fields).usual_etp : 1) });
};
