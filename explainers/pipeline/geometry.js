/* What is drawn where: fields for lanes and maps, the part of the step that is shown, arrows between lanes. */
import { needs_px, tenth } from "./cells.js";

/** @import { Field } from "./cells.js" */
/** @import { Message, Op } from "./simulate.js" */

/** What is drawn of a schedule. @typedef {{ ops: Op[][], peak: number[] }} Lanes */
/** @typedef {Lanes & { end: number, other: Lanes | null }} Shown */
/** @typedef {ReturnType<typeof geometry>} Geometry */

const MAP_PITCH = 8;
const ARROW = 5; // half the width of its head

/** @param {number} ranks @param {number} schedules @param {boolean} pairs half a pair must hold a number */
const lane_height = (ranks, schedules, pairs) => {
  if (pairs) return 8 >= ranks && schedules === 1 ? 32 : 28;
  if (8 >= ranks) return schedules > 1 ? 24 : 32;
  return schedules > 1 ? 16 : 20;
};

/**
 * Sizes in pixels: a field for each schedule, and above them a map of the whole step if only a part is shown.
 * @param {number} width
 * @param {{ out: Shown, m: number, close: boolean, zoom: number, put: number }} what put: where a reader put that part
 */
export const geometry = (width, { out, m, close, zoom, put }) => {
  const outs = out.other ? [out, out.other] : [out];
  const ranks = out.ops.length;
  const left = width < 560 ? 26 : 60;
  const right = width < 560 ? 72 : width < 800 ? 96 : 168;
  const pairs = outs.some(({ ops }) => ops.some((row) => row.some((op) => op[0] === "X")));
  const lane = lane_height(ranks, outs.length, pairs);
  const pitch = lane + (ranks > 8 ? 4 : 6);
  const inner = width - left - right;
  const least = Math.min(
    ...outs
      .flatMap(({ ops }) =>
        ops.flat().map((op) => /** @type {number} */ (op.at(-1)) - /** @type {number} */ (op.at(-2))),
      )
      .filter((t) => t > 0),
  );
  const close_up =
    0.85 * needs_px(m) > (least * inner) / out.end ? Math.min(out.end, (least * inner) / (needs_px(m) + 2)) : out.end;
  const shown = !close ? out.end : zoom ? Math.min(out.end, out.end / zoom) : close_up;
  const head = outs.length > 1 ? 18 : 0; // above each: whose it is
  const line = outs.length > 1 && ranks > 8 ? 5 : MAP_PITCH;
  const mapped = out.end > shown;
  const whole = { left, inner, from: 0, to: out.end };
  const maps = mapped
    ? outs.map((_, i) => ({ ...whole, top: 26 + i * (ranks * line + 6), lane: line - 2, pitch: line }))
    : [];
  const top = mapped ? 26 + outs.length * (ranks * line + 6) + 8 : 26;
  const mains = outs.map((_, i) => ({
    ...whole,
    to: shown,
    top: top + head + i * (head + ranks * pitch),
    lane,
    pitch,
  }));
  return {
    outs,
    left,
    right,
    inner,
    width,
    maps,
    mains,
    main: mains[0],
    shown,
    zoom,
    put,
    digits: needs_px(m),
    least,
    track: width < 560 ? 26 : right - 62,
    height: top + outs.length * (head + ranks * pitch) + 6,
  };
};

/**
 * Where the shown part begins when the cursor stands at t: it turns over like a page, half a part at a time.
 * @param {number} t
 * @param {{ shown: number }} g
 * @param {number} end
 */
export const page_at = (t, g, end) => {
  const half = g.shown / 2;
  return Math.max(0, Math.min(end - g.shown, (Math.floor(t / half) - 0.5) * half));
};

/**
 * Where the shown part begins: where it was put, unless the cursor has left that; nowhere else while its lanes are held.
 * @param {Geometry} g
 * @param {number} t
 * @param {number} end
 * @param {Field | null} grabbed
 */
export const part_from = (g, t, end, grabbed) => {
  if (!g.maps.length) return 0;
  const last = end - g.shown;
  if (grabbed && !g.maps.includes(grabbed)) return Math.min(grabbed.from, last);
  const put = Math.max(0, Math.min(g.put, last));
  return g.zoom && t >= put - 0.01 && put + g.shown + 0.01 >= t ? put : page_at(t, g, end);
};

/** The map or the lanes at a height. @param {Geometry} g @param {number} y @returns {Field} */
export const field_at = (g, y) =>
  g.maps.length && g.main.top - (g.outs.length > 1 ? 25 : 7) > y
    ? g.maps[0]
    : g.mains[1] && y > g.mains[1].top - 18
      ? g.mains[1]
      : g.main;

/**
 * Pixel -> the moment there, and the op there, or the one after the gap there: [t, rank, op or -1].
 * @param {Geometry} g
 * @param {Field} f the field that the pixel is in
 * @param {number} x
 * @param {number} y
 * @param {Op[][]} all
 */
export const op_at = (g, f, x, y, all) => {
  const t = Math.min(Math.max(f.from + ((x - f.left) / f.inner) * (f.to - f.from), f.from), f.to);
  const rank = Math.floor((y - f.top) / f.pitch);
  if (f === g.mains[1] || !(rank in all)) return [t, -1, -1];
  const index = all[rank].findIndex((op) => /** @type {number} */ (op.at(-1)) > t);
  return [t, rank, index === -1 ? all[rank].length : index];
};

/** @param {Pick<Field, "left" | "inner" | "from" | "to">} f @param {number} t */
export const px = (f, t) => f.left + (f.inner * (Math.min(Math.max(t, f.from), f.to) - f.from)) / (f.to - f.from);

/**
 * From a lane's edge to the edge of another, at the times of sending and arriving.
 * @param {Field} f
 * @param {Message} message
 */
export const hop_line = (f, [, from, , to, , sent, there]) => {
  const y = (/** @type {number} */ r, /** @type {boolean} */ down) => f.top + r * f.pitch + (down ? f.lane : 0);
  return [px(f, sent), y(from, to > from), px(f, there), y(to, from > to)].map(tenth);
};

/** @param {number[]} line */
export const arrow_head = ([x1, y1, x2, y2]) => {
  const turn = Math.atan2(y2 - y1, x2 - x1);
  const wing = (/** @type {number} */ side) =>
    `${tenth(x2 - 7 * Math.cos(turn) + side * ARROW * Math.sin(turn))} ${tenth(y2 - 7 * Math.sin(turn) - side * ARROW * Math.cos(turn))}`;
  return `M${x2} ${y2}L${wing(1)}L${wing(-1)}z`;
};
