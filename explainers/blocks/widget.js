/* Page order: what to quantize, the block, its scale and one element, the rules, the bytes, what it costs. */
const TIMES = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024];

const rows_list = (name) => {
  const el = kit.h("dl", { class: `cw-blocks-rows ${name}` });
  const make = () => kit.h("div", {}, kit.h("dt"), kit.h("dd", { class: "cw-mono" }));
  const fill = (div, [what, how]) => { kit.text(div.children[0], what); kit.text(div.children[1], how); };
  return { el, update: (rows) => kit.list(el, rows, make, fill) };
};

const block_bytes = (onHover, onPick) => {
  const scale = kit.h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  const el = kit.h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  for (const [event, of] of [["pointerover", (i) => onHover(i)], ["pointerleave", () => onHover(-1)], ["click", (i) => { if (i >= 0) onPick(i); }]]) {
    el.addEventListener(event, (e) => of(Number(e.target.dataset?.i ?? -1)));
  }
  const byte = () => kit.h("span", { class: "cw-blocks-byte" });
  const update = (out, row, picked) => {
    kit.list(scale, out.scale_bytes, byte, (span, v) => kit.text(span, words.hex(v, 8).slice(2)));
    kit.list(el, out.bytes, byte, (span, v, b) => {
      let left = 8;
      const parts = out.pieces[b].map(([i, bits]) => {
        const value = (v >> (left - bits)) & (2 ** bits - 1);
        left -= bits;
        return [i, row.bits % 4 === 0 ? value.toString(16).toUpperCase().padStart(bits / 4, "0") : value.toString(2).padStart(bits, "0")];
      });
      if (out.packing === "columns") parts.unshift([-1, "·"]);
      kit.list(span, parts, () => kit.h("span", { class: "cw-blocks-piece" }), (piece, [i, text]) => {
        kit.text(piece, text);
        kit.set(piece, { data: { i }, class: `cw-blocks-piece${i === picked ? " picked" : ""}` });
      });
    });
  };
  const hover = (i) => { for (const p of el.querySelectorAll(".cw-blocks-piece")) p.classList.toggle("hover", i >= 0 && Number(p.dataset.i) === i); };
  return { el, scale, update, hover };
};

const cost_ledger = (data) => {
  const bar = kit.h("div", { class: "cw-blocks-cost", "aria-hidden": "true" });
  const sum = kit.h("ul", { class: "cw-blocks-sum" });
  const total = kit.h("p", {}, kit.h("strong", { class: "cw-big" }), " bits per weight");
  const models = kit.h("p", { class: "cw-note" });
  const every = kit.table({
    caption: "Bits per weight of every scheme",
    columns: [
      { key: "label", label: "scheme" },
      { key: "bits", label: "bits per weight", align: "right", format: (v) => kit.fmt.fixed(v, 3) },
      { key: "costs", label: "stored", format: (costs) => costs.map((c) => `${c.what} ${c.bits}${c.per > 1 ? ` ÷ ${kit.fmt.int(c.per)}` : ""}`).join(" + ") },
      { key: "second", label: "besides" },
      { key: "source", label: "source" },
    ],
  });
  const el = kit.h("div", {}, bar, sum, total, models, kit.h("details", {}, kit.h("summary", { text: `All ${data.ledger.length} schemes, cheapest first` }), every.el));
  let drawn = "";
  const update = (row) => {
    if (drawn === row.name) return;
    drawn = row.name;
    const found = data.ledger.find((r) => r.name === row.name);
    kit.list(bar, found.costs, () => kit.h("span"), (span, c, k) => {
      kit.set(span, { class: `cw-blocks-share s${k}`, style: { "flex-grow": String(c.bits / c.per) } });
      kit.text(span, k === 0 ? `${c.what} ${c.bits}` : "");
    });
    const term = () => kit.h("li", {}, kit.h("i", { "aria-hidden": "true" }), kit.h("span"));
    kit.list(sum, found.costs, term, (li, c, k) => {
      kit.set(li.children[0], { class: `cw-blocks-share s${k}` });
      kit.text(li.children[1], c.per === 1 ? `${c.what}: ${c.bits}` : `${c.what}: ${c.bits} ÷ ${kit.fmt.int(c.per)} = ${words.num(c.bits / c.per, 3)}`);
    });
    kit.text(total.children[0], words.num(found.bits));
    kit.text(models, `70 B weights: ${kit.fmt.bytes((7e10 * found.bits) / 8)}, in BF16 ${kit.fmt.bytes(1.4e11)}.${found.second ? ` Besides: ${found.second}.` : ""}`);
    every.update(data.ledger.map((r) => ({ ...r, class: r.name === row.name ? "cw-blocks-current" : "" })));
  };
  return { el, update };
};

const tile_map = () => {
  const cells = kit.s("g", {});
  const frame = kit.s("rect", { class: "cw-blocks-window", x: 0.75, y: 0.75, width: 46.5, height: 10.5 });
  const svg = kit.s("svg", { viewBox: "0 0 192 192", class: "cw-blocks-tile", role: "img" }, cells, frame);
  const el = kit.h("figure", { class: "cw-blocks-tilebox" }, svg, kit.h("figcaption", { class: "cw-note", text: "All 16,384 numbers: the largest of each 8×8 patch. The framed window is drawn above; the ringed patch sets the scale." }));
  const update = (out) => {
    kit.set(el, { hidden: out.tile.length === 0 });
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
    const shown = () => blocks.row_of(get(), data).shown;
    const pick = (i, focus) => { set({ picked: i }); if (focus) queueMicrotask(() => chart.focus(i)); };
    const change = (i, v) => set({ picked: i, edits: { ...get().edits, [i]: Object.is(v, -0) ? "-0" : v } }); // JSON has no -0
    const hover = (i) => { chart.hover(i); bytes.hover(i); };
    const later = kit.after();
    let px = 0;

    const scheme = kit.segmented({ label: "Scheme", options: data.schemes.map((r) => ({ value: r.name, label: r.label })), onInput: (v) => set({ scheme: v, picked: Math.min(get().picked, data.schemes.find((r) => r.name === v).shown - 1) }) });
    const sample = kit.select({ label: "Numbers from", options: data.samples, onInput: (v) => set({ sample: v, edits: {}, outlier: 1 }) });
    const fresh = kit.button({ label: "New numbers", onClick: () => set({ seed: (get().seed + 1) % 10000, edits: {}, outlier: 1 }) });
    const outlier = kit.slider({
      label: `Outlier: element ${data.outlier_at}`, min: 0, max: TIMES.length - 1, format: (k) => `× ${kit.fmt.group(String(TIMES[k]))}`,
      onInput: (k) => { const { [data.outlier_at]: _, ...edits } = get().edits; set({ outlier: TIMES[k], edits, picked: data.outlier_at }); },
    });
    const tensor = kit.number({ label: "Largest |x| of the tensor", min: 0.0001, max: 1e6, onInput: (v) => set({ tensor_amax: v }) });
    const chart = block_chart(root, { onPick: pick, onValue: change, onHover: (i) => hover(i) });
    const typed = kit.number({ label: "Value", min: -data.limit, max: data.limit, onInput: (v) => change(get().picked, v) });
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
    const packing = kit.segmented({ label: "Byte order", options: ["stream", "halves"].map((v) => ({ value: v, label: v === "stream" ? "torchao, ModelOpt, vLLM" : "GGUF" })), onInput: (v) => set({ packing: v }) });
    const [order, place] = [kit.h("p", { class: "cw-note" }), kit.h("p", { class: "cw-note" })];
    const bytes_note = kit.h("small");
    const ledger = cost_ledger(data);

    root.append(
      scheme.el,
      kit.h("div", { class: "cw-row cw-blocks-controls" }, sample.el, fresh.el, tensor.el, outlier.el),
      title, facts.el, chart.el,
      kit.legend([{ class: "cw-blocks-given", label: "given" }, { class: "cw-blocks-most", label: "the largest: it sets the scale" }, { class: "cw-blocks-back", label: "comes back" }, { class: "cw-blocks-error", label: "error" }, { class: "cw-blocks-level", label: "what a code can say" }]),
      kit.h("p", { class: "cw-note" }, below),
      kit.h("section", { class: "cw-section cw-blocks-pair" },
        kit.h("div", {}, one_title, kit.h("div", { class: "cw-row" }, typed.el, bits), one.el),
        kit.h("div", {}, kit.h("h3", { text: "Its scale" }), scale.el, note), tile.el),
      lab_section,
      kit.h("section", { class: "cw-section" }, kit.h("h2", { class: "cw-heading" }, kit.h("span", { text: "In memory" }), " ", bytes_note), packing.el, kit.h("div", { class: "cw-blocks-memory" }, bytes.el, kit.h("div", {}, kit.h("span", { class: "cw-note", text: "scale" }), bytes.scale)), place, order),
      kit.h("section", { class: "cw-section" }, kit.heading("What a weight costs"), ledger.el),
    );

    const update = (state) => {
      const row = blocks.row_of(state, data);
      const out = blocks.compute(state, data);
      const i = Math.min(state.picked, out.shown - 1);
      const view = { ...state, picked: i };
      scheme.set(state.scheme);
      sample.set(state.sample);
      outlier.set(TIMES.reduce((best, t, k) => (Math.abs(t - state.outlier) < Math.abs(TIMES[best] - state.outlier) ? k : best), 0));
      kit.set(tensor.el, { hidden: row.name !== "nvfp4" });
      tensor.set(state.tensor_amax);
      kit.text(count, `${kit.fmt.int(out.n)} numbers share one scale`);
      kit.text(how, out.n > out.shown ? `the first ${out.shown} are drawn; drag one, or use the arrow keys` : "drag one, or pick it and use the arrow keys");
      const rms = Math.sqrt(out.mse);
      facts.update([["scale", words.is_mx(row) ? `${words.power(out.scale)} = ${words.num(out.scale)}` : words.num(out.scale)], ["clipped", `${kit.fmt.int(out.clipped_count)} of ${kit.fmt.int(out.n)}`], ["became zero", `${kit.fmt.int(out.zeros)} of ${kit.fmt.int(out.n)}`], ["error, root mean square", words.num(rms, 3)], ["worst error", words.num(out.worst, 3)]]);
      chart.update(view, out, row, px = kit.wide(root), data.limit);
      kit.text(below, !chart.labelled() ? "" : row.bits === 4 ? `Under each column: ${out.zero === null ? "the element before scaling" : "the code"}.` : "Under each column: the code, in hexadecimal.");
      kit.text(one_title, `Element ${i}`);
      typed.set(String(Number(out.values[i].toPrecision(7))));
      one.update(words.element(out, row, i));
      kit.list(bits, words.code_bits(out, row, i), () => kit.h("span"), (span, [kind, digits]) => { kit.text(span, digits); kit.set(span, { class: `cw-blocks-${kind}` }); });
      scale.update(words.scale(state, out, row));
      kit.text(note, `${row.note}${row.note ? " " : ""}Source: ${row.source}.`);
      kit.set(lab_section, { hidden: out.lab.length === 0 });
      kit.say(root, `scale ${words.num(out.scale)}, ${out.clipped_count} clipped, ${out.zeros} became zero, mean squared error ${words.num(out.mse, 3)}`);
      later(() => rest(state, out, row, i));
    };
    const rest = (state, out, row, i) => {
      tile.update(out);
      lab.update(state, out, row);
      kit.text(bytes_note, `${out.n > out.shown ? "the first " : ""}${out.bytes.length} bytes of codes, ${out.scale_bytes.length} of scale`);
      kit.set(packing.el, { hidden: row.packings.length < 2 });
      packing.set(out.packing);
      bytes.update(out, row, i);
      kit.text(place, words.place(out, row, i));
      kit.text(order, data.packings[out.packing]);
      ledger.update(row);
    };
    const redraw = () => { if (!blocks.check(get(), data)) update(get()); };
    root.addEventListener("cw-redraw", redraw);
    const leave = kit.live(model, { root, keys: KEYS, check: blocks.check, update });
    const unwatch = kit.width(root, (now) => { if (now !== px) redraw(); });
    return () => { unwatch(); leave(); };
  },
};
