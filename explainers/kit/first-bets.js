/* A bet and its answer -> the instrument under the figure as it stands before any script: bar, line, curve, or the axis of
   a pick; and the row that bets.js starts from. build/render.mjs runs this; bets.js moves what is drawn here.

   Everything along x is a percentage, so one drawing fits every width without a viewBox and without a style attribute.
   What holds the answer has the class bet-answered and is hidden while the bet is open. */
import { betWords, shareAt, shortened } from "./bet-words.js";
import { decades, pct } from "./chart.js";
import { h, s } from "./dom.js";
import { wordsOf } from "./first-words.js";
import { printValue } from "./numbers.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Attrs, AttrValue, Kid } from "./dom.js" */
/** @import { State } from "./told.js" */

/**
 * A bet as page.md has it, with every key: explainers/beats.py says what each is.
 * @typedef {object} FullBet
 * @property {"bar" | "line" | "curve" | "pick"} kind
 * @property {string} ask
 * @property {string | string[]} answer
 * @property {State} state
 * @property {string} format
 * @property {string} unit
 * @property {[number, number] | null} range
 * @property {"linear" | "log"} scale
 * @property {number | null} step
 * @property {number[]} values
 * @property {number[]} ticks
 * @property {{ at: number, label: string }[]} marks
 * @property {{ label: string, value: number | string }[]} beside
 * @property {string} label
 * @property {string} note
 * @property {string} says
 * @property {string[]} within
 * @property {"" | "ratio" | "difference"} by
 * @property {string} along
 * @property {(number | string)[]} at
 * @property {string} x
 * @property {string[]} options
 * @property {{ at: number | string, label: string }[]} cuts
 */

/** A scale, what can be bet on it and where its labels stand. @typedef {{ low: number, high: number, log: boolean, values: number[], ticks: number[] }} Scale */

/** What looks at a state. @typedef {(state: State) => Look} LookAt */

const [BAR, ROW] = [46, 98]; // pixels: a bar, and from one bar's label to the next
const [CURVE, TOP] = [210, 24]; // pixels: the height of a curve's chart, and the room above it

/* ---------------------------------------------------------------- scales */

/** No digit that is only rounding. @param {number} x */
const plain = (x) => Number(x.toPrecision(12));

/** The next 1, 2 or 5 times a power of ten. @param {number} step */
const nice = (step) => {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= step * (1 - 1e-9)) ?? step;
};

/**
 * The bet's scale; without a range (a pick without an axis) 0 to 1.
 * @param {FullBet} bet
 * @returns {Scale}
 */
export const scaleOf = (bet) => {
  const [low, high] = bet.range ?? [0, 1];
  const log = bet.scale === "log";
  /** @param {number[]} values */
  const inside = (values) => values.filter((v) => v >= low && v <= high * (1 + 1e-12)).map(plain);
  /** @param {number} step */
  const steps = (step) => Array.from({ length: Math.floor((high - low) / step + 1e-9) + 1 }, (_, i) => low + step * i);
  const values = log ? decades([low, high], [1, 2, 3, 4, 5, 6, 7, 8, 9]) : steps(bet.step || nice((high - low) / 80));
  const ticks = log ? decades([low, high]) : steps(nice((high - low) / 5));
  return {
    low,
    high,
    log,
    values: bet.values.length ? bet.values : inside(values),
    ticks: bet.ticks.length ? bet.ticks : inside(ticks),
  };
};

/**
 * The values that a bet's answer has at each value along x.
 * @param {FullBet} bet
 * @param {Look} shown
 * @param {LookAt} lookAt
 * @returns {number[]}
 */
const series = (bet, shown, lookAt) =>
  bet.at.map((x) => lookAt({ ...shown.state, [bet.along]: x })(/** @type {string} */ (bet.answer)));

/**
 * What the last point of a curve can be set to: on a log scale eighths of a doubling from the point before.
 * @param {Scale} on
 * @param {number[]} known
 */
const curveValues = (on, known) => {
  const last = known[known.length - 1];
  const steps = Array.from({ length: 161 }, (_, i) => Number((last * 2 ** ((i - 80) / 8)).toPrecision(6)));
  return on.log ? steps.filter((v) => v >= on.low && v <= on.high).map(plain) : on.values;
};

/* ---------------------------------------------------------------- parts of a drawing */

/** @type {(x1: AttrValue, y1: AttrValue, x2: AttrValue, y2: AttrValue, css?: string) => SVGElement} */
const line = (x1, y1, x2, y2, css) => s("line", { class: css || false, x1, y1, x2, y2 });

/** @type {(x: AttrValue, y: AttrValue, said: Kid, css?: string, more?: Attrs) => SVGElement} */
const text = (x, y, said, css, more) => s("text", { class: css || false, x, y, ...more }, said);

/** A template in a drawing. @type {(look: Look, template: string) => Kid} */
const drawnWords = (look, template) => wordsOf(look, template, { make: () => s("tspan") });

/** A value as ticks and landmarks print it. @type {(bet: FullBet, value: number | string) => string} */
const shortWords = (bet, value) => shortened(printValue(value, bet.format));

/**
 * Labels below an axis; every second one is marked, to be left out where it is narrow. A unit that all share stands at
 * the last one only.
 * @param {FullBet} bet
 * @param {Scale} on
 * @param {number} y
 */
const ticks = (bet, on, y) => {
  const found = on.ticks.map((t) => shortWords(bet, t));
  const last = found.length - 1;
  const cut = found.map((one) => one.lastIndexOf(" "));
  const shared = cut.every((at, i) => at > 0 && found[i].slice(at) === found[last].slice(cut[last]));
  return on.ticks.map((t, i) => {
    const css = `bet-tick${i % 2 && i !== last ? " odd" : ""}${i === 0 ? " first" : i === last ? " last" : ""}`;
    return text(pct(shareAt(on, t)), y, shared && i !== last ? found[i].slice(0, cut[i]) : found[i], css);
  });
};

const [SIDEWAYS, UPWARDS] = ["M-3 -4l-4 4l4 4M3 -4l4 4l-4 4", "M-4 -3l4 -4l4 4M-4 3l4 4l4 -4"];

/** @type {(y: number, w: number, h: number, more?: Attrs, d?: string) => SVGElement} */
const handle = (y, w, high, more = {}, d = SIDEWAYS) =>
  s(
    "svg",
    { class: "bet-handle", x: 0, y, overflow: "visible", "aria-hidden": "true", ...more },
    s("rect", { class: "bet-grip", x: -w, y: -high, width: 2 * w, height: 2 * high, rx: w }),
    s("path", { class: "bet-arrows", d }),
  );

/** From guess to answer; bets.js places it. @param {number} y */
const bracket = (y) =>
  s(
    "g",
    { class: "bet-bracket", "data-y": y },
    line(0, y, 0, y),
    line(0, y - 5, 0, y),
    line(0, y - 5, 0, y),
    text(0, y + 16, "", "bet-far"),
  );

/** A bar's space and its answer. @type {(x: AttrValue, y: number, width: AttrValue, css: string) => SVGElement} */
const rect = (x, y, width, css) =>
  s("rect", { class: css, x, y, width, height: BAR, rx: css === "bet-track" ? false : 3 });

/**
 * The answer, printed where it lies.
 * @param {FullBet} bet
 * @param {Look} shown
 * @param {string} path
 * @param {{ x: string, y: number, css: string, dx?: number }} place
 */
const value = (bet, shown, path, { x, y, css, dx }) =>
  text(x, y, betWords(bet, shown(path)), `bet-value${css}`, {
    dx: dx ?? false,
    "data-out": path,
    "data-format": bet.format,
    "data-unit": bet.unit,
    "data-with": bet.kind === "curve" ? JSON.stringify({ [bet.along]: bet.at[bet.at.length - 1] }) : false,
  });

const answered = (/** @type {Kid[]} */ ...kids) => s("g", { class: "bet-answered" }, kids);

/* ---------------------------------------------------------------- instruments */

/**
 * A bar both of whose ends are dragged; each end's value stands outside it.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
const twoEnds = (bet, look, shown) => {
  const [on, y, low] = [scaleOf(bet), 24, 24 + BAR];
  const paths = /** @type {string[]} */ (bet.answer);
  const at = paths.map((path) => shareAt(on, shown(path)));
  const values = [
    { x: pct(at[0]), y: y + 29, css: " end", dx: -8 },
    { x: pct(at[1]), y: y + 29, css: " start", dx: 8 },
  ];
  return [
    low + 52,
    [
      text(0, y - 10, drawnWords(look, bet.label), "bet-name"),
      rect(0, y, "100%", "bet-track"),
      answered(rect(pct(at[0]), y, pct(at[1] - at[0]), "bet-answer")),
      on.ticks.slice(1, -1).map((t) => line(pct(shareAt(on, t)), 20, pct(shareAt(on, t)), low + 6, "bet-grid")),
      rect(0, y, 0, "bet-guess"),
      answered(values.map((place, i) => value(bet, shown, paths[i], place))),
      text("50%", low + 44, "", "bet-yours middle"),
      [0, 1].map((end) => handle(y + BAR / 2, 9, 18, { "data-end": end })),
      ticks(bet, on, low + 22),
    ],
  ];
};

/**
 * Bars to compare with, then the one whose end is dragged.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @returns {[number, Kid]}
 */
const bar = (bet, look, shown) => {
  if (Array.isArray(bet.answer)) return twoEnds(bet, look, shown);
  const on = scaleOf(bet);
  const end = shareAt(on, shown(bet.answer));
  const y = ROW * bet.beside.length + 24;
  const low = y + BAR;
  const place = { x: pct(end), y: y + 29, ...(end > 0.3 ? { css: " end on", dx: -14 } : { css: "", dx: 10 }) };
  return [
    low + 66,
    [
      bet.beside.map((row, i) => beside(bet, on, row, look, ROW * i)),
      text(0, y - 10, drawnWords(look, bet.label), "bet-name"),
      rect(0, y, "100%", "bet-track"),
      answered(rect(0, y, pct(end), "bet-answer")),
      on.ticks.slice(1, -1).map((t) => line(pct(shareAt(on, t)), 20, pct(shareAt(on, t)), low + 18, "bet-grid")),
      rect(0, y, 0, "bet-guess"),
      text(0, y + 28, "", "bet-yours"),
      answered(value(bet, shown, bet.answer, place), bracket(low + 16)),
      handle(y + BAR / 2, 9, 18),
      ticks(bet, on, low + 52),
    ],
  ];
};

/**
 * One bar to compare with.
 * @param {FullBet} bet
 * @param {Scale} on
 * @param {{ label: string, value: number | string }} row
 * @param {Look} look
 * @param {number} y
 */
const beside = (bet, on, row, look, y) => {
  const amount = typeof row.value === "string" ? look(row.value) : row.value;
  const end = shareAt(on, amount);
  const out = typeof row.value === "string" ? { "data-out": row.value, "data-format": bet.format } : {};
  return [
    text(0, y + 14, row.label, "bet-name beside"),
    rect(0, y + 24, pct(end), "bet-beside"),
    text(pct(end), y + 52, printValue(amount, bet.format), `bet-number${end > 0.75 ? " end" : ""}`, {
      dx: end > 0.75 ? -10 : 10,
      ...out,
    }),
  ];
};

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

/**
 * What bets.js needs to know of a bet.
 * @param {FullBet} bet
 * @param {Look} look
 * @param {Look} shown
 * @param {LookAt} lookAt
 */
export const wireBet = (bet, look, shown, lookAt) => {
  const on = scaleOf(bet);
  const { kind, answer, format, unit, says, along, at, state, beside: others } = bet;
  const kept = Object.entries({ kind, answer, format, unit, says, along, at, beside: others.map((one) => one.value) });
  const values = kind === "curve" ? curveValues(on, series(bet, shown, lookAt).slice(0, -1)) : on.values;
  const cuts = bet.cuts.map((cut) => (typeof cut.at === "string" ? look(cut.at) : cut.at));
  const share = format.startsWith("percent");
  return {
    ...Object.fromEntries(kept.filter(([, v]) => v.length)),
    ...{ state, low: on.low, high: on.high, log: on.log },
    ...(bet.within.length ? { within: bet.within.map((path) => shown(path)) } : {}),
    ...(kind === "pick" ? { options: bet.options, cuts } : { values }),
    ratio: bet.by ? bet.by === "ratio" : on.log || (kind === "bar" && !share),
  };
};
