/* The instruments a bet is placed with: bar, line, curve and pick. A bet and its drawing, which is in the page already
   (first-bets.js) -> a range input or radios over it, a guess that moves, and an answer.

   Each is a Tool: bar(section, bet, { ask, place }) -> { focus(), update(view) }. */
import { betWords, nearestIndex, shareAt } from "./bet-words.js";
import { pct } from "./chart.js";
import { findIn, h, onDrag, setAttrs, setText, uid } from "./dom.js";
import { gettext } from "./gettext.js";

/** @import { Value, BarBet, LineBet, CurveBet, PickBet, Index, Guess, Words } from "./bet-words.js" */

/**
 * What an instrument shows: whether the bet is open and whether its answer is shown, the guess and its index, the answer in
 * the state that is shown, how far off the guess is (`heard`), and whether the figure is in the state that the bet asked
 * about (`same`).
 * @template [At=Index], [Guessed=Guess], [Answered=Value | Value[]]
 * @typedef {object} BetView
 * @property {boolean} open
 * @property {boolean} shown
 * @property {At} index
 * @property {Guessed} guess
 * @property {Answered} answer
 * @property {number[] | null} heights of a curve
 * @property {Value} choice which option is right
 * @property {boolean} same
 * @property {string} heard
 * @property {Value[]} beside
 */

/** An instrument. @typedef {{ focus(): void, update(view: BetView): void }} Tool */

/**
 * What an instrument is told: the id of the question, and what to call when the reader sets a guess.
 * @typedef {{ ask: string, place: (index: Index) => void }} Hooks
 */

/**
 * Moves labels so that none leaves the column; of two that would lie on one another the guess's goes: the verdict says it
 * too. All are measured before anything is moved.
 * @param {...Element} labels the guess's, the answer's beside it, and others
 */
export const settleLabels = (...labels) => {
  const tool = /** @type {Element} */ (labels[0].closest(".bet-tool"));
  const [limit, ...boxes] = [tool, ...labels].map((one) => one.getBoundingClientRect());
  const [a, b] = boxes.map(({ left, right, width }, i) => {
    if (!width) return null;
    const by = Math.max(limit.left - left, 0) + Math.min(limit.right - right, 0);
    if (by) setAttrs(labels[i], { dx: Number(labels[i].getAttribute("dx")) + by });
    return [left + by, right + by];
  });
  if (a && b && b[1] + 6 > a[0] && a[1] + 6 > b[0]) setText(labels[0], "");
};

/** @type {(bet: Words, guess: number | number[]) => string} */
const yourBet = (bet, guess) => gettext("your bet {guess}", { guess: betWords(bet, guess, true) });
/** The same beside a point. @type {(bet: Words, guess: number) => string} */
const yourBetAt = (bet, guess) => gettext("your bet: {guess}", { guess: betWords(bet, guess, true) });

/** A bet with values to choose from. @typedef {BarBet | LineBet | CurveBet} RangeBet */

/** What a Page key moves by. @type {{ [key: string]: number }} */
const PAGES = { PageUp: 10, PageDown: -10 };

/**
 * A range input over the drawing: arrows move it one tick, Page keys ten. `end` and `name` where there are two of them: one
 * that is not placed is parked beyond its end of the scale.
 * @param {RangeBet} bet
 * @param {Pick<Hooks, "ask">} hooks
 * @param {(index: number) => void} set
 */
const slider = (bet, { ask }, set, end = 0, name = "") => {
  const top = bet.values.length - 1;
  const id = uid("bet");
  const named = name
    ? { id, "aria-label": name, "aria-labelledby": `${ask} ${id}`, "data-end": end }
    : { "aria-labelledby": ask };
  const input = h("input", { type: "range", class: "bet-input", min: end - 1, max: top + end, ...named });
  /** @param {number} index */
  const go = (index) => set(Math.min(top, Math.max(0, index)));
  input.addEventListener("input", () => go(Number(input.value)));
  input.addEventListener("keydown", (e) => {
    const ticks = PAGES[e.key];
    if (!ticks) return;
    e.preventDefault();
    go(Number(input.value) + ticks);
  });
  /** @type {(open: boolean, index: number | null) => void} */
  const update = (open, index) => {
    setAttrs(input, {
      value: String(index ?? (end ? top + 1 : -1)),
      disabled: !open,
      "aria-valuetext": index === null ? gettext("not placed yet") : betWords(bet, bet.values[index], true),
    });
    input.hidden = !open;
  };
  return { input, update };
};

/**
 * Lets the pointer drag anywhere along the axis.
 * @param {Element} area
 * @param {(x: number, y: number) => HTMLInputElement | false} grab the input that moves
 * @param {(x: number, y: number, input: HTMLInputElement) => void} go
 */
const dragged = (area, grab, go) => {
  let from = [0, 0];
  /** @type {HTMLInputElement | false} */
  let input = false;
  onDrag(area, {
    start: (x, y) => {
      [from, input] = [[x, y], grab(x, y)];
      if (!input || input.disabled) return false;
      input.focus();
      return true;
    },
    move: (x, y, e) => {
      const still =
        e.type === "pointerdown"
          ? /** @type {Element} */ (e.target).closest(".bet-handle")
          : 4 > Math.hypot(x - from[0], y - from[1]);
      if (still || !input) return;
      from = [-99, -99];
      go(x, y, input);
    },
  });
};

/**
 * One range input and its drag.
 * @param {Element} section
 * @param {RangeBet} bet
 * @param {Hooks} hooks
 * @param {(x: number, y: number, area: Element) => number} shareOf the place on the axis of a point
 * @param {(x: number, y: number, area: Element) => boolean} wanted whether a drag may begin there
 */
const ranged = (section, bet, hooks, shareOf, wanted) => {
  const area = findIn(section, ".bet-area");
  const { input, update } = slider(bet, hooks, hooks.place);
  dragged(
    area,
    (x, y) => wanted(x, y, area) && input,
    (x, y) => hooks.place(nearestIndex(bet, shareOf(x, y, area))),
  );
  area.append(input);
  return (/** @type {boolean} */ open, /** @type {number | null} */ index) => {
    update(open, index);
    return input;
  };
};

/** The place on a horizontal axis. @type {(x: number, y: number, area: Element) => number} */
const sideways = (x, _, area) => x / area.clientWidth;

/**
 * The parts of a drawing by name: .bet-guess is `guess`.
 * @template {string} Name
 * @param {Element} section
 * @param {Name[]} names
 */
const found = (section, names) =>
  /** @type {Record<Name, SVGElement>} */ (
    Object.fromEntries(names.map((name) => [name, section.querySelector(`.bet-${name}`)]))
  );

/** @param {SVGElement} node @param {unknown} on */
const show = (node, on) => {
  node.style.display = on ? "" : "none";
};

/**
 * All parts of a drawing of one kind.
 * @param {Element} section
 * @param {string} css
 */
const every = (section, css) => /** @type {SVGElement[]} */ ([...section.querySelectorAll(css)]);

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

/**
 * The bracket from guess to answer: two ends, a line between them, and how far off it is.
 * @param {SVGElement} g
 * @param {number} from
 * @param {number} to
 * @param {string | false} said false or "" hides it
 */
export const drawBracket = (g, from, to, said) => {
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
