/* The layer as two rows of matrices, cut and coloured by rank: x, columns, what stays sharded, rows, partial sums, the ring. */
const STEPS = [
  ["x on every rank", "each rank normalises its own copy"],
  ["heads of q, k, v", "columns: every rank computes its own heads"],
  ["attention", "head by head; no rank needs another's"],
  ["rows of o", "whole-sized, but only a partial sum on each rank"],
  ["all-reduce", "the partial sums meet; every rank has y"],
  ["y on every rank", "each rank normalises its own copy"],
  ["columns of gate, up", "every rank computes its own columns"],
  ["silu(gate) · up", "stays sharded"],
  ["rows of down", "whole-sized, but only a partial sum on each rank"],
  ["all-reduce", "the partial sums meet; every rank has z"],
];
const step_words = (k, model, sp) => {
  const [name, say] = STEPS[k];
  if (sp && k % 5 === 0) return [`all-gather ${k ? "y" : "x"}`, "every rank normalises its tokens, then gathers everybody's"];
  if (sp && k % 5 === 4) return ["reduce-scatter", `the partial sums meet; every rank keeps its own tokens of ${k === 4 ? "y" : "z"}`];
  if (!model.gated && k === 6) return ["columns of up", say];
  if (!model.gated && k === 7) return ["act(up)", say];
  return [name, say];
};
const by = (a, b) => `${kit.fmt.int(a)} × ${kit.fmt.int(b)}`;

/* One matrix: [part(rank) rectangles], cut along columns, rows or tokens, or a copy, or one sheet per rank. */
const sheets = (kind, w, h, t, copies = 1) => {
  const all = range(t);
  if (kind === "copy") return [{ x: 0, y: 0, w, h, rank: -1 }];
  if (kind === "columns") return all.map((r) => ({ x: (w * r) / t, y: 0, w: w / t, h, rank: r }));
  if (kind === "rows") return all.map((r) => ({ x: 0, y: (h * r) / t, w, h: h / t, rank: r }));
  if (kind === "partial") return all.map((r) => ({ x: (r * 26) / Math.max(t - 1, 1), y: (r * 26) / Math.max(t - 1, 1), w, h, rank: r, sheet: true }));
  const heads = t / copies; // KV heads that ran out: one layer of copies behind the other
  return range(copies).reverse().flatMap((c) => range(heads).map((g) => ({ x: (w * g) / heads + 4 * c, y: -4 * c, w: w / heads, h, rank: g * copies + c, sheet: copies > 1 })));
};

/* The items of both rows: what is drawn, from which step on, and its two lines of words. */
const items_of = (model, out, state, size) => {
  const { tp: t, sequence: s, sequence_parallel: sp } = state;
  const { hidden: h, heads, kv_heads: kv, head_dim: d, mlp: f } = model;
  const a = size * Math.min(110 / h, 110 / (heads * d));
  const m = size * Math.min(110 / h, 150 / f);
  const tokens = 50 * size;
  const stream = sp ? "rows" : "copy";
  const side = sp ? "by token" : "a copy each";
  const begin = (name, k, scale) => [
    { blocks: [{ kind: stream, w: h * scale, h: tokens }], name, note: [by(s, h), side], step: k },
    ...(sp ? [{ ring: "all-gather", step: k }] : []),
  ];
  const end = (name, k, scale) => [
    { sign: "→", step: k - 1 },
    { blocks: [{ kind: "partial", w: h * scale * 0.8, h: tokens * 0.8 }], name: `${t} partial ${name}`, note: [by(s, h), "each"], step: k - 1 },
    { ring: sp ? "reduce-scatter" : "all-reduce", step: k },
    { blocks: [{ kind: stream, w: h * scale, h: tokens }], name, note: [by(s, h), side], step: k },
  ];
  const k_block = { kind: out.kv_copies > 1 ? "copies" : "columns", w: Math.max(kv * d * a, 12), h: h * a, copies: out.kv_copies };
  const up = { kind: "columns", w: f * m, h: h * m };
  return [[
    ...begin("x", 0, a), { sign: "·", step: 1 },
    { blocks: [{ kind: "columns", w: heads * d * a, h: h * a }, k_block, k_block], name: "q  k  v", note: [by(h, heads * d), `k, v ${by(h, kv * d)}`], step: 1 },
    { sign: "→", step: 2 },
    { blocks: [{ kind: "columns", w: heads * d * a, h: tokens }], name: "heads", note: [`${heads} of ${d}`, "stay sharded"], step: 2 },
    { sign: "·", step: 3 },
    { blocks: [{ kind: "rows", w: h * a, h: heads * d * a }], name: "o", note: [by(heads * d, h), "by row"], step: 3 },
    ...end("y", 4, a),
  ], [
    ...begin("y", 5, m), { sign: "·", step: 6 },
    { blocks: model.gated ? [up, up] : [up], over: model.gated && up.w > up.h, name: model.gated ? "gate, up" : "up", note: [by(h, f), model.expert ? "one expert, by column" : "by column"], step: 6 },
    { sign: "→", step: 7 },
    { blocks: [{ kind: "columns", w: f * m, h: tokens }], name: model.gated ? "silu(gate) · up" : "act(up)", note: [by(s, f), "stays sharded"], step: 7 },
    { sign: "·", step: 8 },
    { blocks: [{ kind: "rows", w: h * m, h: f * m }], name: "down", note: [by(f, h), "by row"], step: 8 },
    ...end("z", 9, m),
  ]];
};

const words_wide = (item) => Math.max(item.name.length * 7.6, ...item.note.map((line) => line.length * 6.3)) + 6;
const blocks_wide = (item) => item.blocks.reduce((sum, b, i) => sum + (item.over && i ? 0 : b.w + (i ? 5 : 0)), 0) + (item.blocks[0].kind === "partial" ? 26 : 0) + (item.blocks[1]?.kind === "copies" ? 8 * item.blocks[1].copies : 0);
const item_size = (item) => {
  if (item.sign) return [14, 20];
  if (item.ring) return [112, 120];
  const tall = Math.max(...item.blocks.map((b) => b.h));
  return [Math.max(blocks_wide(item), words_wide(item)), tall * (item.over ? 2 : 1) + (item.over ? 5 : 0) + (item.blocks[0].kind === "partial" ? 26 : 0)];
};

/* Left to right, into a new line where the width ends; every line is as tall as its tallest item. */
const flow = (items, width, top) => {
  const lines = [[]];
  let x = 0;
  for (const item of items) {
    const [w, h] = item_size(item);
    if (x + w > width && lines.at(-1).length) { lines.push([]); x = 0; }
    lines.at(-1).push({ item, x, w, h });
    x += w + 4;
  }
  let y = top;
  const placed = [];
  for (const line of lines) {
    const tall = Math.max(...line.map((p) => p.h));
    const spare = Math.min((width - line.at(-1).x - line.at(-1).w) / Math.max(line.length - 1, 1), 16);
    line.forEach((p, i) => placed.push({ ...p, x: p.x + i * spare, y: y + tall / 2 }));
    y += tall + 50;
  }
  return { placed, bottom: y, lines: lines.length };
};

const draw_blocks = (p, t) => {
  const { item } = p;
  const made = [];
  let x = p.x + (p.w - blocks_wide(item)) / 2;
  item.blocks.forEach((b, i) => {
    const tall = b.kind === "partial" ? b.h + 26 : b.h;
    const [left, top] = item.over ? [x, p.y - b.h - 2.5 + i * (b.h + 5)] : [x, p.y - tall / 2];
    made.push(...sheets(b.kind, b.w, b.h, t, b.copies).map((q) => ({ ...q, x: left + q.x, y: top + q.y, step: item.step })));
    if (!item.over) x += b.w + 5 + (b.kind === "copies" ? 4 * b.copies : 0);
  });
  return made;
};

const layer_view = () => {
  const layer = (name) => kit.s("g", { class: `cw-tensor-parallel-${name}` });
  const [blocks, signs, names, notes, rings] = ["blocks", "signs", "names", "notes", "rings"].map(layer);
  const svg = kit.s("svg", { role: "img", class: "cw-tensor-parallel-svg" }, blocks, signs, names, notes, rings);
  const headings = [kit.s("text", { class: "cw-tensor-parallel-half" }), kit.s("text", { class: "cw-tensor-parallel-half" })];
  svg.append(...headings);
  let dots = [];
  const around = (ring, f) => { const turn = f * 2 * Math.PI - Math.PI / 2; return [ring.x + 56 + 42 * Math.cos(turn), ring.y + 42 * Math.sin(turn)]; };

  const draw = (model, out, state, width) => {
    const t = state.tp;
    let [one, two] = [];
    for (const size of width >= 760 ? [1, 0.92, 0.84, 0.76, 0.68, 0.6] : [1]) { // smaller, while that keeps each half on one line
      const halves = items_of(model, out, state, size);
      one = flow(halves[0], width, 34);
      two = flow(halves[1], width, one.bottom + 40);
      if (one.lines === 1 && two.lines === 1) break;
    }
    const placed = [...one.placed, ...two.placed];
    kit.set(svg, { width, height: two.bottom, viewBox: `0 0 ${width} ${two.bottom}` });
    [["attention", 14], ["MLP", one.bottom + 20]].forEach(([text, y], i) => kit.set(headings[i], { x: 0, y, text: i && model.expert ? "MLP, one expert" : text }));
    const plain = placed.filter((p) => p.item.blocks);
    kit.list(blocks, plain.flatMap((p) => draw_blocks(p, t)), () => kit.s("rect"), (node, b) => kit.set(node, {
      x: b.x.toFixed(2), y: b.y.toFixed(2), width: Math.max(b.w - (b.rank < 0 ? 0 : Math.min(1, b.w / 5)), 0.5).toFixed(2), height: Math.max(b.h - (b.rank < 0 ? 0 : Math.min(1, b.h / 5)), 0.5).toFixed(2), rx: 2,
      class: b.rank < 0 ? "cw-tensor-parallel-copy" : `cw-rank cw-rank${b.rank}${b.sheet ? " cw-tensor-parallel-sheet" : ""}`, "data-step": b.step, "data-rank": b.rank,
    }));
    kit.list(signs, placed.filter((p) => p.item.sign), () => kit.s("text", { "text-anchor": "middle" }), (node, p) => kit.set(node, { x: p.x + p.w / 2, y: p.y + 6, text: p.item.sign, "data-step": p.item.step }));
    kit.list(names, plain, () => kit.s("text", { "text-anchor": "middle" }), (node, p) => kit.set(node, { x: p.x + p.w / 2, y: p.y + p.h / 2 + 16, text: p.item.name, "data-step": p.item.step }));
    kit.list(notes, plain.flatMap((p) => p.item.note.map((line, i) => ({ p, line, i }))), () => kit.s("text", { "text-anchor": "middle" }), (node, { p, line, i }) => kit.set(node, { x: p.x + p.w / 2, y: p.y + p.h / 2 + 30 + 13 * i, text: line, "data-step": p.item.step }));
    const found = placed.filter((p) => p.item.ring).map((p) => ({ x: p.x, y: p.y, step: p.item.step, text: p.item.ring }));
    const small = t > 8 ? 7 : t > 5 ? 10 : 12;
    const arc = (ring, r) => {
      const gap = (small + 5) / 42 / 2 / Math.PI;
      const [a, b] = [around(ring, r / t + gap), around(ring, (r + 1) / t - gap)];
      return t === 1 ? "" : `M${a.join(" ")}A42 42 0 0 1 ${b.join(" ")}`;
    };
    kit.list(rings, found, () => kit.s("g", {}, kit.s("g", { class: "cw-tensor-parallel-arcs" }), kit.s("g"), kit.s("g", { class: "cw-tensor-parallel-dots" }), kit.s("text", { "text-anchor": "middle" }), kit.s("text", { "text-anchor": "middle" })), (node, ring) => {
      const [arcs, nodes, moving, ...words] = node.children;
      kit.set(node, { "data-step": ring.step });
      kit.list(arcs, range(t), () => kit.s("path"), (path, r) => kit.set(path, { d: arc(ring, r) }));
      kit.list(nodes, range(t), () => kit.s("g", {}, kit.s("circle"), kit.s("text", { "text-anchor": "middle", dy: "0.36em" })), (g, r) => {
        const [x, y] = around(ring, r / t);
        kit.set(g, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` });
        kit.set(g.children[0], { r: small, class: `cw-rank cw-rank${r}`, "data-rank": r });
        kit.set(g.children[1], { text: r, class: r > 7 ? "cw-tensor-parallel-dark" : "cw-tensor-parallel-light", style: { "font-size": `${t > 8 ? 8 : 11}px` } });
      });
      kit.list(moving, range(t), () => kit.s("circle", { r: 3.5 }), (dot, r) => kit.set(dot, { class: `cw-rank cw-rank${r}` }));
      const [first, second] = t === 1 ? ["nothing", "to send"] : ring.text.split("-").map((part, i) => (i ? part : `${part}-`));
      words.forEach((word, i) => kit.set(word, { x: ring.x + 56, y: ring.y - 2 + 14 * i, text: i ? second : first }));
    });
    dots = found.map((ring, i) => ({ ring, node: rings.children[i].children[2] }));
  };

  /* Up to step t everything is there; the ring of a step under way turns. */
  const at = (t, state) => {
    const now = Math.floor(t);
    for (const node of svg.querySelectorAll("[data-step]")) {
      const step = Number(node.dataset.step);
      kit.set(node, { opacity: step > now ? 0.22 : 1 });
    }
    for (const node of svg.querySelectorAll("rect[data-rank]")) {
      const rank = Number(node.dataset.rank);
      if (state.rank >= 0 && rank >= 0 && rank !== state.rank && Number(node.dataset.step) <= now) kit.set(node, { opacity: 0.18 });
    }
    for (const { ring, node } of dots) {
      const f = ring.step === now && state.tp > 1 ? t - now : 0;
      kit.set(node, { visibility: f > 0 ? "visible" : "hidden" });
      if (f > 0) [...node.children].forEach((dot, r) => { const [x, y] = around(ring, (r + f * (state.tp - 1)) / state.tp); kit.set(dot, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` }); });
    }
  };
  return { svg, draw, at };
};
