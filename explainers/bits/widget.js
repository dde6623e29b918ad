/* The page itself: built once, then only attributes and texts change. */
bits.row = (onToggle, onStep) => {
  const el = kit.h("div", { class: "fields", role: "group", "aria-label": "The bits; arrow up and down step the code" });
  let format = null;
  let buttons = [];
  const build = (f, fields) => {
    const groups = [];
    buttons = fields.map((b) => {
      const button = kit.h("button", { type: "button", class: "bit", on: { click: () => onToggle(b.bit) } });
      if (!groups.length || groups.at(-1).field !== b.field) groups.push({ field: b.field, bits: [] });
      groups.at(-1).bits.push(kit.h("span", { class: "slot" }, button, kit.h("small", { "aria-hidden": "true" })));
      return button;
    });
    el.replaceChildren(...groups.map((g) => kit.h("div", { class: `field ${g.field}` }, kit.h("b", { "aria-hidden": "true" }), kit.h("div", { class: "slots" }, g.bits))));
    kit.set(el, { "data-wide": fields.length > 16 ? "2" : fields.length > 9 ? "1" : false });
  };
  const update = (f, o, inert) => {
    if (f !== format) build((format = f), o.fields);
    o.fields.forEach((b, i) => {
      kit.put(kit.set(buttons[i], { class: b.on ? "bit on" : "bit", "aria-label": b.says, disabled: Boolean(inert) }), `fields.${i}.on`, "text", o);
      kit.put(buttons[i].nextSibling, `fields.${i}.under`, "text", o);
    });
    for (const group of el.children) {
      const name = group.classList[1];
      kit.fill(group.firstChild, name === "sign" ? "sign" : `${name} {groups.${name}}`, o);
    }
  };
  el.addEventListener("keydown", (e) => {
    const at = buttons.indexOf(e.target);
    const move = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const step = { ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (!move && !step) return;
    e.preventDefault();
    if (step) onStep(step);
    else buttons[at + move]?.focus();
  });
  return { el, update };
};
/* Kept, guard and sticky as small boxes. */
bits.cutBoxes = () => {
  const line = kit.h("p", { class: "cw-mono cw-muted" });
  const boxes = kit.h("span", { class: "boxes", "aria-hidden": "true" });
  const el = kit.h("div", { class: "cut" }, line, kit.h("p", { class: "kept" }, boxes, kit.h("span", { class: "cw-note", text: "kept · guard · sticky" })));
  const update = (o) => {
    const all = o.typed.keeps.boxes;
    el.hidden = !all.length;
    kit.fill(line, "{typed.keeps.line} keeps", o);
    kit.list(boxes, all, () => kit.h("i"), (node, [kind], i) => kit.put(kit.set(node, { class: kind }), `typed.keeps.boxes.${i}.1`, "text", o));
  };
  return { el, update };
};

/* Columns of a table whose rows are {i, now}: every cell is a value of compute. */
bits.columns = (list, keys, labels, right = []) => keys.map((key) => ({
  out: (row) => `${list}.${row.i}.${key}`, label: labels[key] || key, align: right.includes(key) ? "right" : "",
  class: ["source", "where"].includes(key) ? "cw-note" : ["label", "bits", "library", "mode"].includes(key) ? "" : "cw-mono",
  mark: list === "policies" && ((text) => ({ NaN: "nan", inf: "inf", max: "max" })[text]),
}));
bits.items = (o, list, css) => o[list].map((row, i) => ({ i, now: o, class: css(row) || "" }));

bits.rows = (entries) => {
  const cells = entries.map(([key, label]) => [key, kit.h("dt", { text: label }), kit.h("dd", { class: "cw-mono" })]);
  return { el: kit.h("dl", {}, cells.map(([, dt, dd]) => [dt, dd])), update: (o) => cells.forEach(([path, , dd]) => kit.set(kit.put(dd, path, "text", o), { title: kit.path(o, path) || false })) };
};

bits.build = (root, model, data) => {
  const now = () => kit.state(model, ["format", "code", "typed"]);
  const f = () => data.formats[now().format];
  const shown = () => compute(now(), data);
  const pick = (code) => kit.commit(model, { code, typed: "" });
  const step = (by) => { const size = 2 ** bits.width(f()); pick((shown().code + by + size) % size); };
  const type = (text) => { const read = bits.parse(text, f()); if (read.code === undefined) kit.commit(model, { code: data.code, typed: text }); else pick(read.code); };
  const change = (format) => { // the number stays when the format changes; bits typed as bits become their number
    const { value, hexfloat } = shown();
    const typed = now().typed && bits.parse(now().typed, f()).code === undefined ? now().typed : value.length > 24 && hexfloat ? hexfloat : value;
    kit.commit(model, { format, code: data.code, typed });
  };
  const v = {
    later: kit.after(),
    formats: kit.segmented({ label: "Format", options: Object.values(data.formats).map((row) => ({ value: row.name, label: row.label })), onInput: change }),
    facts: kit.h("p", { class: "cw-note" }),
    fields: bits.row((bit) => { const { code } = shown(); pick(code + (Math.floor(code / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit); }, step),
    big: kit.h("strong", { class: "big" }),
    code: kit.h("span", { class: "cw-mono cw-muted" }),
    power: kit.h("span", { class: "cw-mono" }),
    formula: kit.h("p", { class: "cw-mono formula" }),
    beside: kit.h("p", { class: "cw-note" }),
    typed: kit.text_input({ label: "nearest to", size: 14, allow: (text) => bits.parse(text, f()).says || "", onInput: type }),
    becomes: kit.h("p", { class: "becomes" }),
    cut: bits.cutBoxes(),
    why: kit.h("p", { class: "why" }),
    full: bits.rows([["typed.exact", "you asked for"], ["typed.stored", "stored, in full"], ["hexfloat", "as hexfloat"], ["typed.error", "error"], ["typed.error_ulp", "in steps (ulp)"]]),
    line: bits.line(),
    lineHead: kit.heading("Every value it can hold"),
    bins: bits.binsLine(),
    binHead: kit.heading("What rounds to what"),
    binWords: kit.h("p", { class: "cw-note" }),
    grid: bits.grid({ onPick: pick }),
    gridHead: kit.heading("All codes"),
    every: kit.table({ caption: "The same number in every format, closest first", columns: bits.columns("everywhere", ["label", "bits", "code", "stored", "error", "relative"], { label: "format" }, ["bits", "stored", "error", "relative"]) }),
    policies: kit.table({ caption: "What overflow, infinity and NaN become, by library", columns: bits.columns("policies", ["library", "becomes", "over", "inf", "nan", "source"], { becomes: "your number", over: "too large", inf: "infinity", nan: "NaN" }) }),
    policyHead: kit.heading("What a cast makes of it"),
    modes: kit.table({ caption: "What every way of rounding keeps of this number", columns: bits.columns("modes", ["mode", "keeps", "error", "where"], { mode: "rounding" }, ["error"]) }),
    modeHead: kit.heading("Other ways to round"),
  };
  const stepper = kit.h("p", { class: "stepper" }, kit.button({ label: "Previous code", text: "◀", onClick: () => step(-1) }).el, v.code, kit.button({ label: "Next code", text: "▶", onClick: () => step(1) }).el);
  root.append(
    v.formats.el, v.facts,
    kit.h("div", { class: "panes" },
      kit.h("div", { class: "left" }, v.fields.el, stepper),
      kit.h("div", { class: "middle" }, kit.h("p", {}, v.big, " ", v.power), v.formula, v.beside),
      kit.h("div", { class: "nearest" }, kit.h("div", { class: "ask" }, v.typed.el, v.becomes), v.cut.el, v.why, v.full.el)),
    v.lineHead, v.line.el, v.binHead, v.bins.el, v.binWords,
    v.gridHead, kit.h("div", { class: "cw-scroll" }, v.grid.el),
    kit.legend([{ class: "sub", label: "zero and subnormal" }, { class: "number-cell", label: "stronger = larger" }, { class: "inf", label: "infinity" }, { class: "nan", label: "NaN" }]),
    kit.heading("The same number in every format", "closest first"), v.every.el,
    v.policyHead, v.policies.el, kit.h("p", { class: "cw-note", text: "The rule for what is too large belongs to the library, not to the format." }),
    v.modeHead, v.modes.el,
  );
  return v;
};

bits.paint = (root, v, state, data, px) => {
  const f = data.formats[state.format];
  const o = compute(state, data);
  const t = o.typed;
  const note = (head, template) => kit.fill(head.lastChild, template, o);
  v.formats.set(state.format);
  kit.fill(v.facts, "{format.line}. {format.words}", o);
  v.fields.update(f, o);
  kit.set(kit.put(v.big, "short", "text", o), { title: o.value });
  kit.fill(v.code, "{hex} · code {code:int} · {kind}", o);
  kit.put(v.power, "scientific", "text", o);
  kit.put(v.formula, "formula", "text", o);
  kit.fill(v.beside, o.spacing ? `next up ${o.up ? "{up}" : "none"} · next down ${o.down ? "{down}" : "none"} · spacing {spacing}` : "not a number on the line: no neighbours", o);
  v.typed.set(state.typed || (o.value.length > 24 ? o.hexfloat || o.short : o.value));
  kit.fill(v.becomes, `→ {short}${t.error === "" ? "" : t.error === "0" ? ", exact" : `, error {typed.${t.relative ? "relative" : "error"}}`}`, o);
  v.cut.update(o);
  kit.put(v.why, "typed.why", "text", o);
  v.full.update(o);
  note(v.lineHead, `{format.count:int} numbers between {format.ends.0} and {format.ends.1}, {format.below_one:int} of them smaller than 1 in magnitude${bits.width(f) > 8 ? "; one tick per power of two" : ""}`);
  v.line.update(f, o, px);
  v.bins.el.toggleAttribute("hidden", !o.bins.length);
  if (o.bins.length) v.bins.update(f, o, bits.asked(f, state, o.code), px);
  kit.put(v.binWords, "bin_words", "text", o);
  kit.say(root, `${f.label} ${o.hex}: ${o.short}, ${o.kind}`);
  const below = () => {
    kit.text(v.gridHead.firstChild, bits.width(f) > 8 ? "Codes around it" : "All codes");
    note(v.gridHead, bits.gridNote(f));
    v.grid.update(f, o);
    v.every.update(bits.items(o, "everywhere", (row) => row.format === f.name && "here"));
    note(v.policyHead, "{agree}");
    v.policies.update(bits.items(o, "policies", (row) => row.differs && "differs"));
    v.modeHead.hidden = v.modes.el.hidden = !o.modes.length;
    v.modes.update(bits.items(o, "modes", () => ""));
  };
  if (v.grid.el.kitKeys) below(); // a walk by arrow keys: the focus moves with the code
  else v.later(below);
};
bits.asked = (f, state, code) => { // where on the line; NaN where it is not on it
  const x = state.typed.trim() ? bits.parse(state.typed, f).x : bits.stored(f, code);
  return x.kind === "finite" ? Q.odd(bits.value(x)) : NaN;
};

export default {
  render({ model, el }) {
    const root = kit.root(el, "bits");
    const v = bits.build(root, model, kit.data(model));
    let last = null;
    let px = 0;
    const stop = kit.width(root, (now) => { px = now; if (last) bits.paint(root, v, ...last, px); });
    const cleanup = kit.live(model, { root, keys: ["format", "code", "typed"], check, update: (...args) => { last = args; bits.paint(root, v, ...args, px || 900); } });
    return () => { stop(); cleanup(); };
  },
};
