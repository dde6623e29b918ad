/* Page order: what to quantize, the block, its scale and one element, the rules, the bytes, what it costs. */
const TIMES = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024];

/* Rows of [what, how]: `how` is a template, or stands in compute's result as text at path.i.1. */
const rows_list = (name) => {
  const el = kit.h("dl", { class: `cw-blocks-rows ${name}` });
  const make = () => kit.h("div", {}, kit.h("dt"), kit.h("dd", { class: "cw-mono" }));
  const update = (rows, now) => kit.list(el, rows, make, (div, [what, how]) => {
    kit.text(div.children[0], what);
    kit.fill(div.children[1], how, now);
  });
  const told = (path, now) => kit.list(el, kit.path(now, path), make, (div, _, i) => {
    kit.put(div.children[0], `${path}.${i}.0`, "text", now);
    kit.put(div.children[1], `${path}.${i}.1`, "text", now);
  });
  return { el, update, told };
};

const block_bytes = (onHover, onPick) => {
  const scale = kit.h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  const el = kit.h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  for (const [event, of] of [["pointerover", (i) => onHover(i)], ["pointerleave", () => onHover(-1)], ["click", (i) => { if (i >= 0) onPick(i); }]]) {
    el.addEventListener(event, (e) => of(Number(e.target.dataset?.i ?? -1)));
  }
  const byte = () => kit.h("span", { class: "cw-blocks-byte" });
  const update = (out, row) => {
    kit.list(scale, out.scale_bytes, byte, (span, _, b) => kit.put(span, `said.scale_bytes.${b}`, "text", out));
    kit.list(el, out.bytes, byte, (span, _, b) => {
      kit.set(span, { "data-out": `said.bytes.${b}`, "data-format": "text" }); // its pieces, side by side
      kit.list(span, words.pieces(out, row, b), () => kit.h("span", { class: "cw-blocks-piece" }), (piece, [i, text]) => {
        kit.text(piece, text);
        kit.set(piece, { data: { i }, class: `cw-blocks-piece${i === out.picked ? " picked" : ""}` });
      });
    });
  };
  const hover = (i) => { for (const p of el.querySelectorAll(".cw-blocks-piece")) p.classList.toggle("hover", i >= 0 && Number(p.dataset.i) === i); };
  return { el, scale, update, hover };
};

const cost_ledger = (data) => {
  const bar = kit.h("div", { class: "cw-blocks-cost", "aria-hidden": "true" });
  const sum = kit.h("ul", { class: "cw-blocks-sum" });
  const [bits, models] = [kit.h("strong", { class: "cw-big" }), kit.h("p", { class: "cw-note" })];
  const out = (column) => (row) => `ledger.${row.i}.${column}`;
  const every = kit.table({
    caption: "Bits per weight of every scheme",
    columns: [
      { key: "label", label: "scheme" },
      { out: out(0), how: "fixed 3", label: "bits per weight", align: "right" },
      { out: out(1), label: "stored" },
      { out: out(2), label: "besides" },
      { out: out(3), label: "source" },
    ],
  });
  const el = kit.h("div", {}, bar, sum, kit.h("p", {}, bits, " bits per weight"), models, kit.h("details", {}, kit.h("summary", {}, "All schemes, cheapest first"), every.el));
  let drawn = "";
  const update = (row, now) => {
    if (drawn === row.name) return;
    drawn = row.name;
    kit.list(bar, now.cost.shares, () => kit.h("span"), (span, share, k) => {
      kit.set(span, { class: `cw-blocks-share s${k}`, style: { "flex-grow": String(share) } });
      if (k === 0) kit.put(span, "cost.terms.0", "text", now);
    });
    const term = () => kit.h("li", {}, kit.h("i", { "aria-hidden": "true" }), kit.h("span"));
    kit.list(sum, now.cost.terms, term, (li, _, k) => {
      kit.set(li.children[0], { class: `cw-blocks-share s${k}` });
      kit.put(li.children[1], `cost.terms.${k}`, "text", now);
    });
    kit.put(bits, "cost.bits", "num", now);
    kit.put(models, "cost.models", "text", now);
    every.update(data.ledger.map((r, i) => ({ now, i, label: r.label, class: r.name === row.name ? "cw-blocks-current" : "" })));
  };
  return { el, update };
};

const tile_map = () => {
  const cells = kit.s("g", {});
  const frame = kit.s("rect", { class: "cw-blocks-window", x: 0.75, y: 0.75, width: 46.5, height: 10.5 });
  const svg = kit.s("svg", { viewBox: "0 0 192 192", class: "cw-blocks-tile", role: "img" }, cells, frame);
  const el = kit.h("figure", { class: "cw-blocks-tilebox" }, svg, kit.h("figcaption", { class: "cw-note" }));
  const update = (out) => {
    kit.set(el, { hidden: out.tile.length === 0 });
    kit.fill(el.lastChild, "All {n:int} numbers: the largest of each small patch. The framed window is drawn above; the ringed patch sets the scale.", out);
    if (!out.tile.length) return;
    const peak = Math.floor(out.peak / 1024) * 16 + Math.floor((out.peak % 128) / 8);
    kit.set(svg, { "aria-label": `A heat-map of the 128×128 tile; row ${Math.floor(out.peak / 128)}, column ${out.peak % 128} is the largest with ${words.num(out.amax)}` });
    kit.list(cells, out.tile, () => kit.s("rect", { width: 11.4, height: 11.4 }), (rect, v, i) => {
      kit.set(rect, { x: (i % 16) * 12, y: Math.floor(i / 16) * 12, class: i === peak ? "peak" : false, "fill-opacity": (0.06 + 0.94 * (v / out.amax)).toFixed(3) });
    });
  };
  return { el, update };
};

export default {
  render({ model, el }) {
    const root = kit.root(el, "blocks");
    const data = kit.data(model);
    const KEYS = ["scheme", "rule", "sample", "seed", "outlier", "edits", "picked", "tensor_amax", "packing"];
    const get = () => kit.state(model, KEYS);
    const set = (changes) => kit.commit(model, changes);
    const pick = (i, focus) => { set({ picked: i }); if (focus) queueMicrotask(() => chart.focus(i)); };
    const change = (i, v) => set({ picked: i, edits: { ...get().edits, [i]: Object.is(v, -0) ? "-0" : v } }); // JSON has no -0
    const hover = (i) => { chart.hover(i); bytes.hover(i); };
    const to_scheme = (name) => { // a NaN stays behind where nobody knows what it does
      const kept = Object.entries(get().edits).filter(([, v]) => v !== "NaN" || codec.is_mx(name));
      set({ scheme: name, picked: Math.min(get().picked, blocks.row_of({ scheme: name }, data).shown - 1), edits: Object.fromEntries(kept) });
    };
    const later = kit.after();
    let px = 0;
    let typed_over = ""; // what element 5 holds where the slider does not say it

    const scheme = kit.segmented({ label: "Scheme", options: data.schemes.map((r) => ({ value: r.name, label: r.label })), onInput: to_scheme });
    const sample = kit.select({ label: "Numbers from", options: data.samples, onInput: (v) => set({ sample: v, edits: {}, outlier: 1 }) });
    const fresh = kit.button({ label: "New numbers", onClick: () => set({ seed: (get().seed + 1) % 10000, edits: {}, outlier: 1 }) });
    const outlier = kit.slider({
      label: `Outlier: element ${data.outlier_at}`, min: 0, max: TIMES.length - 1, format: (k) => typed_over || `× ${kit.fmt.group(String(TIMES[k]))}`,
      onInput: (k) => { typed_over = ""; const { [data.outlier_at]: _, ...edits } = get().edits; set({ outlier: TIMES[k], edits, picked: data.outlier_at }); },
    });
    const tensor = kit.number({ label: "Largest |x| of the tensor", min: 0.0001, max: 1e6, onInput: (v) => set({ tensor_amax: v }) });
    const chart = block_chart(root, { onPick: pick, onValue: change, onHover: (i) => hover(i) });
    const allow = (v) => blocks.check({ ...get(), edits: { ...get().edits, [get().picked]: v } }, data);
    const typed = kit.number({ label: "Value", min: -data.limit, max: data.limit, also: ["NaN"], allow, onInput: (v) => change(get().picked, v) });
    const [count, how] = [kit.h("span"), kit.h("small")];
    const title = kit.h("h2", { class: "cw-heading" }, count, " ", how);
    const facts = rows_list("facts");
    const below = kit.h("span");
    const note = kit.h("p", { class: "cw-note" });
    const [one, scale] = [rows_list("element"), rows_list("scale")];
    const one_title = kit.h("h3", {});
    const bits = kit.h("span", { class: "cw-blocks-bits cw-mono" });
    const tile = tile_map();
    const lab = rule_lab(data, (rule) => set({ rule }));
    const lab_section = kit.h("section", { class: "cw-section" }, kit.heading("Four rules for this scale", "all in use; choose one"), lab.el);
    const bytes = block_bytes((i) => hover(i), (i) => pick(i, false));
    const packing = kit.segmented({ label: "Written by", options: ["stream", "halves"].map((v) => ({ value: v, label: v === "stream" ? "torchao" : "GGUF" })), onInput: (v) => set({ packing: v }) });
    const [order, place] = [kit.h("p", { class: "cw-note" }), kit.h("p", { class: "cw-note" })];
    const bytes_note = kit.h("small");
    const ledger = cost_ledger(data);

    root.append(
      scheme.el,
      kit.h("div", { class: "cw-row cw-blocks-controls" }, sample.el, fresh.el, tensor.el, outlier.el),
      title, facts.el, chart.el,
      kit.legend([{ class: "cw-blocks-given", label: "given" }, { class: "cw-blocks-most", label: "the largest: it sets the scale" }, { class: "cw-blocks-back", label: "comes back" }, { class: "cw-blocks-was", label: "came back before" }, { class: "cw-blocks-error", label: "error; below, as a share of the number" }, { class: "cw-blocks-level", label: "what a code can say" }]),
      kit.h("p", { class: "cw-note" }, below),
      kit.h("section", { class: "cw-section cw-blocks-pair" },
        kit.h("div", {}, one_title, kit.h("div", { class: "cw-row" }, typed.el, bits), one.el),
        kit.h("div", {}, kit.h("h3", { text: "Its scale" }), scale.el, note), tile.el),
      lab_section,
      kit.h("section", { class: "cw-section" }, kit.h("h2", { class: "cw-heading" }, kit.h("span", { text: "In memory" }), " ", bytes_note), packing.el, kit.h("div", { class: "cw-blocks-memory" }, bytes.el, kit.h("div", {}, kit.h("span", { class: "cw-note", text: "scale" }), bytes.scale)), place, order),
      kit.h("section", { class: "cw-section" }, kit.heading("What a weight costs"), ledger.el),
    );

    const show_outlier = (state) => {
      const near = TIMES.reduce((best, t, k) => (Math.abs(t - state.outlier) < Math.abs(TIMES[best] - state.outlier) ? k : best), 0);
      typed_over = data.outlier_at in state.edits ? "as typed" : TIMES[near] === state.outlier ? "" : `× ${words.num(state.outlier)}`;
      outlier.set(near);
      typed_over = "";
    };
    const update = (state) => {
      const row = blocks.row_of(state, data);
      const out = blocks.compute(state, data);
      const view = { ...state, picked: out.picked };
      scheme.set(state.scheme);
      sample.set(state.sample);
      show_outlier(state);
      kit.set(tensor.el, { hidden: row.name !== "nvfp4" });
      tensor.set(state.tensor_amax);
      kit.fill(count, "{n:int} numbers share one scale", out);
      kit.fill(how, out.n > out.shown ? "the first {shown:int} are drawn; drag one, or use the arrow keys" : "drag one, or pick it and use the arrow keys", out);
      const changed = out.before.dequantized.length > 0;
      facts.update([
        ["scale", "{said.now}"],
        ["clipped", "{clipped_count:int} of {n:int}"],
        ["came back as zero", `{zeros:int} of {n:int}${changed ? ", before {before.zeros:int}" : ""}`],
        ["off by, of itself", `{off:percent 0}${changed ? ", before {before.off:percent 0}" : ""}`],
        ["error, root mean square", "{rms:num 3}"],
        ["worst error", "{worst:num 3}"],
      ], out);
      chart.update(view, out, row, px = kit.wide(root), data.limit);
      kit.text(below, !chart.labelled() ? "" : row.bits === 4 ? `Under each column: ${out.zero === null ? "the element before scaling" : "the code"}.` : "Under each column: the code, in hexadecimal.");
      kit.fill(one_title, "Element {picked:int}", out);
      const value = out.values[out.picked];
      typed.set(value === "NaN" ? value : Object.is(value, -0) ? "-0" : String(Number(value.toPrecision(7))));
      one.told("said.element", out);
      kit.set(bits, { "data-out": "said.digits", "data-format": "text" });
      kit.list(bits, words.code_bits(out, row), () => kit.h("span"), (span, [kind, digits]) => { kit.text(span, digits); kit.set(span, { class: `cw-blocks-${kind}` }); });
      scale.told("said.scale", out);
      kit.put(note, "said.note", "text", out);
      kit.set(lab_section, { hidden: out.lab.length === 0 });
      kit.say(root, `scale ${words.num(out.scale)}, ${out.clipped_count} clipped, ${out.zeros} became zero, mean squared error ${words.num(out.mse, 3)}`);
      later(() => rest(state, out, row));
    };
    const rest = (state, out, row) => {
      tile.update(out);
      lab.update(state, out);
      kit.fill(bytes_note, `${out.n > out.shown ? "the first " : ""}{bytes.length:int} bytes of codes, {scale_bytes.length:int} of scale`, out);
      kit.set(packing.el, { hidden: row.packings.length < 2 });
      packing.set(out.packing);
      bytes.update(out, row);
      kit.put(place, "said.place", "text", out);
      kit.put(order, "said.order", "text", out);
      ledger.update(row, out);
    };
    const redraw = () => { if (!blocks.check(get(), data)) update(get()); };
    root.addEventListener("cw-redraw", redraw);
    const leave = kit.live(model, { root, keys: KEYS, check: blocks.check, update });
    const unwatch = kit.width(root, (now) => { if (now !== px) redraw(); });
    return () => { unwatch(); leave(); };
  },
};
