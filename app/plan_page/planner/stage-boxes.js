/* A pipeline stage, or some alike that are folded -> a box: its GPUs, its layers, its memory stack, what it sends to the next. */

import * as marks from "./marks.js";
import { neighbour_stages } from "./pipeline-communication.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import { cells } from "./stage-cells.js";
import * as stages from "./stages.js";
import * as tips from "./tips.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Held, Layout, Now, Picked, Scale, StageBox } from "./types.d.ts" */

const MOST_STAGES = 8; // more are folded

/**
 * Stages as boxes: [{from, to, rank: the fullest of them}]; the first, last, fullest, emptiest and picked stand alone.
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {StageBox[]}
 */
export const list = (now, picked) => {
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
  const all = neighbour_stages(one, stage);
  const talk = now.talksOf(stage).find(({ axis }) => axis === "pp");
  const sends = [...all.values()].reduce((sum, many) => sum + many, 0);
  /** @param {number} of */
  const node = (of) => Math.floor(ranks.first_rank(one, of) / one.per_node);
  return { bytes: ((talk?.bytes ?? 0) * (all.get(stage + 1) || 0)) / sends, out: node(stage) !== node(stage + 1) };
};

/**
 * Which stages, in which nodes, of how many GPUs.
 * @param {Layout} one
 * @param {StageBox} box
 */
const head = (one, { from, to }) => {
  const nodes = placement.nodes(one, from);
  const where = nodes.length === 1 ? `node ${nodes[0].node}` : `nodes ${nodes[0].node}–${nodes[nodes.length - 1].node}`;
  return vdom.h(
    "p",
    { class: "box-head" },
    vdom.h("b", { text: from === to ? `stage ${from}` : `stages ${from}–${to}` }),
    vdom.h("span", { text: `${where} · ${words.plural(placement.perStage(one), "GPU")}` }),
  );
};

/**
 * @param {Layout} one
 * @param {StageBox} box
 */
const layers = (one, { from, to, rank }) =>
  from === to
    ? `layers ${words.runs(rank.layers)}${one.mtp && stages.mtp_stages(one).includes(from) ? ` and ${words.plural(one.mtp, "further token")}` : ""}`
    : `${rank.layers.length} layers each`;

/**
 * What its GPU holds, of how much, and whether no other holds more or less.
 * @param {Now} now
 * @param {Held} rank
 */
const total = (now, rank) => {
  const { plan, layout: one } = now;
  const tag =
    rank === plan.fullest && one.pp > 1 ? " fullest" : rank === plan.emptiest && one.pp > 1 ? " emptiest" : "";
  return vdom.h(
    "p",
    { class: "box-total" },
    tips.number(`${words.gb(rank.total_bytes)} GB`, (formulas) => formulas.total(now, rank)),
    vdom.h("span", { text: tag }),
    vdom.h("i", { text: `${words.gb(one.device.memory_bytes)} GB` }),
  );
};

/**
 * @param {Now} now
 * @param {StageBox} box
 */
const send = (now, { to }) => {
  const { bytes, out } = link(now, to);
  return vdom.h(
    "p",
    { class: `box-send${out ? " box-out" : ""}`, "data-from": to, "data-to": to + 1 },
    vdom.h("span", { text: `×${placement.perStage(now.layout)}` }),
    vdom.h("b", { text: words.size(bytes) }),
  );
};

/**
 * One pipeline stage, or some that fold.
 * @param {Now} now
 * @param {StageBox} box
 * @param {Scale} scale
 * @param {Picked | null} picked
 * @param {Map<string, (SVGElement | HTMLElement)[]>} drawn
 */
export const draw = (now, box, scale, picked, drawn) => {
  const { layout: one } = now;
  const { rank, from, to } = box;
  const alike = placement.perStage(one) * (to - from + 1);
  const mine = picked && picked.stage === from;
  return vdom.h(
    "div",
    {
      "data-stage": from,
      class: `box${mine ? ` box-picked edge-${picked.axis}` : ""}${from === to ? "" : " box-folded"}`,
    },
    head(one, box),
    vdom.h("p", { class: "box-layers", text: layers(one, box) }),
    ...cells(now, mine ? picked.stage : from, picked, drawn),
    picked
      ? vdom.h("p", { class: `box-owner${mine ? ` text-${picked.axis}` : ""}`, text: holder(now, box, picked) })
      : null,
    total(now, rank),
    marks.stack(now, rank, scale),
    vdom.h("p", {
      class: "box-alike",
      text: `× ${words.int(alike)} alike${from === to || !rank.activations_bytes ? "" : `; activations ${words.gb(rank.activations_bytes)} … ${words.gb(box.low.activations_bytes)}`}`,
    }),
    to < one.pp - 1 ? send(now, box) : null,
  );
};
