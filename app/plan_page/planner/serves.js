/* A plan that serves -> a track: a step's phases one after the other, a layer at a time. */

import { fmt } from "../../../explainers/kit/numbers.js";
import * as phases from "./phases.js";
import { tokens_per_copy, visited_share } from "./visited-experts.js";
import * as words from "./words.js";

/** @import { Now, PlacedSlot, ServeTrack } from "./types.d.ts" */

/**
 * @param {Now} now
 * @returns {ServeTrack | null}
 */
export const of = (now) => {
  if (!now.plan.timed) return null;
  const slots = /** @type {PlacedSlot[]} */ (phases.of(now.sheet, now.plan, now.bits));
  let at = 0;
  for (const slot of slots) {
    slot.from = at;
    at += slot.seconds;
    slot.to = at;
  }
  const track = /** @type {ServeTrack} */ ({ now, slots, end: at, last: slots.length });
  track.seconds = (i) => (i < slots.length ? slots[i].from : at);
  track.index = (seconds) => {
    const found = slots.findIndex((slot) => slot.to > seconds * (1 + 1e-9));
    return found < 0 ? slots.length : found;
  };
  /* The next layer's first slot, or this one's or the last one's. */
  track.page = (i, way) => {
    const layer = slots[Math.min(i, slots.length - 1)].layer;
    if (way > 0) {
      const found = slots.findIndex((slot, k) => k > i && slot.layer !== layer);
      return found < 0 ? slots.length : found;
    }
    const start = (/** @type {number} */ k) => {
      while (k > 0 && slots[k - 1].layer === slots[k].layer) k -= 1;
      return k;
    };
    const own = start(Math.min(i, slots.length - 1));
    return own < i || own === 0 ? own : start(own - 1);
  };
  track.x = (i) => track.seconds(i) / at;
  track.usual = Math.max(
    slots.findIndex((slot) => slot.layer === now.sheet.layers.length >> 1),
    0,
  );
  return track;
};

/**
 * A slot in words, its bytes and time.
 * @type {{ [what: string]: (now: Now) => string }}
 */
const SAYS = {
  cache: (now) => `its part of the cache of ${words.plural(now.plan.here, "sequence")}`,
  weights: () => "its part of the weights, routed experts apart",
  experts: (now) =>
    `the ${fmt.percent(visited_share(now.sheet, tokens_per_copy(now.plan), now.layout.redundant), 0)} of its routed experts that are visited`,
};
/**
 * @param {Now} now
 * @param {PlacedSlot} slot
 */
const where = ({ sheet, layout: one }, { layer, stage }) => {
  const place =
    layer < 0
      ? "Before the layers"
      : layer >= sheet.layers.length
        ? "After the layers"
        : `Layer ${layer} of ${sheet.layers.length}`;
  return one.pp > 1 ? `Stage ${stage}, ${place.toLowerCase()}` : place;
};
/**
 * @param {ServeTrack} track
 * @param {number} i
 * @returns {string}
 */
export const text = (track, i) => {
  const { now, slots } = track;
  if (i >= slots.length)
    return `The ${words.STEP[now.layout.job]} is done, ${words.duration(track.end)} without overlap.`;
  const slot = slots[i];
  const who = now.layout.gpus > 1 ? "each GPU" : "the GPU";
  if (slot.axis)
    return `${where(now, slot)}: ${slot.axis} ${slot.what}, ${words.size(slot.amount)} from ${who} in ${words.duration(slot.seconds)}.`;
  if (slot.what === "products")
    return `${where(now, slot)}: ${who} multiplies, ${words.flops(slot.amount).replace("/s", "")} in ${words.duration(slot.seconds)}; reading takes less.`;
  return `${where(now, slot)}: ${who} reads ${SAYS[slot.what](now)}, ${words.size(slot.amount)} in ${words.duration(slot.seconds)}.`;
};
