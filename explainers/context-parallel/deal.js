/* Twin of deal.py: heads dealt out instead of tokens, bytes against ranks, and a cache while decoding. */
const [CHART, TOP, FOOT] = [266, 14, 46];

/* ---------------------------------------------------------------- Ulysses */
const grid_view = (turned) => {
  const [cells, lines] = [kit.s("g"), kit.s("path", { class: "lines" })];
  const label = turned ? "After: each rank has some heads, of all tokens." : "Before: each rank has some tokens, with all heads.";
  const svg = kit.s("svg", { class: cw("grid"), role: "img", "aria-label": label, preserveAspectRatio: "none" }, cells, lines);
  const update = ({ owner, table }, columns) => {
    const [tokens, ranks] = [owner.length, table.length];
    const paths = new Array(ranks).fill("");
    if (turned) for (const column of kit.upto(columns)) paths[Math.floor((column * ranks) / columns)] += `M${column} 0h1v${tokens}h-1z`;
    else owner.forEach((rank, token) => { paths[rank] += `M0 ${token}h${columns}v1h-${columns}z`; });
    kit.set(svg, { viewBox: `0 0 ${columns} ${tokens}` });
    kit.list(cells, paths, () => kit.s("path"), (node, d, rank) => kit.set(node, { class: tone(rank), d }));
    kit.set(lines, { d: kit.upto(columns).slice(1).map((column) => `M${column} 0v${tokens}`).join("") });
  };
  return { svg, update };
};

const SHARED = "Each rank: {swap.heads:int} query heads and {swap.kv:int} of keys and values, each on {swap.copies:int} rank";
const swap_view = () => {
  const words = ["{here.heads:int} query heads", "{here.kv:int} of keys and values"];
  const rows = words.map(() => ({ name: kit.h("p"), before: grid_view(false), after: grid_view(true), box: kit.h("div") }));
  const box = kit.h("div", { class: cw("swap") }, kit.h("b", { text: "some tokens, all heads" }), kit.h("b", { text: "all tokens, some heads" }),
    rows.map((row) => [row.name, row.before.svg, kit.h("i", { "aria-hidden": "true" }), kit.grow(row.box, {}, [row.after.svg])]));
  const said = kit.h("p", { class: cw("said") });
  const update = (now) => {
    const [ranks, kv, possible] = [now.table.length, Math.min(now.here.kv, 32), now.ways.ulysses.sent > 0];
    rows.forEach((row, i) => {
      kit.fill(row.name, words[i], now);
      row.before.update(now, i ? kv : ranks);
      row.after.update(now, i ? Math.max(kv, ranks) : ranks);
      row.after.svg.style.display = possible ? "" : "none";
    });
    kit.fill(said, possible ? `${SHARED}${now.swap.copies === 1 ? "" : "s"}.` : "{cp:int} ranks cannot share {here.heads:int} query heads and {here.kv:int} of keys and values evenly; {swap.fits:int} can.", now);
  };
  return { el: [box, said], update };
};

/* ---------------------------------------------------------------- bytes against ranks */
const nice = (value) => {
  const power = 10 ** (String(Math.floor(value)).length - 1);
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= value);
};
const megabytes = (value) => (value >= 1e9 ? `${value / 1e9} GB` : value ? `${value / 1e6} MB` : "0");

const chart_view = () => {
  const [grid, axis] = [kit.s("g", { class: "grid" }), kit.s("g")];
  const lines = ["ring", "ulysses"].map((name) => ({ name, joins: kit.s("g"), dots: kit.s("g") }));
  const svg = kit.s("svg", { class: cw("chart"), role: "img", width: "100%", height: CHART, "aria-label": "Bytes that each rank sends in a layer, against the number of ranks, on the ring and with Ulysses." },
    grid, axis, lines.map((one) => kit.s("g", { class: one.name }, one.joins, one.dots)),
    kit.s("text", { x: "54%", y: CHART - 6, "text-anchor": "middle", text: "ranks that share the tokens" }));
  const legend = kit.legend([{ class: "ring", label: "ring, and all-gather" }, { class: "ulysses", label: "Ulysses" }]);
  const update = ({ curve }, ranks, ends) => {
    const top = nice(Math.max(...curve.ring, ...curve.ulysses));
    const y = (value) => TOP + (CHART - TOP - FOOT) * (1 - value / top);
    const x = (i) => pct(16 + i * 15.2);
    kit.list(grid, kit.upto(5).map((n) => (top * n) / 4), () => kit.s("g", {}, kit.s("line", { x1: "16%", x2: "92%" }), kit.s("text", { x: "14%", "text-anchor": "end", "data-index": true })), (node, value) => {
      kit.set(node.children[0], { y1: y(value), y2: y(value) });
      kit.set(node.children[1], { y: y(value) + 4, text: megabytes(value) });
    });
    kit.list(axis, CURVE, () => kit.s("text", { y: CHART - FOOT + 18, "text-anchor": "middle", "data-index": true }), (node, n, i) => kit.set(node, { class: n === ranks && !ends ? "here" : false, x: x(i), text: n }));
    for (const { name, joins, dots } of lines) {
      const all = curve[name].map((value, i) => ({ x: x(i), y: y(value), value })).filter(({ value }) => value);
      const at = ends ? [all[0], all.at(-1)] : all;
      kit.list(joins, ends ? [] : at.slice(1), () => kit.s("line"), (node, one, i) => kit.set(node, { x1: at[i].x, y1: at[i].y, x2: one.x, y2: one.y }));
      kit.list(dots, at, () => kit.s("circle", { r: 4.5 }), (node, one) => kit.set(node, { cx: one.x, cy: one.y }));
    }
  };
  return { el: [svg, legend], update };
};

/* ---------------------------------------------------------------- decoding */
const strips_view = (title) => {
  const [ranks, rows] = [chips(), kit.s("g")];
  const titles = [kit.s("text", { x: "11%", y: 11, text: title }), kit.s("text", { x: "100%", y: 11, "text-anchor": "end", text: "share of the answer" })];
  const svg = kit.s("svg", { class: cw("strips"), role: "img", width: "100%" }, kit.s("g", { class: "heads" }, titles), ranks.el, rows);
  const make = () => kit.s("g", {}, kit.s("svg", { x: "11%", preserveAspectRatio: "none" }, kit.s("path", { class: "track" }), kit.s("path")), kit.s("rect", { x: "68%" }), kit.s("text", { x: "100%", "text-anchor": "end" }));
  const boxes = (owner, wanted) => owner.map((whose, p) => (wanted(whose) ? `M${p} 0h0.9v1h-0.9z` : "")).join("");
  const update = (now, owner, weight) => {
    const n = now.table.length;
    const high = row_of(n);
    ranks.update(n, 18);
    titles[1].style.display = weight ? "" : "none";
    kit.list(rows, kit.upto(n), make, (node, rank) => {
      const y = 18 + rank * high;
      const [strip, bar, said] = node.children;
      kit.set(strip, { y, width: weight ? "54%" : "88%", height: high - 4, viewBox: `0 0 ${owner.length} 1` });
      kit.set(strip.children[0], { d: boxes(owner, (whose) => whose !== rank) });
      kit.set(strip.children[1], { class: tone(rank), d: boxes(owner, (whose) => whose === rank) });
      kit.set(bar, { class: tone(rank), y, height: high - 4, width: pct(weight ? (weight[rank] / Math.max(...weight)) * 18 : 0) });
      kit.set(said, { y: y + high / 2 + 2 });
      if (weight) kit.put(said, `decode.weight.${rank}`, "percent 1", now);
      else kit.set(said, { "data-out": false, text: "" });
    });
    kit.set(svg, { height: 20 + n * high, "aria-label": `Which of ${owner.length} positions each of ${n} ranks keeps.` });
  };
  return { svg, update };
};

/* Position p on rank p mod c. */
const cache_view = () => {
  const strips = strips_view("positions of the cache");
  return { svg: strips.svg, update: (now, hide) => strips.update(now, now.owner.map((_, p) => p % now.table.length), hide ? null : now.decode.weight) };
};
