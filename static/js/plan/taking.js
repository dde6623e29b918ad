/* A plan -> what can be carried away: the keys of `cutaway plan --json`, and the address. */
const taking = {};

taking.AXES = ["nodes", "per_node", "gpus", "tp", "pp", "chunks", "cp", "dp", "ep", "etp", "edp", "zero", "job"];
taking.SIZES = ["sequence", "context", "batch", "micro_batch", "recompute", "redundant", "gradient_bytes", "weights_dtype", "cache_dtype", "compute_dtype", "used", "split", "cp_kind", "dp_shard", "order", "weight_bytes",
  "optimizer_bytes", "dispatch_dtype", "dcp", "imbalance", "mtp", "framework_bytes"];
taking.pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

taking.json = (now) => {
  const { layout: one, plan, bound } = now;
  const rank = (held) => ({
    label: "computed", stage: held.stage, layers: held.layers, alike: one.gpus / one.pp, ...taking.pick(held, words.PARTS.map(([name]) => name)),
    sequence_cache_bytes: held.sequence_cache_bytes, total_bytes: held.total_bytes,
  });
  const step = plan.timed ? {
    seconds: bound.seconds, products_seconds: bound.products, memory_seconds: bound.memory, inside_seconds: bound.inside, outside_seconds: bound.outside,
    bubble: bound.bubble, binds: bound.binds, training_flops_per_token: one.job === "train" ? work.training_flops(now.sheet, one.sequence) : null, measured: now.runs,
  } : { seconds: null };
  return {
    plan: { model: now.chosen.m, device: one.device.name, schedule: one.runs, ...taking.pick(one, taking.AXES), ...taking.pick(one, taking.SIZES) },
    fits: {
      label: one.job === "train" ? "extrapolated" : "computed", fits: plan.fits, says: says.headline(now), memory_bytes: one.device.memory_bytes,
      room_bytes: plan.room_bytes, fullest: plan.fullest.stage, emptiest: plan.emptiest.stage, sequences: plan.sequences, longest_context: plan.longest_context,
    },
    ranks: plan.ranks.map(rank),
    communicators: plan.ranks.flatMap((held) => now.talksOf(held.stage).map((talk) => ({ label: "computed", stage: held.stage, ...talk }))),
    step: { label: "bounded", ...step },
    flags: Object.fromEntries(flags.engines(one).map((name) => [name, { flags: flags.of(one, name, now.sheet), untold: flags.untold(one, name) }])),
    address: address.of(one),
    notes: says.notes(now),
  };
};

taking.tabs = ({ layout: one }) => [...flags.engines(one).map((name) => [name, name]), ["json", "JSON"], ["link", "this page's address"]];
taking.BEFORE = { "Megatron-LM": () => "", vLLM: (m) => `vllm serve ${m} `, SGLang: (m) => `python -m sglang.launch_server --model-path ${m} ` };
taking.text = (now, kind) => {
  if (kind === "json") return JSON.stringify(taking.json(now), null, 1);
  if (kind === "link") return new URL(now.address, location.href).href;
  const untold = flags.untold(now.layout, kind).map((said) => `\n# not said by these flags: ${said}`).join("");
  return `${taking.BEFORE[kind](now.chosen.m.startsWith("local:") ? "MODEL" : now.chosen.m)}${flags.of(now.layout, kind, now.sheet)}${untold}`;
};

taking.copy = async (button, text) => {
  const word = button.textContent;
  try { await navigator.clipboard.writeText(text); kit.text(button, "Copied"); } catch { kit.text(button, "Press Ctrl+C in the box below"); }
  setTimeout(() => kit.text(button, word), 2000);
};
