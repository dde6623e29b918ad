/* A bet and its answer -> the instrument under the figure as it stands before any script: bar, line, curve, or the axis of
   a pick. build/render.mjs runs this; bets.js moves what is drawn here.

   Everything along x is a percentage, so one drawing fits every width without a viewBox and without a style attribute.
   What holds the answer has the class bet-answered and is hidden while the bet is open. */
import { betWords, shareAt } from "./bet-words.js";
import { pct } from "./chart.js";
import { h, s } from "./dom.js";
import { bar } from "./first-bars.js";
import { answered, drawnWords, handle, line, shortWords, text, ticks, UPWARDS, value } from "./first-marks.js";
import { scaleOf, series } from "./first-scale.js";
import { wordsOf } from "./first-words.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Kid } from "./dom.js" */
/** @import { FullBet, LookAt } from "./first-scale.js" */

const [CURVE, TOP] = [210, 24]; // pixels: the height of a curve's chart, and the room above it

/**
 * A point on an axis with its landmarks.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
const point = (bet, look, shown) => {
  const [on, y, path] = [scaleOf(bet), 44, /** @type {string} */ (bet.answer)];
  const x = pct(shareAt(on, shown(path)));
  const marks = bet.marks.map((mark) => {
    const at = shareAt(on, mark.at);
    return [
      s("circle", { class: "bet-mark", cx: pct(at), cy: y, r: 4 }),
      text(pct(at), y + 44, mark.label, `bet-tick${at < 0.1 ? " first" : ""}`),
    ];
  });
  const small = on.ticks.map((t) => line(pct(shareAt(on, t)), y - 5, pct(shareAt(on, t)), y + 5));
  return [
    bet.marks.length ? 96 : 76,
    [
      s("g", { class: "bet-axis" }, line(0, y, "100%", y), small),
      marks,
      ticks(bet, on, y + 24),
      answered(
        s("line", { class: "bet-span", x1: x, x2: x, y1: y, y2: y }),
        s("circle", { class: "bet-answer", cx: x, cy: y, r: 10 }),
        value(bet, shown, path, { x, y: y - 24, css: " middle" }),
      ),
      text(0, y - 22, "", "bet-yours middle"),
      handle(y, 15, 15),
    ],
  ];
};

/**
 * Known points, and a last one to drag up or down.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @param {LookAt} lookAt
 * @returns {[number, Kid]}
 */
const curve = (bet, look, shown, lookAt) => {
  const heights = series(bet, shown, lookAt);
  const n = heights.length;
  let on = scaleOf(bet);
  if (on.log && !bet.ticks.length) {
    // each known point, and half of the last
    const marks = [...heights.slice(0, -1), heights[n - 2] / 2, heights[n - 2] * 2];
    const all = marks.filter((mark) => mark >= on.low && mark <= on.high);
    on = { ...on, ticks: [...new Set(all)].sort((a, b) => a - b) };
  }
  /** @param {number} v */
  const y = (v) => Math.round(10 * (TOP + CURVE * (1 - shareAt(on, v)))) / 10;
  const [xs, ys] = [heights.map((_, i) => pct((i + 0.5) / n)), heights.map(y)];
  const joins = xs.slice(1).map((x, i) => line(xs[i], ys[i], x, ys[i + 1], "bet-join"));
  const [x, before, low] = [xs[n - 1], ys[n - 2], TOP + CURVE / 2];
  const along = bet.at.map((v) => bet.x.replace("{}", String(v)).replace("(s)", v === 1 ? "" : "s"));
  return [
    TOP + CURVE + 44,
    [
      on.ticks.map((t) => [
        line(0, y(t), "100%", y(t), "bet-grid"),
        text(-12, y(t) + 4, shortWords(bet, t), "bet-tick end"),
      ]),
      joins.slice(0, -1),
      xs.slice(0, -1).map((cx, i) => s("circle", { class: "bet-point", cx, cy: ys[i], r: 6 })),
      along.map((said, i) => text(xs[i], TOP + CURVE + 32, said, "bet-tick")),
      s("line", { class: "bet-reach", x1: xs[n - 2], y1: before, x2: xs[n - 2], y2: before }),
      answered(
        joins[n - 2],
        s("circle", { class: "bet-answer", cx: x, cy: ys[n - 1], r: 8 }),
        text(x, ys[n - 1] - 14, betWords(bet, heights[n - 1]), "bet-value middle", {
          "data-out": /** @type {string} */ (bet.answer),
          "data-format": bet.format,
          "data-unit": bet.unit,
          "data-with": JSON.stringify({ [bet.along]: bet.at[n - 1] }),
        }),
      ),
      text(x, low, "", "bet-yours middle"),
      handle(low, 11, 11, { x }, UPWARDS),
    ],
  ];
};

/**
 * The axis below the options, where one option ends and the next begins; nothing where there is no axis.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
const pick = (bet, look, shown) => {
  if (!bet.range) return [0, null];
  const [on, y, path] = [scaleOf(bet), 12, /** @type {string} */ (bet.answer)];
  const x = pct(shareAt(on, shown(path)));
  const cuts = bet.cuts.map((cut, i) => {
    const at = pct(shareAt(on, typeof cut.at === "string" ? look(cut.at) : cut.at));
    return [
      s("rect", { class: "bet-cut", x: at, y: 0, width: 5, height: 24, rx: 1 }),
      text(at, y + 30, drawnWords(look, cut.label), `bet-tick cut${i ? " end" : ""}`),
    ];
  });
  return [
    76,
    [
      s("g", { class: "bet-axis" }, line(0, y, "100%", y)),
      cuts,
      text("0", y + 30, betWords(bet, on.low, true), "bet-tick odd first"),
      text("100%", y + 30, betWords(bet, on.high, true), "bet-tick odd last"),
      answered(
        s("circle", { class: "bet-answer", cx: x, cy: y, r: 9 }),
        value(bet, shown, path, { x, y: y + 54, css: " middle" }),
      ),
    ],
  ];
};

const DRAWN = { bar, line: point, curve, pick };

/**
 * The whole instrument; its label tells nothing of the answer.
 * @param {FullBet} bet
 * @param {Look} look in the state that the beat opens in
 * @param {Look} shown where the answer holds
 * @param {LookAt} lookAt
 */
export const firstTool = (bet, look, shown, lookAt) => {
  const [high, inner] = DRAWN[bet.kind](bet, look, shown, lookAt);
  const named = bet.label && (bet.kind === "curve" || bet.kind === "line");
  const scale = { class: "bet-scale", width: "100%", height: high, "aria-hidden": "true" };
  return h(
    "div",
    { class: `bet-tool bet-${bet.kind}` },
    named ? h("p", { class: "bet-name" }, wordsOf(look, bet.label)) : null,
    h("div", { class: "bet-area" }, high ? s("svg", scale, inner) : null),
    bet.note ? h("p", { class: "bet-note" }, wordsOf(look, bet.note)) : null,
  );
};
