// The curve of caches over contexts, on a model's page and alone.

import { DTYPES, inBytes, keptBytes } from "./cache-bytes.js";

/** @import { CurveLine, Frame, GrowthSheet, WeighState } from "../site/types.d.ts" */

/**
 * The room around a curve, the least distance of two names, and from the axis to its ticks, in pixels.
 * @typedef {{ top: number, bottom: number, line: number, tick: number }} Room
 */

const LEFT = 64;
/** @type {Room} */
const ROOM = { top: 12, bottom: 44, line: 15, tick: 18 };
/**
 * Of a model's page; figure.css shows the one that fits.
 * @type {{ [kind: string]: Frame }}
 */
export const FRAMES = { narrow: [380, 280, 104], middle: [860, 340, 170] };
export const POWERS = Array.from({ length: 11 }, (_, at) => 10 + at);
/** @type {{ [power: string]: string }} */
const TICKS = { 10: "1k", 12: "4k", 14: "16k", 16: "64k", 18: "256k", 20: "1M" };
/** @param {string} text */
export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
/** @param {number} value */
export const at1 = (value) => value.toFixed(1);

/**
 * @param {Frame} frame
 * @param {number} power of two: tokens
 * @returns {number}
 */
export const placeX = ([width, , right], power) => LEFT + ((width - LEFT - right) * (power - 10)) / 10;
/**
 * @param {Frame} frame
 * @param {number} value bytes
 * @param {number[]} range powers of ten at the foot and at the top
 * @param {Room} [room]
 * @returns {number}
 */
export const placeY = ([, height], value, [low, most], { top, bottom } = ROOM) =>
  top + ((height - top - bottom) * (most - Math.log10(Math.max(value, 10 ** low)))) / (most - low);

/**
 * A model's bytes at each of POWERS.
 * @param {string} title
 * @param {GrowthSheet} sheet
 * @param {Pick<WeighState, "kv" | "batch">} state
 * @returns {CurveLine}
 */
export const lineOf = (title, sheet, { kv, batch }) => ({
  title,
  bytes: POWERS.map((power) => keptBytes(sheet, 2 ** power, DTYPES[kv], batch)),
});

/**
 * The powers of ten around all lines.
 * @param {CurveLine[]} rows
 * @returns {number[]}
 */
export function decades(rows) {
  const kept = rows.flatMap((row) => row.bytes.filter(Boolean));
  const low = Math.floor(Math.log10(kept.length ? Math.min(...kept) : 1));
  return [low, Math.max(Math.ceil(Math.log10(kept.length ? Math.max(...kept) : 10)), low + 1)];
}

/**
 * Grid, lines and their names; the first line is the page's own.
 * @param {Frame} frame
 * @param {CurveLine[]} rows
 * @param {Room} [room]
 * @returns {string}
 */
export function inner(frame, rows, room = ROOM) {
  const range = decades(rows),
    right = placeX(frame, 20),
    foot = frame[1] - room.bottom,
    out = [];
  for (let power = range[0]; power <= range[1]; power += 1) {
    const y = placeY(frame, 10 ** power, range, room);
    out.push(`<path class="f-rule" d="M${LEFT} ${at1(y)}H${at1(right)}"/>`);
    out.push(`<text class="f-dim f-end" x="${LEFT - 8}" y="${at1(y + 4)}">${inBytes(10 ** power, 0)}</text>`);
  }
  for (const [power, words] of Object.entries(TICKS))
    out.push(
      `<text class="f-dim f-mid" x="${at1(placeX(frame, Number(power)))}" y="${foot + room.tick}">${words}</text>`,
    );
  out.push(
    `<text class="f-label f-mid" x="${at1((placeX(frame, 10) + right) / 2)}" y="${foot + room.tick + 20}">context, tokens</text>`,
  );
  for (let place = rows.length - 1; place >= 0; place -= 1) out.push(path(frame, rows[place], place, range, room));
  return out.join("") + names(frame, rows, range, room);
}

/**
 * @param {Frame} frame
 * @param {CurveLine} row
 * @param {number} place
 * @param {number[]} range
 * @param {Room} room
 */
function path(frame, row, place, range, room) {
  const points = POWERS.map((power, at) => [power, row.bytes[at]])
    .filter(([, y]) => y)
    .map(([x, y]) => `${at1(placeX(frame, x))} ${at1(placeY(frame, y, range, room))}`)
    .join("L");
  if (!points) return "";
  if (place === 0) return `<path class="c-edge" d="M${points}"/><path class="c-own" d="M${points}"/>`;
  return `<path class="c-other w-line${place}" d="M${points}"/>`;
}

/**
 * Each line's name at its right end, kept apart.
 * @param {Frame} frame
 * @param {CurveLine[]} rows
 * @param {number[]} range
 * @param {Room} room
 */
function names(frame, rows, range, room) {
  const ends = rows
    .flatMap((row, place) => {
      const last = row.bytes.at(-1);
      return last ? [[placeY(frame, last, range, room), place]] : [];
    })
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  /** @type {number[]} */
  const places = [];
  for (const [y] of ends) places.push(places.length ? Math.max(y, places[places.length - 1] + room.line) : y);
  const over = places.length ? Math.max(0, places[places.length - 1] - (frame[1] - room.bottom)) : 0;
  const x = placeX(frame, 20) + 10;
  return ends
    .map(
      ([, place], at) =>
        `<text class="${place ? "f-label" : "f-keptsays"}" x="${at1(x)}" y="${at1(places[at] - over + 4)}">${escaped(shortened(rows[place].title, frame[2] - 12))}</text>`,
    )
    .join("");
}

/**
 * A name cut to so many pixels.
 * @param {string} title
 * @param {number} room
 */
export function shortened(title, room) {
  if (lettersWide(title) <= 10 * room) return title;
  const letters = [...title];
  while (letters.length && lettersWide(`${letters.join("")}…`) > 10 * room) letters.pop();
  return `${letters.join("").replace(/[ -]+$/, "")}…`;
}
/**
 * Tenths of pixels, and the letters that are no wider in the figure's bold 12; what stands nowhere here is as wide as W.
 * @type {[width: number, letters: string][]}
 */
const WIDTHS = [
  [34, " Iijl"],
  [48, "!'(),./:;[]frt|"],
  [57, "-_{}"],
  [74, "EFJL?acehknosuvxyz"],
  [112, "Mmw"],
  [116, "…"],
  [82, "#$&+0123456789<=>BPRSTZbdgpq~"],
  [94, "ACDGHKNOQUVXY"],
];
/** @param {string} words */
const lettersWide = (words) =>
  [...words].reduce((sum, one) => sum + (WIDTHS.find(([, letters]) => letters.includes(one))?.[0] ?? 123), 0);
