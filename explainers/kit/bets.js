/* The instruments a bet is placed with: bar, line, curve and pick. A bet and its drawing, which is in the page already
   (first-bets.js) -> a range input or radios over it, a guess that moves, and an answer.

   Each is a Tool: bar(section, bet, { ask, place }) -> { focus(), update(view) }. */
import { every, found, ranged, settleLabels, show, sideways, yourBetAt } from "./bet-tools.js";
import { betWords, shareAt } from "./bet-words.js";
import { pct } from "./chart.js";
import { h, setAttrs, setText, uid } from "./dom.js";
import { gettext } from "./gettext.js";

export { bar } from "./bet-bar.js";

/** @import { BetView, Hooks, Tool } from "./bet-tools.js" */
/** @import { Value, LineBet, CurveBet, PickBet } from "./bet-words.js" */

/**
 * A point on an axis that is dragged.
 * @param {Element} section
 * @param {LineBet} bet
 * @param {Hooks} hooks
 * @returns {Tool}
 */
export const line = (section, bet, hooks) => {
  const range = ranged(section, bet, hooks, sideways, (_, y) => 76 > y);
  const part = found(section, ["span", "answer", "value", "yours", "handle"]);
  /** @param {BetView<number | null, number | null, Value>} view */
  const update = ({ open, index, guess, answer }) => {
    range(open, index);
    const [g, a] = [guess === null ? 0 : shareAt(bet, guess), shareAt(bet, answer)];
    show(part.handle, open || guess !== null);
    setAttrs(part.handle, { x: guess === null ? "-34" : pct(g), class: `bet-handle${open ? "" : " still"}` });
    setAttrs(part.answer, { cx: pct(a) });
    setAttrs(part.span, { x1: pct(guess === null ? a : g), x2: pct(a) });
    const right = guess === null || a >= g;
    /** @type {(share: number, after: boolean) => string} */
    const side = (share, after) =>
      0.12 > share ? "start" : share > 0.88 ? "end" : guess === null || open ? "middle" : after ? "start" : "end";
    setAttrs(part.value, {
      x: pct(a),
      dx: false,
      class: `bet-value ${side(a, right)}`,
      text: open ? "" : betWords(bet, answer),
    });
    setAttrs(part.yours, {
      x: guess === null ? "-48" : pct(g),
      dx: false,
      class: `bet-yours ${guess === null ? "start" : side(g, !right)}`,
    });
    const crowded = !open && 0.2 > Math.abs(a - g) && (0.2 > Math.min(a, g) || Math.max(a, g) > 0.8);
    setText(
      part.yours,
      guess === null ? (open ? gettext("drag me onto the line") : "") : crowded ? "" : yourBetAt(bet, guess),
    );
    settleLabels(part.yours, part.value);
  };
  return { focus: () => range(true, null).focus(), update };
};

/**
 * The last point of a curve, dragged up and down.
 * @param {Element} section
 * @param {CurveBet} bet
 * @param {Hooks} hooks
 * @returns {Tool}
 */
export const curve = (section, bet, hooks) => {
  const [top, high, n] = [24, 210, bet.at.length];
  /** @param {number} value */
  const y = (value) => top + high * (1 - shareAt(bet, value));
  const range = ranged(
    section,
    bet,
    hooks,
    (_, at) => 1 - (at - top) / high,
    (x, _, area) => x / area.clientWidth > (n - 1.2) / n,
  );
  const part = found(section, ["answer", "value", "yours", "handle", "reach"]);
  const [joins, points] = [every(section, ".bet-join"), every(section, ".bet-point, .bet-answer")];
  /** @param {BetView<number | null, number | null> & { heights: number[] }} view */
  const update = ({ open, index, guess, heights }) => {
    range(open, index);
    for (const [i, height] of heights.entries()) {
      setAttrs(points[i], { cy: y(height) });
      if (i) setAttrs(joins[i - 1], { y1: y(heights[i - 1]), y2: y(height) });
    }
    const [before, last] = heights.slice(-2);
    const end = guess === null ? top + high / 2 : y(guess);
    show(part.handle, open || guess !== null);
    show(part.reach, guess !== null);
    setAttrs(part.handle, {
      x: pct(guess === null ? 1 : (n - 0.5) / n),
      y: end,
      class: `bet-handle${open ? "" : " still"}`,
    });
    setAttrs(part.reach, { x1: pct((n - 1.5) / n), y1: y(before), x2: pct((n - 0.5) / n), y2: end });
    const [above, floor] = [!open && guess !== null && y(last) > end, top + high + 8]; // below the floor stands the axis
    const close = !open && guess !== null && 42 > Math.abs(y(last) - end); // too near for two labels on one side
    const low = above && y(last) + 28 > floor;
    setAttrs(part.value, {
      y: low ? (close ? end - 18 : y(last) - 14) : y(last) + (above ? 28 : -14),
      text: open ? "" : betWords(bet, last),
    });
    const lift = above || end + 28 > floor;
    setAttrs(part.yours, {
      y: lift ? end - 18 : end + 28,
      visibility: close && (low || (lift && !above)) ? "hidden" : false,
    });
    setText(part.yours, guess === null ? (open ? gettext("drag me") : "") : yourBetAt(bet, guess));
  };
  return { focus: () => range(true, null).focus(), update };
};

/**
 * One of several answers, on an axis with cuts or without.
 * @param {Element} section
 * @param {PickBet} bet
 * @param {Hooks} hooks
 * @returns {Tool}
 */
export const pick = (section, bet, { ask, place }) => {
  const part = found(section, ["area", "answer", "value"]);
  const group = uid("bet");
  const inputs = bet.options.map((_, i) => h("input", { type: "radio", name: group, on: { change: () => place(i) } }));
  const labels = bet.options.map((words, i) =>
    h("label", { class: "bet-option" }, inputs[i], h("span", { text: words })),
  );
  const box = h("div", { class: "bet-options", role: "radiogroup", "aria-labelledby": ask }, labels);
  const ends = bet.cuts.length ? [0, ...bet.cuts.map((c) => shareAt(bet, c)), 1] : null;
  if (ends)
    setAttrs(box, {
      style: {
        "--columns": ends
          .slice(1)
          .map((end, i) => `minmax(0, ${(end - ends[i]).toFixed(3)}fr)`)
          .join(" "),
      },
    });
  part.area.prepend(box);
  /** @param {BetView<number | null, number | null, Value>} view */
  const update = ({ open, shown, index, answer, choice }) => {
    labels.forEach((label, i) => {
      label.classList.toggle("yours", index === i);
      label.classList.toggle("right", shown && choice === i);
      setAttrs(inputs[i], { checked: index === i, disabled: !open });
    });
    if (!part.answer) return;
    const a = shareAt(bet, answer);
    setAttrs(part.answer, { cx: pct(a) });
    setAttrs(part.value, {
      x: pct(a),
      class: `bet-value ${0.1 > a ? "start" : a > 0.9 ? "end" : "middle"}`,
      text: open ? "" : betWords(bet, answer),
    });
  };
  return { focus: () => inputs[0].focus(), update };
};
