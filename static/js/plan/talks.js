/* A sheet and a plan -> communicators: which ranks meet for what, and how many bytes a rank sends; gallery/planning/talks.py. */
const talks = {};

talks.BFLOAT16 = 2;
talks.FLOAT32 = 4;
talks.FP8_BLOCK = 128;

talks.dispatch_bytes = (hidden, fp8) => (fp8 ? hidden + talks.FLOAT32 * Math.ceil(hidden / talks.FP8_BLOCK) : talks.BFLOAT16 * hidden);
talks.combine_bytes = (hidden) => talks.BFLOAT16 * hidden;
talks.rounded = (number) => Math.floor(number + 0.5);

/* Bytes a rank sends in an all-gather or a reduce-scatter of so many bytes. */
talks.gathered = (ranks, size) => ((ranks - 1) / ranks) * size;

/* `times` gathers (or sums, which cost the same) of `size` bytes in all calls together. */
talks.meeting = (one, axis, operation, many, calls, size, times = 1) => {
  const here = ranks.near(one, axis);
  const leaving = (times * talks.gathered(many / here, size)) / here;
  return { axis, operation, ranks: many, calls: Math.trunc(calls), bytes: talks.rounded(times * talks.gathered(many, size)), leaving_bytes: talks.rounded(leaving) };
};

/* The meetings of each layer, each worth an all-reduce of the stream. */
talks.tensor = (sheet, one, kinds, tokens, passes) => {
  if (one.tp === 1) return [];
  const other = one.etp === one.tp && one.ep === 1 ? 0 : 1;
  const calls = kinds.reduce((sum, [kind, layers]) => sum + kind.meets[other] * layers, 0) * passes;
  return [talks.meeting(one, "tp", "all-reduce", one.tp, calls, calls * tokens * sheet.hidden_size * talks.BFLOAT16, 2)];
};

/* To the experts and back: a token goes to at most as many ranks as it has experts. `tokens`: of one rank. */
talks.expert = (one, kinds, tokens, passes) => {
  if (one.ep === 1) return [];
  let [there, back, away_there, away_back, calls] = [0, 0, 0, 0, 0];
  const nodes = Math.floor(one.ep / ranks.near(one, "ep"));
  for (const [kind, layers] of kinds) for (const moe of kind.experts) {
    const times = tokens * passes * layers * one.imbalance;
    const copies = (Math.min(moe.num_experts_per_tok, one.ep) * (one.ep - 1)) / one.ep;
    const [to, fro] = [talks.dispatch_bytes(moe.width, one.dispatches_fp8), talks.combine_bytes(moe.width)];
    const far = Math.min(talks.other_nodes(moe, nodes), copies) * times;
    calls += passes * layers;
    there += times * copies * to;
    back += times * copies * fro;
    away_there += far * to;
    away_back += far * fro;
  }
  const row = (operation, bytes, leaving) => ({ axis: "ep", operation, ranks: one.ep, calls, bytes: talks.rounded(bytes), leaving_bytes: talks.rounded(leaving) });
  return [row("all-to-all, dispatch", there, away_there), row("all-to-all, combine", back, away_back)];
};

/* How many other nodes hold experts that a token chooses, on average and evenly; a limit on groups limits them. */
talks.other_nodes = (moe, nodes) => {
  const found = (nodes - 1) * (1 - (1 - 1 / nodes) ** moe.num_experts_per_tok);
  return moe.n_group > 1 ? Math.min(found, moe.topk_group) : found;
};

/* Keys and values go round, and their gradients back; Ulysses: queries, keys, values and results change from tokens to heads. */
talks.context = (one, kinds, passes) => {
  const { cp: c, tp: t } = one;
  if (c === 1) return [];
  const ulysses = one.cp_kind === "ulysses";
  let [size, calls] = [0, 0];
  for (const [kind, layers] of kinds) for (const row of kind.context) {
    const few = row.kv_heads ? Math.max(row.kv_heads / t, 1) : 1;
    if (ulysses) {
      const keys = Math.max((row.kv_heads || row.heads) / t, c);
      size += (layers * (row.heads / t + keys) * row.each) / c;
    } else size += layers * few * row.width;
    calls += layers * passes * (ulysses ? 4 : 1);
  }
  const whole = size * one.sequence * one.micro_batch * talks.BFLOAT16 * passes;
  const word = { ulysses: "all-to-all, heads", ring: "ring of sends" }[one.cp_kind] || "all-gather";
  return [talks.meeting(one, "cp", word, c, calls * (one.cp_kind === "ring" ? c - 1 : 1), whole)];
};

/* Ranks that share a cache's tokens: each sees the queries of all their heads, and they merge what these found. */
talks.decoding = (one, kinds, tokens, passes) => {
  const d = one.dcp;
  if (d === 1) return [];
  const rows = kinds.flatMap(([kind, layers]) => kind.context.map((row) => [row, layers * passes]));
  const calls = rows.reduce((sum, [, many]) => sum + many, 0);
  const heads = rows.map(([row, many]) => [row, (many * tokens * d * row.heads) / one.tp]);
  const asked = heads.reduce((sum, [row, many]) => sum + many * row.query * talks.BFLOAT16, 0);
  const found = heads.reduce((sum, [row, many]) => sum + many * (row.value * talks.BFLOAT16 + talks.FLOAT32), 0);
  return [talks.meeting(one, "dcp", "all-gather, queries", d, calls, asked), talks.meeting(one, "dcp", "reduce-scatter, results and their sums", d, calls, found)];
};

/* Map of other stage -> how often a stage sends to it for one micro-batch: on, and in training its gradients back. */
talks.neighbours = (one, stage) => {
  const all = one.pp * one.chunks;
  const out = new Map();
  for (let chunk = 0; chunk < all; chunk += 1) {
    if (stages.place(chunk, one) !== stage) continue;
    for (const other of one.job === "train" ? [chunk + 1, chunk - 1] : [chunk + 1]) {
      const there = other >= 0 && other < all ? stages.place(other, one) : stage;
      if (there !== stage) out.set(there, (out.get(there) || 0) + 1);
    }
  }
  return out;
};

/* The stream to the next stage, and its gradient to the one before; tensor ranks send a part each. */
talks.pipeline = (sheet, one, stage, tokens, times) => {
  if (one.pp === 1) return [];
  const each = (times * tokens * sheet.hidden_size * talks.BFLOAT16) / one.tp;
  const node = (of) => Math.floor(ranks.first_of(one, of) / one.per_node);
  let [calls, away] = [0, 0];
  for (const [other, sends] of talks.neighbours(one, stage)) {
    calls += sends;
    away += node(other) === node(stage) ? 0 : sends;
  }
  return [{ axis: "pp", operation: "send", ranks: 2, calls: calls * times, bytes: talks.rounded(calls * each), leaving_bytes: talks.rounded(away * each) }];
};

/* Gradients are summed, and what ZeRO has dealt out is gathered: weights once, with stage 3 twice. */
talks.data = (one, rank) => [
  ["dp", one.dp * one.cp, one.shard, rank.numbers - rank.expert_numbers],
  ["edp", one.edp, one.expert_shard, rank.expert_numbers],
].flatMap(([axis, many, shard, numbers]) => {
  if (many === 1 || !numbers) return [];
  const [gradients, weights] = [numbers * one.gradient_bytes, numbers * one.weight_bytes];
  if (one.zero === 0) return [talks.meeting(one, axis, "all-reduce, gradients", many, 1, gradients, 2)];
  const some = shard === many ? axis : `${axis}_shard`;
  const times = one.zero === 3 ? 2 : 1;
  return [
    shard > 1 && talks.meeting(one, some, "reduce-scatter, gradients", shard, 1, gradients),
    shard < many && talks.meeting(one, `${axis}_replicate`, "all-reduce, gradients", Math.floor(many / shard), 1, gradients / shard, 2),
    shard > 1 && talks.meeting(one, some, "all-gather, weights", shard, times, weights, times),
  ].filter(Boolean);
});

/* The communicators of one rank of a stage. Serving: of one step of every sequence, or of their prompts. */
talks.of = (sheet, plan, stage) => {
  const { layout: one, ranks: held } = plan;
  const kinds = [...holdings.counted(sheet, held[stage].layers)].map(([kind, layers]) => [sheet.kinds[kind], layers]);
  const train = one.job === "train";
  const tokens = train ? (one.sequence * one.micro_batch) / one.cp : plan.here * (one.job === "prefill" ? one.sequence : 1);
  const times = train ? one.micro_batches : 1;
  const passes = times * sheet.loops * (train ? 2 : 1);
  return [
    ...talks.tensor(sheet, one, kinds, tokens, passes),
    ...talks.expert(one, kinds, tokens / one.tp, passes),
    ...(train ? talks.context(one, kinds, passes) : []),
    ...(one.job === "decode" ? talks.decoding(one, kinds, tokens, passes) : []),
    ...talks.pipeline(sheet, one, stage, tokens, times * sheet.loops),
    ...(train ? talks.data(one, held[stage]) : []),
  ];
};
