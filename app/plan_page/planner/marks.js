/* A plan's rank -> its memory stack as SVG, alone with its names, or one of many side by side. */

import { capacity, fromTop, HEIGHT, hatch, labels, parts, rects, sequences, TWO } from "./stack-parts.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Held, Now, Scale, StackPart, VNode } from "./types.d.ts" */

/**
 * One stack with the names and gigabytes of its parts beside it.
 * @param {Now} now
 * @param {Held} rank
 * @param {Scale} scale
 * @returns {VNode}
 */
export const stack = (now, rank, scale) => {
  const held = parts(rank, scale);
  /**
   * @param {StackPart} part
   * @param {string} x
   * @param {string} width
   */
  const cache = (part, x, width) => sequences(now, part, x, width);
  const named = labels(held).map(({ part, y }) => {
    const middle = (fromTop(part.to) + fromTop(part.from)) / 2;
    const [peak, under] = [part.name === "activations_bytes", y + TWO];
    return [
      vdom.s("line", { class: "st-lead", x1: "39%", x2: "43%", y1: middle, y2: y - 4 }),
      vdom.s("text", { class: "st-word", x: "44.5%", y }, peak ? "activations at most" : part.word),
      vdom.s("text", { class: "st-number", x: "99%", y, "text-anchor": "end" }, words.gb(part.bytes)),
      peak && [
        vdom.s("text", { class: "st-word st-at", x: "44.5%", y: under, "data-now": "word" }),
        vdom.s("text", { class: "st-number st-at", x: "99%", y: under, "text-anchor": "end", "data-now": "number" }),
      ],
    ];
  });
  return vdom.s(
    "svg",
    { class: "stack", width: "100%", height: HEIGHT, "aria-hidden": "true" },
    rank.framework_bytes ? vdom.s("defs", {}, hatch()) : null,
    rects(held, "4%", "34%", cache),
    capacity(now, rank, scale, "4%", "34%"),
    named,
  );
};

/**
 * A stack a GPU, side by side, and the names of the parts on their left: where one node holds all.
 * @param {Now} now
 * @param {Held} rank
 * @param {Scale} scale
 * @param {number[]} copies
 * @returns {VNode}
 */
export const columns = (now, rank, scale, copies) => {
  const held = parts(rank, scale);
  const many = copies.length;
  const pattern = vdom.s(
    "pattern",
    { id: "plan-hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    vdom.s("rect", { class: "st-hatch-under", width: "6", height: "6" }),
    vdom.s("line", { class: "st-hatch", y2: "6" }),
  );
  const stacks = copies.map((copied, i) => {
    const [x, width] = [`${(100 * (i + 0.14)) / many}%`, `${72 / many}%`];
    /** @param {StackPart} part */
    const cache = (part) => {
      const high = (part.to - part.from) * copied;
      const hatch = vdom.s("rect", { class: "st-copy", x, width, y: fromTop(part.from + high), height: high });
      return copied === 1 ? [hatch] : [...(high ? [hatch] : []), ...sequences(now, part, x, width)];
    };
    const middle = `${(100 * (i + 0.5)) / many}%`;
    return [
      rects(held, x, width, cache),
      capacity(now, rank, scale, x, width)[0],
      many <= 16 &&
        vdom.s(
          "text",
          { class: "st-total", x: middle, y: HEIGHT + 8, "text-anchor": "middle" },
          words.gb(rank.total_bytes),
        ),
      copied === 1 &&
        many <= 16 &&
        vdom.s("text", { class: "st-aside", x: middle, y: HEIGHT + 20, "text-anchor": "middle" }, "a copy"),
    ];
  });
  return vdom.s(
    "svg",
    { class: "stack", width: "100%", height: HEIGHT + 22, "aria-hidden": "true" },
    vdom.s("defs", {}, copies.some(Boolean) ? pattern : null, rank.framework_bytes ? hatch() : null),
    stacks,
    capacity(now, rank, scale, "0", "0").slice(1),
  );
};

/**
 * The names of the parts beside columns: right-aligned, with gigabytes.
 * @param {Now} now
 * @param {Held} rank
 * @param {Scale} scale
 * @returns {VNode}
 */
export const gutter = (now, rank, scale) => {
  const named = labels(parts(rank, scale)).map(({ part, y }) => [
    vdom.s("text", { class: "st-word", x: "0", y }, part.word),
    vdom.s("text", { class: "st-number", x: "96%", y, "text-anchor": "end" }, words.gb(part.bytes)),
    part.name === "activations_bytes" && [
      vdom.s("text", { class: "st-word st-at", x: "0", y: y + TWO, "data-now": "word" }),
      vdom.s("text", { class: "st-number st-at", x: "96%", y: y + TWO, "text-anchor": "end", "data-now": "number" }),
    ],
  ]);
  const whole = now.layout.device.memory_bytes;
  return vdom.s(
    "svg",
    { class: "stack gutter", width: "100%", height: HEIGHT + 22, "aria-hidden": "true" },
    named,
    vdom.s("text", { class: "st-cap", x: "0", y: fromTop(scale(whole)) - 5 }, `${words.gb(whole)} GB`),
  );
};
