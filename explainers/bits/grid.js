/* The poster: every code of a format up to 8 bits, or 128 codes around the one in hand. Arrow keys walk it. */
bits.blocks = (f, code) => { // [{first, rows, cols, label(row)}]
  const width = bits.width(f);
  const hex = (n) => n.toString(16).toUpperCase();
  if (width > 8) {
    const first = Math.floor(code / 128) * 128;
    return [{ first, rows: 16, cols: 8, label: (r) => bits.hex(f, first + 8 * r) }];
  }
  if (!f.exponent_bits || !f.sign_bits) {
    const cols = width === 4 ? 4 : 16;
    return [{ first: 0, rows: 2 ** width / cols, cols, label: (r) => hex((r * cols) >> (width === 4 ? 0 : 4)) }];
  }
  const block = { rows: 2 ** f.exponent_bits, cols: 2 ** f.mantissa_bits, label: hex };
  return [{ ...block, first: 0 }, { ...block, first: bits.sign(f) }];
};
bits.gridNote = (f) => {
  if (bits.width(f) > 8) return "the 128 codes around this one; page up and page down go on";
  return f.exponent_bits && f.sign_bits ? "row = sign and exponent, column = mantissa" : "in the order of the codes";
};
bits.cell = (f, code) => { // {class, style}: the larger a number, the stronger its colour, from 8 to 44 %
  const kind = bits.kind(f, code);
  if (kind === "NaN" || kind === "infinity") return { class: kind === "NaN" ? "nan" : "inf" };
  if (kind === "zero" || kind === "subnormal") return { class: "sub" };
  const strong = (share) => ({ class: "number-cell", style: { "--shade": `${Math.round(8 + 36 * share)}%` } });
  const value = Math.abs(bits.decode(f, code));
  const [low, high] = bits.ranks(f).map((r) => bits.decode(f, bits.at(f, r)));
  if (!f.exponent_bits) return strong(value / Math.max(-low, high));
  const all = 2 ** f.exponent_bits - 1;
  return strong(Math.floor(bits.unsigned(f, code) / bits.mantissa(f)) / all);
};

bits.texts = (f, first) => Array.from({ length: bits.width(f) > 8 ? 128 : 2 ** bits.width(f) }, (_, i) => {
  const count = bits.width(f) > 8 ? bits.digits(f) : 3;
  return f.specials === "fnu" && first + i < 255 ? kit.fmt.pow2(first + i - f.bias) : bits.sayShort(bits.stored(f, first + i), count, count + 3);
});
bits.shown = bits.once(bits.texts);
bits.codes = (f, code) => {
  const first = bits.width(f) > 8 ? Math.floor(code / 128) * 128 : 0;
  return { first, texts: bits.shown(f, first) };
};

bits.grid = ({ onPick }) => {
  const el = kit.h("div", { class: "blocks" });
  let cells = new Map();
  let [format, first, here] = [null, -1, null];
  let blocks = [];
  const make = (f, block, o) => {
    const rows = Array.from({ length: block.rows }, (_, r) => {
      const tr = kit.h("tr", {}, kit.h("th", { scope: "row", text: block.label(r) }));
      for (let c = 0; c < block.cols; c += 1) {
        const code = block.first + r * block.cols + c;
        const path = `codes.texts.${code - o.codes.first}`;
        const td = kit.h("td", { role: "gridcell", tabindex: -1, "aria-selected": "false", ...bits.cell(f, code), data: { code }, "aria-label": `${bits.hex(f, code)}: ${kit.path(o, path)}` });
        kit.put(td, path, "text", o);
        cells.set(code, td);
        tr.append(td);
      }
      return tr;
    });
    return kit.h("table", { role: "grid", "aria-label": `Codes ${bits.hex(f, block.first)} to ${bits.hex(f, block.first + block.rows * block.cols - 1)}`, data: { cols: block.cols } }, kit.h("tbody", {}, rows));
  };
  const update = (f, o) => {
    const { code } = o;
    const now = bits.blocks(f, code);
    if (f !== format || now[0].first !== first) {
      [format, first, blocks, cells, here] = [f, now[0].first, now, new Map(), null];
      kit.set(el, { "data-cols": blocks[0].cols });
      el.replaceChildren(...blocks.map((block) => make(f, block, o)));
    }
    const next = cells.get(code);
    if (next === here) return;
    if (here) kit.set(here, { "aria-selected": "false", tabindex: -1 });
    const focused = here !== null && here === el.getRootNode().activeElement;
    here = kit.set(next, { "aria-selected": "true", tabindex: 0 });
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
    const step = cell && { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols, PageUp: -128, PageDown: 128 }[e.key];
    if (!step) return;
    e.preventDefault();
    const code = Number(cell.dataset.code) + step;
    if (code < 0 || code >= 2 ** bits.width(format)) return;
    el.kitKeys = true;
    onPick(code);
  });
  return { el, update };
};
