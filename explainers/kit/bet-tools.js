/* What the instruments of bets share (bets.js): what they are told and show, the range input over a drawing and its drag,
   the parts of a drawing by name, labels that keep clear of each other. */
import { betWords, nearestIndex } from "./bet-words.js";
import { findIn, h, setAttrs, setText, uid } from "./dom.js";
import { gettext } from "./gettext.js";
import { onDrag } from "./pointer.js";

/** @import { Value, BarBet, LineBet, CurveBet, Index, Guess, Words } from "./bet-words.js" */

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
export const yourBet = (bet, guess) => gettext("your bet {guess}", { guess: betWords(bet, guess, true) });
/** The same beside a point. @type {(bet: Words, guess: number) => string} */
export const yourBetAt = (bet, guess) => gettext("your bet: {guess}", { guess: betWords(bet, guess, true) });

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
export const slider = (bet, { ask }, set, end = 0, name = "") => {
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
export const dragged = (area, grab, go) => {
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
export const ranged = (section, bet, hooks, shareOf, wanted) => {
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
export const sideways = (x, _, area) => x / area.clientWidth;

/**
 * The parts of a drawing by name: .bet-guess is `guess`.
 * @template {string} Name
 * @param {Element} section
 * @param {Name[]} names
 */
export const found = (section, names) =>
  /** @type {Record<Name, SVGElement>} */ (
    Object.fromEntries(names.map((name) => [name, section.querySelector(`.bet-${name}`)]))
  );

/** @param {SVGElement} node @param {unknown} on */
export const show = (node, on) => {
  node.style.display = on ? "" : "none";
};

/**
 * All parts of a drawing of one kind.
 * @param {Element} section
 * @param {string} css
 */
export const every = (section, css) => /** @type {SVGElement[]} */ ([...section.querySelectorAll(css)]);
