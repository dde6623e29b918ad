/* One step of a run, drawn in two views: the ranks in a circle with what travels between them, and every rank's slots as a column. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { layout, pair } from "./layout.js";
import { progress } from "./machine.js";
import { addresses, arrows_of, contents_of, packets_of, painted_paths } from "./packets.js";
import { chunk_names, column_heads, node_boxes, rank_circles, slot_boxes, tone } from "./places.js";

/** @import { State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Now, Shown } from "./compute.js" */
/** @import { Layout } from "./layout.js" */
/** @import { Arrow, Packet } from "./packets.js" */

/** @typedef {ReturnType<typeof make_parts>} Parts */
/**
 * A step as it is drawn: what moves in it, and what is printed of it.
 * @typedef {{ packets: Packet[], arrows: Arrow[], told: Shown }} Scene
 */

/** @param {{ [part: string]: SVGElement }} parts @param {Arrow[]} arrows */
const draw_arrows = ({ ways, heads, dots }, arrows) => {
  renderList(
    ways,
    arrows,
    () => s("path"),
    (node, a) => setAttrs(node, { d: a.d, class: a.leaves ? "outside" : false }),
  );
  renderList(
    heads,
    arrows,
    () => s("path", { d: "M-8 -4.5L1 0L-8 4.5z" }),
    (node, a) => {
      const [x, y] = a.at(1);
      setAttrs(node, { transform: `translate(${pair(x, y)}) rotate(${a.turn.toFixed(2)})` });
    },
  );
  renderList(
    dots,
    arrows,
    () => s("circle", { r: 5 }),
    (node, a) => setAttrs(node, { class: tone(a.src) }),
  );
};

/** The layers of the drawing, from back to front. */
const LAYERS = [
  "boxes",
  "cells",
  "columns",
  "rows",
  "held",
  "goals",
  "flying",
  "ways",
  "heads",
  "nodes",
  "dots",
  "word",
];

/** The drawing, empty: its layers by name, and the two lines of its caption. */
const make_parts = () => {
  const layers = Object.fromEntries(LAYERS.map((name) => [name, s("g", { class: `cw-collectives-${name}` })]));
  const svg = s("svg", { role: "img", class: "cw-collectives-svg" }, Object.values(layers));
  const caption = [
    s("text", { "text-anchor": "middle", class: "cw-collectives-op" }),
    s("text", { "text-anchor": "middle", class: "cw-collectives-small" }),
  ];
  layers.word.append(...caption);
  return { svg, layers, caption };
};

/**
 * Draws what stands still during a run: ranks, nodes, columns and slots.
 * @param {Parts} parts
 * @param {Layout} g
 * @param {number} per_node
 */
const draw_places = ({ svg, layers }, g, per_node) => {
  setAttrs(svg, { width: g.width, height: g.height, viewBox: `0 0 ${g.width} ${g.height}` });
  node_boxes(layers.boxes, g, per_node);
  rank_circles(layers.nodes, g);
  column_heads(layers.columns, g);
  chunk_names(layers.rows, g);
  slot_boxes(layers.cells, g);
};

/**
 * Draws the state before step k + 1, and the packets of that step where they start.
 * @param {Parts} parts
 * @param {Layout} g
 * @param {State} state
 * @param {Now} out
 * @param {number} k
 * @returns {Scene}
 */
const draw_scene = ({ layers, caption }, g, state, out, k) => {
  const log = out.log.filter((row) => row[0] === k + 1);
  const { painted, texts } = contents_of(g, state, out, k, log);
  painted_paths(layers.held, painted);
  addresses(layers.goals, texts);
  const packets = packets_of(g, state, out, k, log);
  renderList(
    layers.flying,
    packets,
    () => s("g", {}, s("g"), s("g")),
    (node, packet) => {
      painted_paths(node.children[0], packet.painted);
      addresses(node.children[1], packet.texts);
    },
  );
  const arrows = arrows_of(g, log, state.per_node);
  draw_arrows(layers, arrows);
  const told = { ...state, ...out, at: progress({ run: out, start: out.frames[0] }, state, k) };
  [...layers.columns.children].forEach((node, r) => put(node.children[2], `at.sent.${r}`, "int", told));
  setAttrs(caption[0], { x: g.cx, y: g.cy - 2, text: state.op });
  setAttrs(fill(caption[1], "{at.words:text} done", told), { x: g.cx, y: g.cy + 16 });
  return { packets, arrows, told };
};

/**
 * Moves packets and dots to the share f of their step.
 * @param {Parts} parts
 * @param {Layout} g
 * @param {Scene} scene
 * @param {number} f
 */
const move = ({ layers: { flying, dots } }, g, { packets, arrows }, f) => {
  const ease = f * f * (3 - 2 * f);
  packets.forEach((p, i) =>
    setAttrs(flying.children[i], {
      transform: `translate(${pair((p.dst - p.src) * g.column * ease, p.down * g.row * ease)})`,
    }),
  );
  arrows.forEach((a, i) => {
    const [x, y] = a.at(ease);
    setAttrs(dots.children[i], { transform: `translate(${pair(x, y)})` });
  });
  setAttrs(dots, { visibility: f > 0 ? "visible" : "hidden" });
};

/**
 * The drawing of a run, at most `high` pixels high.
 * @param {number} high
 */
export const run_view = (high) => {
  const parts = make_parts();
  /** @type {Layout} */
  let g;
  let seen = "";
  /** @type {Scene} */
  let scene;

  /**
   * Draws the moment t and returns what may be printed of it; `hush` leaves out how many steps there are.
   * @param {State} state
   * @param {Now} out
   * @param {number} width
   * @param {number} t
   * @param {boolean} [hush]
   */
  const draw = (state, out, width, t, hush = false) => {
    const still = [state.op, state.algorithm, state.ranks, state.root, state.per_node, width].join();
    if (!seen.startsWith(`${still}|`)) {
      g = layout(width, state.ranks, high);
      if (g.n > state.per_node) g.height += 14; // the nodes' names
      draw_places(parts, g, state.per_node);
    }
    const k = Math.min(Math.floor(t), out.frames.length - 1);
    const now = `${still}|${k}`;
    if (now !== seen) scene = draw_scene(parts, g, state, out, k);
    seen = now;
    move(parts, g, scene, Math.min(t - k, 1));
    parts.caption[1].style.display = hush ? "none" : "";
    return scene.told;
  };

  /** The rank and slot at a point. @param {number} x @param {number} y */
  const find = (x, y) => {
    const [rank, slot] = [Math.floor((x - g.grid_x) / g.column), Math.floor((y - g.grid_y) / g.row)];
    return rank >= 0 && slot >= 0 && upto(g.n).includes(rank) && upto(g.n).includes(slot) ? [rank, slot] : null;
  };
  return { svg: parts.svg, draw, find };
};
