/* A plan -> what a step waits for, beside what a published run measured, and the rates that follow. */

import { h } from "../../../explainers/kit/dom.js";
import { fmt } from "../../../explainers/kit/numbers.js";
import * as seconds from "./seconds.js";
import * as sentences from "./sentences.js";
import { bar, cell, head, make } from "./tables.js";
import * as tips from "./tips.js";
import * as words from "./words.js";
import * as work from "./work.js";

/** @import { Now } from "./types.d.ts" */

const NAMES = {
  products: "products",
  memory: "reading memory",
  inside: "links in a node",
  outside: "links between nodes",
};

/**
 * What a step waits for, and what follows.
 * @param {Now} now
 */
export const timeTable = (now) => {
  const { bound, layout: one, plan } = now;
  if (!plan.timed) return [h("p", { text: "No sequence fits, so nothing is timed." })];
  const all = bound.unhidden;
  const [run] = now.runs;
  const ran = run ? (one.batch * one.sequence) / one.gpus / run.tokens : 0;
  const most = Math.max(all, ran, bound.seconds, ...seconds.TERMS.map((term) => bound[term]));
  /**
   * @param {string} word
   * @param {number} time
   * @param {string} cls
   * @param {import("./tips.js").Ask} ask
   * @param {boolean} [strong]
   */
  const row = (word, time, cls, ask, strong) =>
    h(
      "tr",
      { class: strong ? "sum" : false },
      head(word),
      cell(bar(time / most, cls), "wide"),
      cell(tips.number(words.duration(time), ask), "n"),
    );
  const rows = seconds.TERMS.filter((term) => bound[term]).map((term) =>
    row(NAMES[term], bound[term], `b-${term}`, (formulas) => formulas.term(now, term)),
  );
  if (bound.idle) rows.push(row("pipeline idle", bound.idle, "b-idle", (formulas) => formulas.waits(now)));
  rows.push(
    row("at least", bound.seconds, "b-bound", (formulas) => formulas.bound(now), true),
    row("without overlap", all, "b-sum", (formulas) => formulas.sum(now)),
  );
  if (run) rows.push(row("measured", ran, "b-measured", (formulas) => formulas.measured(now, run, ran)));
  return [
    make(
      "Time per step",
      [
        ["", ""],
        ["", "wide"],
        ["time", "n"],
      ],
      rows,
      "bars",
    ),
    facts(now),
  ];
};

/**
 * Of what step the costs are.
 * @param {Now} now
 * @returns {string}
 */
export const timeNote = ({ layout: one, slowest }) => {
  if (one.job !== "train") return `one ${words.STEP[one.job]} for each sequence`;
  const tokens = `${words.count(one.batch * one.sequence)} tokens`;
  return one.pp > 1 ? `stage ${slowest}, the slowest; ${tokens}` : tokens;
};

/** @param {Now} now */
const facts = (now) => {
  const { bound, layout: one } = now;
  /** @type {HTMLElement[]} */
  const rows = [];
  /**
   * @param {string} word
   * @param {string} value
   * @param {import("./tips.js").Ask} ask
   */
  const add = (word, value, ask) =>
    rows.push(h("div", {}, h("dt", { text: word }), h("dd", {}, ask ? tips.number(value, ask) : value)));
  if (sentences.speed(now))
    add(
      one.job === "train" ? "tokens per second and GPU, at most" : "tokens per second, at most",
      words.rate(sentences.speed(now)),
      (formulas) => formulas.speed(now),
    );
  for (const run of now.runs)
    add(
      `measured, ${run.precision}, ${run.release}`,
      `${words.rate(run.tokens)}: ${fmt.percent(run.tokens / sentences.speed(now), 0)} of the bound`,
      (formulas) => formulas.measured(now, run, (one.batch * one.sequence) / one.gpus / run.tokens),
    );
  if (bound.bubble) {
    add("idle, of the whole step", fmt.percent(bound.of_total, 2), (formulas) => formulas.idle(now));
    add("idle, of the ideal step", fmt.percent(bound.bubble, 2), (formulas) => formulas.idle(now));
  }
  if (one.job === "train")
    add(
      "FLOP per token, forward and backward",
      `${words.figures(work.training_flops(now.sheet, one.sequence, one.lora_rank) / 1e9)} GFLOP`,
      (formulas) => formulas.flops(now),
    );
  if (one.job !== "train" && now.plan.longest_context !== undefined && now.plan.sequences !== null)
    add(
      "longest context of one sequence",
      now.plan.longest_context === null ? "no limit" : words.int(now.plan.longest_context),
      (formulas) => formulas.sequences(now),
    );
  return h("dl", { class: "plan-facts" }, rows);
};
