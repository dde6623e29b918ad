/* Controls, the run, its counts beside the formulas, and the time against the message size. */
const KEYS = ["op", "algorithm", "ranks", "root", "step", "message", "alpha", "bandwidth"];
const time_text = (us) => (us >= 1e6 ? `${kit.fmt.fixed(us / 1e6, 2)} s` : us >= 1000 ? `${kit.fmt.fixed(us / 1000, 2)} ms` : `${kit.fmt.fixed(us, 1)} µs`);
const plain_chunks = (count) => `${kit.fmt.int(count)} ${count === 1 ? "chunk" : "chunks"}`;

/* Time against message size, both axes logarithmic: one line per algorithm, a mark at S. */
const time_chart = () => {
  const lines = kit.s("g", { class: "cw-collectives-lines" });
  const marks = kit.s("g", { class: "cw-collectives-marks" });
  const axis = kit.s("g", { class: "cw-collectives-axis" });
  const here = kit.s("line", { class: "cw-collectives-here" });
  const svg = kit.s("svg", { role: "img", viewBox: "0 0 420 230", class: "cw-collectives-chart" }, axis, here, lines, marks);
  const x = (message) => 46 + ((message - 10) / 24) * 318;
  const update = (state, out, data) => {
    const curves = data.algorithms.map((a) => ({ a, y: upto(25).map((i) => times_of(state.op, a, state.ranks, { ...state, message: 10 + i }, data)) }));
    const all = curves.flatMap((c) => c.y).map((y) => Math.log10(Math.max(y, 1e-3)));
    const [low, high] = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all))];
    const y = (us) => 200 - ((Math.log10(Math.max(us, 1e-3)) - low) / Math.max(high - low, 1)) * 185;
    const ticks = [10, 20, 30].map((m) => ({ x1: x(m), x2: x(m), y1: 200, y2: 204, tx: x(m), ty: 218, text: { 10: "1 KiB", 20: "1 MiB", 30: "1 GiB" }[m], anchor: "middle" }));
    for (let e = low; e <= high; e += 1) ticks.push({ x1: 46, x2: 364, y1: y(10 ** e), y2: y(10 ** e), tx: 40, ty: y(10 ** e) + 4, text: time_text(10 ** e).replace(/\.0+ /, " "), anchor: "end" });
    kit.list(axis, ticks, () => kit.s("g", {}, kit.s("line"), kit.s("text")), (node, t) => {
      kit.set(node.children[0], { x1: t.x1, x2: t.x2, y1: t.y1, y2: t.y2 });
      kit.set(node.children[1], { x: t.tx, y: t.ty, "text-anchor": t.anchor, text: t.text });
    });
    const ends = [...curves].sort((a, b) => a.y.at(-1) - b.y.at(-1));
    let used = 260;
    const places = new Map(ends.map((c) => { used = Math.min(y(c.y.at(-1)) + 4, used - 13); return [c.a, used]; }));
    kit.list(lines, curves, () => kit.s("g", {}, kit.s("path"), kit.s("text")), (node, c) => {
      const on = c.a === state.algorithm;
      kit.set(node, { class: on ? "on" : false });
      kit.set(node.children[0], { d: c.y.map((us, i) => `${i ? "L" : "M"}${x(10 + i).toFixed(1)} ${y(us).toFixed(1)}`).join("") });
      kit.set(node.children[1], { x: 369, y: places.get(c.a), text: c.a });
    });
    kit.set(here, { x1: x(state.message), x2: x(state.message), y1: 12, y2: 200 });
    kit.list(marks, data.algorithms, () => kit.s("circle"), (node, a) => kit.set(node, { cx: x(state.message), cy: y(out.times_us[a]), r: a === state.algorithm ? 5 : 3 }));
    kit.set(svg, { "aria-label": `Time against message size: at ${kit.fmt.kib(2 ** state.message)} ${data.algorithms.map((a) => `${a} ${time_text(out.times_us[a])}`).join(", ")}.` });
  };
  return { svg, update };
};

const collectives_controls = (model, data) => {
  const offer = kit.offer(model, { keys: KEYS, data, check });
  const set = (key, also) => (value) => offer(made[key], { [key]: value, ...(also ? also(value) : { step: 0 }) });
  const keep = () => ({});
  const start = data.start;
  const made = {
    op: kit.segmented({ label: "collective", options: data.ops, value: start.op, onInput: set("op") }),
    algorithm: kit.segmented({ label: "algorithm", options: data.algorithms, value: start.algorithm, onInput: set("algorithm") }),
    ranks: kit.slider({ label: "ranks n", min: 2, max: 16, value: start.ranks, onInput: set("ranks", (n) => ({ step: 0, root: Math.min(model.get("root"), n - 1) })) }),
    root: kit.slider({ label: "root", min: 0, max: 15, value: start.root, onInput: set("root", (r) => ({ step: 0, root: Math.min(r, model.get("ranks") - 1) })) }),
    message: kit.slider({ label: "array S", min: 10, max: 34, value: start.message, format: (m) => kit.fmt.kib(2 ** m, undefined, 0), onInput: set("message", keep) }),
    alpha: kit.slider({ label: "start-up α", min: 0, max: 100, step: 0.5, value: start.alpha, format: (a) => `${a} µs`, onInput: set("alpha", keep) }),
    bandwidth: kit.slider({ label: "bandwidth", min: 1, max: 2000, value: start.bandwidth, format: (b) => `${kit.fmt.int(b)} GB/s`, onInput: set("bandwidth", keep) }),
  };
  const top = kit.h("div", { class: "cw-collectives-controls" }, made.op.el, kit.h("div", { class: "cw-row" }, made.algorithm.el, made.ranks.el, made.root.el));
  const time = kit.h("div", { class: "cw-collectives-sliders" }, made.message.el, made.alpha.el, made.bandwidth.el);
  return { top, time, made };
};

const SAYS = {
  "reduce-scatter": "what arrives is added, and the sender gives it up",
  "all-gather": "what arrives is kept and passed on",
  "reduce to rank 0": "whole arrays are added on the way to rank 0",
  broadcast: "whoever has the array sends it on",
  "everyone to everyone": "everyone adds everyone's array",
  "pass on": "everything for others goes to the next rank",
  exchange: "chunks go to where they belong",
};

export default { render({ model, el }) {
  const root = kit.root(el, "collectives");
  const data = kit.data(model);
  const view = run_view();
  const chart = time_chart();
  const { top, time, made } = collectives_controls(model, data);
  const title = kit.heading("", "");
  const pointed = kit.h("p", { class: "cw-note cw-collectives-pointed", text: "Columns are ranks, rows are chunks. A chunk's stripes say whose numbers are in it; below it, the chunks a rank has sent." });
  const rest = pointed.textContent;
  const counts = kit.table({ caption: "Counted in the run, beside the formula", columns: [{ key: "what", label: "of this run" }, { key: "counted", label: "counted in the log", align: "right" }, { key: "formula", label: "formula", align: "right" }, { key: "text", label: "written out", class: "cw-collectives-formula" }] });
  const same = kit.h("p", { class: "cw-note" });
  const cost = kit.h("p", {});
  const cross = kit.h("p", { class: "cw-note" });
  let state = data.start;
  let out;
  let width = 0;
  let at = 0;

  const words = (k) => {
    const phase = out.phases[k];
    if (phase === undefined) return k === out.frames.length - 1 ? "done" : "every rank puts its chunks in order, nothing is sent";
    return `step ${k + 1} of ${out.phases.length} · ${phase}: ${SAYS[phase]}`;
  };
  const show = (t) => {
    at = t;
    if (!width) return;
    view.draw(state, out, width, t);
    kit.text(title.children[1], words(Math.min(Math.floor(t), out.frames.length - 1)));
  };
  const transport = kit.transport({
    label: "steps", length: 6, value: 0, rate: 1.1, format: (t) => `${Math.floor(t)} of ${out ? out.phases.length : 6}`,
    onFrame: show, onStop: (t) => { kit.commit(model, { step: Math.round(t) }); kit.say(root, words(Math.round(t))); },
  });

  const print = () => {
    const row = data.formulas[`${state.op} ${state.algorithm}`];
    const [n, chunk] = [state.ranks, out.chunk_bytes];
    const bytes = (count) => `${plain_chunks(count)} = ${kit.fmt.kib(count * chunk)}`;
    counts.update([
      { what: "steps", counted: out.counted.steps, formula: out.formula.steps, text: row.steps },
      { what: "busiest rank sends", counted: bytes(out.counted.busiest), formula: kit.fmt.kib(out.formula.busiest * chunk), text: row.busiest },
      { what: "one after the other", counted: bytes(out.counted.serial), formula: kit.fmt.kib(out.formula.serial * chunk), text: row.serial },
    ]);
    const ones = row.busiest.startsWith("ones") ? ` “ones” counts the binary ones in 1, …, ${n - 1}: a chunk travels once per one.` : "";
    kit.text(same, `${out.mismatches === 0 ? "Every number that the run left equals" : `${out.mismatches} numbers differ from`} the answer on the whole arrays. The log has ${kit.fmt.int(out.log.length)} chunks of 8 bytes; each stands for S / n = ${kit.fmt.kib(chunk)}.${ones}`);
    cost.replaceChildren(kit.h("b", { class: "cw-big", text: time_text(out.time_us) }), ` = ${out.counted.steps} × ${state.alpha} µs + ${kit.fmt.kib(out.bytes.serial)} / ${kit.fmt.int(state.bandwidth)} GB/s. Bus bandwidth, as nccl-tests prints it: ${kit.fmt.fixed(out.bus_gbs, 1)} GB/s.`);
    kit.text(cross, out.crossover ? `The ring beats the tree from ${kit.fmt.kib(out.crossover)} on.` : `Ring and tree never change places here: ${out.times_us.ring <= out.times_us.tree ? "the ring is never slower" : "the tree is never slower"}.`);
    kit.text(title.children[0], `${state.algorithm[0].toUpperCase()}${state.algorithm.slice(1)} ${state.op}, ${n} ranks`);
    kit.set(view.svg, { "aria-label": `${n} ranks, each a column of ${n} chunks. ${out.phases.length} steps; the busiest rank sends ${plain_chunks(out.counted.busiest)} of ${kit.fmt.kib(chunk)}.` });
  };

  view.svg.addEventListener("pointermove", (e) => {
    const b = view.svg.getBoundingClientRect();
    const hit = view.find(e.clientX - b.left, e.clientY - b.top);
    const k = Math.min(Math.floor(at), out.frames.length - 1);
    const value = hit && out.frames[k][hit[0]].slice(2 * hit[1], 2 * hit[1] + 2);
    const whose = value && upto(state.ranks).filter((r) => Math.floor(value[0] / 2 ** r) % 2);
    kit.text(pointed, !value ? rest : value[0] ? `Rank ${hit[0]}, slot ${hit[1]} holds [${value.join(", ")}]: ${whose.length > 1 ? "the sum over ranks" : "from rank"} ${whose.join(", ")}.` : `Rank ${hit[0]}, slot ${hit[1]} is empty.`);
  });
  view.svg.addEventListener("pointerleave", () => kit.text(pointed, rest));

  root.append(top, title, view.svg, pointed, transport.el, kit.h("div", { class: "cw-split cw-section" },
    kit.h("div", {}, kit.heading("Counted, and computed"), counts.el, same),
    kit.h("div", {}, kit.heading("Time"), time, cost, chart.svg, cross)));

  const update = (now) => {
    state = now;
    out = compute(state, data);
    for (const [key, control] of Object.entries(made)) control.set(state[key]);
    made.root.el.hidden = state.op !== "broadcast";
    print();
    chart.update(state, out, data);
    transport.length(out.frames.length - 1);
    transport.set(Math.min(state.step, out.frames.length - 1));
    if (!transport.playing()) show(Math.min(Math.max(state.step, 0), out.frames.length - 1));
  };
  const stop = kit.width(root, (px) => { width = px; if (out) show(at); });
  if (check(kit.state(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
  const off = kit.live(model, { root, keys: KEYS, check, update });
  return () => { stop(); transport.stop(); off(); };
} };
