/* What compute returns -> every block as two bars on one scale of time, and what a step reads as two bars. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, valueAt } from "../kit/numbers.js";

/** @import { State } from "../../.make/data_types/roofline.d.ts" */
/** @import { Now } from "./compute.js" */

/** A block's item and what it is made of. @typedef {ReturnType<typeof block_made>} Item */
/** What is hidden while a bet is open. @typedef {false | "" | "time" | "work"} Hide */

const WIDE = 70;
const SORTS = [
  ["weights", "reading its weights (in its colour)"],
  ["kept", "its cache"],
  ["work", "its arithmetic"],
];
/** @param {string} css @param {unknown} hide */
export const hushed = (css, hide) => css + (hide ? " hush" : "");

const block_made = () => {
  const parts = {
    number: h("b", { class: "number", "data-index": true }),
    label: h("span", { class: "label" }),
    time: h("span"),
  };
  const [weights, kept, size] = [
    s("rect", { class: "weights", x: 0, y: 2, height: 14 }),
    s("rect", { class: "kept", y: 2, height: 14 }),
    s("text", { dx: 8, y: 14 }),
  ];
  const [bar, amount] = [s("rect", { x: 0, y: 21, height: 12 }), s("text", { dx: 8, y: 32 })];
  const work = s("g", {}, bar, amount);
  const svg = s("svg", { width: "100%", height: 38, "aria-hidden": "true" }, weights, kept, size, work);
  const li = h("li", {}, h("p", {}, parts.number, " ", parts.label, parts.time), svg);
  return Object.assign(li, { parts: { ...parts, weights, kept, size, bar, amount, work } });
};

export const blocks_view = () => {
  const name = h("p", { class: "cw-roofline-name" });
  const list = h("ol", {
    class: "cw-roofline-blocks",
    "aria-label": "Blocks of a step, in order, with bytes and arithmetic on one time scale",
  });
  /** @param {Now} now @param {Hide} [hide] */
  const update = (now, hide = "") => {
    fill(name, "{device.title:text}: {device.tb:num 3} TB/s, {device.tflops:int} TFLOP/s", now);
    const most = Math.max(0, ...now.rows.map((row) => row.ms)) || 1;
    renderList(list, now.drawn, block_made);
    /** @type {Item[]} */ ([...list.children]).forEach((li, k) => {
      const [i, { parts }] = [now.drawn[k], li];
      const row = now.rows[i];
      const weights = row.bytes ? row.bytes_ms * (row.weights / row.bytes) : 0;
      const [a, b, c, d] = [weights, row.bytes_ms - weights, row.bytes_ms, row.flops_ms].map((ms) =>
        pct((ms * WIDE) / 100 / most),
      );
      setAttrs(li, { class: `cw-roofline-block of-${row.role}` });
      setText(parts.number, i + 1);
      fill(parts.label, `{rows.${i}.label:text}`, now);
      fill(setAttrs(parts.time, { class: hushed("time", hide) }), `{rows.${i}.time:text}`, now);
      setAttrs(parts.weights, { width: a });
      setAttrs(parts.kept, { x: a, width: b });
      fill(
        setAttrs(parts.size, { class: row.flops_ms > row.bytes_ms ? "" : "on", x: c }),
        `{rows.${i}.bytes:bytes}`,
        now,
      );
      setAttrs(parts.bar, { width: d });
      fill(
        setAttrs(parts.amount, { class: row.flops_ms > row.bytes_ms ? "on" : "", x: d }),
        `{rows.${i}.work:text}`,
        now,
      );
      setAttrs(parts.work, { class: hushed("work", hide === "work") });
    });
  };
  return { el: [name, list, makeLegend(SORTS.map(([css, label]) => ({ class: css, label })))], update };
};

const READS = [
  ["weights", "weights read per step", "total.weights"],
  ["kept", "the cache", "total.cache"],
];
export const reads_view = () => {
  const name = h("p", { class: "cw-roofline-name" });
  const rows = READS.map(([css, label, path], i) => {
    const [amount, bar] = [
      s("text", { class: "end", x: "100%", y: 62 * i + 14 }),
      s("rect", { class: css, x: 0, y: 62 * i + 22, height: 26 }),
    ];
    return { path, amount, bar, all: [s("text", { x: 0, y: 62 * i + 14, text: label }), amount, bar] };
  });
  const svg = s(
    "svg",
    {
      class: "cw-roofline-reads",
      width: "100%",
      height: 114,
      role: "img",
      "aria-label": "Weights and cache of a step, to one scale.",
    },
    rows.map((row) => row.all),
  );
  /** @param {State & Now} now */
  const update = (now) => {
    fill(name, "What one step reads with {batch:int} × {context:int} tokens", now);
    const most = Math.max(now.total.weights, now.total.cache) || 1;
    for (const { path, amount, bar } of rows) {
      fill(amount, `{${path}:bytes}`, now);
      setAttrs(bar, { width: pct(valueAt(now, path) / most) });
    }
  };
  return { el: [name, svg], update };
};
