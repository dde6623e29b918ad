/* A track and a place -> the drawing above: activations as they are now, links on which something travels, what is read. */

import { s, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/** @import { ServeTrack, Track, TrainTrack } from "./types.d.ts" */

/**
 * A stack's activations of now, in px; or the words beside them.
 * @typedef {{ stage: number, rect?: SVGElement, text?: HTMLElement, bottom: number, height: number }} StackNow
 */

/**
 * What of a drawing follows the cursor.
 * @typedef {{
 *   stacks: StackNow[],
 *   links: { link: HTMLElement, from: number, to: number }[],
 *   bands: { band: HTMLElement }[],
 *   fans: { packet: SVGElement, stage: number, axis: string }[],
 *   reads: { part: HTMLElement, stage: number, name: string }[],
 * }} Parts
 */

/**
 * The activations of now, in the stacks: made once a drawing.
 * @param {Element} drawing
 */
const stacks = (drawing) => {
  /** @type {StackNow[]} */
  const found = [];
  for (const peak of drawing.querySelectorAll(".st-activations")) {
    const stage = Number(/** @type {HTMLElement | null} */ (peak.closest("[data-stage]"))?.dataset.stage || 0);
    const [y, height] = [Number(peak.getAttribute("y")), Number(peak.getAttribute("height"))];
    const rect = s("rect", {
      class: "st-now",
      x: peak.getAttribute("x"),
      width: peak.getAttribute("width"),
      height: 0,
    });
    peak.after(rect);
    found.push({ stage, rect, bottom: y + height, height });
  }
  for (const text of /** @type {NodeListOf<HTMLElement>} */ (drawing.querySelectorAll("[data-now]")))
    found.push({
      stage: Number(/** @type {HTMLElement | null} */ (text.closest("[data-stage]"))?.dataset.stage || 0),
      text,
      bottom: 0,
      height: 0,
    });
  return found;
};

/**
 * @param {TrainTrack} track
 * @param {number} i
 * @param {Parts} parts
 */
const train = (track, i, parts) => {
  const moment = track.moment(i);
  for (const { stage, rect, text, bottom, height } of parts.stacks) {
    const bytes = tracks.saved(track, stage, tracks.at(track, stage, moment).held);
    const most = track.now.plan.ranks[stage].activations_bytes;
    const high = rect && most ? (height * bytes) / most : 0;
    if (rect) setAttrs(rect, { y: bottom - high, height: high });
    else if (text) setText(text, text.dataset.now === "number" ? words.gb(bytes) : "at the cursor");
  }
  const sends = new Set(tracks.sends(track, moment).map(([, from, to]) => `${from} ${to}`));
  for (const { link, from, to } of parts.links) {
    link.classList.toggle("sends", sends.has(`${from} ${to}`));
    link.classList.toggle("sends-back", sends.has(`${to} ${from}`));
  }
  /** @param {number} stage */
  const busy = (stage) => Boolean(tracks.at(track, stage, moment).op);
  for (const { packet, axis, stage } of parts.fans)
    packet.classList.toggle("on", busy(stage) && !["dp", "edp"].includes(axis));
  for (const { band } of parts.bands)
    band.classList.toggle(
      "band-on",
      busy(0) && !["dp", "edp"].includes(words.role(/** @type {string} */ (band.dataset.axis))),
    );
};

/**
 * In the middle of a line of the fan: seen while its ranks meet.
 * @param {Element} line
 * @param {number} stage
 */
const packet = (line, stage) => {
  /**
   * @param {string} a
   * @param {string} b
   */
  const middle = (a, b) => (Number(line.getAttribute(a)) + Number(line.getAttribute(b))) / 2;
  const packet = s("circle", { class: "packet", cx: middle("x1", "x2"), cy: middle("y1", "y2"), r: 2 });
  line.after(packet);
  return { packet, stage, axis: /line-(\w+)/.exec(`${line.getAttribute("class")}`)?.[1] ?? "" };
};

/** @type {{ [what: string]: string[] }} */
const READS = { cache: ["st-cache", "st-copy"], weights: ["st-weights"], experts: ["st-experts"] };
/**
 * @param {ServeTrack} track
 * @param {number} i
 * @param {Parts} parts
 */
const serve = (track, i, parts) => {
  const slot = track.slots[i];
  for (const { band } of parts.bands) band.classList.toggle("band-on", slot?.axis === band.dataset.axis);
  for (const { link, from } of parts.links) link.classList.toggle("sends", slot?.axis === "pp" && slot.stage === from);
  for (const { packet, axis, stage } of parts.fans)
    packet.classList.toggle("on", slot?.stage === stage && words.role(slot.axis) === axis);
  const lit = READS[slot && !slot.axis ? slot.what : ""] || [];
  for (const { part, stage, name } of parts.reads)
    part.classList.toggle("st-read", lit.includes(name) && slot.stage === stage);
};

/**
 * Nothing of the drawing follows a cursor any more.
 * @param {Element} drawing
 */
export const off = (drawing) => {
  for (const old of drawing.querySelectorAll(".packet, .st-now")) old.remove();
  for (const text of drawing.querySelectorAll("[data-now]")) setText(text, "");
  const lit = ["sends", "sends-back", "band-on", "st-read"];
  for (const one of drawing.querySelectorAll(lit.map((name) => `.${name}`).join())) one.classList.remove(...lit);
};

/**
 * What of a drawing follows the cursor.
 * @param {Element} drawing
 * @param {boolean} train
 */
export const parts = (drawing, train) => {
  /** @param {Element} node */
  const stage = (node) => Number(/** @type {HTMLElement | null} */ (node.closest("[data-stage]"))?.dataset.stage || 0);
  /**
   * @template T
   * @param {string} query
   * @param {(node: HTMLElement) => T} make
   * @returns {T[]}
   */
  const all = (query, make) => [.../** @type {NodeListOf<HTMLElement>} */ (drawing.querySelectorAll(query))].map(make);
  return {
    stacks: train ? stacks(drawing) : [],
    links: all(".box-send", (link) => ({ link, from: Number(link.dataset.from), to: Number(link.dataset.to) })),
    bands: all(".band", (band) => ({ band })),
    fans: all(".ln", (line) => packet(line, stage(line))),
    reads: train
      ? []
      : Object.values(READS)
          .flat()
          .flatMap((name) => all(`rect.${name}`, (part) => ({ part, stage: stage(part), name }))),
  };
};
/**
 * @param {Track} track
 * @param {number} i
 * @param {Parts} parts
 */
export const move = (track, i, parts) => (track.run ? train(track, i, parts) : serve(track, i, parts));
