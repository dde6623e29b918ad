/* A plan -> the four tables under the drawing, what is said beside them, and notes. */

import { h, s } from "../../../explainers/kit/dom.js";
import { fmt } from "../../../explainers/kit/numbers.js";
import * as nowOf from "./now.js";
import { SHAPE } from "./pieces.js";
import { neighbour_stages } from "./pipeline-communication.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import * as seconds from "./seconds.js";
import * as sentences from "./sentences.js";
import * as shardedTensors from "./sharded-tensors.js";
import * as stageBoxes from "./stage-boxes.js";
import { linkWidth } from "./stage-cells.js";
import * as stageWeights from "./stage-weights.js";
import * as tips from "./tips.js";
import * as words from "./words.js";
import * as work from "./work.js";

/** @import { Held, HeldPart, Now, OwnerRow, Picked, Talk } from "./types.d.ts" */

/** @import { Kid } from "../../../explainers/kit/dom.js" */

/**
 * @param {string} caption
 * @param {string[][]} heads
 * @param {Kid} rows
 * @param {string} [cls]
 * @returns {HTMLDivElement}
 */
export const make = (caption, heads, rows, cls = "") =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: cls || false },
      h("caption", { class: "away", text: caption }),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([text, align]) =>
            h(text ? "th" : "td", { scope: text ? "col" : false, class: align || false, text }),
          ),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
/**
 * @param {Kid} kids
 * @param {string} [cls]
 * @returns {HTMLTableCellElement}
 */
export const cell = (kids, cls) => h("td", { class: cls || false }, kids);
/**
 * @param {...Kid} kids
 * @returns {HTMLTableCellElement}
 */
export const head = (...kids) => h("th", { scope: "row" }, kids);

/**
 * Notes: a word, and what to know.
 * @param {string[][]} rows
 */
export const said = (rows) => rows.map(([word, text]) => h("p", {}, h("b", { text: word }), ` ${text}`));

/**
 * GB by part and stage.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {HTMLDivElement[]}
 */
export const holds = (now, picked) => {
  const boxes = stageBoxes.list(now, picked);
  const { layout: one } = now;
  /**
   * @param {Held} rank
   * @param {HeldPart} name
   */
  const number = (rank, name) =>
    cell(rank[name] ? tips.number(words.gb(rank[name]), (formulas) => formulas.part(now, rank, name)) : "–", "n");
  const parts = words.PARTS.filter(([name]) => now.plan.ranks.some((rank) => rank[name]));
  const rows = [...parts].reverse().map(([name, word]) =>
    h(
      "tr",
      {},
      head(
        h("i", { class: `ax key-${name}`, "aria-hidden": "true" }),
        name === "activations_bytes" ? "activations, peak" : word,
      ),
      boxes.map(({ rank }) => number(rank, name)),
    ),
  );
  rows.push(
    h(
      "tr",
      { class: "sum" },
      head(`of ${words.gb(now.plan.room_bytes)}`),
      boxes.map(({ rank }) =>
        cell(
          tips.number(words.gb(rank.total_bytes), (formulas) => formulas.total(now, rank)),
          "n",
        ),
      ),
    ),
  );
  if (now.plan.sequences)
    rows.push(
      h(
        "tr",
        { class: "sum" },
        head("sequences, all GPUs"),
        cell(
          tips.number(words.int(now.plan.sequences), (formulas) => formulas.sequences(now)),
          "n",
        ),
        boxes.slice(1).map(() => cell("")),
      ),
    );
  const heads = boxes.map(({ from, to }) => [
    one.pp === 1 ? (one.gpus > 1 ? "each GPU" : "the GPU") : from === to ? `stage ${from}` : `stages ${from}–${to}`,
    "n",
  ]);
  return [make("Memory per GPU, in GB", [["", ""], ...heads], rows)];
};

/**
 * @param {number} share
 * @param {string} cls
 */
const bar = (share, cls) =>
  s(
    "svg",
    { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: cls, width: Math.max(share * 1000, 2).toFixed(1), height: 10 }),
  );

/**
 * What a step waits for, and what follows.
 * @param {Now} now
 */
export const costs = (now) => {
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
  const names = {
    products: "products",
    memory: "reading memory",
    inside: "links in a node",
    outside: "links between nodes",
  };
  const rows = seconds.TERMS.filter((term) => bound[term]).map((term) =>
    row(names[term], bound[term], `b-${term}`, (formulas) => formulas.term(now, term)),
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
export const costsNote = ({ layout: one, slowest }) => {
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

/**
 * Tensors that are dealt alike; pressing one lights its owners.
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {(name: string) => void} pick
 * @returns {HTMLDivElement[]}
 */
export const owns = (now, picked, pick) => {
  const { layout: one } = now;
  const rows = shardedTensors.rows(now).map((row) => {
    const held = placement.owners(one, row.rule, 0);
    const mine =
      picked && picked.row.label === row.label && picked.row.where === row.where && picked.row.rule === row.rule;
    const shape =
      row.most[SHAPE]
        .slice(row.rule[0] === "experts" ? 1 : 0)
        .map(words.int)
        .join(" × ") + (row.pieces.length > 1 ? " …" : "");
    const ends = shardedTensors.ends(now.sheet, one, row);
    const stage = ends
      ? `${ends.length > 1 ? "stages" : "stage"} ${ends.join(" and ")}`
      : one.copies > 1
        ? "its two stages"
        : "its stage";
    const copies = held.copies * (ends ? ends.length : one.copies);
    const who = held.parts * copies === 1 ? "one GPU" : one.pp > 1 ? stage : "all";
    return h(
      "tr",
      { class: mine ? `lit soft-${picked.axis}` : false },
      head(
        h(
          "button",
          {
            type: "button",
            class: "link",
            "aria-pressed": String(Boolean(mine)),
            on: { click: () => pick(mine ? "" : shardedTensors.name(row)) },
          },
          row.label,
        ),
      ),
      cell(words.runs(row.layers) || "–"),
      cell(shape),
      cell(shardedTensors.say_cut(row.rule, one)),
      cell(words.int(copies), "n"),
      cell(row.rule[0] === "experts" && one.ep > 1 && one.etp === 1 ? `ep rank of the expert` : who),
    );
  });
  return [
    make(
      "Shards of every tensor",
      [["tensor"], ["layers"], ["shape"], ["cut by"], ["copies", "n"], ["owners"]],
      rows,
      "owns",
    ),
  ];
};

/**
 * The communicators of the picked tensor's stage, or of the fullest.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {HTMLDivElement[]}
 */
export const communicators = (now, picked) => {
  const stage = picked ? picked.stage : now.plan.fullest.stage;
  const { layout: one } = now;
  const found = now.talksOf(stage).filter((talk) => talk.bytes);
  const me = picked ? picked.first : ranks.first_rank(one, stage);
  const most = Math.max(...found.map((talk) => nowOf.busy(now, talk)), 1e-12);
  /** @param {number[]} stages_ */
  const at = (stages_) =>
    placement.words(
      stages_.map((other) => me + ranks.first_rank(one, other) - ranks.first_rank(one, stage)).sort((a, b) => a - b),
    );
  /** @param {Talk} talk */
  const who = (talk) => {
    if (talk.operation.includes("both copies")) return at([stage, one.pp - 1 - stage]);
    if (talk.operation.includes("of the embedding")) return at(stageWeights.table_stages(now.sheet, one));
    return talk.axis === "pp"
      ? at([stage, ...neighbour_stages(one, stage).keys()])
      : placement.words(ranks.group(one, talk.axis, me));
  };
  const rows = found.map((talk) =>
    h(
      "tr",
      { class: picked?.axis === words.role(talk.axis) ? `lit soft-${picked.axis}` : false },
      head(h("i", { class: `ax ax-${words.role(talk.axis)}`, "aria-hidden": "true" }), talk.axis),
      cell(talk.operation),
      cell(`${talk.ranks}: ${who(talk)}`),
      cell(
        tips.number(words.size(talk.bytes), (formulas) => formulas.talk(now, talk)),
        "n",
      ),
      cell([
        s(
          "svg",
          { class: "wire", width: 26, height: 8, "aria-hidden": "true" },
          s("line", {
            class: `line-${words.role(talk.axis)}${talk.leaving_bytes ? " ln-out" : ""}`,
            "stroke-width": linkWidth(talk.bytes),
            x2: 26,
            y1: 4,
            y2: 4,
          }),
        ),
        talk.leaving_bytes ? `${words.size(talk.leaving_bytes)} leave the node` : "stays inside the node",
      ]),
      cell(words.duration(nowOf.busy(now, talk)), "n"),
      cell(bar(nowOf.busy(now, talk) / most, `fill-${words.role(talk.axis)}`), "wide"),
    ),
  );
  const silent = ["tp", "pp", "cp", "dp", "edp"].filter(
    (axis) => !found.some((talk) => words.role(talk.axis) === axis),
  );
  rows.push(
    h(
      "tr",
      {},
      head(silent.join(", ")),
      h("td", {
        colspan: 6,
        class: "muted",
        text:
          one.job === "train"
            ? "1 rank each, or nothing to send"
            : "nothing to send: 1 rank each, or each rank has its own sequences",
      }),
    ),
  );
  return [
    make(
      "Communication between GPUs",
      [["axis"], ["operation"], ["ranks"], ["bytes", "n"], ["link"], ["busy", "n"], ["", "wide"]],
      rows,
      "talks",
    ),
  ];
};

/**
 * From where the communicators are seen.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {string}
 */
export const talksNote = ({ layout: one, plan }, picked) =>
  `bytes that GPU ${picked ? picked.first : ranks.first_rank(one, plan.fullest.stage)} sends per step`;
