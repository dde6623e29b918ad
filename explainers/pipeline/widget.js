/* Controls, lanes, transport, the two bubbles, and the reason of a gap. */
const KEYS = ["schedule", "pp", "microbatches", "chunks", "forward", "input_grad", "weight_grad", "hop", "cursor", "rank", "op"];
const NO_GAP = { rank: -1, op: -1 };

const pipeline_controls = (model, data) => {
  const offer = kit.offer(model, { keys: KEYS, data, check });
  const set = (key) => (value) => offer(made[key], { [key]: value, ...NO_GAP });
  const number = (key, label, min, max, step, format = String) => kit.slider({ label, min, max, step, value: data.start[key], format, onInput: set(key) });
  const made = {
    schedule: kit.segmented({ label: "schedule", options: data.schedules.map((s) => ({ value: s.value, label: s.label, title: s.source })), value: data.start.schedule, onInput: set("schedule") }),
    pp: number("pp", "ranks p", 2, 16, 1),
    microbatches: number("microbatches", "micro-batches m", 1, 64, 1),
    chunks: number("chunks", "chunks per rank v", 1, 4, 1),
    forward: number("forward", "forward F", 0.25, 4, 0.25, short),
    input_grad: number("input_grad", "input gradient I", 0.25, 4, 0.25, short),
    weight_grad: number("weight_grad", "weight gradient W", 0, 4, 0.25, short),
    hop: number("hop", "transfer between ranks", 0, 2, 0.25, short),
  };
  const el = kit.h("div", { class: "cw-pipeline-controls" }, made.schedule.el,
    kit.h("div", { class: "cw-pipeline-sizes" }, made.pp.el, made.microbatches.el, made.chunks.el),
    kit.h("details", { class: "cw-pipeline-times", open: true }, kit.h("summary", { text: "times per stage" }),
      kit.h("div", { class: "cw-pipeline-sizes" }, made.forward.el, made.input_grad.el, made.weight_grad.el, made.hop.el)));
  return { el, made };
};

const pipeline_facts = () => {
  const line = (label) => {
    const value = kit.h("b", { class: "cw-mono" });
    const note = kit.h("span", { class: "cw-note" });
    return { el: kit.h("p", {}, kit.h("span", { class: "cw-label", text: label }), value, note), value, note };
  };
  const whole = line("of the whole step");
  const ideal = line("of the work");
  const idle = line("idle on each rank");
  const formula = line("closed form");
  const el = kit.h("div", { class: "cw-pipeline-facts" }, idle.el, whole.el, ideal.el, formula.el);
  const update = (now) => {
    kit.put(idle.value, "bubble", "sig 5", now);
    kit.fill(idle.note, "units of {span:sig 5}, the rest is work", now);
    kit.put(whole.value, "of_total", "percent 1", now);
    kit.put(whole.note, "notes.whole", "text", now);
    kit.put(ideal.value, "of_ideal", "percent 1", now);
    kit.put(ideal.note, "notes.ideal", "text", now);
    kit.put(formula.value, "formula", "sig 5", now);
    kit.put(formula.note, "notes.formula", "text", now);
  };
  return { el, update };
};

const pipeline_why = (model, go) => {
  const text = kit.h("p", { class: "cw-pipeline-sentence", "aria-live": "polite" });
  const count = kit.h("span", { class: "cw-note" });
  const prev = kit.button({ label: "Previous gap", text: "◀ gap", onClick: () => go(-1) });
  const next = kit.button({ label: "Next gap", text: "gap ▶", onClick: () => go(1) });
  const el = kit.h("div", { class: "cw-pipeline-why" }, kit.h("div", { class: "cw-row" }, prev.el, next.el, count), text);
  return { el, update: (now) => {
    kit.fill(text, now.why ? "{why.sentence}" : "Click a gap in the lanes, or step through the gaps, and see which result it waits for.", now);
    kit.fill(count, now.gap ? "gap {gap} of {gaps}" : now.gaps ? "{gaps} gaps" : "no gaps", now);
  } };
};

const batches = (n) => `micro-batch${n === 1 ? "" : "es"}`;
/* The words of the drawing, for those who do not see it; nothing of its bubble while a bet asks for that. */
const lanes_words = (now, label, quiet) => `${label}: ${now.pp} ranks, ${now.microbatches} ${batches(now.microbatches)}${quiet ? "" : `, ${short(now.span)} units long, each rank idle for ${short(now.bubble)}; at most ${short(Math.max(...now.peak))} ${batches(Math.max(...now.peak))} in flight on a rank`}.`;
const lanes_legend = (words) => {
  const rows = [["F", "forward F"], ["B", "backward B, or its input gradient I"], ["W", "weight gradient W"], ["later", "fainter: a later chunk"], ["key-idle", "idle"], ["now", words]];
  const el = kit.legend(rows.map(([css, label]) => ({ class: `cw-pipeline-${css}`, label })));
  const update = (out) => {
    const split = out.ops.some((ops) => ops.some((op) => op[0] === "W"));
    kit.text(el.children[1].lastChild, split ? "backward B, or its input gradient I" : "backward B");
    el.children[2].hidden = !split;
    el.children[3].hidden = out.chunks === 1;
  };
  return { el, update };
};

export default { render({ model, el }) {
  const root = kit.root(el, "pipeline");
  const data = kit.data(model);
  const view = lanes_view();
  let out;
  let state = data.start;
  let width = 0;
  let drawn = "";
  let shown = false;
  const { el: controls, made } = pipeline_controls(model, data);
  const title = kit.heading("", "");
  const go = (by) => {
    const all = out.ops.flatMap((ops, rank) => ops.map((op, k) => [rank, k]).filter(([, k]) => ops[k].at(-2) > (k ? ops[k - 1].at(-1) : 0)));
    if (!all.length) return;
    const [rank, op] = all[(out.gap - 1 + by + (!out.gap && by < 0 ? 1 : 0) + all.length) % all.length];
    kit.commit(model, { rank, op, cursor: out.ops[rank][op].at(-2) });
  };
  const reason = pipeline_why(model, go);
  const facts = pipeline_facts();
  const table = kit.table({ caption: "What each rank does at the cursor", columns: [{ key: "rank", label: "rank" }, { out: (r) => `doing.${r.rank}`, label: "at the cursor" }, ...[["now", "in flight"], ["peak", "peak"]].map(([key, label]) => ({ out: (r) => `${key}.${r.rank}`, how: "sig 5", label, align: "right" }))] });
  const legend = lanes_legend("activations in flight, of their peak (micro-batches × 1/p of the model)");
  const note = kit.h("p", { class: "cw-note cw-pipeline-note" });

  const later = kit.after(); // what stands below the drawing
  const show = (t) => {
    const now = t === out.at ? out : compute({ ...state, cursor: t }, data);
    shown = true;
    view.at(t, now);
    view.explain(now, state.rank);
    later(() => {
      facts.update(out);
      table.update(now.doing.map((_, rank) => ({ rank, now })));
    });
  };
  const transport = kit.transport({ label: "time", length: 27, value: 0, rate: 2, format: (t) => t.toFixed(1), print: (node, t) => kit.put(node, "at", "fixed 1", { at: t }), onFrame: show, onStop: (t) => kit.commit(model, { cursor: t }) });

  const redraw = () => {
    if (!out || !width) return;
    const row = row_of(state, data);
    const now = { ...state, ...out };
    view.draw(out, width, Math.max(state.microbatches, ...out.peak), state.microbatches, out.peak, out.at);
    kit.set(view.svg, { "aria-label": lanes_words(now, row.label) });
    kit.text(title.children[0], row.label);
    kit.fill(title.children[1], `idle {of_total:percent 1} of the step · the first rank holds {peak.0:sig 5} ${batches(now.peak[0])} at most`, now);
    legend.update(out);
    kit.text(note, row.note);
    note.hidden = !row.note;
  };

  kit.drag(view.svg, {
    start: (x, y) => {
      view.grab(y);
      const [t, rank, op] = view.find(x, y, out);
      kit.commit(model, { cursor: t, ...(op >= 0 ? { rank, op } : {}) });
    },
    move: (x, y) => { const t = view.find(x, y, out)[0]; transport.set(t); show(t); },
    end: (x, y) => {
      const [t] = view.find(x, y, out);
      view.grab(null);
      kit.commit(model, { cursor: t });
      show(t);
    },
  });

  root.append(controls, title, view.svg, transport.el, legend.el, note, kit.h("div", { class: "cw-split cw-section" },
    kit.h("div", {}, kit.heading("The bubble, in both conventions"), facts.el, kit.heading("Why is it idle?"), reason.el),
    kit.h("div", {}, table.el)));

  const update = (now) => {
    state = now;
    out = compute(state, data);
    const own = row_of(state, data).chunks;
    for (const [key, control] of Object.entries(made)) control.set(key === "chunks" ? out.chunks : state[key]);
    made.chunks.enable(own.length > 1);
    reason.update(out);
    const key = JSON.stringify([KEYS.filter((k) => k !== "cursor").map((k) => state[k]), width]);
    if (key !== drawn) redraw();
    drawn = key;
    transport.length(out.span);
    shown = false;
    transport.set(state.cursor); // shows it, unless it stands there already
    if (!shown) show(Math.min(state.cursor, out.span));
  };
  const stop = kit.width(root, (px) => { width = px; if (out) { redraw(); show(Math.min(state.cursor, out.span)); } });
  if (check(kit.state(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
  const off = kit.live(model, { root, keys: KEYS, check, update });
  return () => { stop(); transport.stop(); off(); };
} };
