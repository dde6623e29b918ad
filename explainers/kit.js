/* What every widget shares, once: kit.js turns (model, el) into building, listening and printing.

Module text = kit.js + kit-controls.js + kit-time.js + the widget's own files, concatenated: no imports anywhere.
A widget file looks like this (no `import`, no innerHTML, no style attribute, no `a < b, c > (d)`: Panel reads TypeScript):

  export function check(state, data) { return "" }            // or the sentence that says what is legal; same as reference.check
  export function compute(state, data) { return {...} }       // same keys and values as reference.compute
  export default { render({ model, el }) {
    const root = kit.root(el, "heads");                       // <div class="cw cw-heads">; the host put the picture there before
    const view = build(root, kit.data(model));                // build the DOM once
    return kit.live(model, { root, keys: ["model", "tp"], check, update: (state, data) => { ...set attributes... } });
  } };

DOM      kit.h(tag, attrs, ...kids)      HTML element. attrs: class, text, on: {click: fn}, data: {x: 1}, style: {"--x": 3}, any attribute;
                                         true = bare attribute, false/null = absent. kids: nodes, strings, arrays, null.
         kit.s(tag, attrs, ...kids)      the same for SVG.
         kit.set(node, attrs)            update attributes, touching only what changed (same attrs as h).
         kit.text(node, string)          update text, touching only what changed.
         kit.list(parent, items, make, update, key?)   reuse children: make(item, i) -> node, update(node, item, i).
         kit.tip(node, text | () => text)    tooltip on hover and focus; also becomes aria-describedby text.
         kit.say(root, text)             polite live region, for what a sighted reader sees change.
         kit.width(root, px => ...)      calls at once and on every resize of root; returns a stop function. kit.wide(root) is that width,
                                         known without a layout; ask for no clientWidth while you build.
         kit.after()                     later(fn): runs the newest fn once the next frame is out, for what lies below the fold.
         kit.drag(node, {start, move, end})  pointer drag; move(x, y, event) in node's client pixels.
Model    kit.data(model)                 the constants (plain objects, whatever the host).
         kit.state(model, keys)          {key: value}.
         kit.commit(model, {key: value}) set what differs, then save_changes().
         kit.live(model, {root, keys, check, update})   one change listener per key, one update per burst (microtask);
                                         a state that check() refuses shows its sentence, last good state stays drawn. Returns cleanup.
         kit.offer(model, {keys, data, check})   offer(control, changes): commits a legal state; else the sentence beside the control.
Numbers  kit.fmt.int(7168) "7,168" · .count(671026419200) "671.03 B" · .bytes(327680) "327.7 KB" · .bytes(n, "KB", 1)
         .kib(18432) "18.0 KiB" · .sig(x, 4) · .fixed(x, 2) · .percent(0.0256, 2) "2.56 %" · .times(8) "8 ×" · .sup(-6) "⁻⁶" · .pow2(-6) "2⁻⁶"
         .num(-1.5e-7, 3) "−1.5e−7": significant digits, true minuses
         KB = 1,000 bytes, KiB = 1,024. explainers/fmt.py prints the same strings; a test holds them together.
         kit.print(327680, "bytes KB 1")  the same calls written as words; "text" is the value as it is, and so is a string ("NaN")
         kit.put(node, "stops.3.bytes", "bytes KB", now)   prints that value of compute's result and says so (data-out, data-format):
         kit.fill(node, "latent c {mla.rank:int}", now)   words with such values in braces; HTML or SVG
         every number on the screen is printed this way or stands in such a node; tests/explainers/test_numbers_browser.py compares them
Controls (kit-controls.js) each returns {el, set(value), error(sentence), enable(bool)}; onInput(value) is called with legal values only:
         kit.slider({label, min, max, step, value, format, ticks: [{value, label}], onInput})
         kit.choices({label, options: [values | {value, label}], onInput})        one slider over named stops (MHA 64 ... MLA)
         kit.select({label, options: [{value, label, group}], value, onInput})
         kit.segmented({label, options, value, onInput})                        radio pills
         kit.number({label, min, max, integer, value, unit, also, allow, onInput})    allow(v) -> "" or sentence; also: words that count, ["NaN"]
         kit.text_input({label, value, allow, onInput, size})
         kit.toggle({label, value, onInput}) · kit.button({label, text, onClick})
         kit.table({caption, columns: [{key, label, align: "right", format, mark}], rows}) -> {el, update(rows)}
           a column {label, out: (row) => "mla.ways.0.flops", how: "int"} is bound; its rows carry now
         kit.heading(title, note) -> h2 with a muted note · kit.legend([{class, label}])
Time     (kit-time.js) kit.transport({label, length, value, rate, format, print(node, t), onFrame(t), onStop(t)})
         -> {el, set(t), length(n), stop(), playing()}; kit.steady() -> {el, update(texts, index)}: words of a step that move nothing
         play/pause, step back/forward, scrub; t is a float while playing, whole when stepped; keyboard: space, arrows, home, end;
         prefers-reduced-motion plays in whole steps. onFrame draws; commit the state in onStop only.
Mesh     (kit-mesh.js) kit.mesh, kit.network, kit.schedule: ranks that send, gallery/mesh again; its manual is the file's head.
CSS      kit.css: .cw (widget root), .cw-row (controls in a row), .cw-split (two columns), .cw-note, .cw-mono, .cw-big, .cw-error, .cw-scroll,
         .cw-pill, .cw-table ... Yours: every selector starts with .cw-<name>. */
const kit = {};

kit.NS = "http://www.w3.org/2000/svg";

kit.set = (node, attrs) => {
  for (const [key, value] of Object.entries(attrs || {})) {
    if (key === "text") kit.text(node, value);
    else if (key === "on") for (const [event, fn] of Object.entries(value)) node.addEventListener(event, fn);
    else if (key === "data") for (const [name, v] of Object.entries(value)) node.dataset[name] = v;
    else if (key === "style") for (const [name, v] of Object.entries(value)) node.style.setProperty(name, v);
    else if (key === "value" || key === "checked" || key === "disabled") { if (node[key] !== value) node[key] = value; }
    else if (value === false || value === null || value === undefined) node.removeAttribute(key);
    else {
      const text = value === true ? "" : String(value);
      if (node.getAttribute(key) !== text) node.setAttribute(key, text);
    }
  }
  return node;
};

kit.text = (node, text) => {
  const value = String(text);
  if (node.textContent !== value) node.textContent = value;
  return node;
};

kit.mixed = (value) => {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
};
kit.grow = (node, attrs, kids) => {
  kit.set(node, attrs);
  for (const kid of kids.flat(Infinity)) if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
  return node;
};
kit.h = (tag, attrs, ...kids) => kit.grow(document.createElement(tag), attrs, kids);
kit.s = (tag, attrs, ...kids) => kit.grow(document.createElementNS(kit.NS, tag), attrs, kids);

kit.list = (parent, items, make, update, key) => {
  const old = parent.kitList || new Map();
  const now = new Map();
  items.forEach((item, i) => {
    const k = key ? key(item, i) : i;
    const node = old.get(k) || make(item, i);
    if (update) update(node, item, i);
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] || null);
    now.set(k, node);
  });
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  parent.kitList = now;
};

/* The whole number nearest to down + left/whole; of two equally near the even one. Numbers or BigInts. */
kit.even = (down, left, whole) => {
  const one = typeof down === "bigint" ? 1n : 1;
  const twice = left + left;
  return twice > whole || (twice === whole && down % (one + one)) ? down + one : down;
};

kit.uid = (() => {
  let n = 0;
  return (prefix) => `cw-${prefix}-${(n += 1)}`;
})();

kit.root = (el, name) => {
  const live = kit.h("div", { class: "cw-live", role: "status", "aria-live": "polite" });
  const error = kit.h("p", { class: "cw-error", role: "alert" });
  const root = kit.h("div", { class: `cw cw-${name}` }, live, error);
  root.kitWidth = Math.round(el.clientWidth); // before anything changes: asking later would cost a layout of half-built DOM
  root.kitLive = live;
  root.kitError = error;
  el.append(root);
  return root;
};

kit.say = (root, text) => kit.text(root.kitLive, text);

kit.wide = (root) => root.kitWidth || (root.kitWidth = Math.round(root.clientWidth)) || 900;
kit.width = (root, fn) => {
  let last = 0;
  const report = () => { if (root.kitWidth && root.kitWidth !== last) fn((last = root.kitWidth)); };
  const watch = new ResizeObserver(() => { root.kitWidth = Math.round(root.clientWidth); report(); });
  watch.observe(root);
  kit.wide(root);
  report();
  return () => watch.disconnect();
};

kit.after = () => {
  let work = null;
  const run = () => { const fn = work; work = null; fn(); };
  return (fn) => {
    if (!work) requestAnimationFrame(() => setTimeout(run));
    work = fn;
  };
};

kit.drag = (node, { start, move, end }) => {
  const at = (e) => {
    const box = node.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top, e];
  };
  node.addEventListener("pointerdown", (e) => {
    if (start && start(...at(e)) === false) return;
    node.setPointerCapture(e.pointerId);
    const onMove = (m) => move(...at(m));
    const onEnd = (u) => {
      node.removeEventListener("pointermove", onMove);
      if (end) end(...at(u));
    };
    node.addEventListener("pointermove", onMove);
    node.addEventListener("pointerup", onEnd, { once: true });
    node.addEventListener("pointercancel", onEnd, { once: true });
    move(...at(e));
  });
};

kit.tip = (node, words) => {
  const read = () => (typeof words === "function" ? words() : words);
  const box = kit.h("div", { class: "cw-tip", role: "tooltip", id: kit.uid("tip"), hidden: true });
  const show = () => {
    const root = node.closest(".cw");
    if (!root || !read()) return;
    kit.text(box, read());
    root.append(box);
    box.hidden = false;
    const [a, b, t] = [node, root, box].map((n) => n.getBoundingClientRect());
    const left = Math.max(0, Math.min(a.left - b.left + a.width / 2 - t.width / 2, b.width - t.width));
    kit.set(box, { style: { left: `${left}px`, top: `${a.top - b.top - t.height - 6}px` } });
    node.setAttribute("aria-describedby", box.id);
  };
  const hide = () => {
    box.hidden = true;
    box.remove();
    node.removeAttribute("aria-describedby");
  };
  for (const event of ["pointerenter", "focus"]) node.addEventListener(event, show);
  for (const event of ["pointerleave", "blur", "pointerdown"]) node.addEventListener(event, hide);
  node.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
};

/* ---------------------------------------------------------------- the model */
kit.plain = (v) => {
  if (v instanceof Map) return Object.fromEntries([...v].map(([k, x]) => [k, kit.plain(x)]));
  if (Array.isArray(v)) return v.map(kit.plain);
  return v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, kit.plain(x)])) : v;
};
kit.data = (model) => {
  const data = model.get("data");
  return typeof data === "string" ? JSON.parse(data) : kit.plain(data);
};
kit.state = (model, keys) => Object.fromEntries(keys.map((k) => [k, kit.plain(model.get(k))]));

kit.commit = (model, changes) => {
  const same = (a, b) => Object.is(a, b) || (typeof a === "object" && JSON.stringify(kit.plain(a)) === JSON.stringify(b));
  const moved = Object.entries(changes).filter(([k, v]) => !same(model.get(k), v));
  for (const [k, v] of moved) model.set(k, v);
  if (moved.length) model.save_changes();
};

kit.live = (model, { root, keys, check, update }) => {
  const data = kit.data(model);
  let waiting = false;
  let gone = false;
  const run = () => {
    waiting = false;
    if (gone) return;
    const state = kit.state(model, keys);
    const sentence = check ? check(state, data) : "";
    kit.text(root.kitError, sentence);
    if (!sentence) update(state, data);
  };
  const later = () => {
    if (!waiting) queueMicrotask(run);
    waiting = true;
  };
  for (const key of keys) model.on(`change:${key}`, later);
  run();
  return () => {
    gone = true;
    for (const key of keys) model.off(`change:${key}`, later);
    root.remove();
  };
};

/* Commit only what check() allows; what it refuses is said beside the control that asked, and the state stays. */
kit.offer = (model, { keys, data, check }) => {
  let refused = null;
  return (control, changes) => {
    const sentence = check({ ...kit.state(model, keys), ...changes }, data);
    if (refused && refused !== control) refused.error("");
    refused = sentence ? control : null;
    control.error(sentence);
    if (!sentence) kit.commit(model, changes);
    return !sentence;
  };
};

/* ---------------------------------------------------------------- numbers */
kit.fmt = (() => {
  const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const fixed = (x, digits) => {
    const [whole, part] = x.toFixed(digits).split(".");
    return group(whole) + (part ? `.${part}` : "");
  };
  const int = (n) => group(String(typeof n === "bigint" ? n : Math.round(n)));
  const scaled = (n, steps, digits) => {
    const [size, unit] = steps.find(([s]) => Math.abs(n) >= s) || [1, ""];
    return `${fixed(n / size, digits)} ${unit}`;
  };
  const COUNT = [[1e12, "T"], [1e9, "B"], [1e6, "M"]];
  const BYTES = [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]];
  const KIB = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
  const measured = (steps) => (n, unit, digits = 1) => {
    if (unit) return `${fixed(n / steps.find((s) => s[1] === unit)[0], unit === "B" ? 0 : digits)} ${unit}`;
    return Math.abs(n) < steps.at(-2)[0] ? `${int(n)} B` : scaled(n, steps, digits);
  };
  const sup = (n) => [...String(n)].map((c) => ({ "-": "⁻" })[c] || "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]).join("");
  return {
    int, fixed, sup, group,
    count: (n, digits = 2) => (Math.abs(n) < 1e6 ? int(n) : scaled(n, COUNT, digits)),
    bytes: measured(BYTES),
    kib: measured(KIB),
    sig: (x, digits) => String(Number(x.toPrecision(digits))),
    percent: (x, digits = 1) => `${fixed(100 * x, digits)} %`,
    times: (x, digits = 0) => `${fixed(x, digits)} ×`,
    pow2: (e) => `2${sup(e)}`,
    num: (x, digits = 5) => (Object.is(x, -0) ? "−0" : String(Number(x.toPrecision(digits))).replaceAll("-", "−").replace("e+", "e")),
    signed: (x, digits = 0) => fixed(Math.abs(x) < 0.5 / 10 ** digits ? 0 : x, digits).replace("-", "−"),
  };
})();

kit.print = (value, how = "text") => {
  const [name, ...args] = how.split(" ");
  if (name === "each") return value.map((v) => kit.print(v, args.join(" "))).join("  ");
  return name === "text" || typeof value === "string" ? String(value) : kit.fmt[name](value, ...args.map((a) => (/^\d+$/.test(a) ? Number(a) : a)));
};
/* What is known, {key: () => value} -> one object; the values are worked out when they are asked for, each once. */
kit.lazy = (known, makers) => Object.defineProperties(known, Object.fromEntries(Object.entries(makers).map(([key, make]) => {
  let value;
  return [key, { enumerable: true, get: () => (value ??= make()) }];
})));
/* A state and what is computed of it, none of which is worked out by that. */
kit.joined = (state, now) => Object.defineProperties({ ...state }, Object.getOwnPropertyDescriptors(now));
kit.path = (value, path) => path.split(".").reduce((v, key) => v[key], value);
kit.put = (node, path, how, now) => kit.set(node, { "data-out": path, "data-format": how || "text", text: kit.print(kit.path(now, path), how) });
kit.holes = (template) => template.split(/(\{[\w.-]+(?::[^{}]+)?\})/).filter(Boolean).map((bit) => {
  const hole = /^\{([\w.-]+)(?::([^{}]+))?\}$/.exec(bit);
  return hole ? { path: hole[1], how: hole[2] || "text" } : bit;
});
kit.fill = (node, template, now) => {
  if (node.kitTemplate !== template || !node.firstChild) {
    const make = node.namespaceURI === kit.NS ? () => kit.s("tspan") : () => kit.h("span");
    node.replaceChildren(...kit.holes(template).map((bit) => (typeof bit === "string" ? bit : kit.set(make(), { "data-out": bit.path, "data-format": bit.how }))));
    node.kitTemplate = template;
  }
  for (const out of node.children) kit.put(out, out.dataset.out, out.dataset.format, now);
  return node;
};
