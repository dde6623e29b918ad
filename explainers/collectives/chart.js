/* Time against message size, both axes logarithmic: one line per algorithm, from 1 KiB to 2 ** to bytes.
   The lab marks S; a beat shows the ends alone while its bet is open, then where the lines meet. */
const LOW = 10;
const TICKS = { 10: "1 KiB", 20: "1 MiB", 30: "1 GiB" };

const time_chart = ({ to, height, names }) => {
  const [axis, lines, marks] = ["axis", "lines", "marks"].map((name) => kit.s("g", { class: `cw-collectives-${name}` }));
  const here = kit.s("line", { class: "cw-collectives-here" });
  const svg = kit.s("svg", { role: "img", class: "cw-collectives-chart" }, axis, here, lines, marks);
  const bottom = height - 30;

  /* at: where the dashed line stands, a power of two or null; points: [[algorithm, message, microseconds]]; ends: no lines yet. */
  const update = (state, data, { width, left, right, at, points, ends }) => {
    const x = (message) => left + ((message - LOW) / (to - LOW)) * (width - left - right);
    const curves = names.map((a) => ({ a, y: upto(to - LOW + 1).map((i) => times_of(state.op, a, state.ranks, { ...state, message: LOW + i }, data)) }));
    const all = curves.flatMap((c) => c.y).map((y) => Math.log10(Math.max(y, 1e-3)));
    const [low, high] = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all))];
    const y = (us) => bottom - ((Math.log10(Math.max(us, 1e-3)) - low) / Math.max(high - low, 1)) * (bottom - 15);
    const ticks = Object.entries(TICKS).map(([m, text]) => ({ x1: x(m), x2: x(m), y1: bottom, y2: bottom + 4, tx: x(m), ty: bottom + 18, text, anchor: "middle" }));
    for (let e = low; high >= e; e += 1) ticks.push({ x1: left, x2: x(to), y1: y(10 ** e), y2: y(10 ** e), tx: left - 6, ty: y(10 ** e) + 4, text: spelt(10 ** e).replace(/\.0+ /, " "), anchor: "end" });
    kit.set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    kit.list(axis, ticks, () => kit.s("g", {}, kit.s("line"), kit.s("text", { "data-index": true })), (node, t) => {
      kit.set(node.children[0], { x1: t.x1, x2: t.x2, y1: t.y1, y2: t.y2 });
      kit.set(node.children[1], { x: t.tx, y: t.ty, "text-anchor": t.anchor, text: t.text });
    });
    const inside = 40 > right; // no room for names beside the lines: they stand above their ends
    let used = height + 30;
    const places = new Map([...curves].sort((a, b) => a.y.at(-1) - b.y.at(-1)).map((c) => { used = Math.min(y(c.y.at(-1)) + (inside ? 24 : 4), used - 13); return [c.a, used]; }));
    kit.list(lines, curves, () => kit.s("g", {}, kit.s("path"), kit.s("text")), (node, c) => {
      kit.set(node, { class: !inside && c.a === state.algorithm ? "on" : false });
      kit.set(node.children[0], { d: ends ? "" : c.y.map((us, i) => `${i ? "L" : "M"}${x(LOW + i).toFixed(1)} ${y(us).toFixed(1)}`).join("") });
      kit.set(node.children[1], { x: inside ? x(to) - 6 : x(to) + 5, y: places.get(c.a), "text-anchor": inside ? "end" : "start", text: c.a });
    });
    here.style.display = at === null ? "none" : "";
    if (at !== null) kit.set(here, { x1: x(at), x2: x(at), y1: 12, y2: bottom });
    kit.list(marks, points, () => kit.s("circle"), (node, [a, m, us]) => kit.set(node, { cx: x(m), cy: y(us), r: a === state.algorithm ? 5 : 3 }));
  };
  return { svg, update };
};
