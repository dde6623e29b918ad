// A merged panel (compare-merge.js) -> one SVG: lanes rise from the input into the operation, its tail on top; or, where
// there is no room for lanes, a list with equal boxes folded. Both models take the same boxes, whichever is shown.
import { clauses } from "./compare-merge.js";
import { cells, disc, draw, edge, frame, hatching, length, matrix, plus, runs, shapes, text, tip, wide, wrap } from "./compare-svg.js";

const PAD = 16, GAP = 24, STEP = 16, LINE = 14;
const equals = (list, item) => (item.state === "same" ? plus(list, " =", "q") : list);
const both = (item, i) => runs(item.a?.[i], item.b?.[i]);

// ---------------------------------------------------------------- boxes

// {w, h, tall, lines beside it, put(g, x of its middle, y of its top)} of one box.
function fit(item, env) {
  if (item.kind === "matrix") return fitMatrix(item, env);
  if (item.kind === "sign") return { w: 18, h: 18, tall: 18, beside: 0, put: (g, x, y) => g.append(draw("circle", { class: "sum", cx: x, cy: y + 9, r: 9 }), draw("path", { class: "sumline", d: (item.b ?? item.a)[1] === "times" ? `M${x - 4} ${y + 5}l8 8m0 -8l-8 8` : `M${x} ${y + 4}v10m-5 -5h10` })) };
  if (item.kind === "box") return fitBox(item, env);
  const kept = item.kind === "kept", lines = wrap(equals(both(item, 1), kept ? {} : item), "small", env.label + 30), say = kept ? [equals([{ t: "cached", k: "" }], item), ...wrap(both(item, 3), "small", env.label)].filter((line) => length(line, "small")) : [];
  const w = Math.max(...lines.map((line) => length(line, "small"))) + 16, h = lines.length * LINE + (kept ? 12 : 7);
  return stand(w, h, say, "small", (g, x, y) => {
    g.append(draw("rect", { class: kept ? "keep" : item.kind === "tag" ? "tag" : "pill", x: x - w / 2, y, width: w, height: h, rx: item.kind === "tag" ? h / 2 : 4 }));
    lines.forEach((line, i) => g.append(text(x, y + h / 2 + 4 + LINE * (i - (lines.length - 1) / 2), line, "small", "middle")));
  });
}
function stand(w, h, lines, style, put) {
  const beside = Math.max(0, ...lines.map((line) => length(line, style))), tall = Math.max(h, lines.length * LINE);
  return { w, h, tall, beside, put: (g, x, y) => {
    put(g, x, y);
    lines.forEach((line, i) => g.append(text(x + w / 2 + 8, y + h / 2 + 4 + LINE * (i - (lines.length - 1) / 2), line, i || style !== "mono" ? style : "mono", "start")));
  } };
}
function fitMatrix(item, env) {
  const { w, h } = frame(item), W = Math.max(w * env.scale, 5), H = Math.max(h * env.scale, 5);
  const lines = [[{ t: item.b?.[1] ?? item.a[1], k: item.state === "same" ? "" : "n" }], ...wrap(equals(shapes(item), item), "mono", env.label)];
  return stand(W, H, lines, "mono", (g, x, y) => g.append(matrix(item, Math.round(x - W / 2), Math.round(y), env.scale, env.hatch)));
}
function fitBox(item, env) {
  const rows = Array.from({ length: Math.max(item.a?.[3].length ?? 0, item.b?.[3].length ?? 0) }, (_, i) => runs(item.a ? item.a[3][i] ?? "" : undefined, item.b ? item.b[3][i] ?? "" : undefined));
  const name = both(item, 1), lines = rows.flatMap((row) => wrap(row, "small", env.label + 50)), w = Math.max(length(name, "name"), ...lines.map((line) => length(line, "small"))) + 20, h = 26 + lines.length * LINE;
  return stand(w, h, [], "small", (g, x, y) => {
    g.append(draw("rect", { class: "bx", x: x - w / 2, y, width: w, height: h, rx: 6 }), text(x, y + 17, equals(name, item), "name", "middle"));
    lines.forEach((line, i) => g.append(text(x, y + 33 + LINE * i, line, "small", "middle")));
  });
}
function put(g, item, fitted, x, y) {
  const group = draw("g", { class: `i s-${item.state}`, "data-n": item.nodes.join(" "), "data-k": item.kind, "data-a": item.kind === "matrix" && item.a ? `${item.a[3]} ${item.a[4]}` : "", "data-b": item.kind === "matrix" && item.b ? `${item.b[3]} ${item.b[4]}` : "" });
  fitted.put(group, Math.round(x), Math.round(y));
  g.append(group);
}

// ---------------------------------------------------------------- the operation

const sign = (more) => (more > 0 ? "⊕ " : "⊖ ") + Math.abs(more).toLocaleString("en-US");
// The heads as a strip of cells under the words; the experts as a field of them.
function fitOp(flow, panel, env, first) {
  const { op } = flow;
  if (op.kind === "field") return fitField(op, env);
  const heads = first ? [panel.a?.heads ?? 0, panel.b?.heads ?? 0] : [0, 0], many = Math.max(...heads), pick = (row) => (row ? [...row[1], ...(row[3] ? [`keeps ${row[3]}`] : [])] : []);
  const one = pick(op.a), two = pick(op.b), told = Array.from({ length: Math.max(one.length, two.length) }, (_, i) => runs(op.a ? one[i] ?? "" : undefined, op.b ? two[i] ?? "" : undefined));
  const least = Math.max(150, Math.min(300, ...[Math.max(...told.map((list) => length(list, "name"))) + 24]));
  const more = op.a && op.b ? heads[1] - heads[0] : 0, words = many > 1 ? [...runs(`${heads[0]} heads`, `${heads[1]} heads`)] : [];
  const own = many > 1 ? (op.a && op.b ? words : [{ t: `${many} heads`, k: "" }]) : [];
  return { least, lay: (w) => {
    const lines = [...told, ...(own.length ? [own] : [])].flatMap((list) => wrap(list, "name", w - 20)), h = lines.length * 18 + 12 + (many > 1 ? 18 : 0);
    return { h, put: (g, x, y) => {
      const group = draw("g", { class: `i s-${op.state}`, "data-n": op.nodes.join(" "), "data-k": "op" });
      group.append(draw("rect", { class: "bx", x, y, width: w, height: h, rx: 6 }));
      lines.forEach((line, i) => group.append(text(x + 10, y + 18 + 18 * i, line, "name")));
      if (more && w > 260) group.append(text(x + w - 10, y + 18, [{ t: `${sign(more)} heads`, k: "" }], "bold", "end"));
      if (many > 1) { const step = Math.min((w - 20) / many, 12); group.append(cells(heads[0], heads[1], x + 10, y + h - 22, { rows: 1, step, wide: Math.max(step - 1, step * 0.7), high: 13 }, env.hatch)); }
      g.append(group);
    } };
  } };
}
function fitField(op, env) {
  const [na, nb] = [op.a?.[3] ?? 0, op.b?.[3] ?? 0], most = Math.max(na, nb), fold = Math.max(1, Math.ceil(most / 2048)), n = Math.ceil(most / fold);
  const rows = n <= 8 ? 1 : n <= 32 ? 4 : n <= 128 ? 8 : n <= 1024 ? 16 : 32, columns = Math.ceil(n / rows), step = Math.max(3, Math.min(rows === 1 ? 22 : 14, Math.floor(env.field / columns)));
  const groups = op.a && op.b ? runs(grouped(op.a), grouped(op.b)) : [{ t: grouped(op.a ?? op.b), k: "" }], cut = grouped(op.a ?? op.b) || grouped(op.b ?? op.a);
  const zero = runs(op.a && zeros(op.a), op.b && zeros(op.b)), lines = [cut ? groups : [], [{ t: fold > 1 ? `a cell: ${fold} experts` : "", k: "" }], zero, runs(op.a?.[1].join(", "), op.b?.[1].join(", "))].filter((list) => list.some((run) => run.t)).flatMap((list) => wrap(list, "small", Math.max(columns * step, 150)));
  const w = Math.max(columns * step, ...lines.map((line) => length(line, "small"))) + 20, more = op.a && op.b ? nb - na : 0, h = rows * step + 16 + lines.length * LINE + (more ? 16 : 0);
  return { least: w, lay: (room) => ({ h, put: (g, x, y) => {
    const group = draw("g", { class: `i s-${op.state}`, "data-n": op.nodes.join(" "), "data-k": "field", "data-a": op.a ? na : "", "data-b": op.b ? nb : "" }), left = Math.round(x + (room - columns * step) / 2), top = y + 8 + (more ? 16 : 0);
    group.append(draw("rect", { class: "bx", x, y, width: room, height: h, rx: 6 }));
    if (more) { const t = `${sign(more)} experts`, at = left + (Math.min(na, nb) / most) * columns * step; group.append(text(Math.min(at, x + room - 8 - wide(t, "bold")), y + 17, [{ t, k: "" }], "bold")); }
    group.append(cells(Math.ceil(na / fold), Math.ceil(nb / fold), left, top, { rows, step, wide: step - Math.max(1, step / 6), high: step - Math.max(1, step / 6) }, env.hatch));
    for (const [row, cls] of [[op.a, "a"], [op.b, "b"]]) if (row?.[5] > 1 && row[3] % row[5] === 0 && (row[3] / row[5]) % rows === 0 && fold === 1 && (cls === "b" || grouped(op.a) !== (op.b && grouped(op.b)))) {
      let d = "";
      for (let i = 1; i < row[5]; i++) d += `M${left + ((row[3] / row[5]) * i) / rows * step - 1} ${top}v${rows * step}`;
      group.append(draw("path", { class: `split split-${cls}`, d }));
    }
    lines.forEach((line, i) => group.append(text(x + room / 2, top + rows * step + 12 + LINE * i, line, "small", "middle")));
    g.append(group);
  } }) };
}
const grouped = (row) => (row[5] > 1 ? `${row[5]} groups, ${row[6]} kept` : "");
const zeros = (row) => (row[7] ? `${row[7]} zero experts: no weights` : "");

// ---------------------------------------------------------------- lanes

function tree(lane, env) {
  const items = lane.items.filter((one) => one.kind !== "heads").map((item) => ({ item, f: fit(item, env) })), kids = lane.branches.map((one) => tree(one, env));
  const left = Math.max(6, ...items.map(({ f }) => f.w / 2)), right = Math.max(6, ...items.map(({ f }) => f.w / 2 + (f.beside ? 8 + f.beside : 0)));
  const tall = items.reduce((sum, { f }) => sum + f.tall + STEP, 0), columns = kids.flatMap((kid) => kid.columns);
  if (!kids.length) return { lane, items, kids, columns: [{ left, right }], h: tall };
  columns[0].left = Math.max(columns[0].left, left);
  const span = columns.reduce((sum, one) => sum + one.left + one.right, 0) + GAP * (columns.length - 1);
  columns.at(-1).right += Math.max(0, columns[0].left + right - span);
  return { lane, items, kids, columns, h: tall + 12 + Math.max(...kids.map((kid) => kid.h)) };
}
const has = (lane) => (lane.a ? (lane.b ? "same" : "a") : "b");
// Draws a lane upwards from y; the ends of its forks.
function rise(g, node, xs, y, mark, bare = false) {
  const ends = [];
  let x = xs[0], at = y, free = bare;
  for (const { item, f } of node.items) {
    const top = at - STEP - f.tall + (f.tall - f.h) / 2;
    if (!free) g.append(edge(mark, [x, at], [x, top + f.h]));
    put(g, item, f, x, top);
    [at, free] = [top - 0, false];
    at -= (f.tall - f.h) / 2;
    if (f.tall > f.h) g.append(edge(mark, [x, top], [x, at]));
  }
  if (!node.kids.length) return [{ x, y: at, mark, lane: node.lane, free }];
  const fork = at - 8;
  if (!free) g.append(edge(mark, [x, at], [x, fork]));
  let taken = 0;
  for (const kid of node.kids) {
    const own = xs.slice(taken, taken + kid.columns.length), state = mark === "same" ? has(kid.lane) : mark;
    taken += kid.columns.length;
    if (own[0] !== x) g.append(edge(state, [x, fork], [own[0], fork]));
    ends.push(...rise(g, kid, own, fork, state, false));
  }
  return ends;
}

function fitFlow(flow, panel, env, first) {
  const trees = flow.lanes.map((one) => tree(one, env)), op = fitOp(flow, panel, env, first), tail = flow.tail.map((item) => ({ item, f: fit(item, env) }));
  const inner = trees.filter((one) => !one.lane.gate), gates = trees.filter((one) => one.lane.gate), columns = inner.flatMap((one) => one.columns), outer = gates.flatMap((one) => one.columns);
  const sum = (list) => list.reduce((all, one) => all + one.left + one.right, 0), lanesW = sum(columns) + GAP * Math.max(0, columns.length - 1);
  const side = Math.max(0, ...tail.map(({ f }) => f.w / 2 + (f.beside ? 8 + f.beside : 0))), span = Math.max(lanesW, op.least, 2 * side), gatesW = outer.length ? sum(outer) + GAP * outer.length : 0;
  const heading = flow.heading.some(Boolean) ? runs(flow.heading[0], flow.heading[1]) : null;
  return { w: span + gatesW, lay: (room) => {
    const wideSpan = span + Math.max(0, Math.min(room - span - gatesW, 200)), laid = op.lay(wideSpan), laneH = Math.max(0, ...trees.map((one) => one.h)), tailH = tail.reduce((all, { f }) => all + f.tall + STEP, 0) + 16, top = heading ? 20 : 0;
    const h = top + tailH + laid.h + 12 + laneH + 34;
    return { w: wideSpan + gatesW, h, put: (g, x, y) => {
      if (heading) g.append(text(x, y + 12, heading, "bold"));
      const opTop = y + top + tailH, bus = y + h - 26, spare = columns.length ? (wideSpan - lanesW) / columns.length : 0, edges = draw("g", { class: "edges" }), xs = [];
      g.append(edges);
      let at = x + spare / 2;
      for (const one of columns) { xs.push(Math.round(at + one.left)); at += one.left + one.right + GAP + spare; }
      at = x + wideSpan + GAP;
      const away = [];
      for (const one of outer) { away.push(Math.round(at + one.left)); at += one.left + one.right + GAP; }
      laid.put(g, x, opTop, wideSpan);
      climb(g, edges, { inner, gates, xs, away, bus, opTop, opH: laid.h, x, wideSpan, tail, flow });
      g.append(text(x + 6, y + h - 8, equals(runs(flow.source[0], flow.source[1]), { state: flow.source[0] === flow.source[1] ? "same" : "" }), "small"));
    } };
  } };
}
// Everything that moves: from the input into the lanes, from the lanes into the operation, from there to the top.
function climb(g, edges, { inner, gates, xs, away, bus, opTop, opH, x, wideSpan, tail, flow }) {
  const fed = [], ends = [], late = [], mine = (flow.a ? (flow.b ? "same" : "a") : "b");
  let i = 0;
  for (const [list, places, out] of [[inner, xs, ends], [gates, away, late]]) {
    i = 0;
    for (const node of list) {
      const own = places.slice(i, i + node.columns.length), mark = mine === "same" ? has(node.lane) : mine;
      i += node.columns.length;
      if (!node.lane.loose) fed.push([own[0], mark]);
      out.push(rise(edges, node, own, bus, mark, node.lane.loose));
    }
  }
  for (const [at, mark] of fed) edges.append(edge(mark, [x, bus], [at, bus]));
  if (fed.length) edges.append(edge("same", [x, bus], [x, bus + 12]));
  for (const one of ends.flat()) { if (!(one.free)) edges.append(edge(one.mark, [one.x, one.y], [one.x, opTop + opH]), tip(one.x, opTop + opH, "up", one.mark)); beside(edges, one, opTop + opH + 12); }
  const middle = Math.round(x + wideSpan / 2);
  let at = opTop, gate = 0;
  for (const { item, f } of tail) {
    const top = at - STEP - f.tall + (f.tall - f.h) / 2;
    edges.append(edge(mine === "same" && item.state !== "a" && item.state !== "b" ? "same" : mine === "same" ? item.state : mine, [middle, at], [middle, top + f.h]));
    put(g, item, f, middle, top);
    if (item.kind === "sign") { for (const one of late[gate] ?? []) edges.append(edge(one.mark, [one.x, one.y], [one.x, top + 9], [middle + 9, top + 9]), tip(middle + 9, top + 9, "left", one.mark)), beside(edges, one, top + 22); gate += 1; }
    at = top;
  }
  edges.append(edge(mine, [middle, at], [middle, at - 18]), tip(middle, at - 18, "up", mine));
}
function beside(g, one, y) {
  const [a, b] = one.lane.beside;
  if (a || b) g.append(Object.assign(text(one.x + 6, y + 2, runs(a, b), "small")));
  if (one.lane.said.length) g.append(draw("g", { "data-n": one.lane.said.join(" "), class: "i" }));
}

// ---------------------------------------------------------------- without room for lanes

const inside = (lane) => [...lane.items, ...lane.branches.flatMap(inside)];
const flat = (panel) => [...panel.flows.flatMap((flow) => [...flow.tail, ...flow.lanes.flatMap(inside)]).filter((one) => one.kind !== "heads"), ...panel.groups.flatMap((one) => one.items)];
const called = (item) => (item.kind === "sign" ? "" : (item.b ?? item.a)[1]);
function listed(panel, env, W, g, y, equal) {
  const room = W - 2 * PAD, all = flat(panel), shown = all.filter((one) => one.kind !== "sign" && (equal || one.state !== "same")), folded = all.filter((one) => !shown.includes(one));
  panel.flows.forEach((flow, i) => {
    const laid = fitOp(flow, panel, env, i === 0).lay(room);
    laid.put(g, PAD, y, room);
    y += laid.h + 12;
    for (const lane of flow.lanes) if (lane.said.length) g.append(draw("g", { "data-n": lane.said.join(" "), class: "i" }));
  });
  for (const item of shown.filter((one) => one.kind === "matrix")) {
    const f = fitMatrix(item, { ...env, label: room - 100 });
    put(g, item, f, PAD + f.w / 2, y + (f.tall - f.h) / 2);
    y += f.tall + 10;
  }
  let x = PAD, row = 0;
  for (const item of shown.filter((one) => one.kind !== "matrix")) {
    const f = fit(item, { ...env, label: Math.min(env.label, room - 130) }), w = f.w + (f.beside ? 8 + f.beside : 0);
    if (x > PAD && x + w > W - PAD) { x = PAD; y += row + 10; row = 0; }
    put(g, item, f, x + f.w / 2, y + (f.tall - f.h) / 2);
    x += w + 10;
    row = Math.max(row, f.tall);
  }
  if (row) y += row + 10;
  const names = [...new Set(folded.map(called).filter(Boolean))];
  if (folded.length) {
    const group = draw("g", { class: "i s-same folded", "data-n": folded.flatMap((one) => one.nodes).join(" ") }), lines = names.length ? wrap([{ t: `${names.join(", ")}: equal`, k: "" }], "small", room) : [];
    lines.forEach((line, i) => group.append(text(PAD, y + 12 + LINE * i, line, "small")));
    g.append(group);
    y += lines.length * LINE + 8;
  }
  return y;
}

// ---------------------------------------------------------------- a panel

function says(panel) {
  if (!panel.a || !panel.b) return [{ t: (panel.a ?? panel.b).says, k: "" }];
  return clauses(panel.a.says, panel.b.says).flatMap(([x, y], i) => [...(i ? [{ t: " · ", k: "" }] : []), ...(x === undefined ? [{ t: "⊕ ", k: "r" }, { t: y, k: "b" }] : y === undefined ? [{ t: "⊖ ", k: "r" }, { t: x, k: "a" }] : x === y ? [{ t: x, k: "" }] : runs(x, y))]);
}
function head(g, panel, W, { cost, sub, rows, own }) {
  const title = runs(panel.a?.title, panel.b?.title), mark = own || (panel.a && panel.b) ? "" : panel.a ? "⊖ only in A: " : "⊕ only in B: ", price = cost ? wide(cost, "strong") : 0, room = W - 2 * PAD - price - 18 - 22 * rows.length;
  const lines = wrap(mark ? [{ t: mark, k: "" }, ...title] : title, "title", room);
  lines.forEach((line, i) => g.append(text(PAD, 27 + 18 * i, line, "title")));
  rows.forEach((row, i) => g.append(disc(row.number, PAD + length(lines.at(-1), "title") + 14 + 22 * i, 22 + 18 * (lines.length - 1))));
  if (cost) g.append(text(W - PAD, 28, [{ t: cost, k: "" }], "strong", "end"));
  const note = sub ? wrap([{ t: sub, k: "" }], "small", Math.max(price, 170)) : [], aside = note.length ? Math.max(...note.map((line) => length(line, "small"))) + 16 : 0;
  note.forEach((line, i) => g.append(text(W - PAD, 46 + LINE * i, line, "small", "end")));
  const y = 47 + 18 * (lines.length - 1), told = wrap(says(panel), "ink", W - 2 * PAD - aside);
  told.forEach((line, i) => g.append(text(PAD, y + 16 * i, line, "ink")));
  return Math.max(y + 16 * told.length, 46 + LINE * note.length);
}
function foot(g, panel, W, y) {
  const chips = panel.chips.flatMap(([x, y2], i) => [...(i ? [{ t: " · ", k: "" }] : [{ t: "also ", k: "" }]), ...(x !== undefined && y2 !== undefined ? runs(x, y2) : x !== undefined ? [{ t: x, k: "a" }] : [{ t: y2, k: "b" }])]);
  const lines = chips.length ? wrap(chips, "small", W - 2 * PAD) : [];
  lines.forEach((line, i) => g.append(text(PAD, y + 10 + LINE * i, line, "small")));
  return y + lines.length * LINE;
}
// One expert, and what every token visits: their matrices in a row, each above its words.
function groups(panel, env) {
  const words = (item) => [[{ t: called(item), k: item.state === "same" ? "" : "n" }], ...wrap(equals(shapes(item), item), "mono", 104)];
  const fitted = panel.groups.map((one) => {
    const items = one.items.map((item) => { const { w, h } = frame(item), lines = words(item), W = Math.max(w * env.scale, 5), H = Math.max(h * env.scale, 5); return { item, W, H, lines, w: Math.max(W, ...lines.map((line) => length(line, "mono"))) }; });
    const w = items.reduce((sum, each) => sum + each.w + 18, -18), high = Math.max(0, ...items.map((each) => each.H)), heading = wrap(equals(runs(one.heading[0], one.heading[1]), { state: one.heading[0] === one.heading[1] ? "same" : "" }), "small", Math.max(w, 190));
    return { items, w: Math.max(w, ...heading.map((line) => length(line, "small"))), high, heading, h: heading.length * LINE + 8 + high + 6 + Math.max(0, ...items.map((each) => each.lines.length)) * LINE + 14 };
  });
  return { w: Math.max(0, ...fitted.map((one) => one.w)), h: fitted.reduce((sum, one) => sum + one.h, 0), put: (g, x, y) => fitted.forEach((one) => {
    one.heading.forEach((line, k) => g.append(text(x, y + 12 + LINE * k, line, "small")));
    const floor = y + one.heading.length * LINE + 8 + one.high;
    let at = x;
    for (const { item, W, H, w, lines } of one.items) {
      put(g, item, { put: (group) => { group.append(matrix(item, Math.round(at), Math.round(floor - H), env.scale, env.hatch)); lines.forEach((line, i) => group.append(text(at, floor + 16 + LINE * i, line, "mono"))); } }, at + W / 2, floor - H);
      at += w + 18;
    }
    y += one.h;
  }) };
}

const scaleFor = (panel, most) => Math.min(1, ...flat(panel).filter((one) => one.kind === "matrix").map((one) => { const { w, h } = frame(one); return Math.min(most / w, (most * 0.8) / h); }));

let many = 0;
// {svg, h} of a merged panel at a width; rows are the numbered differences that stand on it.
export function insideOf(panel, W, { rows = [], cost = "", sub = "", own = false, narrow = false, equal = false } = {}) {
  const hatch = `hatch-${++many}`, g = draw("g", { class: `pn s-${own ? "own" : panel.state}` }), room = W - 2 * PAD, env = { hatch, label: 210, field: 340, aside: 300, scale: scaleFor(panel, 84) };
  let y = head(g, panel, W, { cost, sub, rows, own }) + 4;
  if (panel.nodes.length) { g.append(draw("g", { "data-n": panel.nodes.join(" "), class: "i" }, text(PAD, y + 14, [{ t: (panel.b ?? panel.a).alarm || "one operation", k: "" }], "small"))); y += 24; }
  let laid = null;
  for (const [label, most] of narrow ? [] : [[210, 84], [100, 60]]) {
    const tried = { ...env, label, scale: scaleFor(panel, most) }, fitted = panel.flows.map((flow, i) => fitFlow(flow, panel, tried, i === 0));
    if (fitted.every((one) => one.w <= room)) { laid = { fitted, tried }; break; }
  }
  if (laid) y = flowing(g, panel, laid, room, y);
  else y = listed(panel, { ...env, field: room - 30, scale: scaleFor(panel, 78) }, W, g, y, equal || !narrow);
  const h = Math.round(foot(g, panel, W, y) + 12);
  g.prepend(draw("rect", { class: "frame", x: 1, y: 1, width: W - 2, height: h - 2, rx: 9 }));
  return { svg: draw("svg", { class: `cmp-in c-${panel.role || "plain"}${own ? " own" : ""}`, viewBox: `0 0 ${W} ${h}`, width: W, height: h }, hatching(hatch), g), h, hatch };
}
function flowing(g, panel, { fitted, tried }, room, y) {
  const aside = panel.groups.length ? groups(panel, tried) : null, level = aside && fitted[0].w + 28 + aside.w <= room;
  let x = PAD, row = 0;
  fitted.forEach((one, i) => {
    const laid = one.lay(i === 0 && level ? room - aside.w - 28 : fitted.length > 1 ? one.w : room);
    if (x > PAD && x + laid.w > PAD + room) { x = PAD; y += row + 8; row = 0; }
    laid.put(g, x, y);
    if (i === 0 && level) { aside.put(g, x + laid.w + 28, y + Math.max(0, (laid.h - aside.h) / 2)); row = Math.max(aside.h, 0); }
    x += laid.w + 30;
    row = Math.max(row, laid.h);
    if (aside && i === 0) { y += row + 8; x = PAD; row = 0; }
  });
  y += row;
  if (aside && !level) { aside.put(g, PAD, y); y += aside.h; }
  return y;
}
