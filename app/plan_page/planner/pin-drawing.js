/* Two plans -> their drawings side by side, to one scale. */

import * as inputLines from "./input-lines.js";
import * as pinned from "./pinned-layout.js";
import * as shardedTensors from "./sharded-tensors.js";
import * as stackParts from "./stack-parts.js";
import * as topology from "./topology.js";
import * as vdom from "./vdom.js";
import * as words from "./words.js";

/** @import { Now, Picked, VGiven, VKids } from "./types.d.ts" */

/** @type {Map<string, (SVGElement | HTMLElement)[]>} */
const kept = new Map(); // cells of its drawing

/**
 * @param {Now} now
 * @param {Picked | null} picked
 * @returns {VKids}
 */
export const drawing = (now, picked) => {
  const other = pinned.of(now).now;
  if (!other) return topology.draw(now, picked);
  const scale = stackParts.scale(now, other);
  const both = topology.side(now) && topology.side(other);
  return [
    vdom.h(
      "div",
      { class: `pins${both ? " pins-two" : ""}` },
      panel("yours", now, now, topology.draw(now, picked, scale)),
      panel(
        "pinned",
        other,
        now,
        unwalked(topology.draw(other, shardedTensors.describe_tensor(other, now.chosen.pick), scale, kept)),
      ),
    ),
  ];
};
/**
 * Nobody walks its cells.
 * @param {VKids} made
 */
const unwalked = (made) => {
  vdom.each(made, (one) => {
    if (one instanceof Element)
      for (const cell of one.querySelectorAll("[data-rank]")) cell.removeAttribute("data-rank");
    else if (typeof one === "object" && "attrs" in one) delete one.attrs["data-rank"];
  });
  return made;
};
/**
 * @param {string} word
 * @param {Now} one
 * @param {Now} now
 * @param {VGiven} parts
 */
const panel = (word, one, now, parts) =>
  vdom.h(
    "div",
    { class: "pin-panel" },
    vdom.h(
      "p",
      { class: "pin-head" },
      vdom.h("b", { text: `${word}: ${word === "yours" ? inputLines.folded(one).split : pinned.name(one, now)}` }),
      vdom.h("span", { text: result(one) }),
    ),
    parts,
  );
/** @param {Now} now */
const result = ({ layout: one, plan, bound }) => {
  if (!plan.fits) return "does not fit";
  if (one.job === "train") return `${words.gb(plan.fullest.total_bytes)} GB, ${words.duration(bound.seconds)}`;
  return plan.sequences === null ? words.duration(bound.seconds) : words.plural(plan.sequences, "sequence");
};
