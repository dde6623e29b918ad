/* The lanes: one path per rank, kind and chunk; numbers where they fit; the cursor, the gap and its arrow.
   Where the numbers would not fit, the whole step is a small map, and below it stands the time around the cursor. */
const box = (x, y, w, h) => {
  const n = (value) => Math.round(value * 100) / 100;
  if (w - 4 < 0) return `M${n(x)} ${y}h${n(w)}v${h}h${-n(w)}z`; // too narrow for corners to show
  const r = Math.min(3, w / 3);
  return `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}q${r} 0 ${r} ${r}v${n(h - 2 * r)}q0 ${r} ${-r} ${r}h${n(2 * r - w)}q${-r} 0 ${-r} ${-r}v${n(2 * r - h)}q0 ${-r} ${r} ${-r}z`;
};
const DIGIT = 7; // pixels wide
const MAP_PITCH = 8;
const needs_px = (m) => DIGIT * String(m).length + 2;

/* Sizes in pixels: the field of the lanes, and above it a map of the whole step if the cells are too narrow to read. */
const geometry = (width, out, m, close) => {
  const ranks = out.ops.length;
  const left = width < 560 ? 26 : 60;
  const right = width < 560 ? 72 : width < 800 ? 96 : 168;
  const pairs = out.ops.some((ops) => ops.some((op) => op[0] === "X"));
  const lane = 8 >= ranks ? 32 : pairs ? 28 : 20; // half a pair must hold a number
  const pitch = lane + (ranks > 8 ? 4 : 6);
  const inner = width - left - right;
  const least = Math.min(...out.ops.flat().map((op) => op.at(-1) - op.at(-2)).filter((t) => t > 0));
  const whole = { left, inner, from: 0, to: out.span };
  const tight = close && 0.85 * needs_px(m) > (least * inner) / out.span;
  const map = tight ? { ...whole, top: 26, lane: MAP_PITCH - 2, pitch: MAP_PITCH } : null;
  const shown = tight ? Math.min(out.span, (least * inner) / (needs_px(m) + 2)) : out.span;
  const top = tight ? map.top + ranks * MAP_PITCH + 14 : 26;
  return { left, right, inner, width, map, shown, digits: needs_px(m), track: width < 560 ? 26 : right - 62, main: { ...whole, to: shown, top, lane, pitch }, height: top + ranks * pitch + 6 };
};

/* Where the shown part begins when the cursor stands at t: it turns over like a page, half a part at a time. */
const page_at = (t, g, span) => {
  const half = g.shown / 2;
  return Math.max(0, Math.min(span - g.shown, (Math.floor(t / half) - 0.5) * half));
};

/* The cells of a field as {kind, chunk, x, y, w, h, label}. */
const cells = (out, f, p) => {
  const unit = f.inner / (f.to - f.from);
  const made = [];
  out.ops.forEach((ops, r) => ops.forEach((op) => {
    const [start, end] = [Math.max(op[op.length - 2], f.from), Math.min(op[op.length - 1], f.to)];
    if (start >= end) return;
    const y = f.top + r * f.pitch;
    const wide = (end - start) * unit;
    const space = Math.min(1, wide / 5);
    const at = { x: f.left + (start - f.from) * unit + space / 2, w: wide - space };
    const chunk = (stage) => (stage === r ? 0 : Math.floor(stage / p));
    if (op[0] !== "X") made.push({ ...at, kind: op[0], chunk: chunk(op[1]), y, h: f.lane, label: op[2] + 1 });
    else {
      made.push({ ...at, kind: "F", chunk: chunk(op[1]), y, h: f.lane / 2 - 0.5, label: op[2] + 1 });
      made.push({ ...at, kind: "B", chunk: chunk(op[3]), y: y + f.lane / 2 + 0.5, h: f.lane / 2 - 0.5, label: op[4] + 1 });
    }
  }));
  return made;
};
const paint_cells = (group, all) => {
  const paths = {};
  for (const c of all) (paths[c.kind + c.chunk] ||= []).push(box(c.x, c.y, c.w, c.h));
  kit.list(group, Object.keys(paths).sort(), () => kit.s("path"), (node, key) => kit.set(node, { class: `cw-pipeline-${key[0]} cw-pipeline-tone${key.slice(1)}`, d: paths[key].join("") }));
};

/* clock: with a cursor, and what is in flight there; without: what is held at most. close: a close-up where it is needed. */
const lanes_view = ({ clock = true, close = true } = {}) => {
  const rows = kit.s("g");
  const map = kit.s("g", { class: "cw-pipeline-map" });
  const frame = kit.s("rect", { class: "cw-pipeline-frame", rx: 3 });
  const paths = kit.s("g", { class: "cw-pipeline-cells" });
  const labels = kit.s("g", { class: "cw-pipeline-labels", "data-index": "", "aria-hidden": "true" });
  const gap = kit.s("rect", { class: "cw-pipeline-gap", rx: 3 });
  const source = kit.s("rect", { class: "cw-pipeline-source", rx: 3 });
  const arrow = kit.s("path", { class: "cw-pipeline-arrow" });
  const head = kit.s("path", { class: "cw-pipeline-head", d: "M-5 -8L0 0L5 -8z" });
  const [line, line_map] = [0, 1].map(() => kit.s("line", { class: "cw-pipeline-line" }));
  const knob = kit.s("circle", { class: "cw-pipeline-knob", r: 6, cy: 10 });
  const time = kit.s("text", { class: "cw-pipeline-time", "text-anchor": "middle", y: 9 });
  const column = kit.s("text", { class: "cw-pipeline-rank", "text-anchor": "end", y: 14 });
  const cursor = kit.s("g", { class: "cw-pipeline-cursor" }, line_map, line, knob, time);
  const svg = kit.s("svg", { role: "img", class: "cw-pipeline-svg" }, map, frame, rows, paths, labels, gap, source, arrow, head, column, clock ? cursor : null);
  const held = [];
  let g;
  let drawn = null; // what the lanes show: out, and from where
  let grabbed = null; // the field that a pointer holds: it does not turn its page meanwhile
  const px = (f, t) => f.left + (f.inner * (Math.min(Math.max(t, f.from), f.to) - f.from)) / (f.to - f.from);
  const y_of = (r) => g.main.top + r * g.main.pitch;

  const row = () => kit.s("g", {}, kit.s("rect", { class: "cw-pipeline-lane", rx: 4 }), kit.s("text", { class: "cw-pipeline-rank", "data-index": "", "text-anchor": "end" }),
    kit.s("rect", { class: "cw-pipeline-peak", rx: 3 }), kit.s("rect", { class: "cw-pipeline-now", rx: 3 }), kit.s("text", { class: "cw-pipeline-held", "text-anchor": "end" }));

  const draw_lanes = (out, from) => {
    g.main.from = from;
    g.main.to = from + g.shown;
    drawn = { out, from };
    const all = cells(out, g.main, out.ops.length);
    paint_cells(paths, all);
    const fit = all.filter((c) => c.w >= g.digits && c.h >= 13);
    kit.list(labels, fit, () => kit.s("text", { "text-anchor": "middle" }), (node, c) => kit.set(node, { x: (c.x + c.w / 2).toFixed(1), y: (c.y + c.h / 2 + 4).toFixed(1), class: `cw-pipeline-on${c.chunk ? 1 : 0}`, text: c.label }));
    if (g.map) kit.set(frame, { x: px(g.map, from) - 2, y: g.map.top - 3, width: px(g.map, from + g.shown) - px(g.map, from) + 4, height: out.ops.length * MAP_PITCH + 4 });
  };

  const draw = (out, width, wide, m, before = out.peak, t = 0) => {
    g = geometry(width, out, m, close);
    kit.set(svg, { width, height: g.height, viewBox: `0 0 ${width} ${g.height}` });
    kit.set(frame, { visibility: g.map ? "visible" : "hidden" });
    kit.fill(column, !clock ? "held, of {microbatches}" : width < 560 ? "held" : "in flight", { microbatches: m });
    kit.set(column, { x: width - 1 });
    kit.list(rows, out.ops, row, (node, _, r) => {
      const y = y_of(r);
      const [lane, name, peak, fill, text] = node.children;
      kit.set(lane, { x: g.left, y, width: g.inner, height: g.main.lane });
      kit.set(name, { x: g.left - 8, y: y + g.main.lane / 2 + 4, text: width < 560 ? String(r) : `rank ${r}` });
      const x = g.left + g.inner + 10;
      const bar = (chunks) => ({ x, y: y + g.main.lane / 2 - 5, width: (g.track * (chunks || 0)) / wide, height: 10 });
      kit.set(peak, bar(before[r]));
      kit.set(fill, { ...bar(out.peak[r]), style: { "transform-origin": `${x}px 0` } });
      kit.set(text, { x: width - 1, y: y + g.main.lane / 2 + 4 });
      held[r] = { fill, text };
      if (!clock) kit.fill(text, `{peak.${r}:sig 5}`, out);
    });
    paint_cells(map, g.map ? cells(out, g.map, out.ops.length) : []);
    draw_lanes(out, !g.map ? 0 : grabbed ? Math.min(grabbed.from, out.span - g.shown) : page_at(t, g, out.span));
    kit.set(line, { y1: g.map ? g.main.top - 6 : 10, y2: g.height - 2 });
    kit.set(line_map, { y1: 10, y2: g.map ? g.main.top - 12 : 10 });
  };

  const at = (t, out) => {
    const from = g.map && !grabbed ? page_at(t, g, out.span) : g.main.from;
    if (drawn.out.ops !== out.ops || drawn.from !== from) draw_lanes(out, from);
    const x = px(g.main, t);
    const top = g.map ? px(g.map, t) : x;
    kit.set(line, { x1: x.toFixed(2), x2: x.toFixed(2) });
    kit.set(line_map, { x1: top.toFixed(2), x2: top.toFixed(2) });
    kit.set(knob, { cx: top.toFixed(2) });
    kit.set(time, { x: top.toFixed(2), dx: top > g.left + g.inner - 30 ? -22 : 22 });
    kit.put(time, "at", "fixed 1", out);
    out.now.forEach((n, r) => {
      kit.set(held[r].fill, { transform: `scale(${out.peak[r] ? (n / out.peak[r]).toFixed(4) : 0} 1)` });
      kit.fill(held[r].text, g.right >= 96 ? `{now.${r}:sig 5} of {peak.${r}:sig 5}` : `{now.${r}:sig 5}`, out);
    });
  };

  const explain = (out, rank) => {
    const w = out.why;
    const seen = w && w.rank >= 0 && w.to > g.main.from && g.main.to >= w.to;
    for (const node of [gap, source, arrow, head]) kit.set(node, { visibility: seen ? "visible" : "hidden" });
    if (!seen) return;
    const x = (t) => px(g.main, t);
    kit.set(gap, { x: x(w.from) + 1, y: y_of(rank) + 1, width: Math.max(x(w.to) - x(w.from) - 2, 1), height: g.main.lane - 2 });
    const [start, end] = out.ops[w.rank][w.index].slice(-2);
    kit.set(source, { x: x(start), y: y_of(w.rank) - 1, width: x(end) - x(start), height: g.main.lane + 2 });
    const [x1, x2] = [x(end), x(w.to)];
    const down = w.rank < rank;
    const y1 = w.rank === rank ? y_of(rank) + g.main.lane / 2 : y_of(w.rank) + (down ? g.main.lane : 0);
    const y2 = y_of(rank) + (down ? 3 : g.main.lane - 3);
    kit.set(arrow, { d: w.rank === rank ? `M${x1} ${y1}` : `M${x1} ${y1}L${x2} ${y2 + (down ? -6 : 6)}` });
    const turn = w.rank === rank ? -90 : (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI - 90;
    kit.set(head, { transform: `translate(${x2} ${y2}) rotate(${turn})` });
  };

  /* Pixel -> the moment there, and the gap there if the rank is idle: [t, rank, op after the gap, or -1]. */
  const find = (x, y, out) => {
    const f = grabbed || (g.map && g.main.top - 7 > y ? g.map : g.main);
    const t = Math.min(Math.max(f.from + ((x - f.left) / f.inner) * (f.to - f.from), f.from), f.to);
    const rank = Math.floor((y - f.top) / f.pitch);
    if (!(rank in out.ops)) return [t, -1, -1];
    const ops = out.ops[rank];
    const index = ops.findIndex((op) => op.at(-1) > t);
    if (index === -1) return [t, rank, ops.length];
    return [t, rank, t < ops[index].at(-2) ? index : -1];
  };
  const grab = (y) => { grabbed = y === null ? null : g.map && g.main.top - 7 > y ? g.map : g.main; };
  return { svg, draw, at, explain, find, grab };
};
