/* Twin of charts.py: scores as dots, the soft ceiling, drafts as a tape, loops, borrowing, mixing, and who does what. */
const SCALE = ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"];
const [LEAST, MOST, DOTS] = [-2, 4, 46];
const along = (score) => `${fine((100 * (Math.min(Math.max(Math.log10(Math.max(score, 1e-9)), LEAST), MOST) - LEAST)) / (MOST - LEAST))}%`;
const dots_view = (which) => {
  const [edge, dots] = [kit.s("line", { class: "bound", y1: 0, y2: DOTS }), kit.s("g")];
  const bounded = which === "normed";
  const svg = kit.s("svg", { width: "100%", height: DOTS, role: "img", "aria-label": `Scores by size, on a log scale${bounded ? ", none beyond the dashed line." : "."}` }, bounded ? edge : null, dots);
  const update = (now, hide) => {
    hushed(svg, `cw-around-the-block-dots ${which}`, hide);
    kit.set(edge, { x1: along(now.scores.bound), x2: along(now.scores.bound) });
    kit.list(dots, now.scores[which].all, (_, i) => kit.s("circle", { cy: DOTS / 2 + (((i * 7) % 9) - 4) * 3, r: 4 }), (node, one) => kit.set(node, { cx: along(one) }));
  };
  return { svg, update };
};
const scores_view = () => {
  const [plain, normed, first, last] = [dots_view("plain"), dots_view("normed"), name_of(), name_of()];
  const scale = kit.s("svg", { class: "cw-around-the-block-scale", width: "100%", height: 16, "aria-hidden": "true" }, SCALE.map((text) => kit.s("text", { x: along(Number(text.replace(",", ""))), y: 12, "data-index": true, text })));
  const update = (now, hide) => {
    kit.fill(first, "as drawn, times {grown:num 3}: largest {scores.plain.top:fixed 1}, a query’s favourite key gets {scores.plain.peak:percent 0}", now);
    kit.fill(last, "normalised first: largest {scores.normed.top:fixed 1}, a query’s favourite gets {scores.normed.peak:percent 0}", now);
    hushed(last, "cw-around-the-block-name", hide);
    plain.update(now, false);
    normed.update(now, hide);
  };
  return { el: [first, plain.svg, last, normed.svg, scale], update };
};

const [FOOT, ROOF, SIDE, ACROSS, HEIGHT] = [196, 16, 34, 340, 200];
const spot = (score, out) => [SIDE + ((ACROSS - SIDE) * score) / 200, FOOT - ((FOOT - ROOF) * Math.min(out, HEIGHT)) / HEIGHT];
const ceiling_view = () => {
  const [lid, cap, curve, less, more, name] = [kit.s("path", { class: "cap" }), kit.s("text", { class: "cap", x: SIDE + 4 }), kit.s("path", { class: "curve" }), kit.s("circle", { class: "less", r: 6 }), kit.s("circle", { class: "more", r: 6 }), name_of()];
  const put = (node, score, out) => { const [x, y] = spot(score, out); kit.set(node, { cx: fine(x), cy: fine(y) }); };
  const ticks = [...[0, 50, 100, 150, 200].map((s) => kit.s("text", { class: "x", x: fine(spot(s, 0)[0]), y: FOOT + 16, "data-index": true, text: s })), ...[50, 100, 150].map((s) => kit.s("text", { class: "y", x: SIDE - 6, y: fine(spot(0, s)[1] + 4), "data-index": true, text: s }))];
  const ends = [...spot(0, 0), ...spot(HEIGHT, HEIGHT)].map(fine);
  const [after, over_it] = [kit.s("g", {}, curve, less, more), kit.s("g", {}, lid, cap)];
  const svg = kit.s("svg", { class: "cw-around-the-block-ceiling", viewBox: "0 0 352 220", role: "img", "aria-label": "A score after the cap, by the score before it." },
    kit.s("path", { class: "base", d: `M${SIDE} ${ROOF}V${FOOT}H${ACROSS}` }), kit.s("path", { class: "free", d: `M${ends[0]} ${ends[1]}L${ends[2]} ${ends[3]}` }), over_it, ticks, after);
  const update = (now, hide) => {
    const { score, out, less: below, less_out } = now.ceiling;
    const lidded = now.cap > 0 && HEIGHT >= now.cap;
    const top = spot(0, now.cap)[1];
    over_it.replaceChildren(...(lidded ? [lid, cap] : []));
    kit.set(lid, { d: `M${SIDE} ${fine(top)}H${ACROSS}` });
    kit.fill(kit.set(cap, { y: fine(top - 5) }), "cap {cap:num 3}", now);
    kit.set(curve, { d: `M${upto(51).map((i) => spot(4 * i, capped(4 * i, now.cap)).map(fine).join(" ")).join("L")}` });
    put(less, below, less_out);
    put(more, score, out);
    after.replaceChildren(...(hide ? [] : [curve, less, more]));
    kit.fill(name, "{ceiling.score:num 4} becomes {ceiling.out:fixed 1}; {ceiling.less:num 4} becomes {ceiling.less_out:fixed 1}: {ceiling.apart:num 4} apart before, {ceiling.left:fixed 1} after", now);
    hushed(name, "cw-around-the-block-name", hide);
  };
  return { el: [svg, name], update };
};

const [STEP, CELL] = [28, 18];
const fate = (good, i) => (i === 0 ? "sure" : good >= i ? "good" : i === good + 1 ? "bad" : "idle");
const drafts_view = () => {
  const [name, cells] = [name_of(), kit.s("g")];
  const svg = kit.s("svg", { class: "cw-around-the-block-tape", role: "img", "aria-label": "Twelve steps and their drafts." }, cells);
  const legend = kit.legend([["sure", "the model’s own next token"], ["good", "draft that stands"], ["bad", "first that does not"], ["idle", "thrown away with it"]].map(([css, label]) => ({ class: css, label })));
  const update = (now) => {
    kit.fill(name, "{drafted.steps:int} steps give {drafted.tokens:int} tokens of {drafted.checked:int} looked at", now);
    const high = CELL * (4 > now.drafts ? 4 : 8) + 4;
    kit.set(svg, { viewBox: `0 0 ${12 * STEP} ${high}` });
    const all = now.drafted.tape.flatMap((good, s) => upto(now.drafts + 1).map((i) => [good, s, i]));
    kit.list(cells, all, () => kit.s("rect", { width: STEP - 5, height: CELL - 3 }), (node, [good, s, i]) => kit.set(node, { class: fate(good, i), x: s * STEP + 2, y: high - (i + 1) * CELL }));
  };
  return { el: [name, svg, legend], update };
};

const RUNS = 112;
const strip = (height, label) => kit.s("svg", { class: "cw-around-the-block-runs", width: "100%", height, preserveAspectRatio: "none", role: "img", "aria-label": label });
const cells_in = (svg, all, high) => kit.list(svg, all, () => kit.s("rect", { width: 0.84 }), (node, [css, i, y]) => kit.set(node, { class: css, x: fine(i + 0.08), y: fine(y), height: fine(high) }));
const loops_view = () => {
  const [first, last, weights, kept] = [name_of(), name_of(), strip(18, "Layers, stored once."), strip(RUNS, "A cache for every layer and every run.")];
  const update = (now) => {
    const [{ layers }, { loops }] = [now.of, now];
    const each = RUNS / loops;
    kit.fill(first, "weights: {of.layers:int} layers, stored once, {of.total:count} in all", now);
    kit.fill(last, "keys and values: {loops:int} times {of.layers:int} layers, {looped.runs:int} caches", now);
    kit.set(weights, { viewBox: `0 0 ${layers} 18` });
    kit.set(kept, { viewBox: `0 0 ${layers} ${RUNS}` });
    cells_in(weights, upto(layers).map((i) => ["weights", i, 1]), 16);
    cells_in(kept, upto(loops).flatMap((run) => upto(layers).map((i) => ["kept", i, run * each + 1])), each - 3);
  };
  return { el: [first, weights, last, kept], update };
};

const borrow_view = () => {
  const [first, second, third, arcs, row] = [name_of(), name_of(), name_of(), kit.s("g"), kit.s("g")];
  const svg = kit.s("svg", { class: "cw-around-the-block-lent", width: "100%", height: 90, preserveAspectRatio: "none", role: "img", "aria-label": "Layers that keep keys and values, and layers that read another’s." }, arcs, row);
  const part = kit.s("rect", { class: "table", height: 22 });
  const table = kit.s("svg", { class: "cw-around-the-block-table", width: "100%", height: 22, role: "img", "aria-label": "The tables’ share of all parameters." }, kit.s("rect", { class: "rest", width: "100%", height: 22 }), part);
  const update = (now, hide) => {
    const { layers, sources, table_share } = now.of;
    const found = upto(layers).map((i) => sources[i] ?? -1);
    kit.set(svg, { viewBox: `0 0 ${layers} 90` });
    kit.list(arcs, hide ? [] : upto(layers).filter((i) => found[i] >= 0), () => kit.s("path", { class: "arc" }), (node, i) => {
      const from = found[i];
      kit.set(node, { d: `M${i + 0.5} 60Q${(i + from + 1) / 2} ${fine(56 - 4 * Math.min(i - from, 14))} ${from + 0.5} 60` });
    });
    kit.list(row, found, () => kit.s("rect", { y: 62, width: 0.84, height: 24 }), (node, from, i) => kit.set(node, { class: hide ? "any" : 0 > from ? "kept" : "lent", x: fine(i + 0.08) }));
    kit.set(part, { width: `${fine(100 * table_share)}%` });
    kit.fill(first, "{of.layers:int} layers of {of.title:text}", now);
    kit.fill(second, "{of.keeping:int} keep keys and values, {of.lent:int} read an earlier layer’s", now);
    hushed(second, "cw-around-the-block-name", hide);
    kit.fill(third, "per-layer embeddings: {of.table:count} of {of.total:count} parameters", now);
  };
  return { el: [first, svg, second, third, table], update };
};

const mixing_view = () => {
  const [name, head, free, own] = [name_of(), name_of(), kit.s("path", { class: "free" }), kit.s("path", { class: "sizes" })];
  const { svg, wide } = log_chart("Gain after every half, on a log scale.", free, own);
  const cells = four.map(() => four.map(() => kit.h("span")));
  const rows = cells.map((row) => kit.h("tr", {}, row.map((span) => kit.h("td", {}, span))));
  const box = kit.h("div", {}, head, kit.h("table", { "aria-label": "All mixes together" }, kit.h("tbody", {}, rows)));
  const update = (now, hide) => {
    kit.fill(name, "gain, half by half: mixed freely {mixing.free_gain:fixed 1} after {mixing.places:int} halves", now);
    kit.fill(head, "all mixes together, from stream to stream", now);
    wide(now.mixing.places);
    kit.set(free, { d: path_of(now.mixing.free) });
    kit.set(own, { d: hide ? "M0 0" : path_of(now.mixing.gains) });
    cells.forEach((row, i) => row.forEach((span, j) => kit.put(span, `mixing.all.${i}.${j}`, "signed 2", now)));
    hushed(box, "cw-around-the-block-mix", hide);
  };
  return { el: [name, svg, box], update };
};

const WHO = [
  ["drafts", "draft tokens"], ["qk", "QK-norm"], ["gate", "gate on attention"], ["cap", "soft cap"], ["sandwich", "norms behind halves"], ["behind", "none in front"],
  ["post", "norms in the stream"], ["normed", "a normed stream"], ["scale", "weighed sums"], ["parallel", "halves side by side"], ["borrow", "borrowed keys and values"],
  ["own", "per-layer embeddings"], ["streams", "several streams"], ["loops", "loops"],
];
const who_view = () => kit.table({
  caption: "Models here that have it, the newest first",
  columns: [{ key: "words", label: "around the halves" }, { key: "count", label: "models", align: "right", out: (row) => `who.${row.key}.count`, how: "int" }, { key: "some", label: "the newest", out: (row) => `who.${row.key}.some`, how: "text" }],
});
