/* A pinned layout beside yours: its words in the address, its stacks and lanes under the same cursor, the difference in words. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as address from "./address.js";
import * as elements from "./elements.js";
import * as marks from "./marks.js";
import * as sentences from "./sentences.js";
import * as session from "./session.js";
import * as shardedTensors from "./sharded-tensors.js";
import * as tables from "./tables.js";
import * as tips from "./tips.js";
import * as topology from "./topology.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Changes, HeldPart, Now, Picked, VGiven, VKids } from "./types.d.ts" */

/** @typedef {{ now?: Now, why?: string }} Read */
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

const MOST_LETTERS = 600;

/** @type {{ found: ({ key: string } & Read) | null }} */
const state = { found: null }; // what was read last
/** @type {Map<string, (SVGElement | HTMLElement)[]>} */
const kept = new Map(); // cells of its drawing
/** @type {{ change: (changes: Changes, done: boolean) => void }} */
let page;
/** @param {{ change: (changes: Changes, done: boolean) => void }} actions */
export const start = (actions) => {
  page = actions;
};

/**
 * A layout as the address writes it: on:h200_sxm:1x8,tp:8.
 * @param {Now} now
 */
const text = (now) =>
  [...new URLSearchParams(address.of(now.layout))]
    .map(([word, value]) => `${word}:${value.replace(/[,\s]/g, "")}`)
    .join(",");

/**
 * Its words -> the plan of it for your model, or what is wrong with it: {now} or {why}.
 * @param {string} text
 * @param {string} m
 * @returns {Read}
 */
const read = (text, m) => {
  if (text.length > MOST_LETTERS) return { why: `A pinned layout has at most ${MOST_LETTERS} letters.` };
  const pairs = text.split(",").map((part) => [part.split(":")[0], part.split(":").slice(1).join(":")]);
  const known = address.WORDS.map(([word]) => word);
  const { chosen, wrong } = address.read_address(
    new URLSearchParams(pairs.filter(([word]) => known.includes(word))).toString(),
    elements.data,
  );
  const lost = [...pairs.map(([word]) => word).filter((word) => !known.includes(word)), ...wrong];
  if (lost.length)
    return {
      why: `Not read of the pinned layout: ${[...new Set(lost)].map((word) => word || "an empty word").join(", ")}.`,
    };
  const now = session.compute({ ...chosen, m });
  return now.trouble ? { why: `The pinned layout cannot be this model's: ${now.trouble.why}.` } : { now };
};
/**
 * @param {Now} now
 * @returns {Read}
 */
const of = ({ chosen: { pin: text, m } }) => {
  if (!text) return {};
  const key = `${m} ${text}`;
  if (state.found?.key !== key) state.found = { key, ...read(text, m) };
  return state.found;
};

export const toggle = () => page.change({ pin: session.state.chosen.pin ? "" : text(session.state.good) }, true);

/**
 * What tells a layout from yours, in words.
 * @param {Now} other
 * @param {Now} now
 */
const name = (other, now) => {
  const [theirs, mine] = [other, now].map(sentences.folded);
  return [theirs.split, theirs.devices !== mine.devices && theirs.devices, theirs.job !== mine.job && theirs.job]
    .filter(Boolean)
    .join(", ");
};

/* ---------------------------------------------------------------- the drawing */
/**
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {VKids}
 */
export const drawing = (now, picked) => {
  const other = of(now).now;
  if (!other) return topology.draw(now, picked);
  const scale = marks.scale(now, other);
  const both = topology.side(now) && topology.side(other);
  return [
    vdom.h(
      "div",
      { class: `pins${both ? " pins-two" : ""}` },
      panel("yours", now, now, topology.draw(now, picked, scale)),
      panel(
        "pinned",
        other,
        now,
        unwalked(topology.draw(other, shardedTensors.describe_tensor(other, now.chosen.pick), scale, kept)),
      ),
    ),
  ];
};
/**
 * Nobody walks its cells.
 * @param {VKids} made
 */
const unwalked = (made) => {
  vdom.each(made, (one) => {
    if (one instanceof Element)
      for (const cell of one.querySelectorAll("[data-rank]")) cell.removeAttribute("data-rank");
    else if (typeof one === "object" && "attrs" in one) delete one.attrs["data-rank"];
  });
  return made;
};
/**
 * @param {string} word
 * @param {Now} one
 * @param {Now} now
 * @param {VGiven} parts
 */
const panel = (word, one, now, parts) =>
  vdom.h(
    "div",
    { class: "pin-panel" },
    vdom.h(
      "p",
      { class: "pin-head" },
      vdom.h("b", { text: `${word}: ${word === "yours" ? sentences.folded(one).split : name(one, now)}` }),
      vdom.h("span", { text: result(one) }),
    ),
    parts,
  );
/** @param {Now} now */
const result = ({ layout: one, plan, bound }) => {
  if (!plan.fits) return "does not fit";
  if (one.job === "train") return `${words.gb(plan.fullest.total_bytes)} GB, ${words.duration(bound.seconds)}`;
  return plan.sequences === null ? words.duration(bound.seconds) : words.plural(plan.sequences, "sequence");
};

/* ---------------------------------------------------------------- the difference */
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
const sentence = (now, other) => {
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

/**
 * [[word, say(now) -> text or number node, amount(now) -> number, say(amount)], ...] of what both have.
 * @param {Now} now
 * @param {Now} other
 * @returns {Row[]}
 */
const rows = (now, other) => {
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
  /**
   * @param {"bytes" | "leaving_bytes"} key
   * @returns {(one: Now) => number}
   */
  const sent = (key) => (one) => one.talks.reduce((sum, talk) => sum + talk[key], 0);
  /**
   * @param {string} word
   * @param {(one: Now) => number} amount
   * @param {Say} say
   * @param {(mine: number, theirs: number) => string} [ratio]
   * @returns {Row}
   */
  const number = (word, amount, say, ratio) => [word, (one) => say(amount(one)), amount, ratio || say];
  const serve = [now, other].every((one) => one.layout.job !== "train");
  const timed = [now, other].every((one) => one.plan.timed);
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
  /** @type {Row} */
  const binds = ["bound by", (one) => one.bound.binds, null];
  return [
    ...words.PARTS.filter(([name]) => now.plan.fullest[name] || other.plan.fullest[name]).map(part),
    [
      "all, GB",
      (one) => tips.number(words.gb(one.plan.fullest.total_bytes), (formulas) => formulas.total(one, one.plan.fullest)),
      (one) => one.plan.fullest.total_bytes,
      gb,
    ],
    number("emptiest GPU, GB", (one) => one.plan.emptiest.total_bytes, words.gb, gb),
    ...(serve ? room : []),
    ...(timed
      ? [
          number(`a ${words.STEP[other.layout.job]} at least`, (one) => one.bound.seconds, words.duration, ratio),
          number("without overlap", (one) => one.bound.unhidden, words.duration, ratio),
          binds,
          ...(now.layout.job === other.layout.job && sentences.speed(now) && sentences.speed(other)
            ? [number(`tokens per second${serve ? "" : " and GPU"}, at most`, sentences.speed, words.rate)]
            : []),
          number("sent by a GPU of it", sent("bytes"), words.size),
          number("of it to other nodes", sent("leaving_bytes"), words.size),
        ]
      : []),
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
const table = (now, other) =>
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

/**
 * The button, the sentence and the table.
 * @param {Now} now
 * @returns {Now | undefined}
 */
export const show = (now) => {
  const { now: other, why } = of(now);
  const name = other ? sentences.folded(other).split : "not read";
  const pinned = Boolean(now.chosen.pin);
  setAttrs(elements.at("pin"), {
    text: pinned ? `Pinned: ${name} ×` : "Pin to compare",
    "aria-label": pinned && `Pinned: ${name}, press to unpin`,
    "aria-pressed": String(pinned),
  });
  session.state.pinned = other?.layout;
  setText(elements.at("beside"), why || (other ? sentence(now, other) : ""));
  const take = () =>
    page.change(
      {
        ...read(now.chosen.pin, now.chosen.m).now?.chosen,
        pick: now.chosen.pick,
        sort: now.chosen.sort,
        t: now.chosen.t,
        pin: text(now),
      },
      true,
    );
  elements.put(
    "pinned",
    other
      ? [
          h(
            "div",
            { class: "plan-title" },
            h("h2", {}, "Yours and the pinned layout"),
            h("button", { type: "button", class: "button", on: { click: take } }, "Change places"),
          ),
          table(now, other),
        ]
      : [],
  );
  return other;
};
