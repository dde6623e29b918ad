/* Controls: each turns a description into {el, set(value), error(sentence), enable(bool)} and calls onInput with legal values only. */
kit.control = (kind, { label, hint }, ...inner) => {
  const error = kit.h("span", { class: "cw-error", role: "alert" });
  const name = kit.h("span", { class: "cw-label", text: label });
  const el = kit.h("div", { class: `cw-control cw-control-${kind}` }, kit.h("label", {}, name, ...inner), hint || null, error);
  return { el, error: (sentence) => kit.text(error, sentence || "") };
};

kit.options = (options) => options.map((o) => (typeof o === "object" ? o : { value: o, label: String(o) }));

kit.slider = ({ label, min, max, step = 1, value = min, format = String, ticks = [], onInput }) => {
  const input = kit.h("input", { type: "range", min, max, step, "aria-label": label });
  const out = kit.h("output", { class: "cw-mono" });
  const marks = kit.h("span", { class: "cw-ticks", "aria-hidden": "true" });
  const show = (v) => {
    kit.set(input, { value: String(v), "aria-valuetext": format(v), style: { "--at": `${max > min ? (100 * (v - min)) / (max - min) : 0}%` } });
    kit.text(out, format(v));
    [...marks.children].forEach((m, i) => m.classList.toggle("on", ticks[i].value === v));
  };
  for (const t of ticks) {
    const at = max > min ? (t.value - min) / (max - min) : 0;
    marks.append(kit.h("span", { text: t.label, style: { "--at": `${100 * at}%` } }));
  }
  input.addEventListener("input", () => { show(Number(input.value)); onInput(Number(input.value)); });
  const made = kit.control("slider", { label }, kit.h("span", { class: "cw-track" }, input, ticks.length ? marks : null), ticks.length ? null : out);
  show(value);
  return { ...made, input, set: show, enable: (on) => kit.set(input, { disabled: !on }) };
};

kit.choices = ({ label, options, value, onInput }) => {
  const all = kit.options(options);
  const index = (v) => Math.max(0, all.findIndex((o) => o.value === v));
  const ticks = all.map((o, i) => ({ value: i, label: o.label }));
  const made = kit.slider({ label, min: 0, max: all.length - 1, value: index(value), ticks, format: (i) => all[i].label, onInput: (i) => onInput(all[i].value) });
  return { ...made, set: (v) => made.set(index(v)) };
};

kit.select = ({ label, options, value, onInput }) => {
  const input = kit.h("select", { "aria-label": label });
  const groups = new Map();
  for (const o of kit.options(options)) {
    if (o.group && !groups.has(o.group)) groups.set(o.group, input.appendChild(kit.h("optgroup", { label: o.group })));
    (groups.get(o.group) || input).append(kit.h("option", { value: String(o.value), text: o.label }));
  }
  const values = new Map(kit.options(options).map((o) => [String(o.value), o.value]));
  input.addEventListener("change", () => onInput(values.get(input.value)));
  const set = (v) => kit.set(input, { value: String(v) });
  if (value !== undefined) set(value);
  return { ...kit.control("select", { label }, input), input, set, enable: (on) => kit.set(input, { disabled: !on }) };
};

kit.segmented = ({ label, options, value, onInput }) => {
  const group = kit.uid("radio");
  const inputs = kit.options(options).map((o) => ({ ...o, input: kit.h("input", { type: "radio", name: group, value: String(o.value) }) }));
  const pills = inputs.map((o) => {
    o.input.addEventListener("change", () => onInput(o.value));
    return kit.h("label", { class: "cw-pill", title: o.title || false }, o.input, kit.h("span", { text: o.label }));
  });
  const error = kit.h("span", { class: "cw-error", role: "alert" });
  const el = kit.h("fieldset", { class: "cw-control cw-segmented" }, kit.h("legend", { class: "cw-label", text: label }), kit.h("span", { class: "cw-pills" }, ...pills), error);
  const set = (v) => inputs.forEach((o) => kit.set(o.input, { checked: o.value === v }));
  const enable = (on, v) => inputs.forEach((o) => { if (v === undefined || v === o.value) kit.set(o.input, { disabled: !on }); });
  set(value);
  return { el, set, enable, error: (sentence) => kit.text(error, sentence || "") };
};

kit.text_input = ({ label, value = "", allow, onInput, size = 12, mode = "text" }) => {
  const input = kit.h("input", { type: "text", size, inputmode: mode, autocomplete: "off", spellcheck: "false", "aria-label": label });
  const made = kit.control("text", { label }, input);
  const error = (sentence) => { made.error(sentence); kit.set(input, { "aria-invalid": sentence ? "true" : false }); };
  let mine = false; // what is set now answers what was typed; any other value, as after Back, comes from elsewhere
  let answered = "";
  let timer = 0;
  const offer = () => {
    const sentence = allow ? allow(input.value.trim()) : "";
    error(sentence);
    if (sentence) return;
    mine = true;
    onInput(input.value.trim());
    clearTimeout(timer);
    timer = setTimeout(() => { mine = false; }, 250); // some are drawn a frame later
  };
  input.addEventListener("input", offer);
  const set = (v) => { // never under the reader's fingers: what they are typing stays as they type it
    if (mine) answered = String(v);
    if (kit.typing === input && String(v) === answered) return;
    answered = String(v);
    if (input.value !== String(v)) input.value = String(v);
    error("");
  };
  input.addEventListener("focus", () => { kit.typing = input; answered = input.value; });
  input.addEventListener("blur", () => { kit.typing = null; });
  set(value);
  return { el: made.el, input, set, error, enable: (on) => kit.set(input, { disabled: !on }) };
};

/* A comma groups thousands and nothing else: 1,5 is no number here, and what it might mean is said. */
kit.number = ({ label, value, min = -Infinity, max = Infinity, integer = false, also = [], allow, onInput, unit, size = 8 }) => {
  const group = (v) => kit.fmt.group(String(v));
  const range = Number.isFinite(max) ? ` from ${group(min)} to ${group(max)}` : min === -Infinity ? "" : ` of at least ${group(min)}`;
  const read = (text) => also.find((word) => word.toLowerCase() === text.toLowerCase())
    ?? (text === "" ? NaN : Number(/^[-+]?\d{1,3}(,\d{3})+(?![\d,])/.test(text) ? text.replace(/,/g, "") : text));
  const legal = (text) => {
    const v = read(text);
    if (also.includes(v)) return allow ? allow(v) : "";
    if (!Number.isFinite(v) || v < min || v > max || (integer && !Number.isInteger(v))) {
      const point = /^[-+]?\d+,\d+$/.test(text) && !integer ? ` Write ${text.replace(",", ".")}, with a point.` : "";
      return `${label}: a ${integer ? "whole number" : "number"}${range}${also.map((word) => `, or ${word}`).join("")}.${point}`;
    }
    return allow ? allow(v) : "";
  };
  const made = kit.text_input({ label, value, size, mode: integer ? "numeric" : "decimal", allow: legal, onInput: (t) => onInput(read(t)) });
  if (unit) made.input.after(kit.h("span", { class: "cw-unit", text: unit }));
  return made;
};

kit.toggle = ({ label, value = false, onInput }) => {
  const input = kit.h("input", { type: "checkbox" });
  input.addEventListener("change", () => onInput(input.checked));
  const error = kit.h("span", { class: "cw-error", role: "alert" });
  const el = kit.h("div", { class: "cw-control cw-toggle" }, kit.h("label", {}, input, kit.h("span", { text: label })), error);
  const set = (v) => kit.set(input, { checked: Boolean(v) });
  set(value);
  return { el, input, set, enable: (on) => kit.set(input, { disabled: !on }), error: (sentence) => kit.text(error, sentence || "") };
};

kit.button = ({ label, text, onClick }) => {
  const el = kit.h("button", { type: "button", class: "cw-button", "aria-label": label || false, text: text || label, on: { click: onClick } });
  return { el, set: (t) => kit.text(el, t), enable: (on) => kit.set(el, { disabled: !on }), error: () => {} };
};

kit.table = ({ caption, columns, rows = [] }) => {
  const head = kit.h("tr", {}, columns.map((c) => kit.h(c.label ? "th" : "td", { scope: c.label ? "col" : false, class: c.align ? `cw-${c.align}` : false, text: c.label })));
  const body = kit.h("tbody");
  const el = kit.h("div", { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": caption }, kit.h("table", { class: "cw-table" }, kit.h("caption", { text: caption }), kit.h("thead", {}, head), body));
  const cell = (c, i) => kit.h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : false, class: [c.align && `cw-${c.align}`, c.class].filter(Boolean).join(" ") || false });
  const update = (now) => kit.list(body, now, () => kit.h("tr", {}, columns.map(cell)), (tr, row) => {
    kit.set(tr, { class: row.class || false });
    columns.forEach((c, i) => {
      const td = tr.children[i];
      if (c.out) kit.put(td, c.out(row), c.how, row.now);
      else kit.text(td, c.format ? c.format(row[c.key], row) : row[c.key] ?? "");
      if (c.mark) kit.set(td, { "data-mark": c.mark(c.out ? td.textContent : row[c.key], row) || false });
    });
  });
  update(rows);
  return { el, update };
};

kit.heading = (title, note = "") => kit.h("h2", { class: "cw-heading" }, kit.h("span", { text: title }), " ", kit.h("small", { text: note }));
kit.legend = (items) => kit.h("ul", { class: "cw-legend" }, items.map((i) => kit.h("li", {}, kit.h("i", { class: i.class, "aria-hidden": "true" }), i.label)));
