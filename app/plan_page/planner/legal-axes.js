/* The rules of the axes: what of a model divides into how many parts, and the words for what does not; the twin of gallery/planning/legal_axes.py. */

/** @import { Experts, Layout, Problem, Sheet } from "./types.d.ts" */

/**
 * One input that cannot be, in a sentence.
 * @param {string} field
 * @param {string} why
 * @param {(number | string)[]} [nearest]
 * @param {string} [form]
 * @returns {Problem}
 */
export const make = (field, why, nearest = [], form = "{}") => ({
  field,
  why,
  nearest,
  says: nearest.length
    ? `${why}; nearest legal: ${form.replace("{}", nearest.join(nearest.length > 2 ? ", " : " and "))}.`
    : `${why}; no value is legal.`,
});

/**
 * The legal values on both sides of an illegal one.
 * @param {number} value
 * @param {(n: number) => boolean} ok
 * @param {number} most
 * @returns {number[]}
 */
export const nearest_legal = (value, ok, most) => {
  /** @type {(number | null)[]} */
  let [below, above] = [null, null];
  for (let n = Math.min(value, most); n > 0 && below === null; n -= 1) if (ok(n)) below = n;
  for (let n = Math.max(value, 1); n <= most && above === null; n += 1) if (ok(n)) above = n;
  return [...new Set([below, above].filter((n) => n !== null))];
};

/**
 * Nothing is less than one of anything.
 * @param {string} name
 * @returns {string}
 */
export const field_title = (name) => (name === "per_node" ? "the number of GPUs in a node" : name.replaceAll("_", " "));
/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const at_least_one = (sheet, one) => [
  .../** @type {const} */ ([
    "nodes",
    "per_node",
    "tp",
    "pp",
    "chunks",
    "cp",
    "ep",
    "etp",
    "sequence",
    "micro_batch",
    "context",
    "dcp",
    "weight_bytes",
    "gradient_bytes",
    "imbalance",
  ])
    .filter((name) => !(one[name] >= 1))
    .map((name) => make(name, `${field_title(name)} is ${one[name]}, but must be at least 1`, [1])),
  .../** @type {const} */ (["dp_shard", "redundant", "optimizer_bytes", "framework_bytes", "batch", "mtp", "lora_rank"])
    .filter((name) => (one[name] ?? 0) < 0)
    .map((name) => make(name, `${field_title(name)} is ${one[name]}, but must be at least 0`, [0])),
];

/**
 * What of the model cannot be cut into tp equal parts; "" if all can.
 * @param {Sheet} sheet
 * @param {number} tp
 * @returns {string}
 */
export const unsupported_cuts = (sheet, tp) => {
  if (tp === 1) return "";
  for (const [what, number] of sheet.cuts)
    if (number % tp) return number > 1 ? what : `${what}, whose sharding is not supported`;
  for (const [what, number] of sheet.shared) if (number % tp && tp % number) return `${what}, nor the other way round`;
  return "";
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const tensor = (sheet, { tp }) => {
  const why = unsupported_cuts(sheet, tp);
  if (!why) return [];
  const most = sheet.cuts.length ? Math.max(...sheet.cuts.map(([, number]) => number)) : 1;
  return [
    make(
      "tp",
      `tp ${tp} does not divide ${why}`,
      nearest_legal(tp, (n) => !unsupported_cuts(sheet, n), most),
    ),
  ];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const devices = (sheet, { tp, pp, cp, gpus }) => {
  const model = tp * pp * cp;
  if (gpus % model === 0) return [];
  const near = nearest_legal(gpus, (n) => n % model === 0, Math.max(2 * gpus, model));
  return [make("gpus", `tp ${tp} x pp ${pp} x cp ${cp} = ${model} GPUs does not divide ${gpus} GPUs`, near, "{} GPUs")];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const pipeline = (sheet, one) => {
  const [chunks, room] = [one.pp * one.chunks, sheet.layers.length + 2];
  if (chunks <= room || one.split) return [];
  const each = one.chunks > 1 ? ` of ${one.chunks} chunks` : "";
  return [
    make(
      "pp",
      `pp ${one.pp}${each} makes ${chunks} parts of ${room - 2} layers, the embedding and the head`,
      [Math.floor(room / one.chunks) || 1],
      "pp {}",
    ),
  ];
};

/**
 * One row of each kind of layer that has experts, in the order of the layers.
 * @param {Sheet} sheet
 * @returns {Experts[]}
 */
export const experts_of = (sheet) => [...new Set(sheet.layers)].flatMap((kind) => sheet.kinds[kind].experts);

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const experts = (sheet, { tp, cp, dp, ep, redundant }) => {
  const found = experts_of(sheet);
  if (!found.length) {
    return [
      ep > 1 && make("ep", `This model has no experts, so ep ${ep} has nothing to split`, [1]),
      redundant && make("redundant", `This model has no experts, so redundant ${redundant} copies nothing`, [0]),
    ].filter(Boolean);
  }
  const many = tp * cp * dp;
  const totals = found.map((moe) => moe.num_experts + redundant);
  /** @param {number} n */
  const dealt = (n) => many % n === 0 && totals.every((total) => total % n === 0);
  if (dealt(ep)) return [];
  const total = totals.find((number) => number % ep) ?? totals[0];
  const why = total % ep ? `${total} experts` : `the ${many} GPUs of a stage (tp x cp x dp)`;
  return [make("ep", `ep ${ep} does not divide ${why}`, nearest_legal(ep, dealt, many))];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const expert_tensor = (sheet, { tp, cp, dp, ep, etp, lora_rank }) => {
  const found = experts_of(sheet);
  const many = Math.floor((tp * cp * dp) / ep);
  /** @param {number} n */
  const cut = (n) => many % n === 0 && found.every((moe) => moe.moe_intermediate_size % n === 0 && lora_rank % n === 0);
  if (cut(etp)) return [];
  const why =
    many % etp
      ? `the ${many} GPUs that share an expert's stage (tp x cp x dp / ep)`
      : `their width${lora_rank ? ", or lora_rank" : ""}`;
  return [make("etp", `etp ${etp} cannot shard experts: it does not divide ${why}`, nearest_legal(etp, cut, many))];
};
