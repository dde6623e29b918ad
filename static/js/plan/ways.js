/* A plan -> other layouts that are one change away: what each holds and costs. */
const ways = {};

ways.AXES = { train: ["tp", "pp", "chunks", "cp", "ep", "zero"], prefill: ["tp", "pp", "ep"], decode: ["tp", "pp", "ep"] };
ways.MOST = 64;

/* Every choice that differs in one thing: [{change, words}]. */
ways.changes = (chosen) => {
  const out = [];
  const add = (change, text) => out.push({ change, words: text });
  for (const axis of ways.AXES[chosen.job]) {
    const values = axis === "zero" ? [0, 1, 2, 3] : Array.from({ length: axis === "chunks" ? 5 : 9 }, (_, i) => 2 ** i);
    for (const value of values) if (value !== chosen[axis]) add({ [axis]: value, ...(axis === "pp" && value === 1 ? { chunks: 1 } : {}) }, `${axis} ${value}`);
  }
  if (chosen.job === "train") add({ recompute: chosen.recompute === "full" ? "none" : "full" }, `recompute ${chosen.recompute === "full" ? "none" : "full"}`);
  else {
    if (chosen.cache_dtype === "bfloat16") add({ cache_dtype: "float8_e4m3fn" }, "cache in float8");
    if (!["fp8", "fp4", "int4"].includes(chosen.weights_dtype)) add({ weights_dtype: "fp8" }, "weights in fp8");
  }
  return out;
};

/* The result of one change, or null where it is not legal; a batch that does not divide goes up to one that does. */
ways.tried = (now, change) => {
  const chosen = { ...now.chosen, ...change };
  const found = now.compute(chosen);
  const [wrong] = found.problems;
  if (wrong?.field !== "batch") return wrong ? null : found;
  const again = now.compute({ ...chosen, batch: wrong.nearest.at(-1) });
  return again.trouble ? null : again;
};

ways.distance = (now, change) => Math.max(...Object.entries(change).map(([key, value]) => (typeof value === "number" && now.chosen[key] > 0 && value > 0 ? Math.abs(Math.log2(value / now.chosen[key])) : 1)));

ways.result = (now, found) => {
  const { plan, bound, layout: one } = found;
  if (!plan.fits) return [`${words.gb(plan.fullest.total_bytes)} GB, does not fit`, false];
  if (one.job === "train") return [`${words.gb(plan.fullest.total_bytes)} GB, ${words.duration(bound.seconds)}`, true];
  const many = plan.sequences === null ? "" : `${words.plural(plan.sequences, "sequence")}, `;
  return [`${many}${says.speed(found) ? `${words.rate(says.speed(found))} tokens/s` : words.duration(bound.seconds)}`, true];
};

/* How good a layout is: lost time first; more tokens a second are better, and for a server more sequences. */
ways.cost = (found) => (found.layout.job === "train" ? -says.speed(found) : -says.speed(found) || found.bound.seconds);

/* {title, ways: [{words, change, found}]}: what to press next. */
ways.of = (now) => {
  const all = ways.changes(now.chosen).map((way) => ({ ...way, found: ways.tried(now, way.change) })).filter((way) => way.found && way.found.layout.gpus === now.layout.gpus);
  const near = (list, many) => list.sort((a, b) => ways.distance(now, a.change) - ways.distance(now, b.change)).slice(0, many);
  if (!now.plan.fits) return ways.fixes(now, all.filter((way) => way.found.plan.fits));
  const better = all.filter((way) => way.found.plan.fits && ways.cost(way.found) < ways.cost(now) - 1e-12).sort((a, b) => ways.cost(a.found) - ways.cost(b.found));
  const copies = says.copied(now) > 0.01;
  if (copies && better.length) return { title: "cheapest fix", list: better.slice(0, 4) };
  return { title: "one step away", list: near(all.filter((way) => ways.distance(now, way.change) <= 1), 5) };
};

ways.fixes = (now, fitting) => {
  if (fitting.length) return { title: "cheapest fix", list: fitting.sort((a, b) => ways.cost(a.found) - ways.cost(b.found)).slice(0, 4) };
  const pairs = [];
  const changes = ways.changes(now.chosen);
  changes.forEach((a, i) => changes.slice(i + 1).forEach((b) => {
    if (Object.keys(a.change)[0] === Object.keys(b.change)[0]) return;
    const found = ways.tried(now, { ...a.change, ...b.change });
    if (found?.plan.fits) pairs.push({ words: `${a.words}, ${b.words}`, change: { ...a.change, ...b.change }, found });
  }));
  if (pairs.length) return { title: "cheapest fix", list: pairs.sort((a, b) => ways.cost(a.found) - ways.cost(b.found)).slice(0, 3) };
  return ways.more(now);
};

/* More nodes of the same device: the fewest that hold it with this split, or any tp and pp. */
ways.more = (now) => {
  for (let nodes = now.chosen.nodes + 1; nodes <= ways.MOST * now.chosen.nodes; nodes = nodes < 8 ? nodes + 1 : nodes * 2) {
    for (const tp of [now.chosen.tp, now.chosen.per_node, 1]) for (const pp of [...new Set([now.chosen.pp, 1, nodes])]) {
      const change = { nodes, tp, pp, ...(pp === 1 ? { chunks: 1 } : {}) };
      const found = ways.tried(now, change);
      if (found?.plan.fits) return { title: `no layout of ${now.layout.gpus} of these that was tried holds it`, list: [{ words: `${nodes} nodes, tp ${tp}, pp ${pp}`, change, found }] };
    }
  }
  return { title: "", list: [] };
};

/* The nearest legal values of the field that cannot stay, as gallery/planning/legal.py's mended; the fitting first. */
ways.mended = (now, { field, nearest }) => {
  const { per_node } = now.chosen;
  const changes = field !== "gpus" ? nearest.map((value) => ({ [field]: value }))
    : nearest.flatMap((gpus) => (gpus % per_node === 0 ? [{ nodes: gpus / per_node }] : gpus <= now.layout.device.domain ? [{ nodes: 1, per_node: gpus }] : []));
  return changes.map((change) => ({ change, words: Object.entries(change).map(([name, value]) => `${name} ${value || "none"}`).join(", "), found: ways.tried(now, change) }))
    .filter((way) => way.found).sort((a, b) => Number(b.found.plan.fits) - Number(a.found.plan.fits));
};

/* What to press where a layout cannot be: the rule's own nearest values, else the nearest of the field just changed. */
ways.repair = (now) => {
  for (const problem of now.problems) {
    const list = ways.mended(now, problem);
    if (list.length) return { field: problem.field === "gpus" ? now.last : problem.field, title: "nearest legal", list };
  }
  for (const field of [...new Set([now.last, "tp", "pp", "ep", "nodes"])]) {
    const list = ways.nearest(now, field);
    if (list.length) return { field, title: "nearest legal", list };
  }
  return { field: now.last, title: "", list: [] };
};

ways.nearest = (now, field) => {
  const value = now.chosen[field];
  if (typeof value !== "number") return [];
  const out = [];
  for (const step of [-1, 1]) {
    for (let n = value + step; n >= 1 && Math.abs(n - value) <= 1024; n += step) {
      const found = ways.tried(now, { [field]: n });
      if (found) { out.push({ words: `${field} ${n}`, change: { [field]: n }, found }); break; }
    }
  }
  return out.sort((a, b) => Number(b.found.plan.fits) - Number(a.found.plan.fits));
};
