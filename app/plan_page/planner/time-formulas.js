/* How the seconds of a step, its speed and its idle time came to be: see formulas.js. */

import { fmt } from "../../../explainers/kit/numbers.js";
import * as inputLines from "./input-lines.js";
import * as legalAxes from "./legal-axes.js";
import * as nowOf from "./now.js";
import { peak } from "./product-format.js";
import * as schedules from "./schedules.js";
import * as seconds from "./seconds.js";
import * as sentences from "./sentences.js";
import { tokens_per_copy, visited_share } from "./visited-experts.js";
import * as words from "./words.js";
import * as work from "./work.js";

/** @import { Formula, MeasuredRun, Now, Talk, TermName } from "./types.d.ts" */

/**
 * One of the four things a step waits for.
 * @param {Now} now
 * @param {TermName} term
 * @returns {Formula}
 */
export const term = (now, term) => {
  const { sheet, layout: one, plan, bound } = now;
  const whole =
    one.job !== "decode" && one.pp > 1
      ? `stage ${now.slowest}, the slowest`
      : one.pp > 1
        ? `all stages, one after the other, with ${words.plural(plan.flight, "sequence")} of ${plan.here}`
        : "one GPU";
  const title = `${seconds.BINDS[term]}: ${words.duration(bound[term])}`;
  if (term === "products")
    return [
      title,
      [
        `${words.short(bound.products * peak(one, sheet))} FLOP ÷ ${words.flops(peak(one, sheet))} = ${words.duration(bound.products)}`,
      ],
      `Of ${whole}; every product at the full rate in ${inputLines.products(now)}.`,
    ];
  if (term === "memory")
    return [
      title,
      [
        `${words.size(bound.memory * one.device.bandwidth_bytes)} read ÷ ${words.short(one.device.bandwidth_bytes / 1e12)} TB/s = ${words.duration(bound.memory)}`,
      ],
      `Of ${whole}; ${one.job === "train" ? "weights forth and back each micro-batch, the optimizer twice" : `weights once${legalAxes.experts_of(sheet).length ? `, ${fmt.percent(visited_share(sheet, tokens_per_copy(plan), one.redundant), 0)} of the experts` : ""}${one.job === "decode" ? ", the cache once" : ""}`}.`,
    ];
  const [rate, which] =
    term === "inside" ? [one.device.inside_bytes, "stay in the node"] : [one.outside_bytes, "leave the node"];
  return [
    title,
    [`${words.size(bound[term] * rate)} ${which} ÷ ${words.short(rate / 1e9)} GB/s = ${words.duration(bound[term])}`],
    `Of ${whole}; both directions at once, latency left out.`,
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const bound = (now) => {
  const { bound } = now;
  const four = `max(${seconds.TERMS.map((term) => words.duration(bound[term])).join(", ")})`;
  const flows = bound.idle && bound.flow + bound.idle === bound.seconds;
  const lines = [
    flows
      ? `${words.duration(bound.flow)}, what micro-batches wait for, + ${words.short(bound.bubble)} × ${words.duration(bound.idle / bound.bubble)}`
      : four,
    `= ${words.duration(bound.seconds)}`,
  ];
  return [
    "at least: what hides nothing of the rest",
    lines,
    `Bound by ${bound.binds}: all four run at once and at their full rate, so nothing measured is faster.`,
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const sum = (now) => {
  const { bound, layout: one } = now;
  const idle = bound.idle_apart ? ` + ${words.duration(bound.idle_apart)} of waiting` : "";
  const who =
    one.job !== "train" && one.pp > 1
      ? "sum over stages of max(products, memory) + links"
      : "max(products, memory) + links inside + links outside, of the stage that takes longest so";
  return [
    "without overlap",
    [
      `${who} = ${words.duration(bound.apart)}`,
      `${words.duration(bound.apart)}${idle} = ${words.duration(bound.unhidden)}`,
    ],
    "No traffic hides behind work.",
  ];
};

/**
 * @param {Now} now
 * @param {Talk} talk
 * @returns {Formula}
 */
export const talk = (now, talk) => {
  const { layout: one } = now;
  const per = talk.calls ? talk.bytes / talk.calls : 0;
  const gather = /all-reduce|reduce-scatter|all-gather/.test(talk.operation);
  const twice = talk.operation.startsWith("all-reduce") ? "2 × " : "";
  const factor = gather
    ? ` = ${twice}${words.size((per * talk.ranks) / (talk.ranks - 1) / (twice ? 2 : 1))} × ${talk.ranks - 1} ÷ ${talk.ranks}`
    : "";
  return [
    `${talk.axis} ${talk.operation}: ${words.size(talk.bytes)} a step`,
    [
      `${words.int(talk.calls)} × ${words.size(per)}${factor ? `, each${factor}` : ""}`,
      `${words.size(talk.bytes - talk.leaving_bytes)} in the node ÷ ${words.short(one.device.inside_bytes / 1e9)} GB/s + ${words.size(talk.leaving_bytes)} out ÷ ${words.short(one.outside_bytes / 1e9)} GB/s = ${words.duration(nowOf.busy(now, talk))}`,
    ],
    talk.leaving_bytes ? "At least this much of it leaves the node." : "It stays inside the node.",
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const idle = (now) => {
  const { layout: one, bound } = now;
  const row = schedules.ROWS[one.runs];
  const [v, m] = [one.chunks, one.micro_batches];
  return [
    `pipeline idle: ${fmt.percent(bound.of_total, 2)} of the step`,
    [
      `of the ideal step ${row.idle(one.pp, v, m)} ÷ (3 v m) = ${row.idle(one.pp, v, m)} ÷ (3 × ${v} × ${m}) = ${fmt.percent(bound.bubble, 2)}`,
      `of the whole step ${words.duration(bound.idle)} ÷ ${words.duration(bound.seconds)} = ${fmt.percent(bound.of_total, 2)}`,
    ],
    `${row.label} idles ${row.told} forwards of a chunk; each of m micro-batches takes 3 of each of v chunks.`,
  ];
};

/**
 * What the pipeline adds to what micro-batches wait for most.
 * @param {Now} now
 * @returns {Formula}
 */
export const waits = (now) => {
  const { bound } = now;
  return [
    `pipeline idle: ${words.duration(bound.idle)}`,
    [`${words.short(bound.bubble)} × ${words.duration(bound.idle / bound.bubble)} of the quickest stage`],
    "A stage waits for others, and for none longer than it works itself.",
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const speed = (now) => {
  const { layout: one, plan, bound } = now;
  const train = one.job === "train";
  const many = train
    ? `${words.int(one.batch)} × ${words.int(one.sequence)} tokens ÷ ${one.gpus} GPUs`
    : one.job === "prefill"
      ? `${plan.here * one.dp} × ${words.int(one.sequence)} tokens`
      : words.plural(one.batch || plan.here * one.dp, "token");
  return [
    `${words.rate(sentences.speed(now))} tokens per second, at most`,
    [`${many} ÷ ${words.duration(bound.seconds)}`],
    train ? "Per GPU." : "Of all sequences together.",
  ];
};

/**
 * @param {Now} now
 * @returns {Formula}
 */
export const flops = (now) => {
  const { sheet, layout: one } = now;
  const forth = work.model_flops(sheet, one.sequence) / one.sequence;
  /** @param {number} flops */
  const giga = (flops) => `${words.figures(flops / 1e9)} GFLOP`;
  const adapters = one.lora_rank
    ? ` − ${giga(work.weight_flops(sheet))} of frozen weights + 3 × ${giga(work.lora_flops(sheet, one.lora_rank))} of adapters`
    : "";
  return [
    "FLOP of a training token",
    [`3 × ${giga(forth)}${adapters}${sheet.mtp.length ? " + the layers that predict further tokens" : ""}`],
    `Attention counted causally at ${words.int(one.sequence)} tokens; nothing recomputed. As Megatron-LM counts.`,
  ];
};

/**
 * @param {Now} now
 * @param {MeasuredRun} run
 * @param {number} ran seconds of a step
 * @returns {Formula}
 */
export const measured = ({ layout: one, source }, run, ran) => [
  `measured: ${words.rate(run.tokens)} tokens per second and GPU`,
  [
    `${words.int(one.batch)} × ${words.int(one.sequence)} tokens ÷ ${one.gpus} GPUs ÷ ${words.rate(run.tokens)} = ${words.duration(ran)} a step`,
  ],
  `${run.precision}, release ${run.release}, ${words.short(run.tflops)} TFLOP/s: ${source}.`,
];
