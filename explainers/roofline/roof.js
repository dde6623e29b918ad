/* Twin of roof.py: what a device can reach by FLOP a byte, and where blocks stand. */
const [LOW, HIGH, TOP, FLOOR, LEFT, NEAR, ACROSS, BEND] = [0.5, 16384, 34, 232, 12, 21, 400, 0.38];
const HEIGHTS = [0.1, 1, 10, 100, 1000, 10000];
const NAMES = { mlp: "MLP", past: "the past", mixer: "attention" };
const COLOURS = { mlp: "dense", past: "cached", mixer: "full" };
const hundredth = (y) => y.toFixed(2);
const along_x = (intensity) => (LEFT + ((99 - LEFT) * Math.log(Math.min(Math.max(intensity, LOW), HIGH) / LOW)) / Math.log(HIGH / LOW)) / 100;
const up_y = (tflops, device) => {
  const [low, high] = [LOW * device.tb, device.tflops];
  return FLOOR - ((FLOOR - TOP) * Math.log(Math.max(tflops, low) / low)) / Math.log(high / low);
};

const frame_view = () => {
  const [scale, foot] = [kit.s("g"), kit.s("g", {}, [1, 10, 100, 1000, 10000].map((t) => kit.s("text", { class: "mid", x: pct(along_x(t)), y: FLOOR + 20, "data-index": true, text: kit.fmt.int(t) })))];
  const [slope, flat, ridge, said] = [kit.s("line", { x1: `${LEFT}%`, y1: FLOOR, y2: TOP }), kit.s("line", { x2: "99%", y1: TOP, y2: TOP }), kit.s("line", { class: "ridge", y1: TOP, y2: FLOOR }), kit.s("text", { class: "mid", y: TOP - 10 })];
  const [second, lower] = [kit.s("line", { x2: "99%" }), kit.s("text", { class: "end", x: "99%", y: FLOOR - 8 })];
  const [apart, below] = [kit.s("g", {}, ridge, said), kit.s("g", {}, second, lower)];
  const el = [kit.s("g", { class: "scale" }, scale, foot), kit.s("g", { class: "roof" }, slope, flat, apart, below), kit.s("text", { class: "axis", x: "99%", y: FLOOR + 38, text: "FLOP a byte" })];
  const update = (now, hide) => {
    const { device } = now;
    kit.list(scale, HEIGHTS.filter((h) => h > LOW * device.tb && device.tflops * 1.02 >= h), () => kit.s("g", {}, kit.s("line", { x1: `${LEFT}%`, x2: "99%" }), kit.s("text", { class: "end", x: `${LEFT}%`, dx: -8, "data-index": true })), (node, h) => {
      const y = up_y(h, device);
      kit.set(node.children[0], { y1: hundredth(y), y2: hundredth(y) });
      kit.set(node.children[1], { y: hundredth(y + 4), text: 1 > h ? String(h) : kit.fmt.int(h) });
    });
    const at = pct(along_x(device.ridge));
    kit.set(foot, { class: hide ? "hush" : "" });
    kit.set(slope, { x2: at });
    kit.set(flat, { x1: at });
    kit.set(ridge, { x1: at, x2: at });
    kit.fill(kit.set(said, { x: at }), "ridge {device.ridge:int}", now);
    kit.set(apart, { class: hide ? "hush" : "" });
    const low = up_y(device.plain / 1e12, device);
    kit.set(second, { x1: pct(along_x(device.plain_ridge)), y1: hundredth(low), y2: hundredth(low) });
    kit.fill(lower, "BF16: ridge {device.plain_ridge:int}", now);
    kit.set(below, { class: hushed("lower", device.plain >= device.peak) });
  };
  return { el, update };
};

/* Where each block stands; one that would lie on another stands right of it, under the flat part of the roof below it. */
const places = (now, rows) => rows.reduce((found, row) => {
  const at = along_x(row.intensity);
  let [aside, down] = [0, up_y(row.tflops, now.device)];
  const flat = at > along_x(now.device.ridge) - 0.03;
  while (found.some(([a, b, c]) => NEAR - 1 > Math.abs((at - a) * ACROSS + aside - b) && NEAR - 1 > Math.abs(down - c))) {
    if (flat) down += NEAR;
    else aside += NEAR;
  }
  return [...found, [at, aside, down]];
}, []);

const roof_view = (keys) => {
  const name = kit.h("p", { class: "cw-roofline-name" });
  const frame = frame_view();
  const points = kit.s("g");
  const svg = kit.s("svg", { class: "cw-roofline-roof", width: "100%", height: FLOOR + 44, role: "img" }, frame.el, points);
  const halves = (now) => {
    let last = 0;
    kit.list(points, keys, () => kit.s("g", {}, kit.s("circle", { r: 8 }), kit.s("text")), (g, key) => {
      const row = now[key];
      const [at, down] = [along_x(row.intensity), up_y(row.tflops, now.device)];
      const above = at > BEND && along_x(now.device.ridge) - 0.01 > at;
      const low = above ? down - 10 : Math.abs(down + 22 - last) >= 17 ? down + 22 : last + 17;
      last = above ? last : low;
      const far = above || at > 0.8;
      const moe = key === "mlp" && now.rows.some((one) => one.role === "moe");
      kit.set(g, { class: `point of-${moe ? "moe" : COLOURS[key]}` });
      kit.set(g.children[0], { cx: pct(at), cy: hundredth(down) });
      kit.fill(kit.set(g.children[1], { class: far ? "end" : "", x: pct(at), dx: far ? -12 : 12, y: hundredth(low) }), `${moe ? "experts" : NAMES[key]}: {${key}.intensity:sig 3}`, now);
    });
  };
  const numbered = (now) => {
    const shown = now.drawn.filter((i) => now.rows[i].flops);
    const spots = places(now, shown.map((i) => now.rows[i]));
    kit.list(points, shown, () => kit.s("g", {}, kit.s("circle", { r: 10 }), kit.s("text", { class: "mid", "data-index": true })), (g, i, k) => {
      const [at, aside, down] = spots[k];
      kit.set(g, { class: `dot of-${now.rows[i].role}`, transform: `translate(${aside} 0)` });
      kit.set(g.children[0], { cx: pct(at), cy: hundredth(down) });
      kit.set(g.children[1], { x: pct(at), y: hundredth(down + 4), text: i + 1 });
    });
  };
  const update = (now, hide = false) => {
    kit.fill(name, "{device.title:text}: TFLOP/s by FLOP a byte", now);
    frame.update(now, hide);
    if (keys) halves(now);
    else numbered(now);
    const where = keys && !hide ? ` ${keys.map((key) => `${NAMES[key]} at ${kit.fmt.sig(now[key].intensity, 3)}`).join(", ")}; ridge at ${kit.fmt.int(now.device.ridge)}.` : "";
    kit.set(svg, { "aria-label": `A roof that rises with FLOP a byte up to its ridge, then is flat.${where}` });
  };
  return { el: [name, svg], update };
};
