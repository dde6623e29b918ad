/* A bet and a value -> its words and its place on the axis; a guess and the answer -> how far off it is. */
import { linearScale, logScale } from "./chart.js";
import { gettext } from "./gettext.js";
import { fmt, printValue } from "./numbers.js";

/** @import { State } from "./told.js" */

/** A number, or words ("none of its 32"). @typedef {number | string} Value */

/**
 * What is bet on and on which axis, as wireBet sends it. `state` is where the answer holds, on top of the beat's;
 * `answer` is a path, or two for a bar with two ends; `says` is a template behind the verdict.
 * @typedef {object} BetBase
 * @property {string} [format] of its values
 * @property {string} [unit] behind them
 * @property {string} [says]
 * @property {State} state
 * @property {number} low
 * @property {number} high
 * @property {boolean} log
 * @property {boolean} ratio whether a guess is off by a ratio, else by a difference
 * @property {number[]} [within] from and to: guesses that are as good as the answer
 * @property {Value[]} [beside] what a bar is compared with: values, or paths to them
 */

/** @typedef {BetBase & { kind: "bar", answer: string | string[], values: number[] }} BarBet */

/** @typedef {BetBase & { kind: "line", answer: string, values: number[] }} LineBet */

/**
 * The height of a curve at the last of some values of a key, `along`.
 * @typedef {BetBase & { kind: "curve", answer: string, values: number[], along: string, at: number[] }} CurveBet
 */

/**
 * One of several answers: by its index, or by a number on an axis with cuts between them.
 * @typedef {BetBase & { kind: "pick", answer: string, options: string[], cuts: number[] }} PickBet
 */

/** @typedef {BarBet | LineBet | CurveBet | PickBet} Bet */

/** What the value of a bet is printed with. @typedef {Pick<BetBase, "format" | "unit">} Words */

/** An axis. @typedef {Pick<BetBase, "low" | "high" | "log">} Axis */

/**
 * Where a guess stands in `values` (or `options`); null where none is placed, [low, high] for two ends.
 * @typedef {number | null | (number | null)[]} Index
 */

/** A guess: a value, two of them, the index of an option, or null. @typedef {number | number[] | null} Guess */

/**
 * Numbers without zeros behind the point: "60.0 KB" -> "60 KB".
 * @param {string} text
 */
export const shortened = (text) => text.replace(/\.0+(?=\D|$)/, "");

/**
 * A value in the bet's words: "327.7 KB", and from one to another for two.
 * @param {Words} bet
 * @param {Value | Value[]} value
 * @param {boolean} [brief] without zeros behind the point
 * @returns {string}
 */
export const betWords = (bet, value, brief) => {
  if (Array.isArray(value))
    return gettext("{low} to {high}", {
      low: betWords({ ...bet, unit: "" }, value[0], brief),
      high: betWords(bet, value[1], brief),
    });
  const text = printValue(value, bet.format);
  const unit = bet.unit ? ` ${bet.unit}` : "";
  return (brief ? shortened(text) : text) + (text === "1" ? unit.replace(/(?<=ss)es$|(?<=\w\w)s$/, "") : unit); // 1 ms
};

/**
 * A difference of two values in the bet's words: percentages differ by points.
 * @param {Pick<BetBase, "format">} bet
 * @param {number} off
 * @returns {string}
 */
export const differenceWords = ({ format }, off) => {
  const text = betWords({ format }, off, true);
  return text.replace("%", text === "1 %" ? gettext("point") : gettext("points"));
};

/**
 * Where a value is on the axis, from 0 to 1; words lie beyond it.
 * @param {Axis} bet
 * @param {Value} value
 */
export const shareAt = (bet, value) => {
  if (typeof value === "string") return 1;
  return (bet.log ? logScale : linearScale)([bet.low, bet.high], [0, 1], true)(value);
};

/**
 * The index of the value that is nearest to a place on the axis.
 * @param {Axis & { values: number[] }} bet
 * @param {number} share
 */
export const nearestIndex = (bet, share) => {
  const off = bet.values.map((value) => Math.abs(shareAt(bet, value) - share));
  return off.indexOf(Math.min(...off));
};

/** What is said of a guess that is as good as the answer, and of one that is the answer. */
export const [GOOD, EXACT] = [/* @__PURE__ */ gettext("and yours is as good"), /* @__PURE__ */ gettext("exactly")];

/**
 * How far off a guess is: a ratio on log scales and for bars, a difference on linear ones, in points where values are
 * percentages; within a tenth it is near. A guess among those that are as good is told so.
 * @param {Words & Pick<BetBase, "ratio" | "within">} bet
 * @param {number | number[]} guess
 * @param {Value | Value[]} answer
 * @returns {{ near: boolean, text: string } | null} null where the answer is words
 */
export const howFar = (bet, guess, answer) => {
  if (betWords(bet, guess) === betWords(bet, answer)) return { near: true, text: EXACT };
  if (Array.isArray(guess)) return bothEnds(bet, guess, /** @type {number[]} */ (answer));
  if (typeof answer !== "number") return null;
  if (bet.within && guess >= bet.within[0] && bet.within[1] >= guess) return { near: true, text: GOOD };
  const off = Math.abs(answer - guess);
  const more = answer > guess;
  if (!bet.ratio || guess <= 0 || answer <= 0) {
    const by = { off: differenceWords(bet, off) };
    return { near: Math.abs(answer) / 10 >= off, text: more ? gettext("{off} more", by) : gettext("{off} less", by) };
  }
  const times = more ? answer / guess : guess / answer;
  const by = { times: times >= 10 ? fmt.int(times) : fmt.fixed(times, 1) };
  return { near: 1.1 >= times, text: more ? gettext("{times} times more", by) : gettext("{times} times less", by) };
};

/**
 * How far off both ends of a bar are; near is a tenth of its length.
 * @param {Words} bet
 * @param {number[]} guess
 * @param {number[]} answer
 */
export const bothEnds = (bet, guess, answer) => {
  const off = answer.map((one, i) => one - guess[i]);
  const words = off.map((one) => {
    const by = { off: differenceWords(bet, Math.abs(one)) };
    return !one ? gettext("where you said") : one > 0 ? gettext("{off} higher", by) : gettext("{off} lower", by);
  });
  return {
    near: off.every((one) => (answer[1] - answer[0]) / 10 >= Math.abs(one)),
    text: gettext("which begins {low} and ends {high}", { low: words[0], high: words[1] }),
  };
};
