/* A sheet and a layout -> what cannot be: which field, why, and the legal values nearest; the twin of gallery/planning/legal*.py. */

import * as layout from "./layout.js";
import * as ranks from "./ranks.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";

/** @import { Experts, Layout, Problem, Sheet } from "./types.d.ts" */

/** @type {{ [field: string]: string[] }} */
export const CHOICES = { cp_kind: ["all-gather", "ring", "ulysses"], dispatch_dtype: ["", "bfloat16", "fp8"] };
export const ORDER = ["tp", "cp", "ep", "dp", "pp"];
export const MOST_PARTS = 4096;

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
    .map((name) => make(name, `${field_title(name)} is ${one[name]}, and at least 1`, [1])),
  .../** @type {const} */ (["dp_shard", "redundant", "optimizer_bytes", "framework_bytes", "batch", "mtp"])
    .filter((name) => (one[name] ?? 0) < 0)
    .map((name) => make(name, `${field_title(name)} is ${one[name]}, and at least 0`, [0])),
];

/**
 * What is computed anew, and what waits in host memory.
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const saved = (one) => {
  /** @type {Problem[]} */
  const out = [];
  const known = ["none", "parts", "full"];
  if (!known.includes(one.recompute) && one.redone.length !== one.modules.length)
    out.push(make("recompute", `No recompute is called '${one.recompute.slice(0, 40)}'`, [...known, ...layout.REDONE]));
  if (!/^(experts|\d*)$/.test(one.offload)) {
    const why = `Activations of layers or of experts can wait in host memory, not of '${one.offload.slice(0, 40)}'`;
    out.push(make("offload", why, ["", "experts"]));
  }
  return out;
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const job = (sheet, one) => {
  /** @type {Problem[]} */
  const out = [];
  for (const [name, known] of Object.entries({ ...CHOICES, schedule: ["", ...Object.keys(schedules.ROWS)] })) {
    const value = String(/** @type {{ [name: string]: unknown }} */ (one)[name]);
    if (!known.includes(value))
      out.push(make(name, `No ${name} is called '${value.slice(0, 40)}'`, known.filter(Boolean)));
  }
  out.push(...saved(one));
  if (one.job !== "train" && one.cp > 1) out.push(make("cp", `cp ${one.cp} is planned for training alone so far`, [1]));
  if (!(one.zero >= 0 && one.zero <= 3))
    out.push(make("zero", `ZeRO has stages 0 to 3, not ${one.zero}`, [Math.min(Math.max(one.zero, 0), 3)]));
  const step = 2 * one.cp;
  const times = Math.floor(one.sequence / step);
  if (one.cp > 1 && one.sequence % step)
    out.push(
      make(
        "sequence",
        `${one.sequence} tokens do not make 2 x cp = ${step} equal parts`,
        times ? [times * step, (times + 1) * step] : [step],
      ),
    );
  return out;
};

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
      redundant && make("redundant", `This model has no experts, so none of ${redundant} stands twice`, [0]),
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
export const expert_tensor = (sheet, { tp, cp, dp, ep, etp }) => {
  const found = experts_of(sheet);
  const many = Math.floor((tp * cp * dp) / ep);
  /** @param {number} n */
  const cut = (n) => many % n === 0 && found.every((moe) => moe.moe_intermediate_size % n === 0);
  if (cut(etp)) return [];
  const why = many % etp ? `the ${many} GPUs that share an expert's stage (tp x cp x dp / ep)` : "their width";
  return [make("etp", `etp ${etp} cannot cut experts: it does not divide ${why}`, nearest_legal(etp, cut, many))];
};

/**
 * Every pipeline has the same whole number of micro-batches, and some schedules send them in rounds of pp.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const batch = (sheet, one) => {
  if (one.job !== "train") return [];
  const row = schedules.ROWS[one.runs];
  const times = row.multiple(one.pp);
  const step = one.dp * one.micro_batch * times;
  if (one.batch && one.batch % step === 0) return [];
  const more =
    times === 1
      ? ""
      : { rounds: ` x pp ${one.pp} (chunks are interleaved)`, "both ends": " x 2 (half enter at either end)" }[
          row.rule
        ];
  const [low, least] = [Math.floor(one.batch / step) * step, one.dp * one.micro_batch * row.least(one.pp)];
  return [
    make(
      "batch",
      `A batch of ${one.batch} is no multiple of dp ${one.dp} x micro-batch ${one.micro_batch}${more} = ${step}`,
      low >= least ? [low, low + step] : [Math.max(low + step, least)],
    ),
  ];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const schedule = (sheet, one) => {
  const row = schedules.ROWS[one.runs];
  if (one.job !== "train" || one.pp === 1) return [];
  const [fewest, most] = row.chunks;
  if (one.chunks < fewest || one.chunks > most) {
    const wanted = fewest === most ? `${fewest}` : `${fewest} to ${most}`;
    return [
      make("chunks", `${row.label} has ${wanted} chunks on a stage, not ${one.chunks}`, [
        Math.min(Math.max(one.chunks, fewest), most),
      ]),
    ];
  }
  if (row.rule === "both ends" && one.pp % 2) {
    const rest = Math.floor(one.gpus / (one.tp * one.cp));
    return [
      make(
        "pp",
        `${row.label} pairs the stages from both ends: pp ${one.pp} is odd`,
        nearest_legal(one.pp, (n) => rest % n === 0 && (n === 1 || n % 2 === 0), rest),
      ),
    ];
  }
  if (one.micro_batches >= row.least(one.pp)) return [];
  return [
    make("batch", `${row.label} fills its pipeline from both ends: ${one.micro_batches} micro-batches are too few`, [
      row.least(one.pp) * one.dp * one.micro_batch,
    ]),
  ];
};

/**
 * Megatron-LM's layout string: an embedding first, every layer once, the loss last, stages x chunks parts.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const split_layers = (sheet, one) => {
  if (!one.split) return [];
  const [parts, layers] = [stages.expand_layout(one.split), sheet.layers.length];
  const letters = parts.join("");
  const many = letters.split("t").length - 1;
  const said = `'${one.split.slice(0, 60)}'`;
  if (/[^EtmL]/.test(letters) || letters[0] !== "E" || letters.at(-1) !== "L" || letters.split("E").length !== 2)
    return [make("split", `${said} is no layout of E, t, m and L, with E first and L last`, [""], "none")];
  if (many !== layers) return [make("split", `${said} has ${many} layers, this model ${layers}`, [""], "none")];
  if (parts.length === one.pp * one.chunks) return [];
  return [
    make(
      "pp",
      `${said} has ${parts.length} parts, pp ${one.pp} x ${one.chunks} chunks are others`,
      nearest_legal(one.pp, (pp) => parts.length % pp === 0, Math.min(parts.length, MOST_PARTS)),
    ),
  ];
};

/**
 * Only layers that a model has predict further tokens, and only while it is trained.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const ahead = (sheet, { job, mtp }) => {
  const most = job === "train" ? sheet.further : 0;
  if (mtp <= most) return [];
  const why =
    job !== "train"
      ? `mtp ${mtp} is for training alone`
      : most
        ? `This model predicts ${most} further token${most > 1 ? "s" : ""}, not ${mtp}`
        : `This model has no layers that predict further tokens, so mtp ${mtp} has nothing to train`;
  return [make("mtp", why, [most])];
};

/**
 * Ulysses deals heads over context ranks; decode context parallelism takes the ranks that hold copies.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const contexts = (sheet, one) => {
  /** @type {Problem[]} */
  const out = [];
  const rows = [...new Set([...sheet.layers, ...stages.mtp_kinds(sheet, one)])].flatMap(
    (kind) => sheet.kinds[kind].context,
  );
  if (one.cp > 1 && one.cp_kind === "ulysses") {
    const heads = rows.map((row) => Math.floor(row.heads / one.tp));
    const wrong = heads.find((number) => number % one.cp);
    if (wrong)
      out.push(
        make(
          "cp",
          `cp ${one.cp} does not divide the ${wrong} heads of a tensor rank (Ulysses)`,
          nearest_legal(one.cp, (n) => heads.every((number) => number % n === 0), wrong),
        ),
      );
  }
  if (one.dcp === 1) return out;
  /** @param {number} dcp */
  const shared = (dcp) =>
    dcp === 1 || (one.tp % dcp === 0 && rows.every((row) => Math.floor(one.tp / dcp) >= (row.kv_heads || 1)));
  if (one.job !== "decode") return [...out, make("dcp", `dcp ${one.dcp} is for decoding alone`, [1])];
  if (shared(one.dcp)) return out;
  const copies = Math.max(
    rows.length ? Math.min(...rows.map((row) => Math.floor(one.tp / (row.kv_heads || 1)))) : 1,
    1,
  );
  const why =
    one.tp % one.dcp
      ? `dcp ${one.dcp} does not divide tp ${one.tp}`
      : `dcp ${one.dcp} shares a cache that tensor ranks hold more than once, and of this there are ${copies}`;
  return [...out, make("dcp", why, nearest_legal(one.dcp, shared, one.tp))];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const shards = (sheet, { dp, dp_shard }) =>
  dp_shard && dp % dp_shard
    ? [
        make(
          "dp_shard",
          `dp_shard ${dp_shard} does not divide dp ${dp}`,
          nearest_legal(dp_shard, (n) => dp % n === 0, dp),
        ),
      ]
    : [];

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const order = (sheet, one) => {
  const parts = one.order.split("-");
  if ([...parts].sort().join() !== [...ORDER].sort().join())
    return [make("order", `'${one.order.slice(0, 40)}' is no order of ${ORDER.join(", ")}`, [ORDER.join("-")])];
  if (!experts_of(sheet).length || before_pp(one, false) === before_pp(one, true)) return [];
  return [
    make(
      "order",
      "Where experts fold the ranks of a stage otherwise, a stage's ranks stand side by side: pp comes last",
      [[...parts.filter((word) => word !== "pp"), "pp"].join("-")],
    ),
  ];
};

/**
 * How far apart the ranks of two neighbouring stages are, in one of the two folds; 0 where there is one stage.
 * @param {Layout} one
 * @param {boolean} expert
 * @returns {number}
 */
export const before_pp = (one, expert) => {
  const found = ranks.sizes(one, expert);
  return one.pp > 1
    ? found
        .slice(
          0,
          found.findIndex(([name]) => name === "pp"),
        )
        .reduce((far, [, size]) => far * size, 1)
    : 0;
};

/** @type {((sheet: Sheet, one: Layout) => Problem[])[]} */
export const RULES = [
  at_least_one,
  job,
  tensor,
  devices,
  pipeline,
  experts,
  expert_tensor,
  batch,
  schedule,
  split_layers,
  ahead,
  contexts,
  shards,
  order,
];

/**
 * What breaks the first rule that a layout breaks; none if it is legal.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const problems = (sheet, one) => {
  for (const rule of RULES) {
    const found = rule(sheet, one);
    if (found.length) return found;
  }
  return [];
};
/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {string}
 */
export const problem = (sheet, one) => problems(sheet, one)[0]?.says || "";

/**
 * The same, behind what a device cannot be asked for: layout.py's devices() and seconds.py's peak() refuse it.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const asked = (sheet, one) => {
  const { device } = one;
  if (one.per_node > device.domain)
    return [
      make("per_node", `A node of ${device.name} joins at most ${device.domain} GPUs, not ${one.per_node}`, [
        device.domain,
      ]),
    ];
  if (one.compute_dtype && !device.peaks[one.compute_dtype])
    return [make("compute_dtype", `${device.name} has no peak for ${one.compute_dtype}`, Object.keys(device.peaks))];
  return problems(sheet, one);
};
