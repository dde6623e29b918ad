// Edits in the address: entries of the browser's history while somebody types, and what is typed as a number.

import { tokens } from "../weigh/weigh-address.js";

/** @type {string | null} the address before typing */
let before = null;

/**
 * @param {string} edits as they are written
 * @returns {string}
 */
export function address(edits) {
  const found = new URLSearchParams(location.search);
  if (edits) found.set("edit", edits);
  else found.delete("edit");
  const text = found.toString().replace(/%(2F|2C|3A|40)/g, decodeURIComponent);
  return `${location.pathname}${text && `?${text}`}${location.hash}`;
}
const here = () => location.pathname + location.search + location.hash;

/**
 * While somebody types the entry of before stays; leaving the box adds one.
 * @param {string} next the address of what counts now
 * @param {boolean} commit
 */
export function enter(next, commit) {
  if (!commit) {
    before ??= here();
    if (next !== here()) history.replaceState(null, "", next);
    return;
  }
  const start = before ?? here();
  before = null;
  if (start === next) return;
  if (here() !== start) history.replaceState(null, "", start);
  history.pushState(null, "", next);
}

/** An entry of the history is shown: nobody has typed since. */
export function begun() {
  before = null;
}

/**
 * @param {string} id
 * @param {string} text as it is typed
 * @returns {number | undefined}
 */
export function number(id, text) {
  const plain = text.trim(),
    sized = /^(window|chunk)/.test(id) ? tokens(plain) : undefined;
  if (sized !== undefined) return sized;
  const digits = plain.replace(/[\s,_’']/g, "");
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined;
}
