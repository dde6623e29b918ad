/* A pointer over lanes -> a tip: what a slot is and when, or what a stage waits for. */

import { h, setAttrs } from "../../../explainers/kit/dom.js";
import * as atCursor from "./at-cursor.js";
import * as serves from "./serves.js";
import * as tips from "./tips.js";
import * as topology from "./topology.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { Track } from "./types.d.ts" */

/**
 * [title, [line, ...]] of the lane at a place of the track.
 * @param {Track} track
 * @param {number} i
 * @param {number} stage
 * @returns {[title: string, lines: string[]]}
 */
const text = (track, i, stage) => {
  if (!track.run) return [serves.text(track, i), []];
  const moment = track.moment(i);
  const { op, next } = tracks.at(track, stage, moment);
  const who = track.now.layout.pp > 1 ? `stage ${stage}` : "each GPU";
  if (!op) return [`${who} ${atCursor.wait(track, next, moment.micros)}`, []];
  /** @param {number} t */
  const time = (t) => words.duration((t + moment.units - moment.t) * track.unit);
  const layers = tracks.parts(op).map(([, chunk]) => {
    const [first, end] = tracks.layers(track, chunk);
    return `layers ${words.runs(Array.from({ length: end - first }, (_, k) => first + k)) || "–"}`;
  });
  return [
    atCursor.stage(track, stage, moment),
    [
      [...new Set(layers)].join(", "),
      `${time(/** @type {number} */ (op.at(-2)))} to ${time(/** @type {number} */ (op.at(-1)))}`,
    ],
  ];
};

/**
 * @param {HTMLElement} field
 * @param {Track} track
 * @param {(event: PointerEvent) => number} place
 */
export const listen = (field, track, place) => {
  const many = track.now.layout.pp;
  field.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" || /** @type {Element} */ (event.target).closest("button")) return tips.hide();
    const [box, root] = [field.getBoundingClientRect(), tips.frame()];
    const stage = Math.max(0, Math.min(many - 1, Math.floor((event.clientY - box.top) / topology.pitch(many))));
    const [title, lines] = text(track, place(event), stage);
    tips.box.replaceChildren(h("b", { text: words.capital(title) }), ...lines.map((line) => h("code", { text: line })));
    tips.box.hidden = false;
    tips.state.shown = field;
    const left = Math.max(
      0,
      Math.min(event.clientX - root.left - tips.box.offsetWidth / 2, root.width - tips.box.offsetWidth),
    );
    return setAttrs(tips.box, { style: { left: `${left}px`, top: `${box.bottom - root.top + 10}px` } });
  });
  field.addEventListener("pointerleave", tips.hide);
};
