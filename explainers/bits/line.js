/* Two drawings on a line: every value the format has (log beyond the smallest normal, even below it), and the bins near one. */
bits.axis = (f, even) => { // value -> 0..1, and the values that get a tick
  const [low, high] = bits.ranks(f);
  const end = [low, high].map((r) => bits.decode(f, bits.at(f, r)));
  if (!f.exponent_bits || even) {
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => bits.decode(f, bits.at(f, low + i)));
    return { x: (v) => (v - end[0]) / (end[1] - end[0]), normal: ticks, small: [] };
  }
  const normal = bits.POW2(f.specials === "fnu" ? -f.bias : 1 - f.bias);
  const octaves = Math.log2(end[1] / normal);
  const sub = f.specials === "fnu" ? 0 : Math.min(4.5, Math.max(1, 0.3 * octaves));
  const u = (v) => (v < normal ? (sub * v) / normal : sub + Math.log2(v / normal)) / (sub + octaves);
  const every = bits.width(f) <= 8;
  const place = Array.from({ length: every ? high : 0 }, (_, i) => bits.decode(f, i + 1));
  const powers = every ? place.filter((v) => v >= normal) : Array.from({ length: Math.floor(octaves) + 1 }, (_, i) => normal * 2 ** i);
  const small = every ? place.filter((v) => v < normal) : [];
  const both = (list) => (f.sign_bits ? [...list.map((v) => -v), ...list] : list);
  const x = (v) => (f.sign_bits ? 0.5 + (Math.sign(v) * u(Math.abs(v))) / 2 : u(v));
  return { x, normal: both(powers), small: both(small) };
};
bits.once = (make) => { // what a format alone decides is made once
  const made = new Map();
  return (f, first = 0) => { const key = `${f.name} ${first}`; if (!made.has(key)) made.set(key, make(f, first)); return made.get(key); };
};
bits.tickText = (v) => {
  const e = v === 0 ? 0 : bits.log2(Math.abs(v));
  const power = v !== 0 && Math.abs(v) === bits.POW2(e);
  return power && (e < -4 || e > 12) ? `${v < 0 ? "-" : ""}${kit.fmt.pow2(e)}` : bits.short(Q.of(v));
};
bits.ticks = bits.once((f) => {
  const [low, high] = bits.ranks(f).map((r) => bits.decode(f, bits.at(f, r)));
  const some = [high, 1, bits.POW2(1 - f.bias), 16, 1 / 16];
  const all = !f.exponent_bits ? [low, high, 0, low / 2, f.specials === "int" ? (high + 1) / 2 : 0.5]
    : f.sign_bits ? [0, ...some.map((v) => -v), ...some].filter((v) => high >= Math.abs(v)) : [low, high, 1, 2 ** 64, 2 ** -64];
  return [...new Set(all)].map((at) => ({ at, text: bits.tickText(at) }));
});
bits.last = bits.once((f) => {
  const high = bits.ranks(f)[1];
  const values = [3, 2, 1, 0].map((i) => bits.q(f, high - i));
  const rows = [...values, Q.sub(Q.add(values[3], values[3]), values[2])].map((v) => ({ at: Q.odd(v), text: bits.inDigits(f, v) }));
  return { values: rows.slice(0, 4), next: rows[4] };
});

bits.line = (even) => {
  const normal = kit.s("path", { class: "normal" });
  const small = kit.s("path", { class: "subnormal" });
  const labels = kit.s("g", { class: "ticks", "aria-hidden": "true" });
  const mark = kit.s("g", { class: "mark" }, kit.s("line", { y1: 22, y2: 52 }), kit.s("text", { y: 15 }));
  const el = kit.s("svg", { class: "line", role: "img", height: 76 }, kit.s("path", { class: "base" }), small, normal, labels, mark);
  let axis = null;
  let [format, width] = [null, 0];
  const at = (v) => 8 + axis.x(v) * (width - 16);
  const layout = (o) => {
    kit.set(el, { viewBox: `0 0 ${width} 76`, width });
    kit.set(el.firstChild, { d: `M0 50.5H${width}` });
    const path = (list, top) => list.map((v) => `M${at(v).toFixed(1)} ${top}V50`).join("");
    kit.set(normal, { d: path(axis.normal, 34) });
    kit.set(small, { d: path(axis.small, 40) });
    const taken = [];
    const shown = o.ticks.map((tick, i) => [at(tick.at), i]).filter(([x]) => {
      const free = taken.every((t) => Math.abs(t - x) > 56);
      if (free) taken.push(x);
      return free;
    });
    kit.list(labels, shown, () => kit.s("text", { y: 68 }), (node, [x, i]) => {
      kit.put(kit.set(node, { x, "text-anchor": x < 24 ? "start" : x > width - 24 ? "end" : "middle" }), `ticks.${i}.text`, "text", o);
    });
  };
  const update = (f, o, now) => {
    const value = bits.decode(f, o.code);
    if (f !== format || now !== width) {
      [format, width] = [f, now];
      axis = bits.axis(f, even);
      layout(o);
    }
    const seen = Number.isFinite(value);
    const x = seen ? at(value) : 0;
    kit.set(mark, { visibility: seen ? "visible" : "hidden" });
    kit.set(mark.firstChild, { x1: x, x2: x });
    kit.set(mark.lastChild, { x, "text-anchor": x < 40 ? "start" : x > width - 40 ? "end" : "middle" });
    kit.put(mark.lastChild, "short", "text", o);
    kit.set(el, { "aria-label": seen ? `${o.short} on the line of all values, from ${o.format.ends[0]} to ${o.format.ends[1]}` : `${o.short} is not on the line of values` });
  };
  return { el, update };
};

/* The neighbourhood: what rounds to what. Bins alternate; the one that holds the number is lit. */
bits.binsLine = () => {
  const rects = kit.s("g", { class: "bins", "aria-hidden": "true" });
  const mark = kit.s("g", { class: "typed" }, kit.s("path"), kit.s("text", { y: 12 }));
  const frame = kit.s("rect", { class: "frame", y: 24, height: 26 });
  const el = kit.s("svg", { class: "line", role: "img", height: 78 }, rects, frame, mark);
  const update = (f, o, x, width, open) => {
    const all = o.bins;
    const rank = bits.rank(f, o.code);
    kit.set(el, { viewBox: `0 0 ${width} 78`, width, "aria-label": open ? `The values near ${o.short}` : o.bin_words });
    kit.set(frame, { visibility: open ? "hidden" : "visible" });
    const step = all.length > 1 ? (all.at(-1).at - all[0].at) / (all.length - 1) : 1;
    const ends = all.map((b) => [b.low ?? b.at - step / 2, b.high ?? b.at + step / 2]);
    const [from, to] = [ends[0][0], ends.at(-1)[1]];
    const at = (v) => 8 + ((v - from) / (to - from)) * (width - 16);
    kit.list(rects, all, () => kit.s("g", {}, kit.s("rect", { y: 24, height: 26 }), kit.s("line", { y1: 30, y2: 50 }), kit.s("text", { y: 68 })), (g, b, i) => {
      const [left, right] = ends[i].map(at);
      const here = b.rank === rank && !open;
      kit.set(g, { class: here ? "here" : b.ends[0] || open ? "even" : "odd" });
      kit.set(g.children[0], { visibility: open ? "hidden" : "visible" });
      kit.set(g.children[0], { x: left, width: Math.max(0, right - left) });
      if (here) kit.set(frame, { x: left, width: Math.max(0, right - left) });
      kit.set(g.children[1], { x1: at(b.at), x2: at(b.at) });
      kit.put(kit.set(g.children[2], { x: at(b.at), visibility: right - left > 7 * b.value.length || here ? "visible" : "hidden" }), `bins.${i}.value`, "text", o);
    });
    const seen = Number.isFinite(x) && x >= from && x <= to;
    const px = seen ? at(x) : 0;
    kit.set(mark, { visibility: seen ? "visible" : "hidden" });
    kit.set(mark.firstChild, { d: `M${px} 50V18M${px - 4} 18h8` });
    kit.set(mark.lastChild, { x: px, "text-anchor": px < 60 ? "start" : px > width - 60 ? "end" : "middle" });
    kit.put(mark.lastChild, "typed.label", "text", o);
  };
  return { el, update };
};
