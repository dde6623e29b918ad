/* The GPUs of one node beside each other, each with its memory stack: the drawing of a layout without a pipeline. */

import * as cacheCopies from "./cache-copies.js";
import * as marks from "./marks.js";
import * as placement from "./placement.js";
import * as ranks from "./ranks.js";
import { role } from "./stage-cells.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Now, Picked, Scale } from "./types.d.ts" */

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
 * What each axis sends, as bands over all GPUs.
 * @param {Now} now
 * @param {Picked | null} picked
 */
const bands = ({ talks }, picked) =>
  [...new Set(talks.map((talk) => talk.axis))].map((axis) => {
    const own = talks.filter((talk) => talk.axis === axis);
    const [bytes, out] = [own.reduce((sum, talk) => sum + talk.bytes, 0), own.some((talk) => talk.leaving_bytes)];
    const role = words.role(axis);
    const dim = picked && picked.axis !== role ? " band-dim" : "";
    return vdom.h("p", {
      "data-axis": axis,
      class: `band soft-${role} text-${role}${out ? " band-out" : ""}${dim}`,
      text: `${axis} ${own.map((talk) => talk.operation).join(", ")} · ${words.size(bytes)} per step from each GPU`,
    });
  });

/**
 * A GPU's cell over its column: its number, and which heads it keeps.
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {number} local
 */
const cell = (now, picked, local) => {
  const { gpus } = now.layout;
  const x = `${(100 * (local + 0.5)) / gpus}%`;
  const name = picked && local === picked.first ? "c-number" : "c-name";
  return [
    vdom.s("rect", {
      class: role(picked, local),
      x: `${(100 * (local + 0.14)) / gpus}%`,
      width: `${72 / gpus}%`,
      y: 4,
      height: 40,
      rx: 5,
      "data-rank": local,
    }),
    vdom.s("text", { class: name, x, y: 20, "text-anchor": "middle" }, String(local)),
    vdom.s("text", { class: `${name} c-head`, x, y: 36, "text-anchor": "middle" }, gpus > 8 ? "" : kv(now, local)),
  ];
};

/**
 * All GPUs beside each other, each with its stack: one stage in few GPUs.
 * @param {Now} now
 * @param {Scale} scale
 * @param {Picked | null} picked
 */
export const columns = (now, scale, picked) => {
  const { layout: one, plan } = now;
  const rank = plan.fullest;
  const locals = Array.from({ length: one.gpus }, (_, i) => i);
  const kinds = one.job === "train" ? [] : cacheCopies.kept(now, rank);
  const copies = locals.map((gpu) =>
    rank.cache_bytes ? placement.copied_share(kinds, one, ranks.place(one, "tp", gpu)) : 0,
  );
  const cells = locals.map((local) => cell(now, picked, local));
  return vdom.h(
    "div",
    { class: "columns" },
    vdom.h("div", { class: "columns-names" }, vdom.h("p", { text: sayGpu(now) }), marks.gutter(now, rank, scale)),
    vdom.h(
      "div",
      { class: "columns-gpus" },
      vdom.h("div", { class: "bands" }, plan.timed ? bands(now, picked) : []),
      vdom.s("svg", { class: "cells", width: "100%", height: 48, "aria-hidden": "true" }, cells),
      marks.columns(now, rank, scale, copies),
    ),
  );
};
/** @param {Now} now */
const sayGpu = (now) => (now.sheet.kv_heads.length === 1 && now.layout.gpus <= 8 ? "GPU, KV heads" : "GPU");
