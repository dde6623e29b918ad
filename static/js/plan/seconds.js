/* A plan -> the least time that a step can take, and what binds it; the twin of gallery/planning/seconds.py. */
const seconds = {};

seconds.TERMS = ["products", "memory", "inside", "outside"];
seconds.BINDS = { products: "products", memory: "memory", inside: "links in a node", outside: "links between nodes" };

seconds.make = (products, memory, inside, outside, bubble = 0, apart = 0) => {
  const most = Math.max(products, memory, inside, outside);
  const one = { products, memory, inside, outside, bubble, seconds: most * (1 + bubble), of_total: bubble / (1 + bubble) };
  one.apart = apart;  // where no traffic hides behind work: products or memory, then both links
  one.unhidden = apart * (1 + bubble);
  one.term = seconds.TERMS.find((term) => one[term] === most);
  one.binds = seconds.BINDS[one.term];
  return one;
};

/* FLOP/s of the products' format: the one asked for, or the fastest that the weights' own format allows; 0: no such peak. */
seconds.peak = (one, sheet) => {
  const { peaks } = one.device;
  if (one.compute_dtype) return peaks[one.compute_dtype] || 0;
  if (one.job === "train") return peaks.bfloat16;
  const named = (one.weights_dtype || sheet.element).split("_")[0];
  const wanted = named.includes("4") ? ["fp4", "fp8"] : named.includes("8") ? ["fp8"] : [];
  return Math.max(...[...wanted, "bfloat16"].map((name) => peaks[name] || 0));
};

/* Share of the experts that so many tokens visit, each choosing its own evenly. */
seconds.visited = (sheet, tokens) => {
  const rests = legal.experts_of(sheet).map((moe) => (1 - Math.min(moe.num_experts_per_tok / moe.num_experts, 1)) ** tokens);
  return rests.length ? 1 - Math.max(...rests) : 0;
};

/* Seconds on the links inside a node, and on those that leave it. */
seconds.links = (one, found) => {
  const leaving = found.reduce((sum, talk) => sum + talk.leaving_bytes, 0);
  const stay = found.reduce((sum, talk) => sum + talk.bytes, 0) - leaving;
  return [stay / one.device.inside_bytes, leaving / one.device.outside_bytes];
};

/* Tokens that one copy of the experts meets. */
seconds.met = ({ here, layout: one }) => Math.ceil((here * one.dp) / one.edp) * (one.job === "prefill" ? one.sequence : 1);

/* Bytes that a step reads of one rank's memory at least. */
seconds.read = (sheet, plan, rank) => {
  const one = plan.layout;
  if (one.job === "train") return (rank.weights_bytes + rank.experts_bytes) * 2 * one.visits + 2 * rank.optimizer_bytes;
  const once = rank.weights_bytes - rank.lookup_bytes + rank.experts_bytes * seconds.visited(sheet, seconds.met(plan));
  return once + (one.job === "decode" ? rank.cache_bytes : 0);
};

/* The least time of each stage. */
seconds.stage_bounds = (sheet, plan) => {
  const { layout: one } = plan;
  const rate = seconds.peak(one, sheet);
  const train = one.job === "train";
  const times = train ? (one.batch / one.dp) * work.FORTH_AND_BACK : plan.here;
  const bubble = train ? schedules.bubble(one.runs, one.pp, one.chunks, one.micro_batches) : 0;
  const once = work.stage_flops(sheet, one);
  const again = train && one.recompute === "full" ? work.stage_flops(sheet, one, false) : once.map(() => 0);
  return plan.ranks.map((rank, i) => {
    const flops = once[i] * times + (again[i] * one.batch) / one.dp;
    const [products, memory] = [flops / rate, seconds.read(sheet, plan, rank) / one.device.bandwidth_bytes];
    const [near, far] = seconds.links(one, talks.of(sheet, plan, rank.stage));
    return seconds.make(products, memory, near, far, bubble, Math.max(products, memory) + near + far);
  });
};

/* The least time of a step: training its slowest stage's; serving one token's, or one prompt's, way through all. */
seconds.bound = (sheet, plan) => {
  const found = seconds.stage_bounds(sheet, plan);
  const sum = (key) => found.reduce((total, one) => total + one[key], 0);
  if (plan.layout.job !== "train") return seconds.make(...seconds.TERMS.map(sum), 0, sum("apart"));
  const slowest = found.reduce((best, one) => (one.seconds > best.seconds ? one : best));
  return seconds.make(...seconds.TERMS.map((term) => slowest[term]), slowest.bubble, Math.max(...found.map((one) => one.apart)));
};
