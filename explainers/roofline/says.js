/* Twin of says.py: what is found -> the sentences below the figure. */
import { fmt } from "../kit/numbers.js";
import { FORMS, rule_of } from "./steps.js";

/** @import { State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Row, Sums } from "./steps.js" */

/** Those that wait for their weights up to so many sequences. @typedef {Sums & { waits: number }} Waiting */

/**
 * Sums over all blocks.
 * @typedef {{ [Key in "flops" | "weights" | "cache" | "bytes" | "ms" | "flops_ms" | "bytes_ms" | "weights_ms" |
 * "rate"]: number } & { work: string, time: string }} Total
 */

/** @param {number} n @param {string} word */
const counted = (n, word) => `${fmt.int(n)} ${word}${n === 1 ? "" : "s"}`;

/** @param {Row} row */
const named = ({ half, role, label }) =>
  half === "mlp" ? `${role === "moe" ? "experts" : "MLPs"} (${label})` : label.replace(": ", " ");

/** @param {{ total: Total, rows: Row[], most: number }} found */
export const most_says = ({ total, rows, most }) =>
  total.ms
    ? `${fmt.percent(rows[most].share, 0)} of the time goes to the ${named(rows[most])}; the limit is ${rows[most].binds}.`
    : "Nothing is done.";

/** @param {{ rows: Row[], mixer: Waiting, mlp: Waiting }} found */
export const waits_says = ({ rows, mixer, mlp }) => {
  const what = rows.some((one) => one.role === "moe") ? "experts" : "MLPs";
  const told = /** @type {[one: Waiting, name: string][]} */ ([
    [mixer, "mixer projections"],
    [mlp, what],
  ])
    .filter(([one]) => one.waits > 0)
    .map(([one, name]) => `${name} up to ${counted(one.waits, "sequence")}`);
  return told.length ? `While decoding, reading weights is the limit for ${told.join(" and for ")}.` : "";
};

/** @param {{ rows: Row[] }} found @param {string} alone */
export const peaks_says = ({ rows }, alone) => {
  const worth = rows.filter((row) => row.flops && row.half !== "past");
  const told = FORMS.map((form) => worth.filter((row) => row.form === form))
    .reverse()
    .filter((mine) => mine.length)
    .map(
      (mine, i) =>
        `in ${mine[0].form}, at ${fmt.fixed(mine[0].peak / 1e12, 0)} TFLOP/s ${i ? `(${[...new Set(mine.map((row) => row.label))].join(", ")})` : "per GPU"}`,
    );
  return `Matrix products with weights run ${told.join("; ")}${alone && `; only the weights are ${alone}`}.`;
};

/** @param {State} state @param {{ rule: ReturnType<typeof rule_of> }} found */
export const rule_says = ({ batch, context }, { rule }) => {
  const many = `the cache of ${counted(batch, "sequence")}`;
  const first =
    0 > rule.tokens
      ? `The${many.slice(3)} never outgrows the weights that a step reads`
      : rule.tokens
        ? `Up to ${counted(rule.tokens, "token")}, ${many} is smaller than the weights that a step reads`
        : `The${many.slice(3)} is larger than the weights that a step reads at any length`;
  return `${first}; at ${counted(context, "token")} ${0 > rule.sequences ? "no batch size makes it larger" : `the cache of ${counted(rule.sequences, "sequence")} exceeds them`}.`;
};
