/* Numbers of a plan -> the words that the page prints; the same as gallery/command/plan_words.py and app/planned.py.

Every file here adds to one constant named after itself, as explainers/kit.js does: no imports; app/pages/plan.py joins them. */
const words = {};

words.AXES = ["tp", "pp", "cp", "dcp", "ep", "etp", "dp", "dp_shard", "dp_replicate", "edp", "edp_shard", "edp_replicate"];
words.role = (axis) => axis.split("_")[0];
words.PARTS = [
  ["weights_bytes", "weights"], ["experts_bytes", "routed experts"], ["gradients_bytes", "gradients"],
  ["optimizer_bytes", "optimizer"], ["activations_bytes", "activations"], ["cache_bytes", "cache"], ["framework_bytes", "framework"],
];
words.STEP = { train: "step", prefill: "prompt", decode: "token" };
words.JOB = { train: "training", prefill: "prefill", decode: "decode" };

words.int = kit.fmt.int;
words.gb = (bytes) => kit.fmt.fixed(bytes / 1e9, 1);
words.plural = (n, one, many = `${one}s`) => `${words.int(n)} ${n === 1 ? one : many}`;

/* About three significant figures with their noughts: 37.6, 4.04. */
words.figures = (value, digits = 3) => kit.fmt.fixed(value, Math.max(0, digits - String(Math.trunc(Math.abs(value))).length));
words.size = (bytes) => {
  if (bytes < 10000) return `${Number.isInteger(bytes) ? words.int(bytes) : kit.fmt.fixed(bytes, 1)} B`;
  const [unit, name] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"]].find(([one]) => bytes >= one);
  return `${words.figures(bytes / unit)} ${name}`;
};
words.short = (x) => (x >= 1000 ? words.int(Number(x.toPrecision(3))) : String(Number(x.toPrecision(3))));
words.duration = (seconds) => {
  if (seconds < 1e-3) return `${words.short(seconds * 1e6)} µs`;
  return seconds < 1 ? `${words.short(seconds * 1e3)} ms` : `${words.short(seconds)} s`;
};
words.rate = (perSecond) => (perSecond < 100 ? words.short(perSecond) : words.int(perSecond));
words.flops = (each) => (each >= 1e15 ? `${words.short(each / 1e15)} PFLOP/s` : `${words.short(each / 1e12)} TFLOP/s`);
words.capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/* 0-3, 16-19 */
words.runs = (numbers) => {
  const out = [];
  for (const n of numbers) {
    if (out.length && out.at(-1)[1] === n - 1) out.at(-1)[1] = n;
    else out.push([n, n]);
  }
  return out.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(" ");
};

words.and = (list) => (list.length > 1 ? `${list.slice(0, -1).join(", ")} and ${list.at(-1)}` : list.join(""));
words.share = (x) => ({ 0.5: "half", 0.75: "three quarters", 0.875: "seven eighths" })[x] || `${words.short(100 * x)} %`;

/* What is one rank of a stage called, and how many are like it. */
words.where = (now, rank) => (now.layout.pp > 1 ? `stage ${rank.stage}` : now.layout.gpus > 1 ? "each GPU" : "the GPU");
words.count = kit.fmt.count;
words.device = (name) => name.replaceAll("_", " ").toUpperCase();
