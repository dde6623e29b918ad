/* The GPUs of a pipeline stage -> one cell each, in the nodes they stand in, with the links that a picked tensor's ranks talk over. */

import { h, s } from "../../../explainers/kit/dom.js";
import * as placement from "./placement.js";
import * as words from "./words.js";

/** @import { Layout, Now, Picked } from "./types.d.ts" */

const MOST_NODES = 4; // of one stage that are drawn; more are sheets
const MOST_CELLS = 72;
const CELL = 18;
const STEP = 22;

/**
 * @param {Layout} one
 * @param {number} many
 */
const perRow = (one, many) =>
  one.tp >= 4 && one.tp <= 16 && many % one.tp === 0
    ? one.tp
    : many <= 8
      ? many
      : many % 8 === 0
        ? 8
        : Math.ceil(Math.sqrt(many));

/**
 * Where the cells of a stage stand: {nodes: [{node, cells: [{rank, x, y}], y, height}], width, height, more}.
 * @param {Layout} one
 * @param {number} stage
 */
const stagePlaces = (one, stage) => {
  const all = placement.nodes(one, stage);
  const shown = all.length > MOST_NODES ? all.slice(0, 1) : all;
  const columns = perRow(one, Math.min(shown[0].ranks.length, MOST_CELLS));
  let y = 6;
  const nodes = shown.map(({ node, ranks: own }) => {
    const cells = own
      .slice(0, MOST_CELLS)
      .map((rank, i) => ({ rank, x: 6 + (i % columns) * STEP, y: y + 6 + Math.floor(i / columns) * STEP }));
    const height = Math.ceil(cells.length / columns) * STEP + 8;
    const box = { node, cells, y, height, more: own.length - cells.length };
    y += height + 6;
    return box;
  });
  return { nodes, width: columns * STEP + 8, height: y, folded: all.length - shown.length, all: all.length };
};

/**
 * @param {Picked | null} picked
 * @param {number} rank
 */
export const role = (picked, rank) => {
  if (!picked) return "c";
  const part = picked.holds(rank);
  if (rank === picked.first) return `c c-own fill-${picked.axis}`;
  if (part < 0) return picked.group.includes(rank) ? `c c-meets soft-${picked.axis}` : "c";
  return part === picked.holds(picked.first) ? `c c-copy soft-${picked.axis}` : `c c-part soft-${picked.axis}`;
};

/**
 * px of a link that carries so many bytes a step: 1 MB is none, 1 GB is 3.
 * @param {number} bytes
 * @param {number} [many]
 * @returns {number}
 */
export const linkWidth = (bytes, many = 1) =>
  many > 16 ? 1.1 : Math.min(Math.max(Math.log10(Math.max(bytes, 1) / 1e6), 1), 7);

/**
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {Map<number, { x: number, y: number }>} at
 */
const fan = (now, picked, at) => {
  const from = picked && at.get(picked.first);
  if (!picked?.talk || !from) return [];
  const [{ bytes }, one] = [picked.talk, now.layout];
  /** @param {number} rank */
  const node = (rank) => Math.floor(rank / one.per_node);
  return picked.group.flatMap((rank) => {
    const to = at.get(rank);
    if (rank === picked.first || !to) return [];
    return s("line", {
      class: `ln line-${picked.axis}${node(rank) === node(picked.first) ? "" : " ln-out"}`,
      "stroke-width": linkWidth(bytes, picked.group.length),
      x1: from.x + CELL / 2,
      y1: from.y + CELL / 2,
      x2: to.x + CELL / 2,
      y2: to.y + CELL / 2,
    });
  });
};

/**
 * The GPUs of one stage; drawn anew only where something of them changed since they were `drawn`.
 * @type {Map<string, (SVGElement | HTMLElement)[]>}
 */
export const kept = new Map();
/**
 * @param {Now} now
 * @param {number} stage
 * @param {Picked | null} picked
 * @param {Map<string, (SVGElement | HTMLElement)[]>} drawn
 * @returns {(SVGElement | HTMLElement)[]}
 */
export const cells = (now, stage, picked, drawn) => {
  const one = now.layout;
  const mine = picked && picked.stage === stage ? picked : null;
  const many = /** @type {const} */ ([
    "tp",
    "pp",
    "cp",
    "dp",
    "ep",
    "etp",
    "dcp",
    "replicas",
    "per_node",
    "redundant",
  ]).map((name) => one[name]);
  const key = [
    stage,
    one.order,
    ...many,
    mine && [now.chosen.m, mine.name, mine.talk && linkWidth(mine.talk.bytes, mine.group.length)],
  ].join(" ");
  if (drawn.size > 64) drawn.clear();
  const found = drawn.get(key) ?? drawn_cells(now, stage, mine);
  drawn.set(key, found);
  return found;
};
/**
 * @param {Now} now
 * @param {number} stage
 * @param {Picked | null} mine
 */
const drawn_cells = (now, stage, mine) => {
  const { nodes, width, height, folded, all } = stagePlaces(now.layout, stage);
  const svg = s("svg", {
    class: "cells",
    viewBox: `0 0 ${width + (folded ? 10 : 0)} ${height}`,
    width: width + (folded ? 10 : 0),
    "aria-hidden": "true",
  });
  const at = new Map(nodes.flatMap((node) => node.cells.map((cell) => [cell.rank, cell])));
  for (const node of nodes) {
    if (folded)
      for (const off of [8, 4])
        svg.append(
          s("rect", { class: "node", x: 2 + off, y: node.y - off / 2, width: width - 4, height: node.height, rx: 6 }),
        );
    svg.append(s("rect", { class: "node", x: 2, y: node.y, width: width - 4, height: node.height, rx: 6 }));
  }
  const many = nodes.flatMap((node) => node.cells);
  for (const cell of many)
    svg.append(
      s("rect", {
        class: role(mine, cell.rank),
        x: cell.x,
        y: cell.y,
        width: CELL,
        height: CELL,
        rx: 3,
        "data-rank": cell.rank,
      }),
    );
  svg.append(...fan(now, mine, at));
  const cell = mine && at.get(mine.first);
  if (cell) {
    svg.append(
      s("text", { class: "c-number", x: cell.x + 9, y: cell.y + 12.5, "text-anchor": "middle" }, String(mine.first)),
    );
  }
  const rest = [folded && `× ${all} nodes`, nodes[0].more > 0 && `and ${nodes[0].more} more a node`]
    .filter(Boolean)
    .join(", ");
  return [svg, h("p", { class: "box-fold", text: rest || `${words.plural(all, "node")}` })];
};
