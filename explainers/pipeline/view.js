/* The lanes of one schedule, or of two under one cursor: cells in view, numbers where they fit, messages, the op that is asked.
   Where a part of the step is shown, a map above shows which. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill as kitFill, put } from "../kit/numbers.js";
import { cells, paint_cells, paint_labels, paint_map, tenth } from "./cells.js";
import { explanation_view } from "./explanation.js";
import { field_at, geometry, op_at, part_from, px } from "./geometry.js";
import { draw_flow, draw_rows, lanes_block } from "./lanes_block.js";

/** @import { Field } from "./cells.js" */
/** @import { Now } from "./compute.js" */
/** @import { Geometry } from "./geometry.js" */
/** @import { Message } from "./simulate.js" */

/** The lanes as they stand: of what result, from when, with which messages. @typedef {{ out: Now, from: number, sent: Message[][] }} Drawn */
/** @typedef {ReturnType<typeof make_nodes>} Nodes */
/** @typedef {ReturnType<typeof lanes_view>} LanesView */

/** @param {boolean} clock */
const make_nodes = (clock) => {
  const blocks = [lanes_block(), lanes_block()];
  const frame = s("rect", { class: "cw-pipeline-frame", rx: 3 });
  const explanation = explanation_view();
  const [line, line_map] = [0, 1].map(() => s("line", { class: "cw-pipeline-line" }));
  const knob = s("circle", { class: "cw-pipeline-knob", r: 6, cy: 10 });
  const time = s("text", { class: "cw-pipeline-time", "text-anchor": "middle", y: 9 });
  const column = s("text", { class: "cw-pipeline-rank", "text-anchor": "end", y: 14 });
  const cursor = s("g", { class: "cw-pipeline-cursor" }, line_map, line, knob, time);
  const svg = s(
    "svg",
    { role: "img", class: "cw-pipeline-svg" },
    blocks.map((b) => b.nodes),
    frame,
    explanation.nodes,
    column,
    clock ? cursor : null,
  );
  return { svg, blocks, frame, explanation, column, line, line_map, knob, time };
};

/**
 * Cells and messages of the part that is shown, and the frame around it in the map.
 * @param {Nodes} nodes
 * @param {Geometry} g
 * @param {Drawn} drawn
 */
const draw_part = ({ blocks, frame }, g, { out, from, sent }) => {
  g.outs.forEach((one, i) => {
    const [block, f] = [blocks[i], g.mains[i]];
    [f.from, f.to] = [from, from + g.shown];
    const all = cells(one, f, one.ops.length);
    paint_cells(block.paths, all);
    paint_labels(block.labels, all, g.digits);
    draw_flow(block.flow, f, sent[i], g);
  });
  const last = g.maps.at(-1);
  if (last)
    setAttrs(frame, {
      x: px(last, from) - 2,
      y: 23,
      width: px(last, from + g.shown) - px(last, from) + 4,
      height: last.top + out.ops.length * last.pitch - 22,
    });
};

/**
 * What is the same whichever part is shown: sizes, rows, names and maps.
 * @param {Nodes} nodes
 * @param {Geometry} g
 * @param {Now} out
 * @param {{ m: number, label: string, before?: number[], cap: number, clock: boolean }} what
 */
const draw_whole = ({ svg, blocks, frame, column, line, line_map }, g, out, { m, label, before, cap, clock }) => {
  const { width, height } = g;
  const wide = Math.max(m, cap, ...g.outs.flatMap((one) => one.peak), ...(before || []));
  setAttrs(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
  setAttrs(frame, { visibility: g.maps.length ? "visible" : "hidden" });
  kitFill(column, !clock ? "held, of {microbatches}" : width < 560 ? "held" : "in flight", { microbatches: m });
  setAttrs(column, { x: width - 1 });
  blocks.forEach((block, i) => {
    const [one, f] = [g.outs[i], g.mains[i]];
    draw_rows(block, one, f, g, { out, clock, wide, before: i ? null : before, cap, path: i ? "other." : "" });
    setAttrs(block.name, {
      x: g.left,
      y: f ? f.top - 6 : 0,
      text: g.outs.length > 1 && one ? (i ? /** @type {NonNullable<Now["other"]>} */ (out.other).label : label) : "",
    });
    if (g.maps[i]) paint_map(block.map, one, g.maps[i]);
    else renderList(block.map, [], () => /** @type {never} */ (null));
    if (!one) for (const group of [block.paths, block.labels]) renderList(group, [], () => /** @type {never} */ (null));
    if (!one) setAttrs(block.flow, { d: "" });
  });
  setAttrs(line, { y1: g.maps.length ? g.main.top - 6 : 10, y2: height - 2 });
  setAttrs(line_map, { y1: 10, y2: g.maps.length ? g.main.top - 12 : 10 });
};

/** @param {Nodes} nodes @param {Geometry} g @param {number} t @param {Now} out */
const draw_cursor = ({ line, line_map, knob, time }, g, t, out) => {
  const x = px(g.main, t);
  const top = g.maps.length ? px(g.maps[0], t) : x;
  setAttrs(line, { x1: x.toFixed(2), x2: x.toFixed(2) });
  setAttrs(line_map, { x1: top.toFixed(2), x2: top.toFixed(2) });
  setAttrs(knob, { cx: top.toFixed(2) });
  setAttrs(time, { x: top.toFixed(2), dx: top > g.left + g.inner - 30 ? -22 : 22 });
  put(time, "at", "fixed 1", out);
};

/** What each rank holds at the cursor, of its peak. @param {Nodes} nodes @param {Geometry} g @param {Now} out */
const draw_held = ({ blocks }, g, out) =>
  [out, out.other].forEach((one, i) =>
    one?.now.forEach((n, r) => {
      const [{ fill, text }, path] = [blocks[i].held[r], i ? "other." : ""];
      const [x, part] = [g.left + g.inner + 10, one.peak[r] ? (n / one.peak[r]).toFixed(4) : "0"];
      setAttrs(fill, { transform: `translate(${tenth(x * (1 - Number(part)))} 0) scale(${part} 1)` });
      kitFill(
        text,
        g.right >= 96 ? `{${path}now.${r}:sig 5} of {${path}peak.${r}:sig 5}` : `{${path}now.${r}:sig 5}`,
        out,
      );
    }),
  );

/* clock: with a cursor, and what is in flight there; without: what is held at most. close: a close-up where it is needed. */
export const lanes_view = ({ clock = true, close = true } = {}) => {
  const nodes = make_nodes(clock);
  /** @type {Geometry} */
  let g;
  /** @type {Drawn} */
  let drawn;
  /** @type {Field | null} */
  let grabbed = null; // the field that a pointer holds: it does not turn its page meanwhile

  /**
   * sent: of each schedule, its messages.
   * @param {Now} out
   * @param {number} width
   * @param {{
   *   m: number, sent: Message[][], label?: string, before?: number[], cap?: number, zoom?: number, left?: number,
   *   t?: number,
   * }} what
   */
  const draw = (out, width, { m, sent, label = "", before, cap = 0, zoom = 0, left = 0, t = 0 }) => {
    g = geometry(width, { out, m, close, zoom, put: left });
    draw_whole(nodes, g, out, { m, label, before, cap, clock });
    drawn = { out, from: part_from(g, t, out.end, grabbed), sent };
    draw_part(nodes, g, drawn);
  };

  /** @param {number} t @param {Now} out */
  const at = (t, out) => {
    const from = part_from(g, t, out.end, grabbed);
    if (drawn.out.ops !== out.ops || drawn.from !== from) {
      drawn = { out, from, sent: drawn.sent };
      draw_part(nodes, g, drawn);
    }
    draw_cursor(nodes, g, t, out);
    draw_held(nodes, g, out);
  };

  /** @param {Now} out @param {number} rank @param {number} op */
  const explain = (out, rank, op) => nodes.explanation.update(out, rank, op, g);

  /** @param {number} x @param {number} y @param {Now} out */
  const find = (x, y, out) => op_at(g, grabbed || field_at(g, y), x, y, out.ops);
  /** @param {number | null} y */
  const grab = (y) => {
    grabbed = y === null ? null : field_at(g, y);
  };
  /**
   * What is shown: [from, how much, whether a pointer holds the map, a height in the lanes].
   * @returns {[from: number, shown: number, map: boolean, y: number]}
   */
  const part = () => [g.main.from, g.shown, g.maps.includes(/** @type {Field} */ (grabbed)), g.main.top + 1];
  const flows = () => nodes.blocks.some(({ flow }) => flow.getAttribute("d")); // are messages drawn?
  return { svg: nodes.svg, draw, at, explain, find, grab, part, flows };
};
