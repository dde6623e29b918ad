/* Twin of drawn.py: the mask by rank, everybody's work, the ring's timetable; and chips and rows for deal.js. */
const pct = (x) => `${Number(x.toFixed(2))}%`;
const row_of = (ranks) => (ranks > 8 ? 19 : 28);
const cw = (name) => `cw-context-parallel-${name}`;
const tone = (rank, more = "") => `cw-rank cw-rank${rank}${more && ` ${more}`}`;

/* The numbers of the ranks, one below the other. */
const chips = () => {
  const el = kit.s("g");
  const update = (ranks, top) => {
    const high = row_of(ranks);
    kit.list(el, kit.upto(ranks), () => kit.s("g", {}, kit.s("rect", { x: 0, width: 22, rx: 3 }), kit.s("text", { x: 11, "text-anchor": "middle", "data-index": true })), (node, rank) => {
      const y = top + rank * high;
      kit.set(node.children[0], { class: tone(rank), y, height: high - 4 });
      kit.set(node.children[1], { class: rank > 7 ? "dark" : "light", y: y + high / 2 + 2, text: rank });
    });
  };
  return { el, update };
};

/* ---------------------------------------------------------------- the mask */
const runs_of = ({ owner, table }, step) => {
  const ranks = table.length;
  const phase = (rank, key) => {
    if (step < 0) return "";
    const when = kit.mod(rank - owner[key], ranks);
    return step > when ? "done" : step === when ? "now" : "later";
  };
  const found = new Map();
  owner.forEach((rank, query) => {
    let start = 0;
    for (let key = 0; query >= key; key += 1) {
      const own = phase(rank, key);
      if (key !== query && phase(rank, key + 1) === own) continue;
      const name = tone(rank, own);
      found.set(name, `${found.get(name) || ""}M${start} ${query}h${key + 1 - start}v1H${start}z`);
      start = key + 1;
    }
  });
  return [...found].sort(([a], [b]) => (a > b ? 1 : -1));
};

const mask_view = () => {
  const [strips, cells] = [kit.s("g"), kit.s("g")];
  const svg = kit.s("svg", { class: cw("mask"), role: "img", viewBox: "-2.4 -2.4 34.4 34.4" }, strips, cells);
  const update = (now, step = -1) => {
    kit.list(strips, now.owner, () => kit.s("g", {}, kit.s("rect", { y: -2.4, width: 1, height: 1.6 }), kit.s("rect", { x: -2.4, width: 1.6, height: 1 })), (node, rank, i) => {
      kit.set(node.children[0], { class: tone(rank), x: i });
      kit.set(node.children[1], { class: tone(rank), y: i });
    });
    kit.list(cells, runs_of(now, step), () => kit.s("path"), (node, [name, d]) => kit.set(node, { class: name, d }));
    kit.set(svg, { "aria-label": `A square of queries and keys; each query’s row has the colour of one of ${now.table.length} ranks.` });
  };
  return { svg, update };
};

/* ---------------------------------------------------------------- work */
const bars_view = () => {
  const [ranks, rows] = [chips(), kit.s("g")];
  const [line, name] = [kit.s("line", { x1: "47%", x2: "47%", y1: 0 }), kit.s("text", { x: "47%", "text-anchor": "middle", text: "the mean" })];
  const svg = kit.s("svg", { class: cw("bars"), role: "img", width: "100%" }, ranks.el, rows, line, name);
  const make = () => kit.s("g", {}, kit.s("rect", { class: "track", x: "11%", width: "72%" }), kit.s("rect", { x: "11%" }), kit.s("text", { x: "100%", "text-anchor": "end" }));
  const update = (now, hide) => {
    const { each } = now.work;
    const high = row_of(each.length);
    const low = 4 + each.length * high;
    ranks.update(each.length, 4);
    kit.list(rows, each, make, (node, share, rank) => {
      const y = 4 + rank * high;
      const [track, bar, said] = node.children;
      kit.set(track, { y, height: high - 4 });
      kit.set(bar, { class: tone(rank), y, height: high - 4, width: pct(hide ? 0 : share * 36) });
      kit.set(said, { y: y + high / 2 + 2 });
      if (hide) kit.set(said, { "data-out": false, text: "" });
      else kit.put(said, `work.each.${rank}`, "fixed 3", now);
    });
    kit.set(line, { y2: low });
    kit.set(name, { y: low + 14 });
    kit.set(svg, { height: low + 20, "aria-label": hide ? "A place for the work of each rank, empty as yet." : "A bar of work for each rank." });
  };
  return { svg, update };
};

/* ---------------------------------------------------------------- the ring */
const ring_view = () => {
  const [ranks, heads, tracks, cells, flying] = [chips(), kit.s("g", { class: "heads" }), kit.s("g"), kit.s("g"), kit.s("g", { class: "flying" })];
  const frame = kit.s("rect", { class: "here", y: 18, rx: 3 });
  const svg = kit.s("svg", { class: cw("ring"), role: "img", width: "100%" }, heads, ranks.el, tracks, cells, frame, flying);
  const make = () => kit.s("g", {}, kit.s("rect"), kit.s("text", { "text-anchor": "middle", "data-index": true }));
  const update = ({ table }, step) => {
    const n = table.length;
    const [high, wide] = [row_of(n), 92 / n];
    ranks.update(n, 20);
    kit.list(tracks, kit.upto(n), () => kit.s("rect", { class: "track", x: "8%", width: "92%" }), (node, rank) => kit.set(node, { y: 20 + rank * high, height: high - 4 }));
    kit.list(heads, kit.upto(n), () => kit.s("text", { y: 12, "text-anchor": "middle", "data-index": true }), (node, j) => kit.set(node, { x: pct(8 + (j + 0.5) * wide), text: j }));
    kit.list(cells, table.flatMap((row, rank) => row.map((share, j) => [share, rank, j])), make, (node, [share, rank, j]) => {
      const [x, y, tall, block] = [8 + j * wide, 20 + rank * high, high - 4, kit.mod(rank - j, n)];
      const [part, name] = node.children;
      const when = step > j ? "done" : step === j ? "now" : "later";
      kit.set(part, { class: tone(block, when), x: pct(x + wide * 0.06), width: pct(wide * 0.88), y: y + tall - share * tall, height: share * tall });
      kit.set(name, { class: when, x: pct(x + wide / 2), y: y + tall / 2 + 4, text: high > 20 ? block : "" });
    });
    frame.style.display = step === n ? "none" : "";
    kit.set(frame, { x: pct(8 + step * wide), width: pct(wide), height: n * high });
    kit.set(svg, { height: 24 + n * high, "aria-label": `Ranks down, steps across: whose keys and values each of ${n} ranks has in each step.` });
  };
  /* Between two steps: every block on its way to the next rank. */
  const fly = ({ table }, t) => {
    const n = table.length;
    const [step, high, wide] = [Math.floor(t), row_of(n), 92 / n];
    const f = t - step;
    const on = f > 0 && n - 1 > step;
    kit.list(flying, on ? kit.upto(n) : [], () => kit.s("rect", { width: 14, rx: 3 }), (node, rank) => {
      const to = (rank + 1) % n;
      kit.set(node, { class: tone(kit.mod(rank - step, n)), x: pct(8 + (step + 0.4 + f) * wide), y: (24 + (rank + (to - rank) * f) * high).toFixed(1), height: high - 12 });
    });
  };
  return { svg, update, fly };
};

/* Mask, timetable and the buttons that play it: one moment, wherever it is drawn. */
const ring_player = ({ onStop }) => {
  const [mask, ring] = [mask_view(), ring_view()];
  let [now, drawn, moving] = [null, -1, false];
  const show = (t) => {
    if (!now) return;
    const step = Math.min(Math.floor(t), now.table.length);
    if (step !== drawn) { mask.update(now, step); ring.update(now, step); }
    drawn = step;
    ring.fly(now, t);
  };
  const words = (t) => (now ? `${Math.min(Math.floor(t), now.table.length)} of ${now.table.length}` : "");
  const play = kit.transport({ label: "steps of the ring", length: 8, rate: 1.2, format: words, onFrame: show, onStop: (t) => { if (!moving) onStop(Math.round(t)); } });
  kit.set(play.el.querySelector("output"), { "data-out": "at.words", "data-format": "text" });
  const update = (next, step) => {
    if (play.playing() && now && next.owner !== now.owner) { moving = true; play.stop(); moving = false; }
    if (!play.playing()) drawn = -1;
    now = next;
    play.length(now.table.length);
    play.set(step);
    if (!play.playing()) show(step);
  };
  return { el: [kit.h("div", { class: cw("both") }, kit.h("div", {}, mask.svg), kit.h("div", {}, ring.svg)), play.el], update, stop: play.stop };
};
