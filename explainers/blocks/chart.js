/* The block as columns: what was given, what comes back, and the error between. Drag a column, or pick it and press keys. */
const block_chart = (root, { onPick, onValue, onHover }) => {
  const [TOP, BOTTOM, RIGHT] = [22, 26, 48];
  const grid = kit.s("g", { class: "cw-blocks-levels", "aria-hidden": "true" });
  const zero = kit.s("line", { class: "cw-blocks-zero" });
  const columns = kit.s("g", {});
  const handle = kit.s("circle", { class: "cw-blocks-handle", r: 7 });
  const svg = kit.s("svg", { class: "cw-blocks-chart", role: "group", "aria-label": "The block's numbers, one slider each" }, grid, columns, zero, handle);
  let now = null; // what is drawn: state, out, row, geometry
  let held = 0; // while dragging the axis stays

  const axis = (out) => 1.12 * Math.max(out.amax && Math.max(...out.values.map(Math.abs)), ...out.dequantized.map(Math.abs), 1e-30);
  const y = (v) => TOP + ((now.height - TOP - BOTTOM) / 2) * (1 - v / now.top);
  const step_of = () => 10 ** (Math.floor(Math.log10(now.top)) - 2);
  const tidy = (v) => {
    const step = step_of();
    const places = Math.max(0, -Math.floor(Math.log10(step)));
    return Math.max(-now.limit, Math.min(now.limit, Number((Math.round(v / step) * step).toFixed(Math.min(places, 20)))));
  };

  const keys = (e, i) => {
    const jump = e.key.startsWith("Page") ? 100 : e.shiftKey ? 1 : 10;
    const turn = { ArrowLeft: -1, ArrowRight: 1, Home: -i, End: now.out.shown - 1 - i }[e.key];
    const grow = { ArrowUp: 1, ArrowDown: -1, PageUp: 1, PageDown: -1 }[e.key];
    if (turn === undefined && grow === undefined) return;
    e.preventDefault();
    if (grow) onValue(i, tidy(now.out.values[i] + grow * jump * step_of()));
    else onPick(Math.max(0, Math.min(now.out.shown - 1, i + turn)), true);
  };
  const make = (_, i) => {
    const part = (name) => kit.s("rect", { class: `cw-blocks-${name}` });
    const [hit, given, error, back] = [part("hit"), part("given"), part("error"), part("back")];
    const clip = kit.s("text", { class: "cw-blocks-clip", "text-anchor": "middle" });
    const label = kit.s("text", { class: "cw-blocks-element", "text-anchor": "middle" });
    const g = kit.s("g", { role: "slider", "aria-orientation": "vertical", "aria-label": `element ${i}` }, hit, given, error, back, clip, label);
    Object.assign(g, { hit, given, error, back, clip, label });
    g.addEventListener("keydown", (e) => keys(e, i));
    g.addEventListener("focus", () => { if (now.state.picked !== i) onPick(i, false); });
    g.addEventListener("pointerenter", () => onHover(i));
    g.addEventListener("pointerleave", () => onHover(-1));
    return g;
  };
  const under = (i) => (now.row.bits === 4 ? words.num(now.out.zero === null ? now.out.elements[i] : now.out.codes[i], 3) : words.hex(now.out.codes[i], 8).slice(2));
  const span = (rect, a, b, x, width) => kit.set(rect, { x, width, y: Math.min(a, b), height: Math.max(Math.abs(a - b), 0) });
  const draw = (g, i) => {
    const { out, state, col } = now;
    const [at, back] = [y(out.values[i]), y(out.dequantized[i])];
    const mid = col * (i + 0.5);
    const [thick, wide] = [Math.max(2, col * 0.62), Math.max(3, col * 0.86)];
    kit.set(g.hit, { x: col * i, width: col, y: 0, height: now.height });
    span(g.given, y(0), at, mid - thick / 2, thick);
    span(g.error, at, back, mid - Math.min(2, col / 4), Math.min(4, col / 2));
    kit.set(g.back, { x: mid - wide / 2, width: wide, y: back - 1.5, height: 3 });
    const clipped = out.clipped.includes(i);
    kit.set(g.clip, { x: mid, y: out.values[i] > 0 ? Math.min(at, back) - 6 : Math.max(at, back) + 14 });
    kit.text(g.clip, clipped ? (col > 24 ? "clips" : "▲") : "");
    kit.set(g.label, { x: mid, y: now.height - 8 });
    kit.text(g.label, col >= 26 ? under(i) : "");
    kit.set(g, {
      class: `cw-blocks-col${i === state.picked ? " picked" : ""}${clipped ? " clipped" : ""}${i === out.peak ? " peak" : ""}`,
      tabindex: i === state.picked ? 0 : -1,
      "aria-valuenow": out.values[i], "aria-valuemin": -now.limit, "aria-valuemax": now.limit, "aria-valuetext": words.spoken(out, i),
    });
  };
  const level = (g, v, i) => {
    const [line, text] = g.children;
    const at = y(v);
    const free = i === 0 || Math.abs(at - now.labelled) >= 13;
    if (free) now.labelled = at;
    kit.set(line, { x1: 0, x2: now.width - RIGHT + 4, y1: at, y2: at });
    kit.set(text, { x: now.width - RIGHT + 8, y: at + 3.5 });
    kit.text(text, free ? words.num(v, 3) : "");
  };
  const update = (state, out, row, width, limit) => {
    const height = width < 560 ? 220 : 280;
    now = { state, out, row, width, height, limit, col: (width - RIGHT) / out.shown, top: Math.max(axis(out), held), labelled: 0 };
    kit.set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    const shown = out.levels.length ? out.levels : [out.scale, 0, -out.scale].map((s) => s * (row.element === "float8_e4m3fn" ? 448 : codec.FORMATS[codec.MX[row.name]].largest));
    kit.list(grid, shown.filter((v) => Math.abs(v) <= now.top), () => kit.s("g", {}, kit.s("line", {}), kit.s("text", {})), level);
    kit.list(columns, out.values, make, (g, _, i) => draw(g, i));
    kit.set(zero, { x1: 0, x2: width - RIGHT, y1: y(0), y2: y(0) });
    kit.set(handle, { cx: now.col * (state.picked + 0.5), cy: y(out.values[Math.min(state.picked, out.shown - 1)]), visibility: state.picked < out.shown ? "visible" : "hidden" });
  };

  let dragged = 0;
  const value_at = (py) => tidy(now.top * (1 - (2 * (py - TOP)) / (now.height - TOP - BOTTOM)));
  let moved = false;
  let from = 0;
  kit.drag(svg, {
    start: (px, py, e) => {
      dragged = Math.floor(px / now.col);
      if (dragged >= now.out.shown || dragged < 0) return false;
      if (dragged !== now.state.picked && e.target !== handle) onPick(dragged, true);
      if (e.target === handle) dragged = now.state.picked;
      if (e.pointerType === "touch" && e.target !== handle) return false; // a swipe over the chart still scrolls the page
      [moved, from, held] = [false, py, now.top];
      return true;
    },
    move: (px, py) => {
      moved = moved || Math.abs(py - from) > 3;
      if (moved) onValue(dragged, value_at(py));
    },
    end: () => { held = 0; root.dispatchEvent(new Event("cw-redraw")); },
  });
  return { el: svg, update, labelled: () => now.col >= 26, focus: (i) => columns.children[i].focus(), hover: (i) => [...columns.children].forEach((g, k) => g.classList.toggle("hover", k === i)) };
};
