/* A page in beats: the JSON that the server wrote into it and what a tab remembers of it -> plain objects. */
import { findIn } from "./dom.js";

/** @import { Bet, Index } from "./bet-words.js" */
/** @import { AfmModel } from "./model.js" */

/**
 * A state whose keys the kit does not know: plain JSON.
 * @typedef {{ [key: string]: unknown }} State
 */

/**
 * What a bet is at. Nothing is locked: a bet may be skipped, and placed again.
 * @typedef {"open" | "placed" | "shown" | "skipped"} BetMode
 */

/**
 * A control: its kind (a function of controls.js), the key of the state that it sets, and what that function takes.
 * @typedef {{ kind: string, key: string, label?: string, format?: string, [given: string]: unknown }} Described
 */

/**
 * A control as page.md has it: described, or only the name of a function in beats.js that describes it.
 * @typedef {{ name: string } & Partial<Described>} Given
 */

/**
 * A beat: a step of the page, with a figure, at most two controls and at most one bet.
 * @typedef {object} Row
 * @property {number} n from 1
 * @property {string} [figure] its name in figures.js
 * @property {State} state on top of the page's
 * @property {Given[]} controls
 * @property {string} [caption] a template, or the name of a function in beats.js
 * @property {string} [before] the caption while the bet is open
 * @property {Bet | null} bet
 */

/**
 * The page: its explainer, its beats and the names of its lab's goals.
 * @typedef {{ name: string, beats: Row[], goals: string[] }} Rows
 */

/**
 * What a tab remembers: every bet by its beat's number, the beats passed, what was said of each goal reached.
 * @typedef {{
 *   bets: { [n: number]: [mode: BetMode, index: Index] },
 *   read: number[],
 *   goals: { [name: string]: string },
 * }} Memory
 */

/**
 * The lab's element; `cutaway` is what mount made of it.
 * @typedef {HTMLElement & { cutaway?: { model: AfmModel<State, unknown>, remove(): void } }} Lab
 */

/**
 * What a page says of itself.
 * @typedef {object} Told
 * @property {Rows} rows
 * @property {Lab} lab
 * @property {{ state: State, data: unknown }} seed the lab's first state and its data
 * @property {Memory} memory
 * @property {() => void} remember keeps the memory for this tab
 */

/**
 * The memory that was kept as JSON; what cannot be read counts as nothing.
 * @param {string} text
 * @returns {Memory}
 */
export const readMemory = (text) => {
  /** @type {Partial<Memory>} */
  let saved = {};
  try {
    saved = JSON.parse(text) || {};
  } catch {
    /* not JSON */
  }
  return { bets: saved.bets || {}, read: saved.read || [], goals: saved.goals || {} };
};

/**
 * What the tab keeps under a key; "" where it may not be asked.
 * @param {string} key
 */
const kept = (key) => {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
};

/**
 * Reads the page: `script#beats` has its rows, the script of the lab its first state and its data.
 * @returns {Told}
 */
export const readTold = () => {
  /** @type {Rows} */
  const rows = JSON.parse(findIn(document, "#beats").textContent);
  /** @type {Lab} */
  const lab = findIn(document, ".lab [data-widget]");
  const seed = JSON.parse(findIn(lab, "script[type='application/json']").textContent);
  const key = `beats/${rows.name}`;
  const memory = readMemory(kept(key));
  const remember = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(memory));
    } catch {
      /* a private window: for this page only */
    }
  };
  return { rows, lab, seed, memory, remember };
};
