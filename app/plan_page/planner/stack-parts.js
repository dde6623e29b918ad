/* What a rank holds -> the parts of a memory stack from below: their rectangles, where their names stand, what is over the memory. */

import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Held, HeldPart, Now, Scale, StackPart, VNode } from "./types.d.ts" */

export const HEIGHT = 236;
const BASE = 8; // px under the stack
const LEAST = 14; // px between two labels
export const TWO = 13; // of activations: at most, and under it at the cursor
/** @type {{ [part in HeldPart]: string }} */
const ROLE = {
  weights_bytes: "st-weights",
  experts_bytes: "st-experts",
  gradients_bytes: "st-gradients",
  optimizer_bytes: "st-optimizer",
  activations_bytes: "st-activations",
  cache_bytes: "st-cache",
  framework_bytes: "st-framework",
};

/**
 * What a rank holds, or would with the one sequence that a server needs room for.
 * @param {Pick<Now, "plan">} now
 * @param {Held} rank
 */
const need = ({ plan }, rank) => rank.total_bytes + (plan.sequences === 0 && plan.here === 0 ? rank.sequence_bytes : 0);

/**
 * bytes -> px above the base; the same for every stack of a drawing.
 * @param {...Now} all
 * @returns {Scale}
 */
export const scale = (...all) => {
  const most = Math.max(
    ...all.flatMap((now) => [now.layout.device.memory_bytes, ...now.plan.ranks.map((rank) => need(now, rank))]),
  );
  const room = HEIGHT - BASE - 22;
  return (bytes) => (bytes / most) * room;
};

/**
 * [{name, word, bytes, from, to}] from below, px.
 * @param {Held} rank
 * @param {Scale} scale
 * @returns {StackPart[]}
 */
export const parts = (rank, scale) => {
  let under = 0;
  const [framework, ...rest] = [words.PARTS[words.PARTS.length - 1], ...words.PARTS.slice(0, -1)];
  return [framework, ...rest]
    .filter(([name]) => rank[name] > 0)
    .map(([name, word]) => {
      const from = under;
      under += rank[name];
      return { name, word, bytes: rank[name], from: scale(from), to: scale(under) };
    });
};
/** @param {number} px */
export const fromTop = (px) => HEIGHT - BASE - px;

/**
 * @param {StackPart[]} parts
 * @param {string} x
 * @param {string} width
 * @param {(part: StackPart, x: string, width: string) => VNode[]} [cache]
 * @returns {VNode[]}
 */
export const rects = (parts, x, width, cache) =>
  parts.flatMap((part) => {
    const height = Math.max(part.to - part.from, 0.5);
    const rect = vdom.s("rect", { class: ROLE[part.name], x, width, y: fromTop(part.to), height });
    return part.name === "cache_bytes" && cache ? [rect, ...cache(part, x, width)] : [rect];
  });

/**
 * Labels of parts, kept apart: [{part, y}].
 * @param {StackPart[]} parts
 */
export const labels = (parts) => {
  let low = HEIGHT - BASE + LEAST / 2;
  return parts.map((part) => {
    low = Math.min(
      (fromTop(part.to) + fromTop(part.from)) / 2 + 4,
      low - LEAST - (part.name === "activations_bytes" ? TWO : 0),
    );
    return { part, y: low };
  });
};

/**
 * What stands over the device's memory, and the line itself.
 * @param {Now} now
 * @param {Held} rank
 * @param {Scale} scale
 * @param {string} x
 * @param {string} width
 */
export const capacity = (now, rank, scale, x, width) => {
  const { memory_bytes: whole } = now.layout.device;
  const [line, used] = [fromTop(scale(whole)), fromTop(scale(now.plan.room_bytes))];
  const needed = need(now, rank);
  const top = fromTop(scale(needed));
  const bottom = Math.min(used, fromTop(scale(rank.total_bytes)));
  return [
    needed > now.plan.room_bytes &&
      vdom.s("rect", {
        class: "st-over",
        x,
        width,
        y: top,
        height: Math.max((needed > rank.total_bytes ? bottom : used) - top, 2),
      }),
    used - line > 1 && vdom.s("line", { class: "st-used", x1: "0", x2: "100%", y1: used, y2: used }),
    vdom.s("line", { class: "st-line", x1: "0", x2: "100%", y1: line, y2: line }),
  ];
};

/* The hatch of what the framework holds. */
export const hatch = () =>
  vdom.s(
    "pattern",
    { id: "plan-hatch-grey", width: "5", height: "5", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    vdom.s("rect", { class: "st-hatch-grey", width: "5", height: "5" }),
    vdom.s("line", { class: "st-hatch-ink", y2: "5" }),
  );

/**
 * The cache as one block a sequence, numbered where there is room.
 * @param {Now} now
 * @param {StackPart} part
 * @param {string} x
 * @param {string} width
 * @returns {VNode[]}
 */
export const sequences = (now, part, x, width) => {
  const many = now.plan.here;
  const each = (part.to - part.from) / many;
  if (!many || many > 48 || each < 3) return [];
  return Array.from({ length: many }, (_, i) =>
    vdom.s("line", {
      class: "st-cut",
      x1: x,
      x2: `${parseFloat(x) + parseFloat(width)}%`,
      y1: fromTop(part.from + each * (i + 1)),
      y2: fromTop(part.from + each * (i + 1)),
    }),
  ).concat(
    each < 11
      ? []
      : Array.from({ length: many }, (_, i) =>
          vdom.s(
            "text",
            {
              class: "st-seq",
              x: `${parseFloat(x) + parseFloat(width) / 2}%`,
              y: fromTop(part.from + each * (i + 0.5)) + 3.5,
              "text-anchor": "middle",
            },
            String(i + 1),
          ),
        ),
  );
};
