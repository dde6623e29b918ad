/* The lanes: one path per rank, kind and chunk; numbers where they fit; the cursor, the gap and its arrow. */
const KINDS = ["F", "B", "I", "W"];
const box = (x, y, w, h) => {
  const n = (value) => Math.round(value * 100) / 100;
  if (w - 4 < 0) return `M${n(x)} ${y}h${n(w)}v${h}h${-n(w)}z`; // too narrow for corners to show
  const r = Math.min(3, w / 3);
  return `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}q${r} 0 ${r} ${r}v${n(h - 2 * r)}q0 ${r} ${-r} ${r}h${n(2 * r - w)}q${-r} 0 ${-r} ${-r}v${n(2 * r - h)}q0 ${-r} ${r} ${-r}z`;
};

/* Sizes in pixels for a width and a number of ranks. */
const geometry = (width, ranks) => {
  const left = width < 560 ? 26 : 60;
  const right = width < 560 ? 44 : width < 800 ? 96 : 168;
  const lane = ranks > 8 ? 20 : 32;
  const pitch = lane + (ranks > 8 ? 4 : 6);
  return { left, right, lane, pitch, top: 26, inner: width - left - right, height: 26 + ranks * pitch + 6 };
};

/* Every cell of a run as {kind, chunk, x, y, w, h, label}. */
const cells = (out, g, p) => {
  const unit = g.inner / out.span;
  const made = [];
  out.ops.forEach((ops, r) => ops.forEach((op) => {
    const [start, end] = op.slice(-2);
    const y = g.top + r * g.pitch;
    const wide = (end - start) * unit;
    const space = Math.min(1, wide / 5);
    const at = { x: g.left + start * unit + space / 2, w: wide - space };
    const chunk = (stage) => (stage === r ? 0 : Math.floor(stage / p));
    if (op[0] !== "X") made.push({ ...at, kind: op[0], chunk: chunk(op[1]), y, h: g.lane, label: op[2] + 1 });
    else {
      made.push({ ...at, kind: "F", chunk: chunk(op[1]), y, h: g.lane / 2 - 0.5, label: op[2] + 1 });
      made.push({ ...at, kind: "B", chunk: chunk(op[3]), y: y + g.lane / 2 + 0.5, h: g.lane / 2 - 0.5, label: op[4] + 1 });
    }
  }));
  return made;
};

const lanes_view = () => {
  const rows = kit.s("g");
  const paths = kit.s("g");
  const labels = kit.s("g", { class: "cw-pipeline-labels", "aria-hidden": "true" });
  const gap = kit.s("rect", { class: "cw-pipeline-gap", rx: 3 });
  const source = kit.s("rect", { class: "cw-pipeline-source", rx: 3 });
  const arrow = kit.s("path", { class: "cw-pipeline-arrow" });
  const head = kit.s("path", { class: "cw-pipeline-head", d: "M-5 -8L0 0L5 -8z" });
  const line = kit.s("line", { class: "cw-pipeline-line" });
  const knob = kit.s("circle", { class: "cw-pipeline-knob", r: 6 });
  const time = kit.s("text", { class: "cw-pipeline-time", "text-anchor": "middle", y: -4 });
  const cursor = kit.s("g", { class: "cw-pipeline-cursor" }, line, knob, time);
  const svg = kit.s("svg", { role: "img", class: "cw-pipeline-svg" }, rows, paths, labels, gap, source, arrow, head, cursor);
  const now = [];
  let g;
  let span = 1;

  const row = () => {
    const made = kit.s("g", {}, kit.s("rect", { class: "cw-pipeline-lane", rx: 4 }), kit.s("text", { class: "cw-pipeline-rank", "text-anchor": "end" }),
      kit.s("rect", { class: "cw-pipeline-peak", rx: 3 }), kit.s("rect", { class: "cw-pipeline-now", rx: 3 }), kit.s("text", { class: "cw-pipeline-held", "text-anchor": "end" }));
    return made;
  };

  const draw = (out, width, wide) => {
    const p = out.ops.length;
    g = { ...geometry(width, p), width, scale: wide };
    span = out.span;
    kit.set(svg, { width, height: g.height, viewBox: `0 0 ${width} ${g.height}` });
    kit.list(rows, out.ops, row, (node, _, r) => {
      const y = g.top + r * g.pitch;
      const [lane, name, peak, fill, text] = node.children;
      kit.set(lane, { x: g.left, y, width: g.inner, height: g.lane });
      kit.set(name, { x: g.left - 8, y: y + g.lane / 2 + 4, text: width < 560 ? String(r) : `rank ${r}` });
      const bars = g.right >= 96;
      const track = bars ? g.right - 62 : 0;
      kit.set(peak, { x: g.left + g.inner + 10, y: y + g.lane / 2 - 5, width: (track * out.peak[r]) / wide, height: 10 });
      kit.set(fill, { x: g.left + g.inner + 10, y: y + g.lane / 2 - 5, width: (track * out.peak[r]) / wide, height: 10, style: { "transform-origin": `${g.left + g.inner + 10}px 0` } });
      kit.set(text, { x: width - 1, y: y + g.lane / 2 + 4 });
      now[r] = { fill, text };
    });
    const all = cells(out, g, p);
    const groups = new Map();
    for (const c of all) {
      const key = `${c.kind}${c.chunk}`;
      groups.set(key, (groups.get(key) || "") + box(c.x, c.y, c.w, c.h));
    }
    kit.list(paths, [...groups].sort(), () => kit.s("path"), (node, [key, d]) => kit.set(node, { class: `cw-pipeline-${key[0]} cw-pipeline-tone${key.slice(1)}`, d }));
    const fit = all.filter((c) => c.w >= 7 * String(c.label).length + 2 && c.h >= 13);
    kit.list(labels, fit, () => kit.s("text", { "text-anchor": "middle" }), (node, c) => kit.set(node, { x: (c.x + c.w / 2).toFixed(1), y: (c.y + c.h / 2 + 4).toFixed(1), class: `cw-pipeline-on${c.chunk ? 1 : 0}`, text: c.label }));
    kit.set(line, { y1: 10, y2: g.height - 2, x1: 0, x2: 0 });
    kit.set(knob, { cy: 10 });
  };

  const at = (t, out) => {
    const x = g.left + (g.inner * Math.min(t, span)) / span;
    kit.set(cursor, { transform: `translate(${x.toFixed(2)} 0)` });
    kit.set(time, { x: 0, y: 9, dx: x > g.left + g.inner - 30 ? -22 : 22, text: t.toFixed(1) });
    out.now.forEach((n, r) => {
      kit.set(now[r].fill, { transform: `scale(${out.peak[r] ? (n / out.peak[r]).toFixed(4) : 0} 1)` });
      kit.text(now[r].text, g.right >= 96 ? `${short(n)} of ${short(out.peak[r])}` : `${short(n)}/${short(out.peak[r])}`);
    });
  };

  const explain = (out, rank) => {
    const w = out.why;
    for (const node of [gap, source, arrow, head]) kit.set(node, { visibility: w && w.rank >= 0 ? "visible" : "hidden" });
    if (!w || w.rank < 0) return;
    const unit = g.inner / span;
    const y = (r) => g.top + r * g.pitch;
    kit.set(gap, { x: g.left + w.from * unit + 1, y: y(rank) + 1, width: Math.max((w.to - w.from) * unit - 2, 1), height: g.lane - 2 });
    const op = out.ops[w.rank][w.index];
    const [start, end] = op.slice(-2);
    kit.set(source, { x: g.left + start * unit, y: y(w.rank) - 1, width: (end - start) * unit, height: g.lane + 2 });
    const [x1, x2] = [g.left + end * unit, g.left + w.to * unit];
    const down = w.rank < rank;
    const y1 = w.rank === rank ? y(rank) + g.lane / 2 : y(w.rank) + (down ? g.lane : 0);
    const y2 = y(rank) + (down ? 3 : g.lane - 3);
    kit.set(arrow, { d: w.rank === rank ? `M${x1} ${y1}` : `M${x1} ${y1}L${x2} ${y2 + (down ? -6 : 6)}` });
    const turn = w.rank === rank ? -90 : (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI - 90;
    kit.set(head, { transform: `translate(${x2} ${y2}) rotate(${turn})` });
  };

  /* Pixel -> the moment there, and the gap there if the rank is idle: [t, rank, op after the gap, or -1]. */
  const find = (x, y, out) => {
    const t = Math.min(Math.max(((x - g.left) / g.inner) * span, 0), span);
    const rank = Math.floor((y - g.top) / g.pitch);
    if (!(rank in out.ops)) return [t, -1, -1];
    const ops = out.ops[rank];
    const index = ops.findIndex((op) => op.at(-1) > t);
    if (index === -1) return [t, rank, ops.length];
    return [t, rank, t < ops[index].at(-2) ? index : -1];
  };
  return { svg, draw, at, explain, find };
};
