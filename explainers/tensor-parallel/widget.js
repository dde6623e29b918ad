/* Two views over one model: a layer on t ranks step by step, and what ZeRO keeps where. */
const KEYS = ["view", "model", "tp", "sequence", "sequence_parallel", "step", "rank", "stage", "dp", "convention"];

const tensor_controls = (model, data) => {
  const offer = kit.offer(model, { keys: KEYS, data, check });
  const start = data.start;
  const made = {};
  const set = (key, also = {}) => (value) => offer(made[key], { [key]: value, ...also });
  const legal = (key) => (value) => check({ ...kit.state(model, KEYS), [key]: value }, data);
  const names = data.models.map((m) => ({ value: m[0], label: m[1] })).sort((a, b) => a.label.localeCompare(b.label));
  made.view = kit.segmented({ label: "show", options: [{ value: "layer", label: "one layer on t ranks" }, { value: "zero", label: "ZeRO: what each rank keeps" }], value: start.view, onInput: set("view") });
  made.model = kit.select({ label: "numbers of", options: names, value: start.model, onInput: set("model", { rank: -1 }) });
  made.tp = kit.slider({ label: "ranks t", min: 1, max: 16, value: start.tp, onInput: set("tp", { rank: -1 }) });
  made.sequence = kit.number({ label: "tokens", min: 1, max: 2 ** 20, integer: true, value: start.sequence, allow: legal("sequence"), onInput: set("sequence") });
  made.sequence_parallel = kit.toggle({ label: "sequence parallelism", value: start.sequence_parallel, onInput: set("sequence_parallel") });
  made.stage = kit.segmented({ label: "ZeRO stage", options: [0, 1, 2, 3], value: start.stage, onInput: set("stage") });
  made.dp = kit.slider({ label: "data-parallel ranks D", min: 1, max: 64, value: start.dp, onInput: set("dp") });
  made.convention = kit.segmented({ label: "bytes per parameter", options: Object.entries(data.conventions).map(([value, c]) => ({ value, label: c.label, title: c.source })), value: start.convention, onInput: set("convention") });
  const layer = kit.h("div", { class: "cw-row" }, made.tp.el, made.sequence.el, made.sequence_parallel.el);
  const zero = kit.h("div", { class: "cw-row" }, made.stage.el, made.convention.el, made.dp.el);
  return { el: kit.h("div", { class: "cw-tensor-parallel-controls" }, kit.h("div", { class: "cw-row" }, made.model.el, made.view.el), layer, zero), layer, zero, made };
};

/* Ten buttons, one per step: name, and the difference that was measured there. */
const step_bar = (go) => {
  const el = kit.h("ol", { class: "cw-tensor-parallel-steps" });
  const update = (model, out, state, now) => kit.list(el, range(10), (k) => kit.h("li", {}, kit.h("button", { type: "button", on: { click: () => go(k) } }, kit.h("span"), kit.h("small"))), (li, k) => {
    const button = li.firstChild;
    kit.set(button, { "aria-current": k === now ? "step" : false, class: k <= now ? "done" : false });
    kit.text(button.children[0], `${k + 1} ${step_words(k, model, state.sequence_parallel)[0]}`);
    kit.text(button.children[1], `Δ ${tiny(out.away[k])}`);
  });
  return { el, update };
};

/* One bar per legal number of ranks: what one rank holds. */
const memory_view = () => {
  const PARTS = [["cut", "cw-tensor-parallel-weight", "weights, cut"], ["kv", "cw-tensor-parallel-kvw", "k and v weights"], ["whole", "cw-tensor-parallel-optimizer", "kept whole (norms, router)"], ["cache", "cw-tensor-parallel-cache", "KV cache"], ["stream", "cw-tensor-parallel-stream", "one layer's residual stream"]];
  const el = kit.h("div", { class: "cw-tensor-parallel-memory" });
  const legend = kit.legend(PARTS.map(([, c, label]) => ({ class: c, label })));
  const update = (model, out, state) => {
    const rows = out.legal.filter((t) => !state.sequence_parallel || state.sequence % t === 0).map((t) => ({ t, m: memory_of(model, t, state.sequence_parallel, state.sequence) }));
    const total = (m) => PARTS.reduce((sum, [key]) => sum + m[key], 0);
    const top = Math.max(...rows.map((r) => total(r.m)));
    kit.list(el, rows, () => kit.h("div", { class: "cw-tensor-parallel-bar" }, kit.h("span", { class: "cw-mono" }), kit.h("span", { class: "cw-tensor-parallel-track" }, PARTS.map(([, c]) => kit.h("i", { class: c }))), kit.h("b", { class: "cw-mono" })), (node, { t, m }) => {
      kit.set(node, { class: `cw-tensor-parallel-bar${t === state.tp ? " on" : ""}` });
      kit.text(node.children[0], `t = ${t}`);
      PARTS.forEach(([key], i) => kit.set(node.children[1].children[i], { style: { width: `${((100 * m[key]) / top).toFixed(3)}%` } }));
      kit.text(node.children[2], kit.fmt.bytes(total(m)));
      kit.set(node, { role: "img", "aria-label": `${t} ranks: ${PARTS.map(([key, , label]) => `${label} ${kit.fmt.bytes(m[key])}`).join(", ")} on each.` });
    });
  };
  return { el: kit.h("div", {}, el, legend), update };
};

const holds = (model, out, state) => {
  const [t, r] = [state.tp, state.rank];
  const { heads, kv_heads: kv, mlp, expert } = model;
  if (r < 0) {
    const copied = out.kv_copies > 1 ? ` ${t} ranks share ${kv} KV ${kv === 1 ? "head" : "heads"}: each stands on ${out.kv_copies} ranks.` : "";
    return `Every rank holds ${heads / t} of ${heads} query heads, ${out.kv_held[0].length} of ${kv} KV ${kv === 1 ? "head" : "heads"} and ${kit.fmt.int(mlp / t)} of ${kit.fmt.int(mlp)} ${expert ? "columns of each expert" : "MLP columns"}.${copied}`;
  }
  const span = (a, b) => (a === b ? kit.fmt.int(a) : `${kit.fmt.int(a)} to ${kit.fmt.int(b)}`);
  const held = out.kv_held[r];
  const twins = range(t).filter((o) => o !== r && out.kv_copies > 1 && out.kv_held[o][0] === held[0]);
  return `Rank ${r} holds query heads ${span((r * heads) / t, ((r + 1) * heads) / t - 1)}, KV ${held.length > 1 ? "heads" : "head"} ${span(held[0], held.at(-1))}${twins.length ? ` (also on rank ${twins.join(", ")})` : ""}, columns ${span((r * mlp) / t, ((r + 1) * mlp) / t - 1)} of ${model.gated ? "gate and up" : "up"}, the same rows of down.`;
};

export default { render({ model, el }) {
  const root = kit.root(el, "tensor-parallel");
  const data = kit.data(model);
  const { el: controls, layer: layer_row, zero: zero_row, made } = tensor_controls(model, data);
  const view = layer_view();
  const zero = zero_view(data);
  const memory = memory_view();
  const title = kit.heading("", "");
  const picks = kit.h("div", { class: "cw-tensor-parallel-picks", role: "group", "aria-label": "Point at a rank" });
  const held = kit.h("p", { class: "cw-tensor-parallel-held", "aria-live": "polite" });
  const sent = kit.table({ caption: "What each rank sends in a layer's forward pass", columns: [{ key: "what", label: "meeting" }, { key: "how", label: "as" }, { key: "message", label: "message", align: "right" }, { key: "counted", label: "counted in the log", align: "right" }, { key: "formula", label: "2(t − 1)/t", align: "right" }] });
  const proof = kit.h("p", { class: "cw-note" });
  let state = data.start;
  let row = model_of(state, data);
  let out;
  let width = 0;
  let at = state.step;

  const show = (t) => {
    at = t;
    const now = Math.floor(t);
    if (width) view.at(t, state);
    steps.update(row, out, state, now);
    kit.text(title.children[1], `step ${now + 1} of 10 · ${step_words(now, row, state.sequence_parallel).join(": ")}`);
  };
  const transport = kit.transport({ label: "steps", length: 9, value: state.step, rate: 0.7, format: (t) => `${Math.floor(t) + 1} of 10`, onFrame: show, onStop: (t) => { kit.commit(model, { step: Math.floor(t) }); kit.say(root, step_words(Math.floor(t), row, state.sequence_parallel).join(": ")); } });
  const steps = step_bar((k) => { transport.stop(); kit.commit(model, { step: k }); });

  const first = kit.h("div", {}, title, picks, view.svg, held, transport.el, steps.el, kit.h("p", { class: "cw-note", text: "Δ: the largest difference from the same tensor of the unsharded run, over all ranks." }), kit.h("div", { class: "cw-section" }, kit.heading("What is sent", "on a ring, per rank and layer, forward"), sent.el, proof), kit.h("div", { class: "cw-section" }, kit.heading("Memory on each rank", "weights in bf16, cache of all tokens"), memory.el));
  root.append(controls, first, zero.el);

  const print = () => {
    const { tp: t, sequence_parallel: sp } = state;
    kit.text(title.children[0], `${row.title}: one layer, ${t} ${t === 1 ? "rank" : "ranks"}`);
    kit.text(held, holds(row, out, state));
    const how = sp ? "all-gather + reduce-scatter" : "all-reduce";
    const rows = ["attention", "mlp"].map((what) => ({ what: what === "mlp" ? "MLP" : what, how, message: kit.fmt.kib(out.message_bytes), counted: kit.fmt.kib(out.counted_bytes[what]), formula: kit.fmt.kib(out.formula_bytes) }));
    const both = out.counted_bytes.attention + out.counted_bytes.mlp;
    sent.update([...rows, { what: "a layer", how: "", message: "", counted: kit.fmt.kib(both), formula: kit.fmt.kib(2 * out.formula_bytes) }, { what: `${row.layers} layers`, how: "", message: "", counted: kit.fmt.kib(both * row.layers), formula: kit.fmt.kib(2 * out.formula_bytes * row.layers) }]);
    kit.text(proof, `A scaled-down copy ran here: ${row.heads} query and ${row.kv_heads} KV heads as in the model, but 2 wide, hidden size 32, ${2 * row.heads} MLP columns, ${out.tokens} tokens, float64. None of its tensors differs from the unsharded layer's by more than ${tiny(Math.max(...out.away))}, where numbers reach ${kit.fmt.sig(out.largest, 3)}; that is rounding, from adding in another order. The bytes are counted in its log of ${kit.fmt.int(out.log.length)} messages and scaled to the model.`);
    kit.set(view.svg, { "aria-label": `${row.title}, one layer on ${t} ranks. Attention by heads and rows of o, MLP by columns and rows of down; ${sp ? "reduce-scatter and all-gather" : "an all-reduce"} after each: every rank sends ${kit.fmt.kib(out.formula_bytes)} of ${kit.fmt.kib(out.message_bytes)}.` });
    kit.list(picks, [-1, ...range(t)], (r) => kit.h("button", { type: "button", on: { click: () => kit.commit(model, { rank: r }) } }), (node, r) => kit.set(node, { class: r < 0 ? "cw-tensor-parallel-all" : `cw-rank cw-rank${r} ${r > 7 ? "dark" : ""}`, "aria-pressed": String(state.rank === r), "aria-label": r < 0 ? "all ranks" : `rank ${r}`, text: r < 0 ? "all" : r }), (r) => r);
  };
  const redraw = () => {
    if (!width || !out) return;
    if (state.view === "zero") zero.update(out, state, row, width);
    else view.draw(row, out, state, width);
  };
  const update = (now) => {
    state = now;
    row = model_of(state, data);
    out = compute(state, data);
    for (const [key, control] of Object.entries(made)) control.set(state[key]);
    const layer = state.view === "layer";
    first.hidden = layer_row.hidden = !layer;
    zero.el.hidden = zero_row.hidden = layer;
    print();
    memory.update(row, out, state);
    redraw();
    transport.set(state.step);
    if (!transport.playing()) show(state.step);
  };
  const stop = kit.width(root, (px) => { width = px; redraw(); if (out) show(at); });
  if (check(kit.state(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
  const off = kit.live(model, { root, keys: KEYS, check, update });
  return () => { stop(); transport.stop(); off(); };
} };
