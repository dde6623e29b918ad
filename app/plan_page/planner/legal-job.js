/* The rules of a job: its sizes, how context ranks meet, the order of ranks; with legal-pipeline.js the twin of gallery/planning/legal_job.py. */

import * as layout from "./layout.js";
import * as legalAxes from "./legal-axes.js";
import * as ranks from "./ranks.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";

/** @import { Layout, Problem, Sheet } from "./types.d.ts" */

/** @type {{ [field: string]: string[] }} */
export const CHOICES = { cp_kind: ["all-gather", "ring", "ulysses"], dispatch_dtype: ["", "bfloat16", "fp8"] };
export const ORDER = ["tp", "cp", "ep", "dp", "pp"];

/**
 * What is computed anew, and what waits in host memory.
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const saved = (one) => {
  /** @type {Problem[]} */
  const out = [];
  const known = [...layout.RECOMPUTES, ...layout.REDONE];
  if (!layout.RECOMPUTES.includes(one.recompute) && one.redone.length !== one.modules.length)
    out.push(
      legalAxes.make("recompute", `No recompute is called '${one.recompute.slice(0, 40)}'`, [
        ...known,
        ...layout.REDONE,
      ]),
    );
  if (!/^(experts|\d*)$/.test(one.offload)) {
    const why = `Activations of layers or of experts can be offloaded, not those of '${one.offload.slice(0, 40)}'`;
    out.push(legalAxes.make("offload", why, ["", "experts"]));
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
      out.push(legalAxes.make(name, `No ${name} is called '${value.slice(0, 40)}'`, known.filter(Boolean)));
  }
  out.push(...saved(one));
  if (one.job !== "train" && one.cp > 1)
    out.push(legalAxes.make("cp", `cp ${one.cp} is only supported for training so far`, [1]));
  if (!(one.zero >= 0 && one.zero <= 3))
    out.push(legalAxes.make("zero", `ZeRO has stages 0 to 3, not ${one.zero}`, [Math.min(Math.max(one.zero, 0), 3)]));
  const step = 2 * one.cp;
  const times = Math.floor(one.sequence / step);
  if (one.cp > 1 && one.sequence % step)
    out.push(
      legalAxes.make(
        "sequence",
        `${one.sequence} tokens cannot be split into 2 x cp = ${step} equal parts`,
        times ? [times * step, (times + 1) * step] : [step],
      ),
    );
  return out;
};

/**
 * LoRA is for training; tensor ranks share the r rows of A equally.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const adapters = ({ hidden_size }, { job, lora_rank: rank, tp }) => {
  const said = `lora_rank ${rank} is`;
  if (rank && job !== "train") return [legalAxes.make("lora_rank", `${said} only for training`, [0])];
  if (rank > hidden_size)
    return [
      legalAxes.make("lora_rank", `${said} more than hidden_size ${hidden_size}`, [Math.floor(hidden_size / tp) * tp]),
    ];
  if (rank % tp === 0) return [];
  const near = legalAxes.nearest_legal(rank, (n) => n % tp === 0, hidden_size);
  return [legalAxes.make("lora_rank", `${said} not a multiple of tp ${tp}, which shards adapters`, near)];
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
        legalAxes.make(
          "cp",
          `cp ${one.cp} does not divide the ${wrong} heads of a tensor-parallel rank (Ulysses)`,
          legalAxes.nearest_legal(one.cp, (n) => heads.every((number) => number % n === 0), wrong),
        ),
      );
  }
  if (one.dcp === 1) return out;
  /** @param {number} dcp */
  const shared = (dcp) =>
    dcp === 1 || (one.tp % dcp === 0 && rows.every((row) => Math.floor(one.tp / dcp) >= (row.kv_heads || 1)));
  if (one.job !== "decode") return [...out, legalAxes.make("dcp", `dcp ${one.dcp} is only for decoding`, [1])];
  if (shared(one.dcp)) return out;
  const copies = Math.max(
    rows.length ? Math.min(...rows.map((row) => Math.floor(one.tp / (row.kv_heads || 1)))) : 1,
    1,
  );
  const why =
    one.tp % one.dcp
      ? `dcp ${one.dcp} does not divide tp ${one.tp}`
      : `dcp ${one.dcp} splits copies of the cache, and tensor-parallel ranks make only ${copies}`;
  return [...out, legalAxes.make("dcp", why, legalAxes.nearest_legal(one.dcp, shared, one.tp))];
};

/**
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Problem[]}
 */
export const shards = (sheet, { dp, dp_shard }) =>
  dp_shard && dp % dp_shard
    ? [
        legalAxes.make(
          "dp_shard",
          `dp_shard ${dp_shard} does not divide dp ${dp}`,
          legalAxes.nearest_legal(dp_shard, (n) => dp % n === 0, dp),
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
    return [
      legalAxes.make("order", `'${one.order.slice(0, 40)}' is not an order of ${ORDER.join(", ")}`, [ORDER.join("-")]),
    ];
  if (!legalAxes.experts_of(sheet).length || before_pp(one, false) === before_pp(one, true)) return [];
  return [
    legalAxes.make(
      "order",
      "If experts group a stage's ranks differently, these ranks must be contiguous: pp comes last",
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
