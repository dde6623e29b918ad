/* The page's address <-> what was chosen; defaults are left out, the order is fixed. */
const address = {};

address.text = { read: (text) => text, write: String };
address.whole = { read: (text) => (/^\d{1,13}$/.test(text) ? Number(text) : undefined), write: String };
address.share = { read: (text) => (/^(0?\.\d+|1(\.0+)?)$/.test(text) && Number(text) > 0 ? Number(text) : undefined), write: String };
address.layout = { read: (text) => (/^[EtmL|(),*\d\s]{1,400}$/.test(text) ? text : undefined), write: String };
address.factor = { read: (text) => (/^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 1 ? Number(text) : undefined), write: String };
address.oneOf = (list) => ({ read: (text) => (list().includes(text) ? text : undefined), write: String });

/* [word, key, how]; on and pp are two keys in one word. */
address.WORDS = (data) => [
  ["tp", "tp", address.whole], ["ep", "ep", address.whole], ["etp", "etp", address.whole],
  ["zero", "zero", address.whole], ["job", "job", address.oneOf(() => layout.JOBS)], ["seq", "sequence", address.whole],
  ["batch", "batch", address.whole], ["ctx", "context", address.whole], ["n", "n", address.whole],
  ["re", "recompute", address.oneOf(() => ["none", "full"])], ["mb", "micro_batch", address.whole], ["spare", "redundant", address.whole],
  ["w", "weights_dtype", address.oneOf(() => Object.keys(holdings.WEIGHT_BITS))], ["g", "gradient_dtype", address.oneOf(() => ["float32", "bfloat16"])],
  ["x", "compute_dtype", address.oneOf(() => ["bfloat16", "fp8", "fp4"])], ["kv", "cache_dtype", address.oneOf(() => Object.keys(data.cache_bits))],
  ["used", "used", address.share], ["sched", "schedule", address.oneOf(() => Object.keys(schedules.ROWS))], ["split", "split", address.layout], ["shard", "dp_shard", address.whole],
  ["order", "order", address.oneOf(() => ["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp", "tp-dp-cp-ep-pp"])], ["o", "optimizer_bytes", address.whole], ["d", "dispatch_dtype", address.oneOf(() => ["bfloat16", "fp8"])],
  ["dcp", "dcp", address.whole], ["busy", "imbalance", address.factor], ["fw", "framework_bytes", address.whole],
];

address.device = (name) => name.replaceAll("_", "-");

address.write = (chosen, data) => {
  const { defaults } = data;
  const out = [["m", chosen.m], ["on", `${address.device(chosen.device)}:${chosen.nodes}x${chosen.per_node}`]];
  for (const [word, key, how] of address.WORDS(data)) {
    if (chosen[key] !== defaults[key]) out.push([word, how.write(chosen[key])]);
    if (word === "tp" && (chosen.cp !== 1 || chosen.cp_kind !== defaults.cp_kind)) out.push(["cp", chosen.cp_kind === defaults.cp_kind ? `${chosen.cp}` : `${chosen.cp}:${chosen.cp_kind}`]);
    if (word === "tp" && (chosen.pp !== 1 || chosen.chunks !== 1)) out.push(["pp", chosen.chunks === 1 ? `${chosen.pp}` : `${chosen.pp}x${chosen.chunks}`]);
  }
  if (chosen.pick) out.push(["pick", chosen.pick]);
  if (chosen.sort !== defaults.sort) out.push(["sort", chosen.sort]);
  return `?${out.map(([word, value]) => `${word}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",")}`).join("&")}`;
};

/* {chosen, wrong: [word, ...]}: what cannot be read keeps its default. */
address.read = (search, data) => {
  const words_ = new URLSearchParams(search);
  const chosen = { ...data.defaults };
  const wrong = [];
  const take = (word, read) => {
    if (!words_.has(word)) return;
    const value = read(words_.get(word));
    if (value === undefined) wrong.push(word);
    else Object.assign(chosen, value);
  };
  take("m", (text) => ({ m: text }));
  take("on", (text) => {
    const [name, shape] = text.split(":");
    const device = data.devices.find((one) => one.name === name.toLowerCase().replaceAll("-", "_"));
    const pair = /^(\d{1,7})x(\d{1,7})$/.exec(shape ?? `1x${device?.gpus_per_node}`);
    return device && pair ? { device: device.name, nodes: Number(pair[1]), per_node: Number(pair[2]) } : undefined;
  });
  take("pp", (text) => { const pair = /^(\d{1,7})(?:x(\d{1,7}))?$/.exec(text); return pair ? { pp: Number(pair[1]), chunks: Number(pair[2] || 1) } : undefined; });
  take("cp", (text) => { const pair = /^(\d{1,7})(?::(all-gather|ring|ulysses))?$/.exec(text); return pair ? { cp: Number(pair[1]), cp_kind: pair[2] || "all-gather" } : undefined; });
  for (const [word, key, how] of address.WORDS(data)) take(word, (text) => { const value = how.read(text); return value === undefined ? undefined : { [key]: value }; });
  take("pick", (text) => ({ pick: text }));
  take("sort", (text) => (["least", "sum"].includes(text) ? { sort: text } : undefined));
  return { chosen, wrong };
};
