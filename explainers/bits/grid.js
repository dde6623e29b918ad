/* The poster: every code of a format up to 8 bits, or 128 codes around the one in hand. Arrow keys walk it. */

import { h, setAttrs } from "../kit/dom.js";
import { fmt, put, valueAt } from "../kit/numbers.js";
import { kind as bitsKind, digits, unsigned } from "./describe.js";
import { once } from "./line.js";
import { at, bareExponent, bitWidth, decode, largestOf, mantissa, ranks, signOf, stored } from "./number.js";
import { hex as bitsHex, sayShort } from "./text.js";

export const blocksOf = (f, code) => {
  // [{first, rows, cols, label(row)}]
  const width = bitWidth(f);
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
export const gridNote = (f) => {
  if (bitWidth(f) > 8) return "the 128 codes around this one; page up and page down go on";
  return f.exponent_bits && f.sign_bits ? "row = sign and exponent, column = mantissa" : "in the order of the codes";
};
export const cell = (f, code) => {
  // {class, style}: the larger a number, the stronger its colour, from 8 to 44 %
  const kind = bitsKind(f, code);
  if (kind === "NaN" || kind === "infinity") return { class: kind === "NaN" ? "nan" : "inf" };
  if (kind === "zero" || kind === "subnormal") return { class: "sub" };
  const strong = (share) => ({ class: "number-cell", style: { "--shade": `${Math.round(8 + 36 * share)}%` } });
  const value = Math.abs(decode(f, code));
  const [low, high] = ranks(f).map((r) => decode(f, at(f, r)));
  if (!f.exponent_bits) return strong(value / Math.max(-low, high));
  const all = 2 ** f.exponent_bits - 1;
  return strong(Math.floor(unsigned(f, code) / mantissa(f)) / all);
};

export const texts = (f, first) =>
  Array.from({ length: bitWidth(f) > 8 ? 128 : 2 ** bitWidth(f) }, (_, i) => {
    const count = bitWidth(f) > 8 ? digits(f) : 3;
    return bareExponent(f) && first + i <= largestOf(f)
      ? fmt.pow2(first + i - f.bias)
      : sayShort(stored(f, first + i), count, count + 3);
  });
export const shown = once(texts);
export const codes = (f, code) => {
  const first = bitWidth(f) > 8 ? Math.floor(code / 128) * 128 : 0;
  return { first, texts: shown(f, first) };
};

export const grid = ({ onPick }) => {
  const el = h("div", { class: "blocks" });
  let cells = new Map();
  let [format, first, here] = [null, -1, null];
  let blocks = [];
  const make = (f, block, o) => {
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
  const update = (f, o) => {
    const { code } = o;
    const now = blocksOf(f, code);
    if (f !== format || now[0].first !== first) {
      [format, first, blocks, cells, here] = [f, now[0].first, now, new Map(), null];
      setAttrs(el, { "data-cols": blocks[0].cols });
      el.replaceChildren(...blocks.map((block) => make(f, block, o)));
    }
    const next = cells.get(code);
    if (next === here) return;
    if (here) setAttrs(here, { "aria-selected": "false", tabindex: -1 });
    const focused = here !== null && here === el.getRootNode().activeElement;
    here = setAttrs(next, { "aria-selected": "true", tabindex: 0 });
    if (focused || el.kitKeys) here.focus({ preventScroll: true });
    el.kitKeys = false;
  };
  el.addEventListener("click", (e) => {
    const cell = e.target.closest("[data-code]");
    if (!cell) return;
    onPick(Number(cell.dataset.code));
    cell.focus({ preventScroll: true });
  });
  el.addEventListener("keydown", (e) => {
    const cell = e.target.closest("[data-code]");
    const cols = cell && Number(cell.closest("[data-cols]").dataset.cols);
    const step =
      cell && { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols, PageUp: -128, PageDown: 128 }[e.key];
    if (!step) return;
    e.preventDefault();
    const code = Number(cell.dataset.code) + step;
    if (code < 0 || code >= 2 ** bitWidth(format)) return;
    el.kitKeys = true;
    onPick(code);
  });
  return { el, update };
};
