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
      groups.at(-1).bits.push(kit.h("span", { class: "slot" }, button, kit.h("small", { "aria-hidden": "true", text: bits.under(b, fields.filter((c) => c.field === b.field && b.bit > c.bit).length, fields.length) })));
      return button;
    });
    el.replaceChildren(...groups.map((g) => kit.h("div", { class: `field ${g.field}` }, kit.h("b", { "aria-hidden": "true" }), kit.h("div", { class: "slots" }, g.bits))));
    kit.set(el, { "data-wide": fields.length > 16 ? "2" : fields.length > 9 ? "1" : false });
  };
  const update = (f, fields) => {
    if (f !== format) build((format = f), fields);
    fields.forEach((b, i) => kit.set(buttons[i], { text: b.on, class: b.on ? "bit on" : "bit", "aria-label": b.says }));
    for (const group of el.children) {
      const name = group.classList[1];
      const value = fields.filter((b) => b.field === name).reduce((sum, b) => 2 * sum + b.on, 0);
      kit.text(group.firstChild, name === "sign" ? "sign" : `${name} ${value}`);
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
bits.under = (b, place, width) => {
  if (width > 9) return place % 4 === 0 ? place : ""; // counted from the right end of its field
  if (b.field === "exponent") return kit.fmt.pow2(Math.log2(Number(b.worth)));
  return { "1/2": "½", "1/4": "¼", "1/8": "⅛", "±": "±" }[b.worth] || b.worth;
};

/* Kept, guard and sticky as small boxes. */
bits.cutBoxes = () => {
  const line = kit.h("p", { class: "cw-mono cw-muted" });
  const boxes = kit.h("span", { class: "boxes", "aria-hidden": "true" });
  const el = kit.h("div", { class: "cut" }, line, kit.h("p", { class: "kept" }, boxes, kit.h("span", { class: "cw-note", text: "kept · guard · sticky" })));
  const update = (k) => {
    el.hidden = k.kept + k.guard === "";
    const all = [...k.kept].map((bit) => ["kept", bit]).concat([...k.guard].map((bit) => ["guard", bit]), [...k.rest].map((bit) => ["sticky", bit]));
    const power = k.exponent === null ? "" : ` × ${kit.fmt.pow2(k.exponent)}`;
    kit.text(line, `${k.lead ? `${k.lead}.` : ""}${k.kept}${k.lead ? "" : "."}${k.guard}${k.rest}${k.more ? "…" : ""}₂${k.lead ? power : ""} keeps`);
    kit.list(boxes, all.slice(-34), () => kit.h("i"), (node, [kind, bit]) => kit.set(node, { class: kind, text: bit }));
  };
  return { el, update };
};

bits.rows = (entries) => {
  const cells = entries.map(([key, label]) => [key, kit.h("dt", { text: label }), kit.h("dd", { class: "cw-mono" })]);
  return { el: kit.h("dl", {}, cells.map(([, dt, dd]) => [dt, dd])), update: (values) => cells.forEach(([key, dt, dd]) => { kit.text(dd, values[key] || "–"); kit.set(dd, { title: values[key] || false }); }) };
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
    full: bits.rows([["exact", "you asked for"], ["stored", "stored, in full"], ["hexfloat", "as hexfloat"], ["error", "error"], ["error_ulp", "in steps (ulp)"]]),
    line: bits.line(),
    lineHead: kit.heading("Every value it can hold"),
    bins: bits.binsLine(),
    binHead: kit.heading("What rounds to what"),
    binWords: kit.h("p", { class: "cw-note" }),
    grid: bits.grid({ onPick: pick }),
    gridHead: kit.heading("All codes"),
    every: kit.table({ caption: "The same number in every format, closest first", columns: [{ key: "label", label: "format" }, { key: "bits", label: "bits", align: "right" }, { key: "code", label: "code", class: "cw-mono" }, { key: "stored", label: "stored", align: "right", class: "cw-mono" }, { key: "error", label: "error", align: "right", class: "cw-mono" }, { key: "relative", label: "relative", align: "right", class: "cw-mono" }] }),
    policies: kit.table({ caption: "What overflow, infinity and NaN become, by library", columns: [{ key: "library", label: "library" }, ...[["becomes", "your number"], ["over", "too large"], ["inf", "infinity"], ["nan", "NaN"]].map(([key, label]) => ({ key, label, class: "cw-mono", format: (x) => x || "not said", mark: (x) => ({ NaN: "nan", inf: "inf", max: "max" })[x] })), { key: "source", label: "source", class: "cw-note" }] }),
    policyHead: kit.heading("What a cast makes of it"),
    modes: kit.table({ caption: "What every way of rounding keeps of this number", columns: [{ key: "mode", label: "rounding" }, { key: "keeps", label: "keeps", class: "cw-mono" }, { key: "error", label: "error", align: "right", class: "cw-mono" }, { key: "where", label: "where", class: "cw-note" }] }),
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
    kit.legend([{ class: "sub", label: "zero and subnormal" }, { class: "l9", label: "stronger = larger" }, { class: "inf", label: "infinity" }, { class: "nan", label: "NaN" }]),
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
  const note = (head, text) => kit.text(head.lastChild, text);
  v.formats.set(state.format);
  kit.text(v.facts, `${o.format.line}. ${f.words}`);
  v.fields.update(f, o.fields);
  kit.text(v.big, o.short);
  kit.set(v.big, { title: o.value });
  kit.text(v.code, `${o.hex} · code ${kit.fmt.int(o.code)} · ${o.kind}`);
  kit.text(v.power, o.scientific);
  kit.text(v.formula, o.formula);
  kit.text(v.beside, o.spacing ? `next up ${o.up || "none"} · next down ${o.down || "none"} · spacing ${o.spacing}` : "not a number on the line: no neighbours");
  v.typed.set(state.typed || (o.value.length > 24 ? o.hexfloat || o.short : o.value));
  kit.text(v.becomes, t.error === "" ? `→ ${o.short}` : t.error === "0" ? `→ ${o.short}, exact` : `→ ${o.short}, error ${t.relative || t.error}`);
  v.cut.update(t.keeps);
  kit.text(v.why, t.why);
  v.full.update({ ...t, hexfloat: o.hexfloat });
  note(v.lineHead, `${kit.fmt.int(o.format.count)} numbers between ${o.format.ends[0]} and ${o.format.ends[1]}, ${kit.fmt.int(o.format.below_one)} of them smaller than 1 in magnitude${bits.width(f) > 8 ? "; one tick per power of two" : ""}`);
  const value = bits.decode(f, o.code);
  v.line.update(f, value, o.short, px);
  const asked = state.typed.trim() ? bits.parse(state.typed, f).x : bits.stored(f, o.code);
  v.bins.el.toggleAttribute("hidden", !o.bins.length);
  if (o.bins.length) v.bins.update(o.bins, bits.rank(f, o.code), asked.kind === "finite" ? Q.odd(bits.value(asked)) : NaN, bits.sayShort(asked), px);
  kit.text(v.binWords, bits.binWords(o.bins, bits.rank(f, o.code)));
  kit.say(root, `${f.label} ${o.hex}: ${o.short}, ${o.kind}`);
  const below = () => {
    kit.text(v.gridHead.firstChild, bits.width(f) > 8 ? "Codes around it" : `All ${2 ** bits.width(f)} codes`);
    note(v.gridHead, bits.gridNote(f));
    v.grid.update(f, o.code, bits.width(f) > 8 ? bits.digits(f) : px > 1040 ? 4 : 3);
    v.every.update(o.everywhere.map((row) => ({ ...row, class: row.format === f.name ? "here" : "" })));
    note(v.policyHead, o.agree);
    v.policies.update(o.policies.map((row) => ({ ...row, class: row.differs ? "differs" : "" })));
    v.modeHead.hidden = v.modes.el.hidden = !o.modes.length;
    v.modes.update(o.modes);
  };
  if (v.grid.el.kitKeys) below(); // a walk by arrow keys: the focus moves with the code
  else v.later(below);
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
