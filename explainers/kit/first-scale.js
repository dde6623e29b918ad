/* A bet as page.md has it -> its scale, what can be bet on it, and the row that bets.js starts from. */
import { decades } from "./chart.js";

/** @import { Look } from "./beat-words.js" */
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
export const series = (bet, shown, lookAt) =>
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
