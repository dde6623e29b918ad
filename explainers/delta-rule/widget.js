/* Page order: what is written, the five states, what a key reads back, errors over time, steps against chunks. */
const between_states = (states, t) => { // a state on its way from one step to the next
  const low = Math.floor(t);
  const part = t - low;
  if (!part || low + 1 >= states.length) return states[Math.min(low, states.length - 1)];
  return states[low].map((row, i) => row.map((x, j) => x + part * (states[low + 1][i][j] - x)));
};

const value_editor = (onFlip) => {
  const cells = Array.from({ length: 8 }, (_, j) => kit.h("button", { type: "button", class: "cw-delta-rule-sign", on: { click: () => onFlip(j) } }));
  const el = kit.h("div", { class: "cw-delta-rule-editor", role: "group", "aria-label": "The value's eight signs" }, kit.h("span", { class: "cw-label", text: "Value" }), cells);
  const update = (bits) => delta.value(bits).forEach((v, j) => {
    kit.text(cells[j], v > 0 ? "+" : "−");
    kit.set(cells[j], { "aria-pressed": v > 0 ? "true" : "false", "aria-label": `place ${j}: ${v > 0 ? "plus" : "minus"} one` });
  });
  return { el, update };
};

const tape = (data, onStep) => {
  const el = kit.h("ol", { class: "cw-delta-rule-tape", "aria-label": "The writes, in order" });
  const make = (_, i) => {
    const strip = kit.s("svg", { viewBox: "0 0 32 4", "aria-hidden": "true" }, Array.from({ length: 8 }, (_u, j) => kit.s("rect", { x: 4 * j, width: 3.4, height: 4 })));
    const button = kit.h("button", { type: "button", on: { click: () => onStep(i + 1) } }, kit.h("b"), strip);
    return kit.h("li", {}, button);
  };
  const update = (pairs, t) => kit.list(el, pairs, make, (li, [key, bits], i) => {
    const button = li.firstChild;
    kit.text(button.firstChild, data.letters[key]);
    delta.value(bits).forEach((v, j) => kit.set(button.lastChild.children[j], { class: v < 0 ? "neg" : "pos" }));
    kit.set(button, {
      class: i + 1 === t ? "now" : i + 1 > t ? "later" : false, "aria-current": i + 1 === t ? "step" : false,
      "aria-label": `write ${i + 1}: key ${data.letters[key]}, value ${delta.value(bits).map((v) => (v > 0 ? "+" : "−")).join("")}; go to this step`,
    });
  });
  return { el, update };
};

const rule_cards = (data, onRule) => {
  const name = kit.uid("rule");
  const cards = data.rules.map((rule) => {
    const input = kit.h("input", { type: "radio", name, on: { change: () => onRule(rule.name) } });
    const matrix = paint.matrix();
    const [error, meter] = [kit.h("strong", { class: "cw-mono" }), kit.h("i", {})];
    const alpha = kit.h("span", { class: "cw-note" });
    const el = kit.h(
      "label", { class: "cw-delta-rule-card" },
      kit.h("span", { class: "cw-delta-rule-name" }, input, kit.h("strong", { text: rule.label })),
      kit.h("span", { class: "cw-delta-rule-formula", text: rule.formula }),
      matrix.el,
      kit.h("span", { class: "cw-delta-rule-error" }, kit.h("span", { text: "recall error" }), error),
      kit.h("span", { class: "cw-delta-rule-meter", "aria-hidden": "true" }, meter),
      alpha,
    );
    return { rule, el, input, matrix, error, meter, alpha };
  });
  const update = (traced, state, t) => {
    const drawn = cards.map((c) => between_states(traced.found[c.rule.name].states, t));
    const most = Math.max(1, ...drawn.flat(2).map(Math.abs));
    const letters = state.overlap === 0 ? data.letters : "01234567";
    cards.forEach((card, k) => {
      const { errors } = traced.found[card.rule.name];
      const low = Math.floor(t);
      const now = delta.mean(errors[low]);
      const error = now + (t - low) * (delta.mean(errors[Math.min(low + 1, errors.length - 1)]) - now);
      kit.set(card.input, { checked: state.rule === card.rule.name });
      card.el.classList.toggle("on", state.rule === card.rule.name);
      card.matrix.update(drawn[k], most, `State of ${card.rule.label} after ${low} writes, largest number ${paint.num(Math.max(...drawn[k].flat().map(Math.abs)))}`, letters);
      kit.text(card.error, kit.fmt.percent(error));
      kit.set(card.meter, { style: { width: `${Math.min(100, 100 * error)}%` } });
      const range = [traced.alphas[0], traced.alphas[7]].map((a) => paint.num(a, 2));
      kit.text(card.alpha, { none: "no decay", scalar: `α = ${paint.num(state.decay, 2)}`, channel: `α = ${range[0]} (row ${letters[0]}) … ${range[1]} (row ${letters[7]})` }[card.rule.decay]);
    });
  };
  return { el: kit.h("div", { class: "cw-delta-rule-cards", role: "radiogroup", "aria-label": "Rule whose numbers are written out" }, cards.map((c) => c.el)), update };
};

const recall = (data) => {
  const rows = [{ name: "", label: "written last" }, ...data.rules].map((rule) => {
    const strip = paint.strip();
    const error = kit.h("span", { class: "cw-mono" });
    return { rule, strip, error, el: kit.h("div", { class: "cw-delta-rule-read" }, kit.h("span", { text: rule.label }), strip.el, error) };
  });
  const update = (traced, state, t) => {
    const at = Math.floor(t);
    const q = state.query;
    const bits = traced.targets[at][q];
    const reads = data.rules.map((r) => delta.read(between_states(traced.found[r.name].states, t), traced.all[q]));
    const most = Math.max(1, ...reads.flat().map(Math.abs));
    rows.forEach((row, k) => {
      const values = k ? reads[k - 1] : bits === null ? new Array(8).fill(0) : delta.value(bits);
      row.strip.update(values, most, `${row.rule.label}: ${values.map((v) => paint.num(v, 2)).join(", ")}`);
      const error = k ? traced.found[row.rule.name].errors[at][q] : null;
      kit.text(row.error, k === 0 ? (bits === null ? "nothing yet" : "") : error === null ? "" : `${kit.fmt.percent(error)} off`);
    });
  };
  return { el: kit.h("div", { class: "cw-delta-rule-reads" }, rows.map((r) => r.el)), update };
};

export default {
  render({ model, el }) {
    const root = kit.root(el, "delta-rule");
    const data = kit.data(model);
    const KEYS = ["writes", "step", "overlap", "beta", "decay", "spread", "chunk", "query", "rule"];
    const get = () => kit.state(model, KEYS);
    const set = (changes) => kit.commit(model, changes);
    let [traced, drawn, t, px] = [null, "", 0, 0];
    const later = kit.after();
    let next = [0, 105]; // what the Write button writes

    const tidy = (v) => Math.round(v * 100) / 100;
    const slider = (label, key, max, hint) => kit.slider({ label, min: 0, max, step: 0.05, format: (v) => kit.fmt.fixed(v, 2), hint, onInput: (v) => set({ [key]: tidy(v) }) });
    const sliders = { overlap: slider("Overlap of keys", "overlap", 0.9), beta: slider("Write strength β", "beta", 1), decay: slider("Decay α", "decay", 1), spread: slider("KDA's spread", "spread", 1) };
    const letters = [...data.letters].map((label, value) => ({ value, label }));
    const key = kit.segmented({ label: "Key", options: letters, value: next[0], onInput: (v) => { next[0] = v; } });
    const editor = value_editor((j) => { next[1] ^= 128 >> j; editor.update(next[1]); });
    editor.update(next[1]);
    const write = kit.button({ label: "Write", onClick: () => {
      const { writes, step } = get();
      if (writes.length >= 2 * data.most) { kit.text(full, `The tape is full: ${data.most} writes. Undo one or clear.`); return; }
      set({ writes: [...writes.slice(0, 2 * step), ...next, ...writes.slice(2 * step)], step: step + 1, query: next[0] });
    } });
    const undo = kit.button({ label: "Remove this write", onClick: () => {
      const { writes, step } = get();
      if (step) set({ writes: [...writes.slice(0, 2 * step - 2), ...writes.slice(2 * step)], step: step - 1 });
    } });
    const clear = kit.button({ label: "Clear", onClick: () => set({ writes: [], step: 0 }) });
    const full = kit.h("span", { class: "cw-error", role: "alert" });
    const roll = tape(data, (step) => { transport.stop(); set({ step }); });
    const cards = rule_cards(data, (rule) => set({ rule }));
    const query = kit.segmented({ label: "Read with key", options: letters, onInput: (v) => set({ query: v }) });
    const reads = recall(data);
    const plot = paint.history(data);
    const numbers = kit.table({ caption: "The state in numbers", columns: [{ key: "name", label: "row" }, ...Array.from({ length: 8 }, (_, j) => ({ key: j, label: String(j), align: "right", format: (v) => paint.num(v, 4) }))] });
    const numbers_title = kit.h("summary", {});
    const chunk = kit.segmented({ label: "Writes per chunk", options: data.chunks, onInput: (v) => set({ chunk: v }) });
    const forms = kit.table({ caption: "The last state by steps and by chunks", columns: [{ key: "rule", label: "first number of S" }, { key: "steps", label: "step by step", class: "cw-mono" }, { key: "chunks", label: "in chunks", class: "cw-mono" }, { key: "apart", label: "largest difference", align: "right", class: "cw-mono" }] });
    const chunk_note = kit.h("p", { class: "cw-note" });

    const show = (time) => {
      t = time;
      const state = get();
      cards.update(traced, state, t);
      reads.update(traced, state, t);
      roll.update(traced.pairs, Math.floor(t));
      const histories = Object.fromEntries(data.rules.map((r) => [r.name, traced.found[r.name].errors.map(delta.mean)]));
      plot.update(histories, traced.pairs, t, px = kit.wide(root));
    };
    const transport = kit.transport({ label: "Step through the writes", length: 0, rate: 1.25, format: (x) => `${Math.floor(x)} of ${traced ? traced.pairs.length : 0}`, onFrame: (x) => { if (traced) show(x); }, onStop: (x) => set({ step: Math.round(x) }) });

    root.append(
      kit.h("div", { class: "cw-delta-rule-write" }, key.el, editor.el, kit.h("div", { class: "cw-delta-rule-buttons" }, write.el, undo.el, clear.el), full),
      roll.el, transport.el,
      kit.heading("Five states, the same writes", "what is kept while decoding has a yellow edge; it never grows"),
      cards.el,
      kit.legend([{ class: "cw-delta-rule-key pos", label: "positive" }, { class: "cw-delta-rule-key neg", label: "negative, with a minus" }]),
      kit.h("div", { class: "cw-delta-rule-sliders" }, Object.values(sliders).map((s) => s.el)),
      kit.h("details", {}, numbers_title, numbers.el),
      kit.h("section", { class: "cw-section" }, kit.heading("What a key reads back"), query.el, reads.el),
      kit.h("section", { class: "cw-section" }, kit.heading("Recall error after each write", "mean over all keys written so far"), plot.el),
      kit.h("section", { class: "cw-section" }, kit.heading("Step by step, and in chunks"), chunk.el, chunk_note, forms.el),
    );

    const update = (state) => {
      const print = JSON.stringify([state.writes, state.overlap, state.beta, state.decay, state.spread, state.chunk]);
      if (print !== drawn) {
        transport.stop();
        traced = delta.trace(state, data);
        drawn = print;
        transport.length(traced.pairs.length);
      }
      const out = delta.compute(state, data);
      for (const [name, control] of Object.entries(sliders)) control.set(state[name]);
      query.set(state.query);
      chunk.set(state.chunk);
      kit.text(full, "");
      write.enable(true);
      undo.enable(state.step > 0);
      clear.enable(out.writes > 0);
      transport.set(state.step);
      if (!transport.playing()) show(state.step);
      kit.say(root, `step ${state.step}: ${data.rules.map((r) => `${r.label} ${kit.fmt.percent(out.rules[r.name].error)}`).join(", ")}`);
      later(() => below(state, out));
    };
    const below = (state, out) => {
      const rule = data.rules.find((r) => r.name === state.rule);
      kit.text(numbers_title, `${rule.label} in numbers`);
      const names = state.overlap === 0 ? data.letters : "01234567";
      numbers.update(out.rules[state.rule].state.map((row, i) => ({ ...row, name: names[i] })));
      const exact = (x) => x.toPrecision(17).replace(/\.?0+$/, "").replace("-", "−");
      forms.update(data.rules.map((r) => ({ rule: r.label, steps: exact(out.rules[r.name].last_state[0][0]), chunks: exact(out.rules[r.name].chunked_state[0][0]), apart: out.rules[r.name].apart === 0 ? "0" : out.rules[r.name].apart.toExponential(1).replace("-", "−") })));
      kit.text(chunk_note, `${out.writes} writes in ${out.chunks} ${out.chunks === 1 ? "chunk" : "chunks"}, both computed just now. The difference is over all of S and over everything read on the way.`);
    };
    const leave = kit.live(model, { root, keys: KEYS, check: delta.check, update });
    const unwatch = kit.width(root, (now) => { if (traced && now !== px) show(t); });
    return () => { transport.stop(); unwatch(); leave(); };
  },
};
