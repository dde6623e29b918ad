/* ZeRO: every rank as a card of bars, one per thing kept for a parameter; as wide as the parameters, as tall as its bytes. */

import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { range } from "./arithmetic.js";
import { rounded } from "./rings.js";

/** @import { State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Column } from "../kit/table.js" */
/** @import { Now } from "./compute.js" */

/** A bar. @typedef {{ x: number, y: number, w: number, h: number, class: string, text?: undefined }} Bar */
/**
 * Words: with values in braces, or plain ones that number a place (`index`).
 * @typedef {{ x: number, y: number, text: string, anchor: string, strong?: boolean, index?: boolean }} Words
 */
/** A row of the table: stage s. @typedef {{ stage: string, s: number, now: object, class: string | false, how: string }} Row */

/** @type {{ [what: string]: string }} */
const ROLE = {
  weight: "cw-tensor-parallel-weight",
  gradient: "cw-tensor-parallel-gradient",
  accumulated: "cw-tensor-parallel-gradient",
  master: "cw-tensor-parallel-optimizer",
  momentum: "cw-tensor-parallel-optimizer",
  variance: "cw-tensor-parallel-optimizer",
};

/**
 * The cards of the ranks that there is room for: bars, words, and where they end.
 * @param {Now["zero"]} z
 * @param {number} d
 * @param {number} width
 */
const cards_of = (z, d, width) => {
  const left = width > 640 ? 190 : 0;
  const room = Math.max(2, Math.floor((width - left) / 84));
  const shown = d <= room ? range(d) : [...range(room - 1), d - 1];
  const card = Math.min(130, (width - left) / shown.length);
  const unit = 11;
  const tops = z.held.map((_, i) => 32 + z.held.slice(0, i).reduce((sum, k) => sum + k[1] * unit + 3, 0));
  const last = z.held.length - 1;
  const bottom = tops[last] + z.held[last][1] * unit;
  /** @type {Bar[]} */
  const rects = [];
  /** @type {Words[]} */
  const texts = [];
  z.held.forEach(([what, bytes, share], i) => {
    if (left)
      texts.push({
        x: left - 12,
        y: tops[i] + (bytes * unit) / 2 + 4,
        text: `{zero.held.${i}.0} · {zero.held.${i}.1} B`,
        anchor: "end",
      });
    shown.forEach((r, n) => {
      const x = left + n * card + 4;
      const w = card - 10;
      rects.push({ x, y: tops[i], w, h: bytes * unit, class: "cw-tensor-parallel-missing" });
      rects.push({
        x: share < 1 ? x + ((w - Math.max(w * share, 3)) * r) / Math.max(d - 1, 1) : x,
        y: tops[i],
        w: Math.max(w * share, 3),
        h: bytes * unit,
        class: ROLE[what.split(/[ ,]/)[0]],
      });
    });
  });
  shown.forEach((r, n) => {
    const x = left + n * card + card / 2 - 1;
    texts.push({ x, y: 22, text: `${r - n > 0 ? "… " : ""}rank ${r}`, index: true, anchor: "middle", strong: true });
    texts.push({ x, y: bottom + 18, text: "{zero.per_parameter:fixed 2} B", anchor: "middle", strong: true });
  });
  return { items: [...rects, ...texts], bottom };
};

/** @param {SVGElement} node @param {Bar | Words} i @param {object} now */
const draw_item = (node, i, now) => {
  if (i.text === undefined)
    return void setAttrs(node, { x: rounded(i.x), y: i.y, width: rounded(i.w), height: i.h, rx: 2, class: i.class });
  setAttrs(node, {
    x: rounded(i.x),
    y: i.y,
    "text-anchor": i.anchor,
    class: i.strong ? "cw-tensor-parallel-strong" : "cw-tensor-parallel-kept",
    "data-index": Boolean(i.index),
  });
  if (i.index) setText(node, i.text);
  else fill(node, i.text, now);
};

export const zero_cards = () => {
  const svg = s("svg", { role: "img", class: "cw-tensor-parallel-svg" });
  const legend = makeLegend([
    { class: "cw-tensor-parallel-weight", label: "weights" },
    { class: "cw-tensor-parallel-gradient", label: "gradients" },
    { class: "cw-tensor-parallel-optimizer", label: "optimizer states" },
    { class: "cw-tensor-parallel-missing", label: "not on this rank" },
  ]);
  /** @param {Now} out @param {State} state @param {number} width */
  const draw = (out, state, width) => {
    const z = out.zero;
    const d = state.dp;
    const { items, bottom } = cards_of(z, d, width);
    setAttrs(svg, {
      width,
      height: bottom + 26,
      viewBox: `0 0 ${width} ${bottom + 26}`,
      "aria-label": `ZeRO stage ${state.stage} on ${d} ranks: each keeps ${fmt.fixed(z.per_parameter, 2)} bytes of the ${fmt.fixed(z.stages[0], 2)} for a parameter: ${z.held.map(([what, , share]) => `${what} ${share < 1 ? `a ${d}th` : "whole"}`).join(", ")}.`,
    });
    const now = { ...state, ...out };
    renderList(
      svg,
      items,
      (item) => /** @type {SVGElement} */ (s(item.text === undefined ? "rect" : "text")),
      (node, item) => draw_item(node, item, now),
      (item, n) => `${item.text && Boolean(item.index)}${n}`,
    );
  };
  return { svg, legend, draw };
};

export const zero_view = () => {
  const [big, words] = [h("b", { class: "cw-big" }), h("span")];
  const small = h("p", { class: "cw-note" });
  /** @param {string} key @param {string} label @param {string} how @returns {Column<Row>} */
  const column = (key, label, how) => ({ out: (r) => `zero.rows.${r.s}.${key}`, how, label, align: "right" });
  const table = makeTable({
    caption: "The four stages compared, in bytes kept and sent per parameter",
    columns: [
      { key: "stage", label: "stage" },
      column("per", "kept", "fixed 2"),
      column("bytes", "on each rank", "bytes"),
      column("gradients", "gradients sent", "fixed 2"),
      column("weights", "weights sent", "fixed 2"),
      { key: "how", label: "collectives" },
    ],
  });
  const HOW = [
    "all-reduce of gradients",
    "reduce-scatter, then all-gather of new weights",
    "the same, but each gradient is freed once reduced",
    "all-gather in the forward and backward pass, reduce-scatter",
  ];
  const cards = zero_cards();
  const el = h(
    "div",
    {},
    cards.svg,
    cards.legend,
    h("p", {}, big, " ", words),
    h("div", { class: "cw-section" }, table.el, small),
  );
  /** @param {Now} out @param {State} state */
  const print = (out, state) => {
    const now = { ...state, ...out };
    fill(big, "{zero.per_parameter:fixed 2} bytes per parameter", now);
    fill(
      words,
      "on each of {dp:int} ranks: {zero.rank_bytes:bytes} for the {zero.parameters:count} parameters of {sizes.title}. In a step, each rank sends {zero.sent.gradients:fixed 2} + {zero.sent.weights:fixed 2} bytes per parameter, {zero.sent_bytes:bytes} in all.",
      now,
    );
    table.update(
      range(4).map((s) => ({ stage: `ZeRO-${s}`, s, now, class: s === state.stage ? "on" : false, how: HOW[s] })),
    );
    fill(
      small,
      "{zero.label} bytes: {zero.source}. One Adam step ran on {dp:int} ranks with two parameters each: its weights {zero.differ}, and the numbers it sent give the bytes above. Activations are not counted here.",
      now,
    );
  };
  return {
    el,
    /** @param {Now} out @param {State} state @param {number} width */
    update: (out, state, width) => {
      cards.draw(out, state, width);
      print(out, state);
    },
  };
};
