/* Twin of drawn.py: ranks and what each holds, and what the stages hold or send. */
const [SIDE, SHOWN] = [30, 8];
const HIGH = { weights: 12, gradients: 12, optimizer: 40 };
const LABELS = { sends: "Bytes that a rank sends for each parameter, by ZeRO stage.", per: "Bytes that a rank holds for each parameter, by ZeRO stage." };
const shown_of = (d) => (d > SHOWN ? [...kit.upto(SHOWN - 1), d - 1] : kit.upto(d));

const cell_of = () => {
  const [all, part] = [kit.s("rect", { class: "all", width: SIDE }), kit.s("rect")];
  const svg = kit.s("svg", { "aria-hidden": "true" }, all, part);
  const update = ({ name, share }, rank, shards) => {
    const high = HIGH[name];
    const at = share > 0 && 1 > share ? (SIDE * (rank % shards)) / shards : 0;
    const wide = share ? Math.max(SIDE * share, 1.5) : 0;
    kit.set(svg, { viewBox: `0 0 ${SIDE} ${high}` });
    kit.set(all, { height: high });
    kit.set(part, { class: name, x: Math.min(at, SIDE - wide).toFixed(2), width: wide.toFixed(2), height: high });
  };
  return { td: kit.h("td", {}, svg), update };
};

const cards_view = () => {
  const [head, body] = [kit.h("tr"), kit.h("tbody")];
  const el = kit.h("table", { class: "cw-data-parallel-cards" }, kit.h("thead", {}, head), body);
  let [built, rows] = ["", []];
  const build = (now, ranks) => {
    head.replaceChildren(kit.h("th", { scope: "col", text: "rank" }), ...ranks.map((rank, n) => kit.h("th", { scope: "col", "data-index": true, text: `${n && rank - ranks[n - 1] > 1 ? "… " : ""}${rank}` })));
    rows = now.parts.map((part) => ({ size: kit.h("span"), cells: ranks.map(cell_of), name: part.name }));
    body.replaceChildren(...rows.map(({ size, cells, name }) => kit.h("tr", {}, kit.h("th", { scope: "row" }, `${name} `, kit.h("small", {}, size, " B")), ...cells.map(({ td }) => td))));
  };
  const update = (now, d) => {
    const ranks = shown_of(d);
    if (built !== ranks.join()) build(now, ranks);
    built = ranks.join();
    rows.forEach(({ size, cells }, i) => {
      kit.put(size, `parts.${i}.bytes`, "int", now);
      cells.forEach((cell, n) => cell.update(now.parts[i], ranks[n], now.shards));
    });
  };
  return { el, update };
};

const bars_view = (what) => {
  const make = (z) => {
    const [name, bar, number] = [kit.s("text", { x: 0, y: 30 * z + 17, "data-index": true, text: `stage ${z}` }), kit.s("rect", { x: "20%", y: 30 * z + 4, height: 18 }), kit.s("text", { y: 30 * z + 17 })];
    return { g: kit.s("g", {}, name, bar, number), bar, number };
  };
  const made = kit.upto(4).map(make);
  const el = kit.s("svg", { class: "cw-data-parallel-bars", role: "img", "aria-label": LABELS[what], width: "100%", height: 120 }, ...made.map(({ g }) => g));
  const update = (now, stage, hide) => {
    const most = Math.max(...now.rows.map((row) => row[what]));
    made.forEach(({ g, bar, number }, z) => {
      const gone = hide && z === 3;
      const wide = gone ? 0 : (62 * now.rows[z][what]) / most;
      kit.set(g, { class: z === stage ? "on" : "" });
      kit.set(bar, { width: `${wide.toFixed(2)}%` });
      kit.set(number, { x: `${(21 + wide).toFixed(2)}%` });
      if (gone) number.replaceChildren();
      else kit.fill(number, `{rows.${z}.${what}:fixed 2} B`, now);
    });
  };
  return { el, update };
};
