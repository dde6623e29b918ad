/* Two drawings on a line: every value the format has (log beyond the smallest normal, even below it), and the bins near one. */
bits.axis = (f) => { // value -> 0..1, and the ticks
  const [low, high] = bits.ranks(f);
  const end = [low, high].map((r) => bits.decode(f, bits.at(f, r)));
  if (!f.exponent_bits) {
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => bits.decode(f, bits.at(f, low + i)));
    return { x: (v) => (v - end[0]) / (end[1] - end[0]), normal: ticks, small: [], labels: [end[0], end[1], 0, end[0] / 2, f.specials === "int" ? (end[1] + 1) / 2 : 0.5] };
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
  const labels = f.sign_bits ? [0, ...both([end[1], 1, normal, 16, 1 / 16])] : [end[0], end[1], 1, 2 ** 64, 2 ** -64];
  const x = (v) => (f.sign_bits ? 0.5 + (Math.sign(v) * u(Math.abs(v))) / 2 : u(v));
  return { x, normal: both(powers), small: both(small), labels: labels.filter((v) => Math.abs(v) <= end[1]) };
};
bits.tickText = (v) => {
  const e = v === 0 ? 0 : bits.log2(Math.abs(v));
  const power = v !== 0 && Math.abs(v) === bits.POW2(e);
  return power && (e < -4 || e > 12) ? `${v < 0 ? "-" : ""}${kit.fmt.pow2(e)}` : bits.short(Q.of(v));
};

bits.line = () => {
  const normal = kit.s("path", { class: "normal" });
  const small = kit.s("path", { class: "subnormal" });
  const labels = kit.s("g", { class: "ticks", "aria-hidden": "true" });
  const mark = kit.s("g", { class: "mark" }, kit.s("line", { y1: 22, y2: 52 }), kit.s("text", { y: 15 }));
  const el = kit.s("svg", { class: "line", role: "img", height: 76 }, kit.s("path", { class: "base" }), small, normal, labels, mark);
  let axis = null;
  let [format, width] = [null, 0];
  const at = (v) => 8 + axis.x(v) * (width - 16);
  const layout = () => {
    kit.set(el, { viewBox: `0 0 ${width} 76`, width });
    kit.set(el.firstChild, { d: `M0 50.5H${width}` });
    const path = (list, top) => list.map((v) => `M${at(v).toFixed(1)} ${top}V50`).join("");
    kit.set(normal, { d: path(axis.normal, 34) });
    kit.set(small, { d: path(axis.small, 40) });
    const taken = [];
    const shown = axis.labels.filter((v, i) => {
      const x = at(v);
      const free = axis.labels.indexOf(v) === i && taken.every((t) => Math.abs(t - x) > 56);
      if (free) taken.push(x);
      return free;
    });
    kit.list(labels, shown, () => kit.s("text", { y: 68 }), (node, v) => {
      const x = at(v);
      kit.set(node, { x, "text-anchor": x < 24 ? "start" : x > width - 24 ? "end" : "middle", text: bits.tickText(v) });
    });
  };
  const update = (f, value, label, now) => {
    if (f !== format || now !== width) {
      [format, width] = [f, now];
      axis = bits.axis(f);
      layout();
    }
    const seen = Number.isFinite(value);
    const x = seen ? at(value) : 0;
    kit.set(mark, { visibility: seen ? "visible" : "hidden" });
    kit.set(mark.firstChild, { x1: x, x2: x });
    kit.set(mark.lastChild, { x, "text-anchor": x < 40 ? "start" : x > width - 40 ? "end" : "middle", text: label });
    kit.set(el, { "aria-label": seen ? `${label} on the line of all values, from ${bits.tickText(axis.labels.length ? Math.min(...axis.normal) : 0)} to ${bits.tickText(Math.max(...axis.normal))}` : `${label} is not on the line of values` });
  };
  return { el, update };
};

/* The neighbourhood: what rounds to what. Bins alternate; the one that holds the number is lit. */
bits.binsLine = () => {
  const rects = kit.s("g", { class: "bins", "aria-hidden": "true" });
  const mark = kit.s("g", { class: "typed" }, kit.s("path"), kit.s("text", { y: 12 }));
  const frame = kit.s("rect", { class: "frame", y: 24, height: 26 });
  const el = kit.s("svg", { class: "line", role: "img", height: 78 }, rects, frame, mark);
  const update = (all, rank, x, label, width) => {
    kit.set(el, { viewBox: `0 0 ${width} 78`, width, "aria-label": bits.binWords(all, rank) });
    const step = all.length > 1 ? (all.at(-1).at - all[0].at) / (all.length - 1) : 1;
    const ends = all.map((b) => [b.low ?? b.at - step / 2, b.high ?? b.at + step / 2]);
    const [from, to] = [ends[0][0], ends.at(-1)[1]];
    const at = (v) => 8 + ((v - from) / (to - from)) * (width - 16);
    kit.list(rects, all, () => kit.s("g", {}, kit.s("rect", { y: 24, height: 26 }), kit.s("line", { y1: 30, y2: 50 }), kit.s("text", { y: 68 })), (g, b, i) => {
      const [left, right] = ends[i].map(at);
      const here = b.rank === rank;
      kit.set(g, { class: here ? "here" : b.ends[0] ? "even" : "odd" });
      kit.set(g.children[0], { x: left, width: Math.max(0, right - left) });
      if (here) kit.set(frame, { x: left, width: Math.max(0, right - left) });
      kit.set(g.children[1], { x1: at(b.at), x2: at(b.at) });
      kit.set(g.children[2], { x: at(b.at), text: b.value, visibility: right - left > 7 * b.value.length || here ? "visible" : "hidden" });
    });
    const seen = Number.isFinite(x) && x >= from && x <= to;
    const px = seen ? at(x) : 0;
    kit.set(mark, { visibility: seen ? "visible" : "hidden" });
    kit.set(mark.firstChild, { d: `M${px} 50V18M${px - 4} 18h8` });
    kit.set(mark.lastChild, { x: px, "text-anchor": px < 60 ? "start" : px > width - 60 ? "end" : "middle", text: label });
  };
  return { el, update };
};
bits.binWords = (all, rank) => {
  const b = all.find((one) => one.rank === rank);
  if (!b) return "This code is not a number: nothing rounds into it by nearness.";
  const [lower, upper] = b.ends;
  const ends = lower && upper ? "both ends included" : lower ? "the lower end included" : upper ? "the upper end included" : "neither end included";
  if (b.from === "") return `Everything up to ${b.to} becomes ${b.value}.`;
  if (b.to === "") return `Everything from ${b.from} on becomes ${b.value}.`;
  return `Everything from ${b.from} to ${b.to} becomes ${b.value}, ${ends}.`;
};
