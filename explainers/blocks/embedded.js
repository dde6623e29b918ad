/* The lab, as far as it fits into a single file: widget.js adds the schemes that are left out there.
   Page order: what to quantize, the block, its scale and one element, the rules, the bytes, what it costs. */
import { makeButton, number, segmented, select, slider } from "../kit/controls.js";
import { afterPaint, announce, h, makeRoot, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt, put, valueAt } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { onWidth, widthOf } from "../kit/width.js";
import { block_chart } from "./chart.js";
import { codec } from "./codec.js";
import { blocks } from "./compute.js";
import { rule_lab } from "./lab.js";
import { in_lines, lines } from "./lines.js";
import { words } from "./parts.js";
import { scheme_choice } from "./schemes.js";

export { check, compute } from "./compute.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Changes, Widget } from "../kit/model.js" */
/** @import { Now, State } from "./compute.js" */
/** @import { Row } from "./float32.js" */
/** @import { Line } from "./lines.js" */

/** A row of the table of all schemes, the i-th of the ledger. @typedef {{ now: Now, i: number, label: string, class: string }} Item */

/** What searched.js adds: the field for pasted numbers. @type {{ own_numbers?: typeof import("./own.js").own_numbers }} */
export const extras = {};

const TIMES = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024];

/** Rows of [what, how]: `how` is a template, or stands in compute's result as text at path.i.1. @param {string} name */
const rows_list = (name) => {
  const el = h("dl", { class: `cw-blocks-rows ${name}` });
  const make = () => h("div", {}, h("dt"), h("dd", { class: "cw-mono" }));
  /** @param {Line[]} rows @param {Now} now */
  const update = (rows, now) =>
    renderList(el, rows, make, (div, [what, how]) => {
      setText(div.children[0], what);
      fill(div.children[1], how, now);
    });
  /** @param {string} path @param {Now} now */
  const told = (path, now) =>
    renderList(el, /** @type {Line[]} */ (valueAt(now, path)), make, (div, _, i) => {
      put(div.children[0], `${path}.${i}.0`, "text", now);
      put(div.children[1], `${path}.${i}.1`, "text", now);
    });
  return { el, update, told };
};

/** @param {(i: number) => void} onHover @param {(i: number) => void} onPick */
const block_bytes = (onHover, onPick) => {
  const scale = h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  const el = h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  /** @param {Event} e */
  const element = (e) => Number(/** @type {HTMLElement} */ (e.target).dataset?.i ?? -1);
  el.addEventListener("pointerover", (e) => onHover(element(e)));
  el.addEventListener("pointerleave", () => onHover(-1));
  el.addEventListener("click", (e) => {
    if (element(e) >= 0) onPick(element(e));
  });
  const byte = () => h("span", { class: "cw-blocks-byte" });
  /** @param {Now} out @param {Row} row */
  const update = (out, row) => {
    renderList(scale, out.scale_bytes, byte, (span, _, b) => put(span, `said.scale_bytes.${b}`, "text", out));
    renderList(el, out.bytes, byte, (span, _, b) => {
      setAttrs(span, { "data-out": `said.bytes.${b}`, "data-format": "text" }); // its pieces, side by side
      renderList(
        span,
        words.pieces(out, row, b),
        () => h("span", { class: "cw-blocks-piece" }),
        (piece, [i, text]) => {
          setText(piece, text);
          setAttrs(piece, { data: { i }, class: `cw-blocks-piece${i === out.picked ? " picked" : ""}` });
        },
      );
    });
  };
  /** @param {number} i */
  const hover = (i) => {
    for (const p of /** @type {NodeListOf<HTMLElement>} */ (el.querySelectorAll(".cw-blocks-piece")))
      p.classList.toggle("hover", i >= 0 && Number(p.dataset.i) === i);
  };
  return { el, scale, update, hover };
};

/** @param {Data} data */
const cost_ledger = (data) => {
  const bar = h("div", { class: "cw-blocks-cost", "aria-hidden": "true", "data-omit": true });
  const sum = h("ul", { class: "cw-blocks-sum" });
  const [bits, models] = [h("strong", { class: "cw-big" }), h("p", { class: "cw-note" })];
  /** @type {(column: number) => (row: Item) => string} */
  const out = (column) => (row) => `ledger.${row.i}.${column}`;
  const every = makeTable({
    caption: "Bits per weight of every scheme",
    columns: [
      { key: "label", label: "scheme" },
      { out: out(0), how: "fixed 3", label: "bits per weight", align: "right" },
      { out: out(1), label: "stored" },
      { out: out(2), label: "besides" },
      { out: out(3), label: "source" },
    ],
  });
  const el = h(
    "div",
    {},
    bar,
    sum,
    h("p", {}, bits, " bits per weight"),
    models,
    h("details", { "data-omit": true }, h("summary", {}, "All schemes, cheapest first"), every.el),
  );
  let drawn = "";
  /** @param {{ name: string }} row @param {Now} now */
  const update = (row, now) => {
    if (drawn === row.name) return;
    drawn = row.name;
    renderList(
      bar,
      now.cost.shares,
      () => h("span"),
      (span, share, k) => {
        setAttrs(span, { class: `cw-blocks-share s${k}`, style: { "flex-grow": String(share) } });
        if (k === 0) put(span, "cost.terms.0", "text", now);
      },
    );
    const term = () => h("li", {}, h("i", { "aria-hidden": "true" }), h("span"));
    renderList(sum, now.cost.terms, term, (li, _, k) => {
      setAttrs(li.children[0], { class: `cw-blocks-share s${k}` });
      put(li.children[1], `cost.terms.${k}`, "text", now);
    });
    put(bits, "cost.bits", "num", now);
    put(models, "cost.models", "text", now);
    every.update(
      data.ledger.map((r, i) => ({ now, i, label: r.label, class: r.name === row.name ? "cw-blocks-current" : "" })),
    );
  };
  return { el, update };
};

const tile_map = () => {
  const cells = s("g", {});
  const frame = s("rect", { class: "cw-blocks-window", x: 0.75, y: 0.75, width: 46.5, height: 10.5 });
  const svg = s("svg", { viewBox: "0 0 192 192", class: "cw-blocks-tile", role: "img" }, cells, frame);
  const caption = h("figcaption", { class: "cw-note" });
  const el = h("figure", { class: "cw-blocks-tilebox" }, svg, caption);
  /** @param {Now} out */
  const update = (out) => {
    setAttrs(el, { hidden: out.tile.length === 0 });
    fill(
      caption,
      "All {n:int} numbers: the largest of each small patch. The framed window is drawn above; the ringed patch sets the scale.",
      out,
    );
    if (!out.tile.length) return;
    const peak = Math.floor(out.peak / 1024) * 16 + Math.floor((out.peak % 128) / 8);
    setAttrs(svg, {
      "aria-label": `A heat-map of the 128×128 tile; row ${Math.floor(out.peak / 128)}, column ${out.peak % 128} is the largest with ${words.num(out.amax)}`,
    });
    renderList(
      cells,
      out.tile,
      () => s("rect", { width: 11.4, height: 11.4 }),
      (rect, v, i) => {
        setAttrs(rect, {
          x: (i % 16) * 12,
          y: Math.floor(i / 16) * 12,
          class: i === peak ? "peak" : false,
          "fill-opacity": (0.06 + 0.94 * (v / words.plain(out.amax))).toFixed(3),
        });
      },
    );
  };
  return { el, update };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    in_lines.told = lines;
    const root = makeRoot(el, "blocks");
    const data = readData(model);
    const KEYS = ["scheme", "rule", "sample", "seed", "outlier", "edits", "picked", "tensor_amax", "packing", "own"];
    const get = () => readState(model, KEYS);
    /** @param {Changes<State>} changes */
    const set = (changes) => commit(model, changes);
    /** @param {number} i @param {boolean} focus */
    const pick = (i, focus) => {
      set({ picked: i });
      if (focus) queueMicrotask(() => chart.focus(i));
    };
    /** @param {number} i @param {number | "NaN"} v */
    const change = (i, v) => set({ picked: i, edits: { ...get().edits, [i]: Object.is(v, -0) ? "-0" : v } }); // JSON has no -0
    /** @param {number} i */
    const hover = (i) => {
      chart.hover(i);
      bytes.hover(i);
    };
    /** @param {string} name */
    const to_scheme = (name) => {
      // a NaN stays behind where nobody knows what it does
      const row = blocks.row_of({ scheme: name }, data);
      const kept = Object.entries(get().edits).filter(([, v]) => v !== "NaN" || codec.is_mx(row));
      set({ scheme: name, picked: Math.min(get().picked, row.shown - 1), edits: Object.fromEntries(kept) });
    };
    const later = afterPaint();
    let px = 0;
    let typed_over = ""; // what element 5 holds where the slider does not say it

    const scheme = scheme_choice(data.schemes, to_scheme);
    const own = extras.own_numbers?.(data, (numbers) => set({ sample: "own", own: numbers, edits: {}, outlier: 1 }));
    /** @param {string} kind */
    const to_sample = (kind) => {
      const now = blocks.compute(get(), data).values.map((v) => Number(words.plain(v).toPrecision(7)));
      const numbers = kind === "own" && !get().own.length ? now : get().own; // to begin with, what is drawn
      set({ sample: kind, own: numbers, edits: {}, outlier: 1 });
    };
    const sample = select({ label: "Numbers from", options: data.samples, onInput: to_sample });
    const fresh = makeButton({
      label: "New numbers",
      onClick: () => set({ seed: (get().seed + 1) % 10000, edits: {}, outlier: 1 }),
    });
    const outlier = slider({
      label: `Outlier: element ${data.outlier_at}`,
      min: 0,
      max: TIMES.length - 1,
      format: (k) => typed_over || `× ${fmt.group(String(TIMES[k]))}`,
      onInput: (k) => {
        typed_over = "";
        const { [data.outlier_at]: _, ...edits } = get().edits;
        set({ outlier: TIMES[k], edits, picked: data.outlier_at });
      },
    });
    const tensor = number({
      label: "Largest |x| of the tensor",
      min: 0.0001,
      max: 1e6,
      onInput: (v) => set({ tensor_amax: v }),
    });
    const chart = block_chart(root, { onPick: pick, onValue: change, onHover: (i) => hover(i) });
    const allow = (/** @type {number | "NaN"} */ v) =>
      blocks.check({ ...get(), edits: { ...get().edits, [get().picked]: v } }, data);
    const typed = number({
      label: "Value",
      min: -data.limit,
      max: data.limit,
      also: ["NaN"],
      allow,
      onInput: (v) => change(get().picked, v),
    });
    const [count, how] = [h("span"), h("small", { "data-omit": true })];
    const title = h("h2", { class: "cw-heading" }, count, " ", how);
    const facts = rows_list("facts");
    const below = h("span");
    const note = h("p", { class: "cw-note" });
    const [one, scale] = [rows_list("element"), rows_list("scale")];
    const one_title = h("h3", {});
    const bits = h("span", { class: "cw-blocks-bits cw-mono" });
    const tile = tile_map();
    const lab = rule_lab(data, (rule) => set({ rule }));
    const lab_section = h(
      "section",
      { class: "cw-section", "data-below": true },
      heading("Four rules for this scale", "all in use; choose one"),
      lab.el,
    );
    const bytes = block_bytes(
      (i) => hover(i),
      (i) => pick(i, false),
    );
    const packing = segmented({
      label: "Written by",
      options: ["stream", "halves"].map((v) => ({ value: v, label: v === "stream" ? "torchao" : "GGUF" })),
      onInput: (v) => set({ packing: v }),
    });
    const [order, place] = [h("p", { class: "cw-note" }), h("p", { class: "cw-note" })];
    const bytes_note = h("small");
    const ledger = cost_ledger(data);
    const mixed = rows_list("reciprocal");
    const mixed_section = h(
      "section",
      { class: "cw-section", "data-omit": true },
      heading("The tensor’s scale and its reciprocal", "for the picked element"),
      mixed.el,
    );

    root.append(
      ...scheme.els,
      h("div", { class: "cw-row cw-blocks-controls" }, sample.el, fresh.el, tensor.el, outlier.el),
      own ? own.el : "",
      title,
      facts.el,
      chart.el,
      makeLegend([
        { class: "cw-blocks-given", label: "original" },
        { class: "cw-blocks-most", label: "the largest: it sets the scale" },
        { class: "cw-blocks-back", label: "dequantized" },
        { class: "cw-blocks-was", label: "dequantized before the change" },
        { class: "cw-blocks-error", label: "error (below: relative error)" },
        { class: "cw-blocks-level", label: "values of the codes" },
      ]),
      h("p", { class: "cw-note" }, below),
      h(
        "section",
        { class: "cw-section cw-blocks-pair", "data-omit": true },
        h("div", {}, one_title, h("div", { class: "cw-row" }, typed.el, bits), one.el),
        h("div", {}, h("h3", { text: "Its scale" }), scale.el, note),
        tile.el,
      ),
      mixed_section,
      lab_section,
      h(
        "section",
        { class: "cw-section", "data-omit": true },
        h("h2", { class: "cw-heading" }, h("span", { text: "In memory" }), " ", bytes_note),
        packing.el,
        h(
          "div",
          { class: "cw-blocks-memory" },
          bytes.el,
          h("div", {}, h("span", { class: "cw-note", text: "scale" }), bytes.scale),
        ),
        place,
        order,
      ),
      h("section", { class: "cw-section" }, heading("Bits per weight"), ledger.el),
    );

    /** @param {State} state */
    const show_outlier = (state) => {
      const near = TIMES.reduce(
        (best, t, k) => (Math.abs(t - state.outlier) < Math.abs(TIMES[best] - state.outlier) ? k : best),
        0,
      );
      typed_over =
        data.outlier_at in state.edits
          ? "as typed"
          : TIMES[near] === state.outlier
            ? ""
            : `× ${words.num(state.outlier)}`;
      outlier.set(near);
      typed_over = "";
    };
    /** @param {State} state */
    const update = (state) => {
      const row = blocks.row_of(state, data);
      const out = blocks.compute(state, data);
      const view = { ...state, picked: out.picked };
      scheme.set(state.scheme);
      sample.set(state.sample);
      show_outlier(state);
      setAttrs(fresh.el, { hidden: state.sample === "own" });
      own?.update(state);
      setAttrs(tensor.el, { hidden: out.tensor_amax === 0 });
      tensor.set(state.tensor_amax);
      fill(count, "{label}: {said.shared}", { ...out, label: row.label });
      fill(
        how,
        out.n > out.shown
          ? "the first {shown:int} are drawn; drag one, or use the arrow keys"
          : "drag one, or pick it and use the arrow keys",
        out,
      );
      const changed = out.before.dequantized.length > 0;
      facts.update(
        [
          ["scale", "{said.now}"],
          ["clipped", "{clipped_count:int} of {n:int}"],
          ["rounded to zero", `{zeros:int} of {n:int}${changed ? ", before {before.zeros:int}" : ""}`],
          ["mean relative error", `{off:percent 0}${changed ? ", before {before.off:percent 0}" : ""}`],
          ["root mean square error", "{rms:num 3}"],
          ["worst error", "{worst:num 3}"],
        ],
        out,
      );
      chart.update(view, out, (px = widthOf(root)), data.limit);
      setText(
        below,
        !chart.labelled()
          ? ""
          : row.bits === 4
            ? `Under each column: ${words.counted(row) ? "the code" : "the element before scaling"}.`
            : "Under each column: the code, in hexadecimal.",
      );
      fill(one_title, "Element {picked:int}", out);
      const value = out.values[out.picked];
      typed.set(value === "NaN" ? value : Object.is(value, -0) ? "-0" : String(Number(value.toPrecision(7))));
      one.told("said.element", out);
      setAttrs(bits, { "data-out": "said.digits", "data-format": "text" });
      renderList(
        bits,
        words.code_bits(out, row),
        () => h("span"),
        (span, [kind, digits]) => {
          setText(span, digits);
          setAttrs(span, { class: `cw-blocks-${kind}` });
        },
      );
      scale.told("said.scale", out);
      put(note, "said.note", "text", out);
      setAttrs(mixed_section, { hidden: out.said.reciprocal.length === 0 });
      mixed.told("said.reciprocal", out);
      setAttrs(lab_section, { hidden: out.lab.length === 0 });
      announce(
        root,
        `scale ${words.num(out.scale)}, ${out.clipped_count} clipped, ${out.zeros} became zero, mean squared error ${words.num(out.mse, 3)}`,
      );
      later(() => rest(state, out, row));
    };
    /** @param {State} state @param {Now} out @param {Row} row */
    const rest = (state, out, row) => {
      tile.update(out);
      lab.update(state, out);
      fill(
        bytes_note,
        `${out.n > out.shown ? "the first " : ""}{bytes.length:int} bytes of codes, {scale_bytes.length:int} of scale`,
        out,
      );
      setAttrs(packing.el, { hidden: row.packings.length < 2 });
      packing.set(out.packing);
      bytes.update(out, row);
      put(place, "said.place", "text", out);
      put(order, "said.order", "text", out);
      ledger.update(row, out);
    };
    const redraw = () => {
      if (!blocks.check(get(), data)) update(get());
    };
    root.addEventListener("cw-redraw", redraw);
    const leave = live(model, { root, keys: KEYS, check: blocks.check, update });
    const unwatch = onWidth(root, (now) => {
      if (now !== px) redraw();
    });
    return () => {
      unwatch();
      leave();
    };
  },
};
