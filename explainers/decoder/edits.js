/* How a stream is edited: a key that was pressed, a unit that was dragged, or a random stream -> what changes. */
import { KEYS_, UNITS, VALUES } from "./stream.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */

/** What an edit changes. @typedef {Partial<Pick<State, "x" | "u" | "draw">>} Edit */

/* ---------------------------------------------------------------- editing: a key that was pressed -> what changes */
/** @param {boolean} resets @returns {Edit} */
export const random_stream = (resets) => {
  /** @param {number} n */
  const dice = (n) => Math.floor(Math.random() * n);
  const fresh = [...KEYS_].sort(() => Math.random() - 0.5);
  const [held, parts] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  while (UNITS > parts.length) {
    if (resets && held.length && 0.07 > Math.random()) {
      parts.push("!");
      continue;
    }
    const again = held.length && (Math.random() > 0.4 || held.length === 16);
    const key = again ? held[dice(held.length)] : /** @type {string} */ (fresh.pop());
    if (!again) held.push(key);
    parts.push(again && Math.random() > 0.3 ? key : `${key}${1 + dice(VALUES)}`);
  }
  return { x: parts.join("."), u: UNITS - 1 };
};
/** @param {string} unit @param {number} digit */
const numbered = (unit, digit) => {
  const value = Number(`${unit.slice(1)}${digit}`);
  return VALUES >= value && value > 0 ? `${unit[0]}${value}` : digit > 0 ? `${unit[0]}${digit}` : unit;
};
/**
 * What was taken is fed to the read under the cursor; the cursor goes on to the next read, with other dice.
 * @param {string} taken
 * @param {State} state
 * @returns {Edit}
 */
export const spoken = (taken, { x, u, draw }) => {
  const parts = x.split(".");
  parts[u] = `${parts[u][0]}~${taken}`;
  const next = parts.findIndex((part, i) => i > u && /^[^!](~|$)/.test(part));
  return { x: parts.join("."), u: next > 0 ? next : u, draw: draw && (draw % 999) + 1 };
};
/**
 * A unit that is dragged over another takes its place.
 * @param {HTMLElement} el
 * @param {(from: number, to: number) => boolean} moved whether it may
 */
export const draggable = (el, moved) => {
  let from = -1;
  const drop = () => {
    from = -1;
  };
  /** @param {PointerEvent} e */
  const over = (e) => {
    const under = /** @type {Document | ShadowRoot} */ (el.getRootNode()).elementFromPoint(e.clientX, e.clientY);
    return [...el.children].indexOf(/** @type {Element} */ (under?.closest("li")));
  };
  el.addEventListener("pointerdown", (e) => {
    if (e.button || e.pointerType === "touch") return; // a finger scrolls
    from = over(e);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, drop, { once: true });
  });
  el.addEventListener("pointermove", (e) => {
    const to = from >= 0 ? over(e) : -1;
    if (to >= 0 && to !== from && moved(from, to)) from = to;
  });
};
/** @type {{ [key: string]: number }} */
const MOVES = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
/**
 * @param {string} key
 * @param {boolean} shift
 * @param {Pick<State, "x" | "u">} state
 * @returns {Edit | null} nothing where the key means nothing
 */
export const edited = (key, shift, { x, u }) => {
  const parts = x.split(".");
  const last = parts.length - 1;
  const own = parts[u] === "!" ? "a" : parts[u][0];
  /** @param {...string} units */
  const put = (...units) => ({ x: parts.toSpliced(u, 1, ...units).join("."), u: u + units.length - 1 });
  if (MOVES[key] && shift) {
    const to = u + MOVES[key];
    if (to > last || 0 > to) return {};
    [parts[u], parts[to]] = [parts[to], parts[u]];
    return { x: parts.join("."), u: to };
  }
  if (MOVES[key]) return { u: Math.min(Math.max(u + MOVES[key], 0), last) };
  if (key === "Home" || key === "End") return { u: key === "Home" ? 0 : last };
  if (key === "Delete" || key === "Backspace")
    return last ? { x: parts.toSpliced(u, 1).join("."), u: Math.min(u, last - 1) } : {};
  if (key === "W") return put(parts[u], `${own}1`);
  if (key === "R") return put(parts[u], own);
  if (key === "X") return put(parts[u], "!");
  if (/^\d$/.test(key)) return parts[u] === "!" ? {} : put(numbered(parts[u], Number(key)));
  return key.length === 1 && KEYS_.includes(key) ? put(key + parts[u].slice(1)) : null;
};
