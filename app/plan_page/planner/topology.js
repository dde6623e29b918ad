/* A plan -> the drawing: a box a pipeline stage with its GPUs and one memory stack, or all GPUs of one node with a stack each. */

import { columns } from "./gpu-columns.js";
import * as stackParts from "./stack-parts.js";
import * as stageBoxes from "./stage-boxes.js";
import { kept } from "./stage-cells.js";
import * as vdom from "./vdom.js";

/** @import { Now, Picked, Scale, VKids } from "./types.d.ts" */

const MOST_COLUMNS = 16; // GPUs that each have a stack of their own

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
 * `drawn`: the cells of drawings before; a pinned layout has its own.
 * @param {Now} now
 * @param {Picked | null} picked
 * @param {Scale} [scale]
 * @param {Map<string, (SVGElement | HTMLElement)[]>} [drawn]
 * @returns {VKids}
 */
export const draw = (now, picked, scale = stackParts.scale(now), drawn = kept) => {
  const { layout: one } = now;
  if (side(now)) return [columns(now, scale, picked)];
  const shown = stageBoxes.list(now, picked);
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
      shown.map((each) => stageBoxes.draw(now, each, scale, picked, drawn)),
    ),
  ].filter(Boolean);
};
