/* The heads widget: controls on top, fans, bars and numbers, ranks, and the inside of MLA. */
const KEYS = ["model", "shape", "kv", "context", "head", "tp", "path", "rope"];
const CONTEXTS = [[8192, "8k"], [131072, "128k"], [1048576, "1M"]];
const nearest = (tp, legal) => legal.filter((t) => t <= tp).pop() || 1;

const shapeName = (shape) => {
  const layers = shape.windows.map(([n, seen]) => (seen ? `${n} of ${kit.fmt.int(seen)} tokens` : `${n} full`)).join(", ");
  return `${layers}: ${shape.latent ? `latent ${shape.rank} + ${shape.rope}` : `${shape.kv} × (${shape.k} + ${shape.v})`}`;
};

/* A slider over stops that change with the model: rebuilt only when its labels do. */
const stopSlider = (label, onInput) => {
  const el = kit.h("div", { class: "cw-heads-stops" });
  let made = null;
  let shown = "";
  const update = (options, value) => {
    const key = JSON.stringify(options);
    if (key !== shown) {
      const focused = el.contains(el.getRootNode().activeElement);
      made = kit.choices({ label, options, value, onInput });
      el.replaceChildren(made.el);
      if (focused) made.input.focus();
    }
    shown = key;
    made.set(value);
  };
  return { el, update };
};

const readout = () => {
  const parts = { bytes: kit.h("p", { class: "cw-heads-main" }), formula: kit.h("code", { class: "cw-heads-code" }), tokens: kit.h("span"), holds: kit.h("b"), share: kit.h("span"), weights: kit.h("b") };
  const notes = ["windows", "rest", "made"].map((key) => [key, kit.h("p", { class: "cw-note" })]);
  const el = kit.h("div", { class: "cw-heads-read" },
    parts.bytes, kit.h("p", {}, parts.formula), kit.h("p", {}, parts.tokens, " tokens hold ", parts.holds, ": ", parts.share),
    kit.h("p", {}, "Weights that make them: ", parts.weights, " per layer."), notes.map((n) => n[1]));
  const update = (now, state) => {
    kit.fill(parts.bytes, "{bytes_per_token:bytes KB} per token", now);
    kit.put(parts.formula, "formula", "text", now);
    kit.put(parts.tokens, "context", "int", state);
    kit.put(parts.holds, "holds_bytes", "bytes", now);
    kit.put(parts.share, "words.share", "text", now);
    kit.put(parts.weights, "weights", "count 1", now);
    for (const [key, node] of notes) { kit.put(node, `words.${key}`, "text", now); node.hidden = !now.words[key]; }
  };
  return { el, update };
};

const toyTable = () => kit.table({
  caption: "Scores of the last of four tokens with each of them, by both circuits",
  columns: [
    { key: "token", label: "token" },
    ...["expanded", "absorbed", "error"].map((key) => ({ out: (row) => `toy.${key}.${row.token}`, label: key === "error" ? "off by" : key, align: "right", class: "cw-mono", how: "signed 3" })),
    { out: (row) => `toy.needed.${row.token}`, label: "folded query", align: "right", class: "cw-mono", how: "each signed 2" },
  ],
});
const waysTable = () => kit.table({
  caption: "One layer, one new token: what is kept and computed for each token in the cache",
  columns: [
    { key: "way", label: "decode" },
    ...[["numbers", "numbers kept"], ["flops", "FLOPs"], ["step_flops", "and once a step"]].map(([key, label]) => ({ out: (row) => `mla.ways.${row.i}.${key}`, label, align: "right", class: "cw-mono", how: "int" })),
  ],
});

const build = (model, root, data) => {
  const now = () => compute(kit.state(model, KEYS), data);
  const go = (changes) => kit.commit(model, changes);
  const shapeNow = () => { const found = find(kit.state(model, KEYS), data); return found.shapes[model.get("shape")]; };
  const toKv = (kv) => {
    const legal = legalRanks(shapeNow().heads, kv);
    go({ kv: kv === ownStop(shapeNow()) ? -1 : kv, tp: nearest(model.get("tp"), legal) });
  };
  const toShape = (slug, i) => {
    const shape = find({ model: slug }, data).shapes[i];
    go({ model: slug, shape: i, kv: -1, head: Math.min(model.get("head"), shape.heads - 1), tp: nearest(model.get("tp"), legalRanks(shape.heads, ownStop(shape))) });
  };

  const view = {
    later: kit.after(),
    models: kit.select({ label: "numbers of", options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })), onInput: (slug) => toShape(slug, 0) }),
    shapes: kit.h("div"),
    stops: stopSlider("Key/value heads", toKv),
    above: kit.h("span"), hint: kit.h("span"),
    kept: kit.h("b"), reads: kit.h("b"),
    read: readout(), bars: barsView(toKv), ranks: ranksView(), circuit: circuitView(),
    context: kit.segmented({ label: "context", options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${kit.fmt.int(value)} tokens` })), onInput: (context) => go({ context }) }),
    tp: stopSlider("Ranks", (tp) => go({ tp })),
    typed: kit.number({ label: "ranks", value: 8, min: 1, max: RANKS, integer: true, size: 3, allow: (t) => checkRanks(t, shapeNow().heads, resolve(kit.state(model, KEYS), shapeNow())), onInput: (tp) => go({ tp }) }),
    spread: kit.h("p"), per: kit.h("b"), all: kit.h("b"), waste: kit.h("b"),
    path: kit.segmented({ label: "decode", options: ["expanded", "absorbed"], onInput: (path) => go({ path }) }),
    ways: waysTable(), toy: toyTable(), agree: kit.h("p", { class: "cw-heads-agree" }),
    rope: kit.segmented({ label: "RoPE", options: [{ value: "apart", label: "kept apart" }, { value: "inside", label: "inside the key" }], onInput: (rope) => go({ rope }) }),
  };
  view.fans = fansView(
    (head) => { const n = now(); kit.text(view.reads, readsWords(head, n.kv, n.heads)); },
    (head) => go({ head }),
  );
  view.mlaTitle = kit.heading("Inside MLA");
  root.append(
    kit.h("div", { class: "cw-row cw-heads-top" }, view.models.el, view.shapes, view.stops.el),
    kit.h("p", { class: "cw-heads-above" }, view.above, view.hint), view.fans.el,
    kit.h("p", { class: "cw-heads-below" }, view.kept, view.reads),
    kit.h("div", { class: "cw-split cw-section" }, kit.h("div", {}, view.bars.el), kit.h("div", {}, view.context.el, view.read.el)),
    kit.h("div", { class: "cw-section" },
      kit.heading("Split over GPUs", "tensor parallel: query heads are shared out, and key/value heads with them"),
      kit.h("div", { class: "cw-row cw-heads-top" }, view.typed.el, view.tp.el), view.ranks.el, view.spread,
      kit.h("p", {}, "Each rank keeps ", view.per, " per token, all together ", view.all, ": ", view.waste, " what one copy would take."),
      kit.legend([{ class: "cw-heads-dot-q", label: "query heads" }, { class: "cw-heads-dot-kv", label: "cached, first copy" }, { class: "cw-heads-dot-copy", label: "cached again" }])),
    kit.h("div", { class: "cw-section" }, view.mlaTitle,
      kit.h("div", { class: "cw-heads-pair" }, kit.h("div", {}, view.path.el, view.circuit.el),
        kit.h("div", {}, view.ways.el, kit.h("p", { class: "cw-note", text: "FLOPs of one layer for one new token, per token in the cache." }),
          kit.heading("Why RoPE has dimensions of its own"), view.rope.el, view.toy.el, view.agree))),
  );
  return view;
};

const shapeSelect = (view, model, found, onInput) => {
  if (view.shapesOf === found.slug) { view.shape?.set(model.get("shape")); return; }
  view.shapesOf = found.slug;
  const options = found.shapes.map((shape, i) => ({ value: i, label: shapeName(shape) }));
  view.shape = options.length > 1 ? kit.select({ label: "layers", options, value: model.get("shape"), onInput }) : null;
  view.shapes.replaceChildren(...(view.shape ? [view.shape.el] : []));
  view.shapes.hidden = !view.shape;
};

const draw = (view, model, state, data, width) => {
  const now = compute(state, data);
  const found = find(state, data);
  view.models.set(state.model);
  shapeSelect(view, model, found, (i) => {
    const shape = found.shapes[i];
    kit.commit(model, { shape: i, kv: -1, head: Math.min(model.get("head"), shape.heads - 1), tp: nearest(model.get("tp"), legalRanks(shape.heads, ownStop(shape))) });
  });
  view.stops.update(now.stops.map((s) => ({ value: s.kv, label: s.tick })), now.kv);
  kit.fill(view.above, "{heads} query heads, {width} wide", now);
  kit.text(view.hint, now.kv === now.own ? "" : "what if");
  kit.fill(view.kept, "{keeps}: what every token leaves in the cache", now);
  kit.put(view.reads, "reads", "text", now);
  view.fans.update(now, state.head, width);
  view.context.set(state.context);
  view.read.update(now, state);
  view.tp.update(now.tp.legal.map(String).map((t) => ({ value: Number(t), label: t })), state.tp);
  view.typed.set(state.tp);
  view.later(() => below(view, state, now, found, width));
};
const below = (view, state, now, found, width) => {
  view.bars.update(now, Math.max(280, view.bars.el.parentNode.clientWidth)); // read before anything is written
  view.ranks.update(now, width);
  kit.put(view.spread, "tp.words", "text", now);
  kit.put(view.per, "tp.bytes_per_rank", "bytes", now);
  kit.put(view.all, "tp.bytes_all", "bytes", now);
  kit.put(view.waste, "tp.waste", Number.isInteger(now.tp.waste) ? "times" : "times 2", now);
  view.path.set(state.path);
  view.rope.set(state.rope);
  kit.fill(view.mlaTitle.lastChild, now.own === 0 ? "the layers of {title}" : "{title} does not have it: this is the latent of the slider's last stop", now);
  view.circuit.update(now, state.path);
  view.ways.update(now.mla.ways.map((way, i) => ({ now, i, way: way.way, class: (way.way === "absorbed") === (state.path === "absorbed") ? "cw-heads-row" : false })));
  view.toy.update(now.toy.error.map((_, token) => ({ now, token })));
  kit.text(view.agree, now.toy.agree
    ? "Both circuits give the same scores: one folded query W_ukᵀ q serves every cached token."
    : "With RoPE inside the key, the turn stands between W_uk and the query: each cached token would need its own folded query, and one for all is wrong.");
};

export default {
  render({ model, el }) {
    const root = kit.root(el, "heads");
    const data = kit.data(model);
    const view = build(model, root, data);
    let width = 0;
    let last = null;
    const redraw = () => last && width && draw(view, model, last, data, width);
    const stopWatching = kit.width(root, (px_) => { width = px_; redraw(); });
    const stop = kit.live(model, { root, keys: KEYS, check, update: (state) => { last = state; redraw(); } });
    return () => { stopWatching(); stop(); };
  },
};
