/* Two plans -> what tells the pinned one from yours: a sentence and a table. */

import { h } from "../../../explainers/kit/dom.js";
import { name } from "./pinned-layout.js";
import * as sentences from "./sentences.js";
import * as tables from "./tables.js";
import * as tips from "./tips.js";
import * as words from "./words.js";

/** @import { HeldPart, Now } from "./types.d.ts" */

/** @typedef {(x: number) => string} Say */

/**
 * A row of the table: what it says of a plan, and the amount that is compared, if it is one.
 * @typedef {[
 *   word: string,
 *   say: (now: Now) => string | HTMLElement,
 *   amount: ((now: Now) => number | null) | null,
 *   difference?: Say | ((mine: number, theirs: number) => string),
 * ]} Row
 */

/**
 * "6 more", "3.1 GB less", "as many"
 * @param {number} mine
 * @param {number} theirs
 * @param {Say} say
 * @param {string} [same]
 * @param {string} [less]
 */
const apart_by = (mine, theirs, say, same = "as much", less = "less") =>
  say(Math.abs(theirs - mine)) === say(0) ? same : `${say(Math.abs(theirs - mine))} ${theirs > mine ? "more" : less}`;
/**
 * "10 % longer", "2.1 times as long", "as long"
 * @param {number} mine
 * @param {number} theirs
 */
const ratio = (mine, theirs) => {
  const times = theirs / mine;
  if (Math.abs(times - 1) < 0.0005) return "as long";
  return times >= 2
    ? `${words.short(times)} times as long`
    : `${words.short(100 * Math.abs(times - 1))} % ${times > 1 ? "longer" : "shorter"}`;
};

/**
 * @param {Now} now
 * @param {Now} other
 */
export const sentence = (now, other) => {
  const { layout: one, plan, bound } = other;
  const who = `The pinned layout, ${name(other, now)},`;
  if (!plan.fits) return `${who} does not fit: its fullest GPU needs ${words.gb(plan.fullest.total_bytes)} GB.`;
  const same = one.job === now.layout.job && now.plan.timed;
  const step = words.STEP[one.job];
  const first =
    one.job === "train" || plan.sequences === null
      ? `holds ${words.gb(plan.fullest.total_bytes)} GB on its fullest GPU${same ? `, ${apart_by(now.plan.fullest.total_bytes, plan.fullest.total_bytes, (x) => `${words.gb(x)} GB`)}` : ""}`
      : `holds ${words.plural(plan.sequences, "sequence")}${same && now.plan.sequences !== null ? `, ${apart_by(now.plan.sequences, plan.sequences, words.int, "as many", "fewer")}` : ""}`;
  return `${who} ${first}; a ${step} takes at least ${words.duration(bound.seconds)}${same ? `, ${ratio(now.bound.seconds, bound.seconds)}` : ""}, bound by ${bound.binds}.`;
};

/** @param {number} x */
const gb = (x) => `${words.gb(x)} GB`;

/**
 * @param {[name: HeldPart, word: string]} one
 * @returns {Row}
 */
const part = ([name, word]) => [
  word,
  (one) =>
    one.plan.fullest[name]
      ? tips.number(words.gb(one.plan.fullest[name]), (formulas) => formulas.part(one, one.plan.fullest, name))
      : "–",
  (one) => one.plan.fullest[name],
  gb,
];

/** @type {Row} */
const total = [
  "all, GB",
  (one) => tips.number(words.gb(one.plan.fullest.total_bytes), (formulas) => formulas.total(one, one.plan.fullest)),
  (one) => one.plan.fullest.total_bytes,
  gb,
];

/** @type {Row[]} */
const room = [
  [
    "sequences, all GPUs",
    (one) =>
      one.plan.sequences
        ? tips.number(words.int(one.plan.sequences), (formulas) => formulas.sequences(one))
        : one.plan.sequences === 0
          ? "0"
          : "any",
    (one) => one.plan.sequences,
    words.int,
  ],
  [
    "longest context",
    (one) => (one.plan.longest_context === null ? "any" : words.int(one.plan.longest_context)),
    (one) => one.plan.longest_context,
    words.int,
  ],
];

/**
 * @param {string} word
 * @param {(one: Now) => number} amount
 * @param {Say} say
 * @param {(mine: number, theirs: number) => string} [ratio]
 * @returns {Row}
 */
const number = (word, amount, say, ratio) => [word, (one) => say(amount(one)), amount, ratio || say];

/**
 * @param {"bytes" | "leaving_bytes"} key
 * @returns {(one: Now) => number}
 */
const sent = (key) => (one) => one.talks.reduce((sum, talk) => sum + talk[key], 0);

/**
 * What a step takes and sends.
 * @param {Now} now
 * @param {Now} other
 * @param {boolean} serve
 * @returns {Row[]}
 */
const step = (now, other, serve) => [
  number(`a ${words.STEP[other.layout.job]} at least`, (one) => one.bound.seconds, words.duration, ratio),
  number("without overlap", (one) => one.bound.unhidden, words.duration, ratio),
  ["bound by", (one) => one.bound.binds, null],
  ...(now.layout.job === other.layout.job && sentences.speed(now) && sentences.speed(other)
    ? [number(`tokens per second${serve ? "" : " and GPU"}, at most`, sentences.speed, words.rate)]
    : []),
  number("sent by a GPU of it", sent("bytes"), words.size),
  number("of it to other nodes", sent("leaving_bytes"), words.size),
];

/**
 * [[word, say(now) -> text or number node, amount(now) -> number, say(amount)], ...] of what both have.
 * @param {Now} now
 * @param {Now} other
 * @returns {Row[]}
 */
const rows = (now, other) => {
  const serve = [now, other].every((one) => one.layout.job !== "train");
  const timed = [now, other].every((one) => one.plan.timed);
  return [
    ...words.PARTS.filter(([name]) => now.plan.fullest[name] || other.plan.fullest[name]).map(part),
    total,
    number("emptiest GPU, GB", (one) => one.plan.emptiest.total_bytes, words.gb, gb),
    ...(serve ? room : []),
    ...(timed ? step(now, other, serve) : []),
  ];
};

/**
 * @param {Row} row
 * @param {Now} now
 * @param {Now} other
 */
const difference = ([, , amount, say], now, other) => {
  if (!amount) return now.bound.binds === other.bound.binds ? "the same" : "";
  const [mine, theirs] = [now, other].map(amount);
  if (mine === null || theirs === null) return "";
  return say === ratio ? ratio(mine, theirs) : apart_by(mine, theirs, /** @type {Say} */ (say), "the same");
};

/**
 * @param {Now} now
 * @param {Now} other
 */
export const table = (now, other) =>
  tables.make(
    "Yours and the pinned layout",
    [["fullest GPU"], ["yours", "n"], ["pinned", "n"], ["the pinned one has"]],
    rows(now, other).map((row) =>
      h(
        "tr",
        {},
        tables.head(row[0]),
        tables.cell(row[1](now), "n"),
        tables.cell(row[1](other), "n"),
        tables.cell(difference(row, now, other)),
      ),
    ),
    "pinned",
  );
