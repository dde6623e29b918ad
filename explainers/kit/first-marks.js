/* What the instruments of bets are drawn with: lines, words, ticks, handles, brackets, and the answer where it lies. */
import { betWords, shareAt, shortened } from "./bet-words.js";
import { pct } from "./chart.js";
import { s } from "./dom.js";
import { wordsOf } from "./first-words.js";
import { printValue } from "./numbers.js";

/** @import { Look } from "./beat-words.js" */
/** @import { AttrValue, Attrs, Kid } from "./dom.js" */
/** @import { FullBet, Scale } from "./first-scale.js" */

export const BAR = 46; // pixels: the height of a bar

/** @type {(x1: AttrValue, y1: AttrValue, x2: AttrValue, y2: AttrValue, css?: string) => SVGElement} */
export const line = (x1, y1, x2, y2, css) => s("line", { class: css || false, x1, y1, x2, y2 });

/** @type {(x: AttrValue, y: AttrValue, said: Kid, css?: string, more?: Attrs) => SVGElement} */
export const text = (x, y, said, css, more) => s("text", { class: css || false, x, y, ...more }, said);

/** A template in a drawing. @type {(look: Look, template: string) => Kid} */
export const drawnWords = (look, template) => wordsOf(look, template, { make: () => s("tspan") });

/** A value as ticks and landmarks print it. @type {(bet: FullBet, value: number | string) => string} */
export const shortWords = (bet, value) => shortened(printValue(value, bet.format));

/**
 * Labels below an axis; every second one is marked, to be left out where it is narrow. A unit that all share stands at
 * the last one only.
 * @param {FullBet} bet
 * @param {Scale} on
 * @param {number} y
 */
export const ticks = (bet, on, y) => {
  const found = on.ticks.map((t) => shortWords(bet, t));
  const last = found.length - 1;
  const cut = found.map((one) => one.lastIndexOf(" "));
  const shared = cut.every((at, i) => at > 0 && found[i].slice(at) === found[last].slice(cut[last]));
  return on.ticks.map((t, i) => {
    const css = `bet-tick${i % 2 && i !== last ? " odd" : ""}${i === 0 ? " first" : i === last ? " last" : ""}`;
    return text(pct(shareAt(on, t)), y, shared && i !== last ? found[i].slice(0, cut[i]) : found[i], css);
  });
};

export const [SIDEWAYS, UPWARDS] = ["M-3 -4l-4 4l4 4M3 -4l4 4l-4 4", "M-4 -3l4 -4l4 4M-4 3l4 4l4 -4"];

/** @type {(y: number, w: number, h: number, more?: Attrs, d?: string) => SVGElement} */
export const handle = (y, w, high, more = {}, d = SIDEWAYS) =>
  s(
    "svg",
    { class: "bet-handle", x: 0, y, overflow: "visible", "aria-hidden": "true", ...more },
    s("rect", { class: "bet-grip", x: -w, y: -high, width: 2 * w, height: 2 * high, rx: w }),
    s("path", { class: "bet-arrows", d }),
  );

/** From guess to answer; bets.js places it. @param {number} y */
export const bracket = (y) =>
  s(
    "g",
    { class: "bet-bracket", "data-y": y },
    line(0, y, 0, y),
    line(0, y - 5, 0, y),
    line(0, y - 5, 0, y),
    text(0, y + 16, "", "bet-far"),
  );

/** A bar's space and its answer. @type {(x: AttrValue, y: number, width: AttrValue, css: string) => SVGElement} */
export const rect = (x, y, width, css) =>
  s("rect", { class: css, x, y, width, height: BAR, rx: css === "bet-track" ? false : 3 });

/**
 * The answer, printed where it lies.
 * @param {FullBet} bet
 * @param {Look} shown
 * @param {string} path
 * @param {{ x: string, y: number, css: string, dx?: number }} place
 */
export const value = (bet, shown, path, { x, y, css, dx }) =>
  text(x, y, betWords(bet, shown(path)), `bet-value${css}`, {
    dx: dx ?? false,
    "data-out": path,
    "data-format": bet.format,
    "data-unit": bet.unit,
    "data-with": bet.kind === "curve" ? JSON.stringify({ [bet.along]: bet.at[bet.at.length - 1] }) : false,
  });

export const answered = (/** @type {Kid[]} */ ...kids) => s("g", { class: "bet-answered" }, kids);
