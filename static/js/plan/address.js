/* A plan's address, both ways; the twin of gallery/planning/address.py, but that it keeps the default of a word it cannot read. */
const address = {};

address.text = (text) => text;
address.whole = (text) => (/^\d{1,13}$/.test(text) ? Number(text) : undefined);
address.factor = (text) => (/^\d{1,4}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined);
address.share = (text) => { const share = address.factor(text); return share > 0 && share <= 1 ? share : undefined; };
address.one = (...list) => (text) => (list.includes(text) ? text : undefined);
address.short = (names, list) => (text) => { const name = names[text] || text; return list().includes(name) ? name : undefined; };

address.CACHES = { fp8: "float8_e4m3fn", bf16: "bfloat16", fp16: "float16", fp4: "float4_e2m1fn" };
address.WEIGHTS = { bf16: "bfloat16", fp16: "float16", float8_e4m3fn: "fp8" };
address.FORMS = () => ["bfloat16", "fp8", "fp4"];
address.pair = (text) => { const found = /^(\d{1,7})(?:x(\d{1,7}))?$/.exec(text); return found ? [Number(found[1]), Number(found[2] || 1)] : undefined; };

/* [word, field, read(text) -> value or undefined], in the order of an address. */
address.WORDS = [
  ["on", "on", address.text], ["job", "job", address.one(...layout.JOBS)], ["tp", "tp", address.whole], ["pp", "pp", address.pair],
  ["sched", "schedule", address.one(...Object.keys(schedules.ROWS))], ["split", "split", (text) => (/^[EtmL|(),*\d\s]{1,400}$/.test(text) ? text : undefined)],
  ["mtp", "mtp", address.whole], ["cp", "cp", address.text], ["ep", "ep", address.whole], ["etp", "etp", address.whole], ["zero", "zero", address.whole],
  ["shard", "dp_shard", address.whole], ["order", "order", (text) => (/^[a-z-]{2,20}$/.test(text) ? text : undefined)], ["dcp", "dcp", address.whole],
  ["seq", "sequence", address.whole], ["batch", "batch", address.whole], ["mb", "micro_batch", address.whole], ["ctx", "context", address.whole],
  ["n", "batch", address.whole], ["re", "recompute", address.one("none", "parts", "full")], ["busy", "imbalance", address.factor], ["red", "redundant", address.whole],
  ["w", "weights_dtype", address.short(address.WEIGHTS, () => Object.keys(holdings.WEIGHT_BITS))], ["g", "gradient_dtype", address.one("float32", "bfloat16")],
  ["o", "optimizer_bytes", address.whole], ["x", "compute_dtype", address.short(address.WEIGHTS, address.FORMS)], ["d", "dispatch_dtype", address.short(address.WEIGHTS, address.FORMS)],
  ["kv", "cache_dtype", (text, data) => address.short(address.CACHES, () => Object.keys(data.cache_bits))(text)], ["fw", "framework_bytes", address.whole], ["used", "used", address.share],
];
address.PAGE = ["pin", "pick", "t", "sort"];

/* Every word's value, as it would be written. */
address.told = (one) => {
  const made = Object.fromEntries(address.WORDS.map(([word, field]) => [word, String(one[field] ?? "")]));
  return {
    ...made, on: `${one.device.name}:${one.nodes}x${one.per_node}`, pp: one.chunks > 1 ? `${one.pp}x${one.chunks}` : `${one.pp}`,
    cp: `${one.cp}${one.cp_kind === layout.DEFAULTS.cp_kind ? "" : `:${one.cp_kind}`}`, g: one.gradient_bytes === 4 ? "" : "bfloat16",
    busy: flags.g(one.imbalance), used: flags.g(one.used), [one.job === "decode" ? "batch" : "n"]: "",
  };
};

/* The value of every word that need not be written. */
address.left_out = (one) => {
  const usual = Object.fromEntries(address.WORDS.map(([word, field]) => [word, String(layout.DEFAULTS[field] ?? "")]));
  const batch = String(layout.usual_batch(one));
  return { ...usual, on: "", pp: "1", cp: "1", g: "", busy: "1", used: flags.g(layout.DEFAULTS.used), etp: String(one.usual_etp), mtp: String(layout.usual_mtp(one)), batch, n: batch };
};

address.quote = (text) => encodeURIComponent(text).replace(/%(2F|3A|2C|21|2A|28|29)/g, (found) => decodeURIComponent(found)).replaceAll("'", "%27");

/* The words of a layout and the page's own. */
address.of = (one, own = {}) => {
  const [made, usual] = [address.told(one), address.left_out(one)];
  const found = [...(own.m ? [["m", own.m]] : []), ...address.WORDS.map(([word]) => [word, made[word]]).filter(([word, value]) => value && value !== usual[word] && !own.follows?.includes(word)), ...address.PAGE.map((word) => [word, own[word]]).filter(([, value]) => value)];
  return found.map(([word, value]) => `${word}=${address.quote(value)}`).join("&");
};

/* The fields that one word sets, or undefined. */
address.field = (word, field, read, text, data) => {
  if (word === "on") {
    const [name, shape] = text.split(":");
    const device = data.devices.find((one) => one.name === name.toLowerCase().replaceAll("-", "_"));
    const pair = shape === undefined ? [1, device?.gpus_per_node] : /x/.test(shape) ? address.pair(shape) : undefined;
    return device && pair ? { device: device.name, nodes: pair[0], per_node: pair[1] } : undefined;
  }
  if (word === "cp") {
    const found = /^(\d{1,13})(?::(all-gather|ring|ulysses))?$/.exec(text);
    return found ? { cp: Number(found[1]), cp_kind: found[2] || "all-gather" } : undefined;
  }
  const value = read(text, data);
  if (value === undefined) return undefined;
  if (word === "pp") return { pp: value[0], chunks: value[1] };
  return word === "n" ? { n: value } : { [field]: value };
};

/* {chosen, wrong: [word, ...]}: what cannot be read keeps its default. */
address.read = (search, data) => {
  const given = new URLSearchParams(search);
  const [chosen, wrong] = [{ ...data.chosen }, []];
  for (const [word, field, read] of address.WORDS) {
    if (!given.has(word)) continue;
    const found = address.field(word, field, read, given.get(word), data);
    if (found) Object.assign(chosen, found);
    else wrong.push(word);
  }
  for (const word of ["m", "pick", "pin"]) if (given.has(word)) chosen[word] = given.get(word);
  if (/^\d{1,9}(\.\d{1,12})?(e-\d{1,2})?$/.test(given.get("t") || "")) chosen.t = given.get("t");
  else if (given.has("t")) wrong.push("t");
  if (given.has("sort")) chosen.sort = given.get("sort") === "sum" ? "sum" : "least";
  return { chosen, wrong };
};
