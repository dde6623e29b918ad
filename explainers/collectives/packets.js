/* One step of a run -> what every slot holds before it, the packets that travel in it, and the way of each. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { cell_rect, paint, way } from "./layout.js";
import { tone } from "./places.js";

/** @import { State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Now } from "./compute.js" */
/** @import { Box, Layout, Painted, Way } from "./layout.js" */
/** @import { Row } from "./machine.js" */

/** The rank that a chunk must go to, the number that says whose it is, and its slot. @typedef {[to: number, value: number, box: Box]} Address */

/** Chunks that fly together: from a rank to another, so many rows down. @typedef {{ src: number, dst: number, down: number, painted: Painted, texts: Address[] }} Packet */

/** The way of what travels from a rank, and whether it leaves its node. @typedef {Way & { src: number, leaves: boolean }} Arrow */

/** @param {Element} parent @param {Address[]} found */
export const addresses = (parent, found) =>
  renderList(
    parent,
    found,
    () => s("text", { "text-anchor": "middle", dy: "0.36em" }),
    (node, [to, value, [x, y, w, h]]) =>
      setAttrs(node, {
        x: x + w / 2,
        y: y + h / 2,
        text: `→${to}`,
        "data-index": true,
        class: value > 255 ? "cw-collectives-dark" : "cw-collectives-light",
      }),
  );
/** @param {Element} parent @param {Painted} painted */
export const painted_paths = (parent, painted) =>
  renderList(
    parent,
    Object.entries(painted),
    () => s("path"),
    (node, [r, d]) => setAttrs(node, { d, class: tone(r) }),
  );

/**
 * A slot; in an all-to-all its chunk carries its address, the rank it is for.
 * @param {Layout} g
 * @param {string} op
 * @param {{ painted: Painted, texts: Address[] }} into
 * @param {number[]} rank
 * @param {number} r
 * @param {number} s
 */
const paint_slot = (g, op, { painted, texts }, rank, r, s) => {
  const rect = cell_rect(g, r, s);
  const [value, own] = rank.slice(2 * s);
  paint(painted, g, op, value, rect);
  if (op === "all-to-all" && value && rect[3] >= 11 && rect[2] >= 18) texts.push([(own - 1) % 16, value, rect]);
};

/**
 * What the slots hold before step k + 1, without what its senders give up.
 * @param {Layout} g
 * @param {State} state
 * @param {Now} out
 * @param {number} k
 * @param {Row[]} log of that step
 */
export const contents_of = (g, state, out, k, log) => {
  const gone = new Set(out.frees[k] ? log.map(([, src, , chunk]) => src * g.n + chunk) : []);
  /** @type {{ painted: Painted, texts: Address[] }} */
  const held = { painted: {}, texts: [] };
  out.frames[k].forEach((rank, r) =>
    upto(g.n).forEach((s) => {
      if (!gone.has(r * g.n + s)) paint_slot(g, state.op, held, rank, r, s);
    }),
  );
  return held;
};

/**
 * The packets of step k + 1 where they start.
 * @param {Layout} g
 * @param {State} state
 * @param {Now} out
 * @param {number} k
 * @param {Row[]} log of that step
 */
export const packets_of = (g, state, out, k, log) => {
  /** @type {Map<string, Packet>} */
  const packets = new Map();
  const direct = state.op === "all-reduce" && state.algorithm === "direct";
  for (const [, src, dst, chunk, into] of log) {
    const key = [src, dst, into - chunk].join();
    const packet = packets.get(key) ?? { src, dst, down: into - chunk, painted: {}, texts: [] };
    packets.set(key, packet);
    paint_slot(g, state.op, packet, out.frames[direct ? 0 : k][src], src, chunk);
  }
  return [...packets.values()];
};

/**
 * Where something travels: an arrow for each pair of ranks.
 * @param {Layout} g
 * @param {Row[]} log
 * @param {number} per_node
 * @returns {Arrow[]}
 */
export const arrows_of = (g, log, per_node) => {
  const pairs = [...new Set(log.map(([, src, dst]) => src * g.n + dst))].map((x) => [Math.floor(x / g.n), x % g.n]);
  return pairs.map(([src, dst]) => ({
    src,
    leaves: Math.floor(src / per_node) !== Math.floor(dst / per_node),
    ...way(g, src, dst),
  }));
};
