/* The poster: every code of a format up to 8 bits, or 128 codes around the one in hand. Arrow keys walk it. */

import { at, bareExponent, bitWidth, decode, largestOf, mantissa, ranks, signOf } from "../kit/codes.js";
import { h, setAttrs } from "../kit/dom.js";
import { hex as bitsHex, digits, sayShort } from "../kit/fraction-text.js";
import { fmt, put, valueAt } from "../kit/numbers.js";
import { stored } from "../kit/reals.js";
import { kind as bitsKind, unsigned } from "./describe.js";
import { once } from "./line.js";

/** @import { Now } from "./compute.js" */
/** @import { Format } from "../kit/codes.js" */

/** How far a key goes. @typedef {{ [key: string]: number }} Steps */
/** A table of codes. @typedef {{ first: number, rows: number, cols: number, label: (row: number) => string }} Block */

/** @param {Format} f @param {number} code @returns {Block[]} */
export const blocksOf = (f, code) => {
  // [{first, rows, cols, label(row)}]
  const width = bitWidth(f);
  /** @param {number} n */
  const hex = (n) => n.toString(16).toUpperCase();
  if (width > 8) {
    const first = Math.floor(code / 128) * 128;
    return [{ first, rows: 16, cols: 8, label: (r) => bitsHex(f, first + 8 * r) }];
  }
  if (!f.exponent_bits || !f.sign_bits) {
    const cols = width === 4 ? 4 : 16;
    return [{ first: 0, rows: 2 ** width / cols, cols, label: (r) => hex((r * cols) >> (width === 4 ? 0 : 4)) }];
  }
  const block = { rows: 2 ** f.exponent_bits, cols: 2 ** f.mantissa_bits, label: hex };
  return [
    { ...block, first: 0 },
    { ...block, first: signOf(f) },
  ];
};
/** @param {Format} f */
export const gridNote = (f) => {
  if (bitWidth(f) > 8) return "the 128 codes around this one; page up and page down go on";
  return f.exponent_bits && f.sign_bits ? "row = sign and exponent, column = mantissa" : "in the order of the codes";
};
/** @param {Format} f @param {number} code */
export const cell = (f, code) => {
  // {class, style}: the larger a number, the stronger its colour, from 8 to 44 %
  const kind = bitsKind(f, code);
  if (kind === "NaN" || kind === "infinity") return { class: kind === "NaN" ? "nan" : "inf" };
  if (kind === "zero" || kind === "subnormal") return { class: "sub" };
  /** @param {number} share */
  const strong = (share) => ({ class: "number-cell", style: { "--shade": `${Math.round(8 + 36 * share)}%` } });
  const value = Math.abs(decode(f, code));
  const [low, high] = ranks(f).map((r) => decode(f, at(f, r)));
  if (!f.exponent_bits) return strong(value / Math.max(-low, high));
  const all = 2 ** f.exponent_bits - 1;
  return strong(Math.floor(unsigned(f, code) / mantissa(f)) / all);
};

/** @param {Format} f @param {number} first */
export const texts = (f, first) =>
  Array.from({ length: bitWidth(f) > 8 ? 128 : 2 ** bitWidth(f) }, (_, i) => {
    const count = bitWidth(f) > 8 ? digits(f) : 3;
    return bareExponent(f) && first + i <= largestOf(f)
      ? fmt.pow2(first + i - f.bias)
      : sayShort(stored(f, first + i), count, count + 3);
  });
export const shown = once(texts);
/** @param {Format} f @param {number} code */
export const codes = (f, code) => {
  const first = bitWidth(f) > 8 ? Math.floor(code / 128) * 128 : 0;
  return { first, texts: shown(f, first) };
};

/**
 * The table of a block; its cells are added to those there are.
 * @param {Format} f
 * @param {Block} block
 * @param {Now} o
 * @param {Map<number, HTMLElement>} cells
 */
const makeTable = (f, block, o, cells) => {
  const rows = Array.from({ length: block.rows }, (_, r) => {
    const tr = h("tr", {}, h("th", { scope: "row", text: block.label(r) }));
    for (let c = 0; c < block.cols; c += 1) {
      const code = block.first + r * block.cols + c;
      const path = `codes.texts.${code - o.codes.first}`;
      const td = h("td", {
        role: "gridcell",
        tabindex: -1,
        "aria-selected": "false",
        ...cell(f, code),
        data: { code },
        "aria-label": `${bitsHex(f, code)}: ${valueAt(o, path)}`,
      });
      put(td, path, "text", o);
      cells.set(code, td);
      tr.append(td);
    }
    return tr;
  });
  return h(
    "table",
    {
      role: "grid",
      "aria-label": `Codes ${bitsHex(f, block.first)} to ${bitsHex(f, block.first + block.rows * block.cols - 1)}`,
      data: { cols: block.cols },
    },
    h("tbody", {}, rows),
  );
};

/** How far each key goes in a table. @param {number} cols @returns {Steps} */
const stepsIn = (cols) => ({
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -cols,
  ArrowDown: cols,
  PageUp: -128,
  PageDown: 128,
});

/** @param {{ onPick: (code: number) => void }} on */
export const grid = ({ onPick }) => {
  /** @type {HTMLElement & { kitKeys?: boolean }} whether the last key walked */
  const el = h("div", { class: "blocks" });
  /** @type {Map<number, HTMLElement>} */
  let cells = new Map();
  /** @type {[format: Format | null, first: number, here: HTMLElement | null]} */
  let [format, first, here] = [null, -1, null];
  /** @type {Block[]} */
  let blocks = [];
  /** @param {Format} f @param {Now} o */
  const update = (f, o) => {
    const { code } = o;
    const now = blocksOf(f, code);
    if (f !== format || now[0].first !== first) {
      [format, first, blocks, cells, here] = [f, now[0].first, now, new Map(), null];
      setAttrs(el, { "data-cols": blocks[0].cols });
      el.replaceChildren(...blocks.map((block) => makeTable(f, block, o, cells)));
    }
    const next = cells.get(code);
    if (next === here) return;
    if (here) setAttrs(here, { "aria-selected": "false", tabindex: -1 });
    const focused = here !== null && here === /** @type {Document | ShadowRoot} */ (el.getRootNode()).activeElement;
    here = setAttrs(/** @type {HTMLElement} */ (next), { "aria-selected": "true", tabindex: 0 });
    if (focused || el.kitKeys) here.focus({ preventScroll: true });
    el.kitKeys = false;
  };
  el.addEventListener("click", (e) => {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (e.target).closest("[data-code]"));
    if (!cell) return;
    onPick(Number(cell.dataset.code));
    cell.focus({ preventScroll: true });
  });
  el.addEventListener("keydown", (e) => {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (e.target).closest("[data-code]"));
    if (!cell) return;
    const cols = Number(/** @type {HTMLElement} */ (cell.closest("[data-cols]")).dataset.cols);
    const step = stepsIn(cols)[e.key];
    if (!step) return;
    e.preventDefault();
    const code = Number(cell.dataset.code) + step;
    if (code < 0 || code >= 2 ** bitWidth(/** @type {Format} */ (format))) return;
    el.kitKeys = true;
    onPick(code);
  });
  return { el, update };
};
