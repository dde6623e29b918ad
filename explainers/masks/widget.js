/* The masks widget: one mask, a real stack's reach, its cache against context, stacks side by side, MiMo's claim. */
const KEYS = ["kind", "span", "first", "sink", "logit", "depth", "query", "model", "layer", "context"];
const CONTEXTS = [[8192, "8k"], [131072, "128k"], [1048576, "1M"]];

const moreWords = (mask, state) => {
  const lost = state.sink ? `, and ${kit.fmt.percent(mask.lost)} goes to the sink: no key, no value, nothing cached` : "";
  return [
    state.depth > 1 ? `After ${state.depth} layers of this mask it can know about ${mask.known} token${mask.known > 1 ? "s" : ""}: ${spansWords(mask.known_ranges)}.` : "",
    `Of ${int((TOKENS * (TOKENS + 1)) / 2)} causal pairs this mask computes ${int(mask.pairs)}, ${kit.fmt.percent(mask.share)}.`,
    `With equal scores each key weighs ${kit.fmt.percent(mask.weight)}${lost}.`,
  ];
};

const stacksTable = (data, onPick) => {
  const body = kit.h("tbody");
  const head = ["stack", "first to last layer", "layers", "per further token", "cache here", "saves"].map((label, i) => kit.h("th", { scope: "col", class: i > 2 ? "cw-right" : false, text: label }));
  const el = kit.h("div", { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": "Stacks of real models" },
    kit.h("table", { class: "cw-table cw-masks-table" }, kit.h("caption", { text: "Local and global layers of real models, and what their caches hold at the chosen context" }), kit.h("thead", {}, kit.h("tr", {}, head)), body));
  const make = (row) => {
    const picture = strip();
    const cells = ["cw-masks-mix", "cw-right cw-mono", "cw-right cw-mono", "cw-right cw-mono"].map((css) => kit.h("td", { class: css }));
    const button = kit.h("button", { type: "button", class: "cw-masks-pick", text: row.title, on: { click: () => onPick(row.slug) } });
    const tr = kit.h("tr", {}, kit.h("th", { scope: "row" }, button), kit.h("td", {}, picture.el), cells);
    Object.assign(tr, { cells_: cells, picture, button });
    return tr;
  };
  const update = (rows, slug) => kit.list(body, rows, make, (tr, row) => {
    tr.picture.update(row.marks);
    kit.set(tr, { class: row.slug === slug ? "on" : false });
    kit.set(tr.button, { "aria-pressed": row.slug === slug ? "true" : "false" });
    [row.mix, kit.fmt.bytes(row.growing), kit.fmt.bytes(row.bytes), row.ratio > 1 ? kit.fmt.times(row.ratio, 1) : "nothing"].forEach((text, i) => kit.text(tr.cells_[i], text));
  });
  return { el, update };
};

const claimsList = (data) => {
  const items = data.claims.map((claim) => {
    const parts = { ratio: kit.h("b", { class: "cw-masks-ratio" }), whole: kit.h("code"), kept: kit.h("code"), limit: kit.h("span"), words: kit.h("p", { class: "cw-note" }) };
    const said = claim.claim ? `“${claim.claim}” ` : "";
    const li = kit.h("li", {}, kit.h("p", {}, kit.h("b", { text: claim.model }), ` ${said}`, kit.h("span", { class: "cw-muted", text: claim.way })),
      kit.h("p", { class: "cw-masks-sum" }, parts.ratio, " = ", parts.kept, " B of ", parts.whole, " B", kit.h("span", { class: "cw-muted" }, "; for ever longer contexts ", parts.limit)), parts.words);
    return { li, parts };
  });
  const update = (claims) => claims.forEach((now, i) => {
    const { ratio, whole: all, kept, limit, words } = items[i].parts;
    kit.text(words, now.words);
    words.hidden = !now.words;
    kit.text(ratio, `1/${kit.fmt.fixed(now.ratio, 2)}`);
    kit.text(all, now.whole_words);
    kit.text(kept, now.kept_words);
    kit.text(limit, `1/${kit.fmt.fixed(now.limit, 2)}`);
  });
  return { el: kit.h("ul", { class: "cw-masks-claims" }, items.map((one) => one.li)), update };
};

const build = (model, root, data) => {
  const go = (changes) => kit.commit(model, changes);
  const pick = (slug) => {
    const found = find(slug, data);
    go({ model: slug, layer: Math.min(model.get("layer"), found.stack.length - 1) });
  };
  const para = () => kit.h("p");
  const view = {
    later: kit.after(),
    kind: kit.segmented({ label: "mask", options: [{ value: "causal", label: "causal" }, { value: "window", label: "sliding window" }, { value: "chunked", label: "chunked" }], onInput: (kind) => go({ kind }) }),
    span: kit.slider({ label: "window or chunk", min: 1, max: TOKENS, value: 12, onInput: (span) => go({ span }) }),
    depth: kit.slider({ label: "layers of it", min: 1, max: DEPTH, value: 1, onInput: (depth) => go({ depth }) }),
    first: kit.slider({ label: "first tokens kept", min: 0, max: 8, value: 0, onInput: (first) => go({ first }) }),
    sink: kit.toggle({ label: "a learned sink, as in gpt-oss and MiMo", onInput: (sink) => go({ sink }) }),
    logit: kit.slider({ label: "its logit", min: -8, max: 8, step: 0.5, value: 2, format: (v) => String(v).replace("-", "−"), onInput: (logit) => go({ logit }) }),
    mask: maskView((query) => go({ query })),
    row: kit.h("p", { class: "cw-masks-main" }), more: [para(), para(), para()],
    models: kit.select({ label: "stack of", options: data.models.map((r) => ({ value: r[0], label: r[1], group: r[0].split("/")[0] })), onInput: pick }),
    context: kit.segmented({ label: "context", options: CONTEXTS.map(([value, label]) => ({ value, label, title: `${int(value)} tokens` })), onInput: (context) => go({ context }) }),
    typed: kit.number({ label: "tokens", value: 131072, min: 1, max: LONGEST, integer: true, size: 9, onInput: (context) => go({ context }) }),
    stack: stackView((layer) => go({ layer })),
    mix: kit.h("p", { class: "cw-masks-main" }), knows: para(), verdict: para(), sinks: kit.h("p", { class: "cw-note" }),
    curve: curveView((context) => go({ context })),
    bytes: kit.h("b"), full: kit.h("b"), ratio: kit.h("b"), slope: kit.h("b"), slopeFull: kit.h("span"), tokens: kit.h("span"),
    keys: kit.legend([{ class: "cw-masks-key seen", label: "seen by one layer" }, { class: "cw-masks-key known", label: "known through the layers below" }]),
    legend: kit.h("ul", { class: "cw-legend" }),
    table: stacksTable(data, pick), claims: claimsList(data),
  };
  root.append(
    kit.h("div", { class: "cw-row" }, view.kind.el, view.span.el, view.depth.el),
    kit.h("div", { class: "cw-masks-pair" }, view.mask.el, kit.h("div", { class: "cw-masks-read" }, view.row, view.more,
      kit.h("div", { class: "cw-masks-knobs" }, view.first.el, view.sink.el, view.logit.el),
      view.keys)),
    kit.h("div", { class: "cw-section" }, kit.heading("How far back can a layer know?", "each bar is one layer, the last on top; tokens back from now on a log scale"),
      kit.h("div", { class: "cw-row" }, view.models.el, view.context.el, view.typed.el),
      kit.h("div", { class: "cw-masks-pair" }, view.stack.el, kit.h("div", { class: "cw-masks-read" }, view.mix, view.knows, view.verdict, view.sinks,
        kit.h("p", { class: "cw-note", text: "Solid: seen by the layer itself. Pale: known through the layers below." }), view.legend))),
    kit.h("div", { class: "cw-section" }, kit.heading("What the cache holds", "bytes against context, both on log scales"),
      kit.h("div", { class: "cw-masks-pair" }, view.curve.el, kit.h("div", { class: "cw-masks-read" },
        kit.h("p", {}, view.tokens, " tokens hold ", view.bytes, "."), kit.h("p", {}, "If no layer ever let go: ", view.full, ", ", view.ratio, " as much."),
        kit.h("p", {}, "Each further token adds ", view.slope, " instead of ", view.slopeFull, "."))),
      view.table.el),
    kit.h("div", { class: "cw-section" }, kit.heading("What “1/7” compares", "MiMo's claims, recomputed at the chosen context"), view.claims.el),
  );
  return view;
};

const draw = (view, state, data) => {
  const now = compute(state, data);
  const { mask } = now;
  for (const key of ["kind", "span", "depth", "first", "sink", "logit"]) view[key].set(state[key]);
  view.span.enable(state.kind !== "causal");
  view.logit.enable(state.sink);
  view.mask.update(mask, state);
  kit.text(view.row, rowWords(mask, state));
  kit.set(view.keys.querySelector(".seen"), { class: `cw-masks-key seen ${ROLE[state.kind]}` });
  moreWords(mask, state).forEach((text, i) => { kit.text(view.more[i], text); view.more[i].hidden = !text; });
  view.models.set(state.model);
  view.context.set(state.context);
  view.typed.set(state.context);
  view.later(() => below(view, state, data, now));
};
const below = (view, state, data, now) => {
  const wide = Math.max(260, view.stack.el.clientWidth); // read before anything is written
  const { stack } = now;
  view.stack.update(stack, state, wide);
  kit.text(view.mix, stack.mix);
  const letters = Object.keys(data.marks).filter((letter) => stack.marks.includes(letter));
  kit.list(view.legend, letters, () => kit.h("li", {}, kit.h("i", { "aria-hidden": "true" }), kit.h("span")), (li, letter) => {
    kit.set(li.firstChild, { class: `cw-masks-key ${letter}` });
    kit.text(li.lastChild, data.marks[letter]);
  });
  kit.text(view.knows, stack.knows);
  kit.text(view.verdict, stack.verdict);
  kit.text(view.sinks, stack.sinks ? `${stack.sinks} of its layers have a learned sink in every head.` : "");
  view.sinks.hidden = !stack.sinks;
  view.curve.update(stack, state, wide);
  kit.text(view.tokens, int(state.context));
  kit.text(view.bytes, kit.fmt.bytes(stack.bytes));
  kit.text(view.full, kit.fmt.bytes(stack.bytes_full));
  kit.text(view.ratio, kit.fmt.times(stack.ratio, 2));
  kit.text(view.slope, kit.fmt.bytes(stack.growing));
  kit.text(view.slopeFull, kit.fmt.bytes(stack.growing_full));
  view.table.update(now.table, state.model);
  view.claims.update(now.claims);
};

export default {
  render({ model, el }) {
    const root = kit.root(el, "masks");
    const data = kit.data(model);
    const view = build(model, root, data);
    let last = null;
    const stop = kit.live(model, { root, keys: KEYS, check, update: (state) => { last = state; draw(view, state, data); } });
    const first = kit.wide(root);
    const stopWatching = kit.width(root, (now) => { if (last && now !== first) draw(view, last, data); });
    return () => { stopWatching(); stop(); };
  },
};
