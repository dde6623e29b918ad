// The curve of caches over contexts: the same marks as app/weigh/figures.py draws.

import { inBytes } from "./kept.js";

const [LEFT, TOP, BOTTOM, LINE] = [64, 12, 44, 15];
export const POWERS = Array.from({ length: 11 }, (_, at) => 10 + at);
const TICKS = { 10: "1k", 12: "4k", 14: "16k", 16: "64k", 18: "256k", 20: "1M" };
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const at1 = (value) => value.toFixed(1);

export const placeX = ([width, , right], power) => LEFT + ((width - LEFT - right) * (power - 10)) / 10;
export const placeY = ([, height], value, [low, most]) =>
  TOP + ((height - TOP - BOTTOM) * (most - Math.log10(Math.max(value, 10 ** low)))) / (most - low);

// The powers of ten around all lines.
export function decades(rows) {
  const kept = rows.flatMap((row) => row.bytes.filter(Boolean));
  const low = Math.floor(Math.log10(kept.length ? Math.min(...kept) : 1));
  return [low, Math.max(Math.ceil(Math.log10(kept.length ? Math.max(...kept) : 10)), low + 1)];
}

// Grid, lines and their names; the first line is the page's own.
export function inner(frame, rows) {
  const range = decades(rows),
    right = placeX(frame, 20),
    foot = frame[1] - BOTTOM,
    out = [];
  for (let power = range[0]; power <= range[1]; power += 1) {
    const y = placeY(frame, 10 ** power, range);
    out.push(`<path class="f-rule" d="M${LEFT} ${at1(y)}H${at1(right)}"/>`);
    out.push(`<text class="f-dim f-end" x="${LEFT - 8}" y="${at1(y + 4)}">${inBytes(10 ** power, 0)}</text>`);
  }
  for (const [power, words] of Object.entries(TICKS))
    out.push(`<text class="f-dim f-mid" x="${at1(placeX(frame, power))}" y="${foot + 18}">${words}</text>`);
  out.push(
    `<text class="f-label f-mid" x="${at1((placeX(frame, 10) + right) / 2)}" y="${foot + 38}">context, tokens</text>`,
  );
  for (let place = rows.length - 1; place >= 0; place -= 1) out.push(path(frame, rows[place], place, range));
  return out.join("") + names(frame, rows, range);
}

function path(frame, row, place, range) {
  const points = POWERS.map((power, at) => [power, row.bytes[at]])
    .filter(([, y]) => y)
    .map(([x, y]) => `${at1(placeX(frame, x))} ${at1(placeY(frame, y, range))}`)
    .join("L");
  if (!points) return "";
  if (place === 0) return `<path class="c-edge" d="M${points}"/><path class="c-own" d="M${points}"/>`;
  return `<path class="c-other w-line${place}" d="M${points}"/>`;
}

// Each line's name at its right end, kept apart.
function names(frame, rows, range) {
  const ends = rows
    .map((row, place) => [row.bytes.at(-1) ? placeY(frame, row.bytes.at(-1), range) : null, place])
    .filter(([y]) => y !== null)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const places = [];
  for (const [y] of ends) places.push(places.length ? Math.max(y, places.at(-1) + LINE) : y);
  const over = places.length ? Math.max(0, places.at(-1) - (frame[1] - BOTTOM)) : 0;
  const x = placeX(frame, 20) + 10;
  return ends
    .map(
      ([, place], at) =>
        `<text class="${place ? "f-label" : "f-keptsays"}" x="${at1(x)}" y="${at1(places[at] - over + 4)}">${escaped(shortened(rows[place].title, frame[2] - 12))}</text>`,
    )
    .join("");
}

// A name cut to so many pixels: app/weigh/curve.py has the widths.
function shortened(title, room) {
  if (lettersWide(title) <= 10 * room) return title;
  const letters = [...title];
  while (letters.length && lettersWide(`${letters.join("")}…`) > 10 * room) letters.pop();
  return `${letters.join("").replace(/[ -]+$/, "")}…`;
}
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
const lettersWide = (words) =>
  [...words].reduce((sum, one) => sum + (WIDTHS.find(([, letters]) => letters.includes(one))?.[0] ?? 123), 0);
