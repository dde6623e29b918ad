/* A plan -> the drawing: a box a pipeline stage with its GPUs and one memory stack, or all GPUs of one node with a stack each. */

import { h, s } from "../../../explainers/kit/dom.js";
import * as communication from "./communication.js";
import * as marks from "./marks.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import * as sentences from "./sentences.js";
import * as stages from "./stages.js";
import * as tips from "./tips.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Held, Layout, Now, Picked, Scale, StageBox, VKids } from "./types.d.ts" */

const MOST_STAGES = 8; // more are folded
const MOST_COLUMNS = 16; // GPUs that each have a stack of their own
const MOST_NODES = 4; // of one stage that are drawn; more are sheets
const MOST_CELLS = 72;
const CELL = 18;
const STEP = 22;

/**
 * px from one lane to the next, of so many stages: the room for lanes is kept before they come.
 * @param {number} many
 * @returns {6 | 9 | 14 | 22 | 30}
 */
export const pitch = (many) => (many <= 2 ? 30 : many <= 8 ? 22 : many <= 16 ? 14 : many <= 32 ? 9 : 6);
const ROOM = 46;
/**
 * @param {Pick<Now, "layout">} now
 * @returns {string}
 */
export const lanes = ({ layout: one }) => `${one.pp * pitch(one.pp) + ROOM}px`;

/**
 * @param {Pick<Now, "layout">} now
 * @returns {boolean}
 */
export const side = ({ layout: one }) => one.pp === 1 && one.gpus <= MOST_COLUMNS;

/**
 * Stages as boxes: [{from, to, rank: the fullest of them}]; the first, last, fullest, emptiest and picked stand alone.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {StageBox[]}
 */
export const boxes = (now, picked) => {
  const { ranks: all, fullest, emptiest } = now.plan;
  const alone = new Set([0, all.length - 1, fullest.stage, emptiest.stage, picked ? picked.stage : 0]);
  /** @type {StageBox[]} */
  const out = [];
  for (const rank of all) {
    const last = out.at(-1);
    const like =
      last && last.rank.weights_bytes === rank.weights_bytes && last.rank.experts_bytes === rank.experts_bytes;
    if (all.length > MOST_STAGES && like && !alone.has(rank.stage) && !alone.has(last.to))
      Object.assign(last, { to: rank.stage, low: rank });
    else out.push({ from: rank.stage, to: rank.stage, rank, low: rank });
  }
  return out;
};

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
const role = (picked, rank) => {
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
export const width = (bytes, many = 1) =>
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
      "stroke-width": width(bytes, picked.group.length),
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
const kept = new Map();
/**
 * @param {Now} now
 * @param {number} stage
 * @param {Picked | null} picked
 * @param {Map<string, (SVGElement | HTMLElement)[]>} drawn
 * @returns {(SVGElement | HTMLElement)[]}
 */
const cells = (now, stage, picked, drawn) => {
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
    mine && [now.chosen.m, mine.name, mine.talk && width(mine.talk.bytes, mine.group.length)],
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

/**
 * @param {Now} now
 * @param {{ from: number, to: number }} box
 * @param {Picked | null} picked
 * @returns {string}
 */
export const holder = (now, box, picked) => {
  if (!picked) return "";
  /** @param {number} stage */
  const within = (stage) => stage >= box.from && stage <= box.to;
  if (!within(picked.stage))
    return now.layout.copies > 1 && within(now.layout.pp - 1 - picked.stage)
      ? "holds the other copy"
      : "holds none of it";
  const gpu = `GPU ${picked.first}`;
  if (picked.copies * picked.parts * now.layout.copies === 1) return `${gpu} alone owns it`;
  if (picked.parts === 1) return picked.copies === 1 ? `${gpu} owns it` : `${words.int(picked.copies)} copies`;
  return `cut ${picked.parts} ways${picked.copies > 1 ? `, ${words.int(picked.copies)} copies of each` : ""}`;
};

/**
 * What one stage sends to the next, and whether it leaves the node.
 * @param {Now} now
 * @param {number} stage
 */
const link = (now, stage) => {
  const { layout: one } = now;
  const all = communication.neighbour_stages(one, stage);
  const talk = now.talksOf(stage).find(({ axis }) => axis === "pp");
  const sends = [...all.values()].reduce((sum, many) => sum + many, 0);
  /** @param {number} of */
  const node = (of) => Math.floor(ranks.first_rank(one, of) / one.per_node);
  return { bytes: ((talk?.bytes ?? 0) * (all.get(stage + 1) || 0)) / sends, out: node(stage) !== node(stage + 1) };
};

/**
 * One pipeline stage, or some that fold.
 * @param {Now} now
 * @param {StageBox} box
 * @param {Scale} scale
 * @param {Picked | null} picked
 * @param {Map<string, (SVGElement | HTMLElement)[]>} drawn
 */
const box = (now, box, scale, picked, drawn) => {
  const { plan, layout: one } = now;
  const { rank } = box;
  const range = box.from === box.to ? `stage ${box.from}` : `stages ${box.from}–${box.to}`;
  const nodes = placement.nodes(one, box.from);
  const where = nodes.length === 1 ? `node ${nodes[0].node}` : `nodes ${nodes[0].node}–${nodes[nodes.length - 1].node}`;
  const alike = placement.perStage(one) * (box.to - box.from + 1);
  const mine = picked && picked.stage === box.from;
  const tag =
    rank === plan.fullest && one.pp > 1 ? " fullest" : rank === plan.emptiest && one.pp > 1 ? " emptiest" : "";
  const send = box.to < one.pp - 1 && link(now, box.to);
  return vdom.h(
    "div",
    {
      "data-stage": box.from,
      class: `box${mine ? ` box-picked edge-${picked.axis}` : ""}${box.from === box.to ? "" : " box-folded"}`,
    },
    vdom.h(
      "p",
      { class: "box-head" },
      vdom.h("b", { text: range }),
      vdom.h("span", { text: `${where} · ${words.plural(placement.perStage(one), "GPU")}` }),
    ),
    vdom.h("p", {
      class: "box-layers",
      text:
        box.from === box.to
          ? `layers ${words.runs(rank.layers)}${one.mtp && stages.mtp_stages(one).includes(box.from) ? ` and ${words.plural(one.mtp, "further token")}` : ""}`
          : `${rank.layers.length} layers each`,
    }),
    ...cells(now, mine ? picked.stage : box.from, picked, drawn),
    picked
      ? vdom.h("p", { class: `box-owner${mine ? ` text-${picked.axis}` : ""}`, text: holder(now, box, picked) })
      : null,
    vdom.h(
      "p",
      { class: "box-total" },
      tips.number(`${words.gb(rank.total_bytes)} GB`, (formulas) => formulas.total(now, rank)),
      vdom.h("span", { text: tag }),
      vdom.h("i", { text: `${words.gb(one.device.memory_bytes)} GB` }),
    ),
    marks.stack(now, rank, scale),
    vdom.h("p", {
      class: "box-alike",
      text: `× ${words.int(alike)} alike${box.from === box.to || !rank.activations_bytes ? "" : `; activations ${words.gb(rank.activations_bytes)} … ${words.gb(box.low.activations_bytes)}`}`,
    }),
    send
      ? vdom.h(
          "p",
          { class: `box-send${send.out ? " box-out" : ""}`, "data-from": box.to, "data-to": box.to + 1 },
          vdom.h("span", { text: `×${placement.perStage(one)}` }),
          vdom.h("b", { text: words.size(send.bytes) }),
        )
      : null,
  );
};

/**
 * What each tensor rank keeps of the keys and values, in a word.
 * @param {Now} now
 * @param {number} rank
 */
const kv = (now, rank) => {
  const { sheet, layout: one } = now;
  const [kv] = sheet.kv_heads;
  if (sheet.kv_heads.length !== 1) return "";
  const many = one.tp / one.dcp;
  const each = Math.max(kv / many, 1);
  const first = Math.floor((Math.floor(ranks.place(one, "tp", rank) / one.dcp) * kv) / many);
  return each === kv ? `all ${kv}` : each === 1 ? `head ${first}` : `${first}–${first + each - 1}`;
};

/**
 * All GPUs beside each other, each with its stack: one stage in few GPUs.
 * @param {Now} now
 * @param {Scale} scale
 * @param {Picked | null} picked
 */
const columns = (now, scale, picked) => {
  const { layout: one, plan } = now;
  const rank = plan.fullest;
  const locals = Array.from({ length: one.gpus }, (_, i) => i);
  const kinds = one.job === "train" ? [] : sentences.kept(now, rank);
  const copies = locals.map((gpu) =>
    rank.cache_bytes ? placement.copied_share(kinds, one, ranks.place(one, "tp", gpu)) : 0,
  );
  const bands = !plan.timed
    ? []
    : [...new Set(now.talks.map((talk) => talk.axis))].map((axis) => {
        const own = now.talks.filter((talk) => talk.axis === axis);
        const [bytes, out] = [own.reduce((sum, talk) => sum + talk.bytes, 0), own.some((talk) => talk.leaving_bytes)];
        const role = words.role(axis);
        const dim = picked && picked.axis !== role ? " band-dim" : "";
        return vdom.h("p", {
          "data-axis": axis,
          class: `band soft-${role} text-${role}${out ? " band-out" : ""}${dim}`,
          text: `${axis} ${own.map((talk) => talk.operation).join(", ")} · ${words.size(bytes)} per step from each GPU`,
        });
      });
  const cells = locals.map((local) => {
    const x = `${(100 * (local + 0.14)) / one.gpus}%`;
    const middle = `${(100 * (local + 0.5)) / one.gpus}%`;
    return [
      vdom.s("rect", {
        class: role(picked, local),
        x,
        width: `${72 / one.gpus}%`,
        y: 4,
        height: 40,
        rx: 5,
        "data-rank": local,
      }),
      vdom.s(
        "text",
        { class: picked && local === picked.first ? "c-number" : "c-name", x: middle, y: 20, "text-anchor": "middle" },
        String(local),
      ),
      vdom.s(
        "text",
        {
          class: picked && local === picked.first ? "c-number c-head" : "c-name c-head",
          x: middle,
          y: 36,
          "text-anchor": "middle",
        },
        one.gpus > 8 ? "" : kv(now, local),
      ),
    ];
  });
  const svg = vdom.s("svg", { class: "cells", width: "100%", height: 48, "aria-hidden": "true" }, cells);
  return vdom.h(
    "div",
    { class: "columns" },
    vdom.h("div", { class: "columns-names" }, vdom.h("p", { text: sayGpu(now) }), marks.gutter(now, rank, scale)),
    vdom.h(
      "div",
      { class: "columns-gpus" },
      vdom.h("div", { class: "bands" }, bands),
      svg,
      marks.columns(now, rank, scale, copies),
    ),
  );
};
/** @param {Now} now */
const sayGpu = (now) => (now.sheet.kv_heads.length === 1 && now.layout.gpus <= 8 ? "GPU, KV heads" : "GPU");

/**
 * `drawn`: the cells of drawings before; a pinned layout has its own.
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {Scale} [scale]
 * @param {Map<string, (SVGElement | HTMLElement)[]>} [drawn]
 * @returns {VKids}
 */
export const draw = (now, picked, scale = marks.scale(now), drawn = kept) => {
  const { layout: one } = now;
  if (side(now)) return [columns(now, scale, picked)];
  const shown = boxes(now, picked);
  const last = one.pp - 1;
  const again =
    one.chunks > 1 &&
    one.placement === "loop" &&
    vdom.h(
      "p",
      { class: "box-send boxes-again", "data-from": last, "data-to": 0 },
      vdom.h("b", { text: `interleaved: a chunk leaves stage ${last} and enters stage 0 again` }),
    );
  return [
    again,
    vdom.h(
      "div",
      { class: `boxes boxes-${Math.min(shown.length, 4)}` },
      shown.map((each) => box(now, each, scale, picked, drawn)),
    ),
  ].filter(Boolean);
};
