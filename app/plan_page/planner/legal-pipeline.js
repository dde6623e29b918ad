/* The rules of a pipeline: its micro-batches, its schedule, how its layers are split, what predicts further tokens; of gallery/planning/legal_job.py. */

import * as legalAxes from "./legal-axes.js";
import * as schedules from "./schedules.js";
import * as stages from "./stages.js";

/** @import { Layout, Problem, Sheet } from "./types.d.ts" */

export const MOST_PARTS = 4096;

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
    legalAxes.make(
      "batch",
      `A batch of ${one.batch} is not a multiple of dp ${one.dp} x micro-batch ${one.micro_batch}${more} = ${step}`,
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
      legalAxes.make("chunks", `${row.label} has ${wanted} chunks on a stage, not ${one.chunks}`, [
        Math.min(Math.max(one.chunks, fewest), most),
      ]),
    ];
  }
  if (row.rule === "both ends" && one.pp % 2) {
    const rest = Math.floor(one.gpus / (one.tp * one.cp));
    return [
      legalAxes.make(
        "pp",
        `${row.label} pairs the stages from both ends: pp ${one.pp} is odd`,
        legalAxes.nearest_legal(one.pp, (n) => rest % n === 0 && (n === 1 || n % 2 === 0), rest),
      ),
    ];
  }
  if (one.micro_batches >= row.least(one.pp)) return [];
  return [
    legalAxes.make(
      "batch",
      `${row.label} fills its pipeline from both ends: ${one.micro_batches} micro-batches are too few`,
      [row.least(one.pp) * one.dp * one.micro_batch],
    ),
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
    return [legalAxes.make("split", `${said} is not a layout of E, t, m and L, with E first and L last`, [""], "none")];
  if (many !== layers)
    return [legalAxes.make("split", `${said} has ${many} layers, this model ${layers}`, [""], "none")];
  if (parts.length === one.pp * one.chunks) return [];
  return [
    legalAxes.make(
      "pp",
      `${said} has ${parts.length} parts, not pp ${one.pp} x ${one.chunks} chunks`,
      legalAxes.nearest_legal(one.pp, (pp) => parts.length % pp === 0, Math.min(parts.length, MOST_PARTS)),
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
      ? `mtp ${mtp} is only for training`
      : most
        ? `This model predicts ${most} further token${most > 1 ? "s" : ""}, not ${mtp}`
        : `This model has no layers that predict further tokens, so mtp ${mtp} has nothing to train`;
  return [legalAxes.make("mtp", why, [most])];
};
