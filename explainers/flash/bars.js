/* Twin of bars.py: the tile on the chip, bytes and FLOP as bars, and the roofline. */
const [LOW, HIGH, TOP, FLOOR, LEFT] = [8, 8192, 28, 208, 11];
const HEIGHTS = [1, 3, 10, 30, 100, 300, 1000, 3000];
const NAMES = { queries: "queries", keys: "keys", values: "values", output: "output, FP32", scores: "scores, FP32", stats: "max and sum" };
const pct = (share) => `${(100 * share).toFixed(3)}%`;
const hundredth = (y) => y.toFixed(2);

const sram_view = () => {
  const [name, rects, limit, sizes] = [kit.h("p"), kit.s("g"), kit.s("line", { y1: 0, y2: 46 }), kit.h("ul", { class: "cw-legend cw-flash-parts" })];
  const svg = kit.s("svg", { class: "cw-flash-sram", width: "100%", height: 46, role: "img", "aria-label": "The tile beside the room there is." }, rects, limit);
  const update = (now) => {
    const { parts, total, fits } = now.sram;
    const most = Math.max(total, now.chip.sram) * 1.04;
    kit.fill(kit.set(name, { class: `cw-flash-name${fits ? "" : " over"}` }), `in SRAM: {sram.total:bytes KB} of {chip.sram:bytes KB}${fits ? "" : ": it does not fit"}`, now);
    const before = (i) => sum(parts.slice(0, i).map((one) => one.bytes));
    kit.list(rects, parts, () => kit.s("rect", { y: 6, height: 34 }), (node, one, i) => kit.set(node, { class: one.name, x: pct(before(i) / most), width: pct(one.bytes / most) }));
    kit.set(limit, { x1: pct(now.chip.sram / most), x2: pct(now.chip.sram / most) });
    kit.list(sizes, parts, (one) => { const text = kit.h("span"); return Object.assign(kit.h("li", {}, kit.h("i", { class: one.name, "aria-hidden": "true" }), text), { text }); },
      (node, one, i) => kit.fill(node.text, `${NAMES[one.name]} {sram.parts.${i}.bytes:bytes KB}`, now));
  };
  return { el: [name, svg, sizes], update };
};

const bars_view = (title, paths, how, unit) => {
  const rows = Object.entries(paths).map(([name, path], i) => {
    const [amount, bar] = [kit.s("text", { class: "end", x: "100%", y: 34 * i + 13 }), kit.s("rect", { class: name, x: 0, y: 34 * i + 18, height: 10 })];
    return { path, amount, bar, all: [kit.s("text", { class: name, x: 0, y: 34 * i + 13, text: name }), amount, bar] };
  });
  const svg = kit.s("svg", { class: "cw-flash-bars", width: "100%", height: 66, role: "img", "aria-label": `Plain and tiled: ${title}.` }, rows.map((row) => row.all));
  const update = (now) => {
    const most = Math.max(...rows.map((row) => kit.path(now, row.path)));
    for (const { path, amount, bar } of rows) {
      kit.fill(amount, `{${path}:${how}}${unit}`, now);
      kit.set(bar, { width: pct(kit.path(now, path) / most) });
    }
  };
  return { el: [kit.h("p", { class: "cw-flash-name", text: title }), svg], update };
};

const POINTS = [["plain", "plain: ", -10, -10, 8], ["kept", "if L2 keeps K and V: ", 12, -12, 6.5], ["tiled", "tiled: ", 11, 20, 6.5]];
const along_x = (intensity) => (LEFT + ((99 - LEFT) * Math.log(Math.min(Math.max(intensity, LOW), HIGH) / LOW)) / Math.log(HIGH / LOW)) / 100;
const up_y = (tflops, chip) => {
  const [low, high] = [(LOW * chip.bandwidth) / 1e12, chip.peak / 1e12];
  return FLOOR - ((FLOOR - TOP) * Math.log(Math.max(tflops, low) / low)) / Math.log(high / low);
};

const roof_view = () => {
  const name = kit.h("p", { class: "cw-flash-name" });
  const [scale, slope, flat, ridge, said] = [kit.s("g"), kit.s("line", { x1: `${LEFT}%`, y1: FLOOR, y2: TOP }), kit.s("line", { x2: "99%", y1: TOP, y2: TOP }), kit.s("line", { class: "ridge", y1: TOP, y2: FLOOR }), kit.s("text", { dx: 6, y: FLOOR - 6 })];
  const foot = [10, 100, 1000].map((t) => kit.s("text", { class: "mid", x: pct(along_x(t)), y: 228, "data-index": true, text: kit.fmt.int(t) }));
  const dots = POINTS.map(([kind, words, dx, , r]) => {
    const [circle, text] = [kit.s("circle", { r }), kit.s("text", { dx })];
    return { kind, words, circle, text, el: kit.s("g", {}, circle, text) };
  });
  const svg = kit.s("svg", { class: "cw-flash-roof", width: "100%", height: 236, role: "img" }, kit.s("g", { class: "scale" }, scale, foot), kit.s("g", { class: "roof" }, slope, flat, ridge, said), dots.map((one) => one.el));
  const update = (now, hide) => {
    const { chip } = now;
    const top = chip.peak / 1e12;
    kit.fill(name, "{chip.title}: TFLOP/s it can reach, by FLOP per byte moved", now);
    kit.list(scale, HEIGHTS.filter((h) => h > (LOW * chip.bandwidth) / 1e12 && top * 1.05 >= h), () => kit.s("g", {}, kit.s("line", { x1: `${LEFT}%`, x2: "99%" }), kit.s("text", { class: "end", x: `${LEFT}%`, dx: -8, "data-index": true })), (node, h) => {
      const y = up_y(h, chip);
      kit.set(node.children[0], { y1: hundredth(y), y2: hundredth(y) });
      kit.set(node.children[1], { y: hundredth(y + 4), text: kit.fmt.int(h) });
    });
    const at = pct(along_x(chip.ridge));
    kit.set(slope, { x2: at });
    kit.set(flat, { x1: at });
    kit.set(ridge, { x1: at, x2: at });
    kit.fill(kit.set(said, { x: at }), "ridge: {chip.ridge:int}", now);
    dots.forEach(({ kind, words, circle, text, el }, i) => {
      const here = now[kind];
      const [cx, cy] = [pct(along_x(here.intensity)), up_y(here.tflops, chip)];
      const hushed = kind !== "plain" && (hide || here.fits === false);
      kit.set(el, { class: kind + (hushed ? " hush" : "") });
      kit.set(circle, { cx, cy: hundredth(cy) });
      kit.fill(kit.set(text, { x: cx, y: hundredth(cy + POINTS[i][3]) }), `${words}{${kind}.intensity:int}`, now);
    });
    kit.set(svg, { "aria-label": `A roof that rises with FLOP per byte up to the ridge, then is flat.${hide ? "" : ` Plain attention stands at ${kit.fmt.int(now.plain.intensity)}, tiled at ${kit.fmt.int(now.tiled.intensity)}, the ridge at ${kit.fmt.int(chip.ridge)}.`}` });
  };
  return { el: [name, svg], update };
};
