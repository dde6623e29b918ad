/* A bet placed with a bar: its end is dragged, or both its ends where the answer is a stretch. */
import { dragged, every, found, ranged, settleLabels, show, sideways, slider, yourBet } from "./bet-tools.js";
import { betWords, nearestIndex, shareAt } from "./bet-words.js";
import { pct } from "./chart.js";
import { findIn, setAttrs, setText } from "./dom.js";
import { gettext } from "./gettext.js";

/** @import { BetView, Hooks, Tool } from "./bet-tools.js" */
/** @import { Value, BarBet } from "./bet-words.js" */

/**
 * A bar with two ends: [index, index], where null is an end that is not placed; neither passes the other.
 * @param {Element} section
 * @param {BarBet} bet
 * @param {Hooks} hooks
 * @returns {Tool}
 */
const twoEnds = (section, bet, hooks) => {
  const area = findIn(section, ".bet-area");
  const part = found(section, ["guess", "answer", "yours"]);
  const [handles, values] = [".bet-handle", ".bet-value"].map((css) => every(section, css));
  /** @type {(number | null)[]} */
  let at = [null, null];
  /** @type {(end: number, index: number) => void} */
  const move = (end, index) =>
    hooks.place(
      at.map((other, i) => (i !== end ? other : end ? Math.max(index, at[0] ?? 0) : Math.min(index, at[1] ?? index))),
    );
  const ends = [gettext("where it begins"), gettext("where it ends")].map((name, end) =>
    slider(bet, hooks, (index) => move(end, index), end, name),
  );
  const shares = () => at.map((index, end) => (index === null ? [0.035, 0.965][end] : shareAt(bet, bet.values[index])));
  /** @param {number} x */
  const grab = (x) => {
    const [low, high] = shares().map((share) => share * area.clientWidth);
    return ends[x - low > high - x || (low === high && x > low) ? 1 : 0].input;
  };
  dragged(area, grab, (x, _, input) => move(Number(input.dataset.end), nearestIndex(bet, x / area.clientWidth)));
  area.append(...ends.map((one) => one.input));
  /** @param {BetView<(number | null)[] | null, number[] | null, number[]>} view */
  const update = ({ open, index, guess, answer }) => {
    at = index || [null, null];
    for (const [end, one] of ends.entries()) one.update(open, at[end]);
    const [low, high] = shares();
    const [from, to] = answer.map((one) => shareAt(bet, one));
    for (const [end, handle] of handles.entries()) {
      show(handle, open);
      setAttrs(handle, { x: pct([low, high][end]) });
    }
    show(part.guess, open || guess);
    setAttrs(part.guess, { x: pct(low), width: pct(high - low) });
    setAttrs(part.answer, { x: pct(from), width: pct(to - from) });
    for (const [end, value] of values.entries())
      setAttrs(value, { x: pct([from, to][end]), text: open ? "" : betWords(bet, answer[end]) });
    setAttrs(part.yours, { x: pct((low + high) / 2), dx: false });
    setText(part.yours, guess ? yourBet(bet, guess) : open ? gettext("drag both ends") : "");
    settleLabels(part.yours);
  };
  return {
    focus: () => {
      ends[0].update(true, null);
      ends[0].input.focus();
    },
    update,
  };
};

/**
 * A bar whose end is dragged, or both its ends where the answer is two paths.
 * @param {Element} section
 * @param {BarBet} bet
 * @param {Hooks} hooks
 * @returns {Tool}
 */
export const bar = (section, bet, hooks) => {
  if (Array.isArray(bet.answer)) return twoEnds(section, bet, hooks);
  const range = ranged(section, bet, hooks, sideways, () => true);
  const part = found(section, ["guess", "answer", "value", "yours", "handle", "bracket"]);
  const [others, amounts] = [every(section, ".bet-beside"), every(section, ".bet-number")];
  /** @param {BetView<number | null, number | null, Value>} view */
  const update = ({ open, index, guess, answer, same, heard, beside }) => {
    range(open, index);
    others.forEach((rect, i) => {
      const end = shareAt(bet, beside[i]);
      setAttrs(rect, { width: pct(end) });
      setAttrs(amounts[i], { x: pct(end), dx: end > 0.75 ? -10 : 10, class: `bet-number${end > 0.75 ? " end" : ""}` });
    });
    const [g, a] = [guess === null ? 0.035 : shareAt(bet, guess), shareAt(bet, answer)];
    const near = 0.3 > Math.abs(g - a);
    show(part.handle, open);
    show(part.guess, open || guess !== null);
    setAttrs(part.handle, { x: pct(g) });
    setAttrs(part.guess, { width: pct(g) });
    setAttrs(part.answer, { width: pct(a) });
    const inside = a > 0.3;
    setAttrs(part.value, {
      x: pct(a),
      dx: inside ? -14 : 10,
      class: `bet-value${inside ? " end on" : ""}`,
      text: open ? "" : betWords(bet, answer),
    });
    const flip = g > 0.6;
    setAttrs(part.yours, {
      x: pct(g),
      dx: (open ? 22 : 12) * (flip ? -1 : 1),
      class: `bet-yours${flip ? " end" : ""}${!open && a > g ? " on" : ""}`,
    });
    setText(
      part.yours,
      guess === null
        ? open
          ? gettext("drag this edge to where it ends")
          : ""
        : !open && near
          ? ""
          : yourBet(bet, guess),
    );
    drawBracket(part.bracket, g, a, !open && same && guess !== null && heard);
    settleLabels(part.yours, part.value, /** @type {Element} */ (part.bracket.lastChild));
  };
  return { focus: () => range(true, null).focus(), update };
};

/**
 * The bracket from guess to answer: two ends, a line between them, and how far off it is.
 * @param {SVGElement} g
 * @param {number} from
 * @param {number} to
 * @param {string | false} said false or "" hides it
 */
const drawBracket = (g, from, to, said) => {
  show(g, said && Math.abs(from - to) > 0.01);
  const [lines, text] = [g.querySelectorAll("line"), findIn(g, "text")];
  if (!said) {
    setText(text, "");
    return;
  }
  const [low, high] = [pct(Math.min(from, to)), pct(Math.max(from, to))];
  const ends = [
    [low, high],
    [low, low],
    [high, high],
  ];
  for (const [i, [x1, x2]] of ends.entries()) setAttrs(lines[i], { x1, x2 });
  setAttrs(text, {
    x: pct((from + to) / 2),
    dx: false,
    text: said,
    class: `bet-far ${0.12 > (from + to) / 2 ? "start" : "middle"}`,
  });
};
