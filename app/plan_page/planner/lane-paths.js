/* A track -> the slots of its lanes as paths, by class: forth and back of each chunk, or the parts of a step that serves. */

import { h, s } from "../../../explainers/kit/dom.js";
import * as topology from "./topology.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Op, Picked, PlacedSlot, ServeTrack, TrainTrack } from "./types.d.ts" */

export const WIDE = 1000;
const TONES = 4;
/** @param {number} value */
const tenth = (value) => Math.round(value * 10) / 10;

/* Rectangles by class: {class: path}. What is narrower than a pixel joins its neighbour of the same class. */
const paths = () => {
  /** @typedef {{ x: number, y: number, w: number, h: number }} Rect */
  /** @type {Map<string, Rect[]>} */
  const found = new Map();
  /** @type {Map<string, Rect>} */
  const last = new Map();
  /**
   * @param {string} cls
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   */
  const add = (cls, x, y, w, h) => {
    const before = last.get(`${cls} ${y}`);
    if (before && w < 1.2 && Math.abs(before.x + before.w - x) < 1e-6) {
      before.w += w;
      return;
    }
    const rect = { x, y, w, h };
    last.set(`${cls} ${y}`, rect);
    if (!found.has(cls)) found.set(cls, []);
    found.get(cls)?.push(rect);
  };
  const draw = () =>
    [...found].map(([cls, all]) =>
      s("path", {
        class: cls,
        d: all
          .map(({ x, y, w, h }) => {
            const gap = w > 5 ? 0.9 : w > 1.2 ? 0.18 * w : 0;
            return `M${tenth(x)} ${y}h${tenth(w - gap)}v${h}h${-tenth(w - gap)}z`;
          })
          .join(""),
      }),
    );
  return { add, draw };
};

/**
 * Where a chunk of the model stands among those of its stage.
 * @param {TrainTrack} track
 * @param {number} chunk
 * @returns {number}
 */
export const local = ({ now: { layout: one }, run }, chunk) =>
  one.copies > 1 ? Number(chunk >= one.pp / 2) : Math.floor(chunk / one.pp) % run.chunks;
/**
 * @param {TrainTrack} track
 * @returns {number}
 */
export const parts = ({ now, run }) => run.chunks * now.layout.copies;
/**
 * @param {TrainTrack} track
 * @param {number} chunk
 */
const tone = (track, chunk) => Math.floor((TONES * local(track, chunk)) / parts(track));

/**
 * @param {TrainTrack} track
 * @param {Picked | null} picked
 */
export const train = (track, picked) => {
  const { run, now } = track;
  const [pitch, made] = [topology.pitch(run.ops.length), paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  const lit = picked?.layer !== null && picked ? picked : null;
  /** @param {number} chunk */
  const mine = (chunk) => {
    const [first, end] = tracks.layers(track, chunk);
    return lit !== null && lit.layer !== null && lit.layer >= first && lit.layer < end;
  };
  /**
   * @param {Op} op
   * @param {number} stage
   * @param {number} from
   * @param {number} to
   * @param {boolean} after
   */
  const one = (op, stage, from, to, after) => {
    const [a, b] = [track.x_of(from, after), track.x_of(to, after)].map((x) => x * WIDE);
    const parts = tracks.parts(op);
    parts.forEach(([kind, chunk], i) => {
      const cls =
        lit && lit.stage === stage && mine(chunk)
          ? `fill-${lit.axis} ln-my${kind}`
          : `ln-${kind}${kind === "W" ? "" : tone(track, chunk)}`;
      made.add(cls, a, stage * pitch + (i * high) / 2, b - a, high / parts.length);
    });
  };
  run.ops.forEach((own, stage) =>
    own.forEach((op) => {
      const [from, to] = /** @type {number[]} */ (op.slice(-2));
      const at = run.fold ? run.fold.at : Infinity;
      if (from < at) one(op, stage, from, Math.min(to, at), false);
      if (to > at) one(op, stage, Math.max(from, at), to, true);
    }),
  );
  return { height: run.ops.length * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};

/**
 * The class of a slot of a step that serves.
 * @param {PlacedSlot} slot
 * @returns {string}
 */
export const slotClass = (slot) => (slot.axis ? `fill-${words.role(slot.axis)}` : `ph-${slot.what}`);

/** @param {ServeTrack} track */
export const serve = (track) => {
  const { slots, end, now } = track;
  const [pitch, made] = [topology.pitch(now.layout.pp), paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  for (const slot of slots)
    made.add(slotClass(slot), (slot.from / end) * WIDE, slot.stage * pitch, (slot.seconds / end) * WIDE, high);
  return { height: now.layout.pp * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};
