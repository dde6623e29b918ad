/* The nodes of one schedule's lanes: a row for each rank with what it holds, and the messages between them. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill as kitFill } from "../kit/numbers.js";
import { tenth } from "./cells.js";
import { hop_line } from "./geometry.js";

/** @import { Field } from "./cells.js" */
/** @import { Now } from "./compute.js" */
/** @import { Geometry, Lanes } from "./geometry.js" */
/** @import { Message } from "./simulate.js" */

/** @typedef {ReturnType<typeof lanes_block>} Block */

const MOST_MESSAGES = 220; // in view; of more, only those of the op that is asked

/* The nodes of one schedule. */
export const lanes_block = () => {
  const [map, rows, messages, paths] = ["map", "rows", "messages", "cells"].map((name) =>
    s("g", { class: `cw-pipeline-${name}` }),
  );
  const labels = s("g", { class: "cw-pipeline-labels", "data-index": "", "aria-hidden": "true" });
  const name = s("text", { class: "cw-pipeline-whose" });
  const cap = s("path", { class: "cw-pipeline-cap" });
  const flow = messages.appendChild(s("path", { class: "cw-pipeline-message" }));
  return {
    map,
    rows,
    flow,
    paths,
    labels,
    name,
    cap,
    held: /** @type {{ fill: Element, text: Element }[]} */ ([]),
    nodes: [map, name, rows, messages, paths, labels, cap],
  };
};

const row = () =>
  s(
    "g",
    {},
    s("rect", { class: "cw-pipeline-lane", rx: 4 }),
    s("text", { class: "cw-pipeline-rank", "data-index": "", "text-anchor": "end" }),
    s("rect", { class: "cw-pipeline-peak", rx: 3 }),
    s("rect", { class: "cw-pipeline-now", rx: 3 }),
    s("text", { class: "cw-pipeline-held", "text-anchor": "end" }),
  );

/** @param {Element} flow @param {Field} f @param {Message[]} sent @param {Geometry} g */
export const draw_flow = (flow, f, sent, g) => {
  const seen = sent.filter((m) => m[6] >= f.from && f.to >= m[5]);
  const readable = MOST_MESSAGES >= seen.length && (g.least * f.inner) / (f.to - f.from) >= 10;
  setAttrs(flow, {
    d: readable
      ? seen
          .map((m) => {
            const [a, b, c, d] = hop_line(f, m);
            return `M${a} ${b}L${c} ${d}`;
          })
          .join("")
      : "",
  });
};

/**
 * @param {Block} block
 * @param {Lanes} one
 * @param {Field} f
 * @param {Geometry} g
 * @param {{ out: Now, clock: boolean, wide: number, before?: number[] | null, cap: number, path: string }} what
 */
export const draw_rows = (block, one, f, g, { out, clock, wide, before, cap, path }) => {
  renderList(block.rows, one ? one.ops : [], row, (node, _, r) => {
    const [y, x] = [f.top + r * f.pitch, g.left + g.inner + 10];
    const [lane, name, peak, fill, text] = node.children;
    const bar = (/** @type {number} */ chunks) => ({
      x,
      y: y + f.lane / 2 - 5,
      width: (g.track * (chunks || 0)) / wide,
      height: 10,
    });
    setAttrs(lane, { x: g.left, y, width: g.inner, height: f.lane });
    setAttrs(name, { x: g.left - 8, y: y + f.lane / 2 + 4, text: g.width < 560 ? String(r) : `rank ${r}` });
    setAttrs(peak, bar((before || one.peak)[r]));
    setAttrs(node, { class: cap && one.peak[r] > cap ? "over" : false });
    setAttrs(fill, bar(one.peak[r]));
    setAttrs(text, { x: g.width - 1, y: y + f.lane / 2 + 4 });
    block.held[r] = { fill, text };
    if (!clock) kitFill(text, `{${path}peak.${r}:sig 5}`, out);
  });
  const at = g.left + g.inner + 10 + (g.track * cap) / wide;
  setAttrs(block.cap, {
    d: cap && one ? `M${tenth(at)} ${f.top}V${f.top + (one.ops.length - 1) * f.pitch + f.lane}` : "",
  });
};
