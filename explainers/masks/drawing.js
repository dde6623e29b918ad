/* Twin of picture.py: the mask, the stack with its reach, the cache curve; built once, then only attributes change. */
const CELL = 10;
const PAPER = TOKENS * CELL;
const ROLE = { causal: "full", window: "window", chunked: "window" };
const px = (x) => String(Math.round(x * 100) / 100);
const cellsPath = (rows) => rows.flatMap((list, query) => list.map(([a, b]) => `M${a * CELL} ${query * CELL}h${(b - a + 1) * CELL}v${CELL}h-${(b - a + 1) * CELL}z`)).join("");
const seenRanges = (mask, first) => mask.starts.map((start, query) => {
  const early = Math.min(first, start);
  return [...(early > 0 ? [[0, early - 1]] : []), [start, query]];
});

/* Queries down, keys to the right; drag or use the arrow keys to move the query. */
const maskView = (onQuery) => {
  const lines = Array.from({ length: TOKENS + 1 }, (_, i) => `M0 ${i * CELL}H${PAPER}M${i * CELL} 0V${PAPER}`).join("");
  const known = kit.s("path", { class: "cw-masks-known" });
  const seenPath = kit.s("path", { class: "cw-masks-seen" });
  const row = kit.s("rect", { class: "cw-masks-row", x: 0, width: PAPER, height: CELL });
  const number = kit.s("text", { class: "cw-masks-at" });
  const sink = kit.s("g", { class: "cw-masks-sink" }, kit.s("rect", { x: -24, y: 0, width: 12, height: PAPER, rx: 2 }), kit.s("text", { class: "cw-masks-axis", x: -18, y: -5, "text-anchor": "middle", text: "sink" }));
  const svg = kit.s("svg", { class: "cw-masks-mask", viewBox: `-48 -18 ${PAPER + 128} ${PAPER + 22}`, "aria-hidden": "true" },
    kit.s("text", { class: "cw-masks-axis", x: 14, y: -5, text: "keys: the past on the left, itself on the diagonal →" }), kit.s("text", { class: "cw-masks-axis", x: 14, y: 42, transform: "rotate(90)", text: "queries: one row for each token that looks →" }), sink, kit.s("path", { class: "cw-masks-past", d: `M0 0${"h10v10".repeat(TOKENS)}H0z` }), known, seenPath, kit.s("path", { class: "cw-masks-grid", d: lines }), row, number);
  const el = kit.h("div", { class: "cw-masks-stage", role: "slider", tabindex: "0", "aria-label": "Query token", "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": TOKENS - 1 }, svg);
  let at = 0;
  const toQuery = (_x, y) => onQuery(Math.max(0, Math.min(TOKENS - 1, Math.floor(((y / svg.clientHeight) * (PAPER + 22) - 18) / CELL))));
  kit.drag(svg, { move: toQuery });
  el.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 8, PageUp: -8, Home: -TOKENS, End: TOKENS }[event.key];
    if (!step) return;
    event.preventDefault();
    onQuery(Math.max(0, Math.min(TOKENS - 1, at + step)));
  });
  const update = (mask, state) => {
    at = state.query;
    kit.set(known, { d: cellsPath(mask.known_from) });
    kit.set(seenPath, { d: cellsPath(seenRanges(mask, state.first)), class: `cw-masks-seen ${ROLE[state.kind]}` });
    kit.set(sink, { visibility: state.sink ? false : "hidden" });
    kit.set(row, { y: at * CELL });
    kit.put(kit.set(number, { x: PAPER + 6, y: at * CELL + 9 }), "mask.at", "text", { mask });
    kit.set(el, { "aria-valuenow": at, "aria-valuetext": mask.row });
  };
  return { el, update };
};

/* One line per layer, the last on top: its mark, and how far back it knows on a log scale, now at the right. */
const stackView = (onLayer) => {
  const layers = kit.s("g");
  const axis = kit.s("g");
  const svg = kit.s("svg", { class: "cw-masks-stack", "aria-hidden": "true" }, axis, layers);
  const el = kit.h("div", { class: "cw-masks-stage", role: "slider", tabindex: "0", "aria-label": "Layer", "aria-orientation": "vertical", "aria-valuemin": 0 }, svg);
  let last = { count: 1, layer: 0, tall: 7 };
  const top = 16;
  const move = (layer) => onLayer(Math.max(0, Math.min(last.count - 1, layer)));
  kit.drag(svg, { move: (_x, y) => move(last.count - 1 - Math.floor((y - top) / last.tall)) });
  el.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1, ArrowRight: 1, ArrowLeft: -1, PageUp: 6, PageDown: -6, Home: -999, End: 999 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(last.layer + step);
  });
  const update = (stack, state, width, hide) => {
    const count = stack.first.length;
    const tall = Math.max(5, Math.min(12, Math.floor(430 / count)));
    const token = state.context - 1;
    const room = width - 64;
    const reach = (tokens) => (room * Math.log2(tokens)) / Math.log2(Math.max(2, state.context));
    last = { count, layer: state.layer, tall };
    kit.set(svg, { viewBox: `0 0 ${width} ${count * tall + top + 18}`, width, height: count * tall + top + 18 });
    kit.list(layers, stack.first, () => kit.s("g", {}, kit.s("rect", { class: "cw-masks-hit", x: 0 }), kit.s("rect"), kit.s("rect"), kit.s("rect"), kit.s("text", { class: "cw-masks-axis", "data-index": "" })), (g, first, i) => {
      const y = top + (count - 1 - i) * tall;
      const on = i === state.layer ? " on" : "";
      const bar = (css, from) => {
        const long = Math.max(1, reach(token - from + 1));
        return { class: `cw-masks-${css} ${stack.marks[i]}`, x: px(width - 50 - long), y, width: px(long), height: tall - 1 };
      };
      kit.set(g.children[0], { y: y - 1, width: width - 24, height: tall + 1, class: `cw-masks-hit${on}` });
      kit.set(g.children[1], bar("reach", hide ? stack.sees[i] : first));
      kit.set(g.children[2], bar("sight", stack.sees[i]));
      kit.set(g.children[3], { class: `cw-masks-mark ${stack.marks[i]}`, x: width - 44, y, width: 16, height: tall - 1 });
      const close = Math.abs(i - state.layer) * tall < 11;
      const named = i === state.layer || ((i === 0 || i === count - 1) && !close);
      kit.set(g.children[4], { x: width - 22, y: y + tall / 2 + 3.5, text: named ? i : "", class: `cw-masks-axis${on}` });
    });
    kit.list(axis, stack.back, () => kit.s("g", {}, kit.s("path", { class: "cw-masks-tick" }), kit.s("text", { class: "cw-masks-axis", "text-anchor": "middle" })), (g, t, i) => {
      const x = width - 50 - reach(t);
      kit.set(g.children[0], { d: `M${px(x)} ${top - 2}V${count * tall + top + 2}` });
      kit.fill(kit.set(g.children[1], { x: px(Math.max(22, x)), y: count * tall + top + 14 }), i ? `−{stack.back.${i}:int}` : "now", { stack });
    });
    kit.set(el, { "aria-valuemax": count - 1, "aria-valuenow": state.layer, "aria-valuetext": hide ? `Layer ${state.layer}` : stack.knows });
  };
  return { el, update };
};

/* The kinds of layers in a stack, and the colour of each. */
const marksLegend = (data) => {
  const el = kit.h("ul", { class: "cw-legend" });
  const update = (marks) => kit.list(el, Object.keys(data.marks).filter((letter) => marks.includes(letter)), () => kit.h("li", {}, kit.h("i", { "aria-hidden": "true" }), kit.h("span")), (li, letter) => {
    kit.set(li.firstChild, { class: `cw-masks-key ${letter}` });
    kit.text(li.lastChild, data.marks[letter]);
  });
  return { el, update };
};

/* Bytes against context, both on log scales: as it is, and as if every layer kept every token. */
const curveView = (onContext) => {
  const high = 250;
  const make = (css) => kit.s("path", { class: css });
  const parts = { grid: kit.s("g"), full: make("cw-masks-curve all"), real: make("cw-masks-curve"), gap: make("cw-masks-gap") };
  const area = make("cw-masks-area");
  const dots = [kit.s("circle", { r: 4, class: "cw-masks-dot all" }), kit.s("circle", { r: 5, class: "cw-masks-dot" })];
  const names = [kit.s("text", { class: "cw-masks-name all", text: "every token kept" }), kit.s("text", { class: "cw-masks-name", text: "as it is" })];
  const svg = kit.s("svg", { class: "cw-masks-curves", role: "img" }, area, Object.values(parts), dots, names);
  let scale = null;
  kit.drag(svg, { move: (x) => scale && onContext(2 ** Math.max(8, Math.min(20, Math.round(8 + (12 * (x - scale.left)) / scale.wide)))) });
  const spelt = (values) => [8192, 131072, 1048576].map((t) => `${kit.fmt.int(t)} tokens ${kit.fmt.bytes(values[CURVE.indexOf(t)])}`).join("; ");
  const update = (stack, state, width, hide) => {
    for (const part of [parts.real, parts.gap, area, dots[1], names[1]]) kit.set(part, { visibility: hide ? "hidden" : false });
    const left = 62;
    const wide = width - left - 14;
    const low = Math.floor(Math.log10(Math.max(1, stack.curve[0])));
    const up = Math.ceil(Math.log10(Math.max(10, stack.curve_full.at(-1))));
    scale = { left, wide };
    const x = (t) => left + (wide * (Math.log2(t) - 8)) / 12;
    const y = (bytes) => 10 + (high - 34) * (1 - (Math.log10(Math.max(1, bytes)) - low) / (up - low));
    const line = (values) => values.map((v, i) => `${i ? "L" : "M"}${px(x(CURVE[i]))} ${px(y(v))}`).join("");
    kit.set(svg, { viewBox: `0 0 ${width} ${high}`, width, height: high, "aria-label": `Cache bytes against context for ${stack.title}. Every token in every layer: ${spelt(stack.curve_full)}.${hide ? "" : ` As it is: ${spelt(stack.curve)}.`}` });
    kit.set(parts.full, { d: line(stack.curve_full) });
    kit.set(parts.real, { d: line(stack.curve) });
    kit.set(area, { d: `${line(stack.curve)}V${high - 24}H${left}z` });
    const at = Math.max(256, Math.min(2 ** 20, state.context));
    kit.set(parts.gap, { d: `M${px(x(at))} ${px(y(stack.bytes_full))}V${px(y(stack.bytes))}` });
    dots.forEach((dot, i) => kit.set(dot, { cx: px(x(at)), cy: px(y(i ? stack.bytes : stack.bytes_full)) }));
    kit.set(names[0], { x: px(x(16384)), y: px(y(stack.curve_full[6]) - 12), "text-anchor": "end" });
    kit.set(names[1], { x: px(x(65536)), y: px(y(stack.curve[8]) + 20), "text-anchor": "start" });
    const rows = Array.from({ length: up - low + 1 }, (_, i) => low + i);
    const columns = [8, 11, 13, 15, 17, 20];
    kit.list(parts.grid, [...rows.map((e) => ({ e })), ...columns.map((p) => ({ p }))], () => kit.s("g", {}, kit.s("path", { class: "cw-masks-tick" }), kit.s("text", { class: "cw-masks-axis", "data-index": "" })), (g, one) => {
      const byte = one.e !== undefined;
      const [gx, gy] = byte ? [left - 8, y(10 ** one.e)] : [x(2 ** one.p), high - 8];
      kit.set(g.children[0], { d: byte ? `M${left} ${px(gy)}h${px(wide)}` : `M${px(gx)} ${high - 24}v4` });
      kit.set(g.children[1], { x: px(gx), y: px(byte ? gy + 4 : gy), "text-anchor": byte ? "end" : "middle", text: byte ? kit.fmt.bytes(10 ** one.e, undefined, 0) : one.p === 20 ? "1M" : one.p > 9 ? `${2 ** (one.p - 10)}k` : "256" });
    });
  };
  return { el: svg, update };
};

/* A stack as a small strip, first layer on the left. */
const stripPath = (marks, letter, wide, high) => [...marks].map((m, i) => (m === letter ? `M${px((i * wide) / marks.length)} 0h${px(Math.max(0.5, wide / marks.length - 0.6))}v${high}h-${px(Math.max(0.5, wide / marks.length - 0.6))}z` : "")).join("");
const strip = () => {
  const letters = [..."FWCSHLKN"];
  const paths = letters.map((letter) => kit.s("path", { class: `cw-masks-mark ${letter}` }));
  const svg = kit.s("svg", { class: "cw-masks-strip", viewBox: "0 0 200 16", preserveAspectRatio: "none", "aria-hidden": "true" }, paths);
  return { el: svg, update: (marks) => letters.forEach((letter, i) => kit.set(paths[i], { d: stripPath(marks, letter, 200, 16) })) };
};
