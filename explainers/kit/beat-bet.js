/* The bet of a beat: open -> placed -> shown, or skipped. A guess -> its buttons, its instrument and the verdict.
   Guesses never enter the address. */
import { isSame, writeWords } from "./beat-words.js";
import { betWords, EXACT, GOOD, howFar } from "./bet-words.js";
import { findIn, h, setAttrs, setText } from "./dom.js";
import { gettext } from "./gettext.js";
import { printValue } from "./numbers.js";

/** @import { Look } from "./beat-words.js" */
/** @import { Beat } from "./beats.js" */
/** @import { Bet, Guess, Index, PickBet, Value } from "./bet-words.js" */
/** @import { BetMode, State } from "./told.js" */

/** @type {Record<BetMode, string>} */
const LABEL = {
  open: /* @__PURE__ */ gettext("your bet"),
  placed: /* @__PURE__ */ gettext("your bet, placed"),
  shown: /* @__PURE__ */ gettext("your bet, shown"),
  skipped: /* @__PURE__ */ gettext("no bet"),
};
/** @type {Record<BetMode, string>} */
const MAIN = {
  open: /* @__PURE__ */ gettext("Show me"),
  placed: /* @__PURE__ */ gettext("Show me"),
  shown: /* @__PURE__ */ gettext("bet again"),
  skipped: /* @__PURE__ */ gettext("bet after all"),
};
/** @type {Record<BetMode, string>} */
const OTHER = {
  open: /* @__PURE__ */ gettext("skip the bet"),
  placed: /* @__PURE__ */ gettext("take it back"),
  shown: "",
  skipped: "",
};

/**
 * Whether the answer is not to be seen yet; never where there is no bet ("").
 * @param {BetMode | ""} mode
 */
export const isOpen = (mode) => mode === "open" || mode === "placed";

/**
 * The index of the right option: the answer itself, or how many cuts are below it where the options are parts of an axis.
 * @param {Bet | Pick<PickBet, "kind" | "cuts">} bet
 * @param {any} answer
 * @returns {number}
 */
export const choiceOf = (bet, answer) =>
  bet.kind === "pick" && bet.cuts.length ? bet.cuts.filter((cut) => answer > cut).length : answer;

/**
 * Whether an index names a value of the bet, or two in order for two ends.
 * @param {Bet} bet
 * @param {unknown} index
 */
export const isLegalIndex = (bet, index) => {
  const room = (bet.kind === "pick" ? bet.options : bet.values).length;
  /** @param {any} i */
  const whole = (i) => Number.isInteger(i) && i >= 0 && room > i;
  if (!Array.isArray(bet.answer)) return whole(index);
  return Array.isArray(index) && index.length === 2 && index.every(whole) && index[1] >= index[0];
};

/**
 * What an index says: a value, two of them, or the index of an option; null while an end is not placed.
 * @param {Bet} bet
 * @param {Index} index
 * @returns {Guess}
 */
export const guessAt = (bet, index) => {
  if (index === null || (Array.isArray(index) && index.includes(null))) return null;
  if (bet.kind === "pick") return /** @type {number} */ (index);
  return Array.isArray(index) ? index.map((i) => bet.values[/** @type {number} */ (i)]) : bet.values[index];
};

/**
 * The verdict, a template: what was bet, what it is and how far off that was.
 * @param {Bet} bet
 * @param {Guess} guess
 * @param {Value | Value[]} answer
 */
export const verdictWords = (bet, guess, answer) => {
  if (bet.kind === "pick") {
    const choice = choiceOf(bet, answer);
    const right = bet.options[choice];
    if (guess === null) return `**${right}**.`;
    if (choice === guess) return gettext("You picked **{right}**, which is right.", { right });
    const picked = bet.options[/** @type {number} */ (guess)];
    return gettext("You picked {picked}. The answer is **{right}**.", { picked, right });
  }
  const right = `**${betWords(bet, answer)}**`;
  const far = guess === null ? null : howFar(bet, guess, answer);
  if (guess === null || !far) return `${right}.`;
  const said = { guess: betWords(bet, guess, true), right, far: far.text };
  return far.near && ![GOOD, EXACT].includes(far.text)
    ? gettext("You bet {guess}. The answer is {right}: close.", said)
    : gettext("You bet {guess}. The answer is {right}, {far}.", said);
};

/**
 * @param {HTMLElement} section
 * @param {BetMode} mode
 * @param {HTMLElement} main
 * @param {HTMLElement} other
 */
const drawButtons = (section, mode, main, other) => {
  const open = isOpen(mode);
  section.dataset.state = mode;
  setText(findIn(section, ".bet-label"), LABEL[mode]);
  setAttrs(main, {
    text: MAIN[mode],
    "aria-disabled": mode === "open" ? "true" : false,
    class: open ? "beat-main" : "beat-link",
  });
  setText(other, OTHER[mode]);
  other.hidden = !open;
};

/**
 * Prints the values of a bet's instrument.
 * @param {HTMLElement} section
 * @param {Look} now
 */
const printOut = (section, now) => {
  /** @type {NodeListOf<HTMLElement>} */
  const printed = section.querySelectorAll(".bet-tool [data-out]:not(.bet-value)");
  for (const out of printed) setText(out, printValue(now(/** @type {string} */ (out.dataset.out)), out.dataset.format));
};

/**
 * Brings the bet of a beat to life.
 * @param {Beat} beat
 * @param {Bet} bet
 */
export const liveBet = ({ section, row, page, held, start, asked, draw }, bet) => {
  const { look, memory, remember } = page;
  const guess = () => guessAt(bet, held.index);
  const mode = () => /** @type {BetMode} */ (held.mode);
  /** @type {(state: State) => Value | Value[]} */
  const answerAt = (state) =>
    Array.isArray(bet.answer) ? bet.answer.map((path) => look(state)(path)) : look(state)(bet.answer);

  /** @type {(to: BetMode, index?: Index) => void} */
  const turn = (to, index = held.index) => {
    Object.assign(held, { mode: to, index });
    if (!isOpen(to)) held.state = { ...held.state, ...bet.state };
    memory.bets[row.n] = [to, index];
    remember();
    draw();
    if (to === "skipped") main.focus({ preventScroll: true });
    if (to === "shown") {
      section.classList.add("grow");
      setTimeout(() => section.classList.remove("grow"), 700);
    }
    page.progress();
  };
  const again = () => {
    Object.assign(held, { mode: "open", index: null, state: { ...start } });
    delete memory.bets[row.n];
    remember();
    draw();
    page.progress();
    tool.focus();
  };

  const tool = page.tools[bet.kind](section, bet, {
    ask: `ask-${row.n}`,
    place: (index) => turn([index].flat().includes(null) ? "open" : "placed", index),
  });
  const main = h("button", {
    type: "button",
    class: "beat-main",
    on: { click: () => (mode() === "placed" ? turn("shown") : mode() === "open" ? null : again()) },
  });
  const other = h("button", {
    type: "button",
    class: "beat-link",
    on: { click: () => (mode() === "open" ? turn("skipped") : again()) },
  });
  const verdict = h("p", { class: "bet-verdict", role: "status" });
  findIn(section, ".beat-after").append(verdict, h("p", { class: "bet-buttons" }, main, other));

  const drawVerdict = () => {
    const text = isOpen(mode()) ? "" : verdictWords(bet, guess(), answerAt(asked));
    if (text) writeWords(page, verdict, look(asked), "", text + (bet.says ? ` ${bet.says}` : ""));
    else verdict.replaceChildren();
    setAttrs(verdict, { "data-verdict": text ? JSON.stringify([mode(), guess()]) : false });
  };
  /** @param {State} state the one on the screen */
  const update = (state) => {
    drawButtons(section, mode(), main, other);
    const open = isOpen(mode());
    const at = open ? asked : state;
    const [answer, now, placed] = [answerAt(at), look(state), guess()];
    const far = placed !== null && bet.kind !== "pick" && howFar(bet, placed, answer);
    tool.update({
      open,
      shown: !open,
      index: held.index,
      guess: placed,
      answer,
      heights:
        bet.kind === "curve" ? bet.at.map((x) => /** @type {number} */ (answerAt({ ...at, [bet.along]: x }))) : null,
      choice: choiceOf(bet, answer),
      same: isSame(answer, answerAt(asked)),
      heard: far ? (far.near ? gettext("close") : far.text) : "",
      beside: (bet.beside || []).map((path) => (typeof path === "string" ? now(path) : path)),
    });
    printOut(section, now);
    drawVerdict();
  };
  /** Takes up what the tab remembers of this bet, unless it is of a page that was another one then. */
  const recall = () => {
    const [was, index = null] = memory.bets[row.n] || [];
    if (!was) return;
    const legal = isLegalIndex(bet, index);
    if (was === "skipped" || (legal && (was === "placed" || was === "shown"))) {
      Object.assign(held, { mode: was, index: legal ? index : null });
      if (!isOpen(was)) held.state = { ...held.state, ...bet.state };
    } else delete memory.bets[row.n];
  };
  return { update, guess, again, recall };
};
