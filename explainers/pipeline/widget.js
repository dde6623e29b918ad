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

/* Every gap in reading order: [rank, op after it]. */
const gaps_of = (out) => out.ops.flatMap((ops, rank) => ops.map((op, k) => [rank, k]).filter(([, k]) => ops[k].at(-2) > (k ? ops[k - 1].at(-1) : 0)));

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
  const update = (state, out, row) => {
    const [p, m] = [state.pp, state.microbatches];
    const plain = out.formula_holds && row.bubble === "F + I + W";
    const over = out.chunks > 1 ? ` / ${out.chunks}` : "";
    kit.text(idle.value, short(out.bubble));
    kit.text(idle.note, `units of ${short(out.span)}, the rest is work`);
    kit.text(whole.value, kit.fmt.percent(out.of_total));
    kit.text(whole.note, plain && out.chunks === 1 ? `= (p − 1)/(m + p − 1) = ${p - 1}/${m + p - 1} · the zero-bubble papers` : "= idle / (work + idle) · the zero-bubble papers");
    kit.text(ideal.value, kit.fmt.percent(out.of_ideal));
    kit.text(ideal.note, plain && out.chunks === 1 ? `= (p − 1)/m = ${p - 1}/${m} · Megatron-LM, arXiv 2104.04473` : "= idle / work · Megatron-LM, arXiv 2104.04473");
    kit.text(formula.value, short(out.formula));
    kit.text(formula.note, `= (p − 1)(${row.bubble})${over}${out.formula_holds ? " · equal to the simulation" : ` · not valid here${row.holds ? `, it needs ${row.holds}` : ""}${state.hop ? ", and transfers that take no time" : ""}`}`);
  };
  return { el, update };
};

const pipeline_why = (model, go) => {
  const text = kit.h("p", { class: "cw-pipeline-sentence", "aria-live": "polite" });
  const count = kit.h("span", { class: "cw-note" });
  const prev = kit.button({ label: "Previous gap", text: "◀ gap", onClick: () => go(-1) });
  const next = kit.button({ label: "Next gap", text: "gap ▶", onClick: () => go(1) });
  const el = kit.h("div", { class: "cw-pipeline-why" }, kit.h("div", { class: "cw-row" }, prev.el, next.el, count), text);
  return { el, update: (out, at, all) => {
    kit.text(text, out.why ? out.why.sentence : "Click a gap in the lanes, or step through the gaps, and see which result it waits for.");
    kit.text(count, all ? `${at >= 0 ? `gap ${at + 1} of ${all}` : `${all} gaps`}` : "no gaps");
  } };
};

export default { render({ model, el }) {
  const root = kit.root(el, "pipeline");
  const data = kit.data(model);
  const view = lanes_view();
  let out;
  let state = data.start;
  let width = 0;
  let drawn = "";
  const { el: controls, made } = pipeline_controls(model, data);
  const title = kit.heading("", "");
  const gap_at = () => gaps_of(out).findIndex(([r, k]) => r === state.rank && k === state.op);
  const go = (by) => {
    const all = gaps_of(out);
    if (!all.length) return;
    const [rank, op] = all[(gap_at() + by + (gap_at() < 0 && by < 0 ? 1 : 0) + all.length) % all.length];
    kit.commit(model, { rank, op, cursor: out.ops[rank][op].at(-2) });
  };
  const reason = pipeline_why(model, go);
  const facts = pipeline_facts();
  const table = kit.table({ caption: "What each rank does at the cursor", columns: [{ key: "rank", label: "rank" }, { key: "doing", label: "at the cursor" }, { key: "now", label: "in flight", align: "right" }, { key: "peak", label: "peak", align: "right" }] });
  const legend = kit.legend([{ class: "cw-pipeline-F", label: "forward F" }, { class: "cw-pipeline-B", label: "backward B, or its input gradient I" }, { class: "cw-pipeline-W", label: "weight gradient W" }, { class: "cw-pipeline-key-idle", label: "idle" }, { class: "cw-pipeline-now", label: "activations in flight, of their peak (micro-batches × 1/p of the model)" }]);

  const show = (t) => {
    const seen = compute({ ...state, cursor: t }, data);
    view.at(t, seen);
    table.update(seen.doing.map((doing, r) => ({ rank: r, doing, now: short(seen.now[r]), peak: short(seen.peak[r]) })));
  };
  const transport = kit.transport({ label: "time", length: 27, value: 0, rate: 2, format: (t) => t.toFixed(1), onFrame: show, onStop: (t) => kit.commit(model, { cursor: t }) });

  const redraw = () => {
    if (!out || !width) return;
    const row = row_of(state, data);
    view.draw(out, width, Math.max(state.microbatches, ...out.peak));
    view.explain(out, state.rank);
    kit.set(view.svg, { "aria-label": `${row.label}: ${state.pp} ranks, ${state.microbatches} micro-batches, ${short(out.span)} units long, each rank idle for ${short(out.bubble)}; at most ${short(Math.max(...out.peak))} micro-batches in flight on a rank.` });
    kit.text(title.children[0], `${row.label}, ${state.pp} ranks × ${state.microbatches} micro-batches${out.chunks > 1 ? ` × ${out.chunks} chunks` : ""}`);
    kit.text(title.children[1], `idle ${kit.fmt.percent(out.of_total)} of the step · rank 0 holds ${short(out.peak[0])} micro-batches at most${out.chunks > 1 ? " · lighter cells belong to later chunks" : ""}`);
  };

  kit.drag(view.svg, {
    start: (x, y) => {
      const [t, rank, op] = view.find(x, y, out);
      kit.commit(model, { cursor: t, ...(op >= 0 ? { rank, op } : {}) });
    },
    move: (x, y) => { const t = view.find(x, y, out)[0]; transport.set(t); show(t); },
    end: (x, y) => kit.commit(model, { cursor: view.find(x, y, out)[0] }),
  });

  root.append(controls, title, view.svg, legend, transport.el, kit.h("div", { class: "cw-split cw-section" },
    kit.h("div", {}, kit.heading("The bubble, in both conventions"), facts.el, kit.heading("Why is it idle?"), reason.el),
    kit.h("div", {}, table.el)));

  const update = (now) => {
    state = now;
    out = compute(state, data);
    const own = row_of(state, data).chunks;
    for (const [key, control] of Object.entries(made)) control.set(key === "chunks" ? out.chunks : state[key]);
    made.chunks.enable(own.length > 1);
    facts.update(state, out, row_of(state, data));
    reason.update(out, gap_at(), gaps_of(out).length);
    const key = JSON.stringify([KEYS.filter((k) => k !== "cursor").map((k) => state[k]), width]);
    if (key !== drawn) redraw();
    drawn = key;
    transport.length(out.span);
    transport.set(state.cursor);
    show(Math.min(state.cursor, out.span));
  };
  const stop = kit.width(root, (px) => { width = px; if (out) { redraw(); show(Math.min(state.cursor, out.span)); } });
  if (check(kit.state(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
  const off = kit.live(model, { root, keys: KEYS, check, update });
  return () => { stop(); transport.stop(); off(); };
} };
