/* Twin of picture.py: where heads, fans, boxes, bars and ranks stand; nodes are reused, only attributes change. */
const SMALLEST = 6;
const LARGEST = 24;
const LETTER = 12;
const HEIGHTS = [[52, 42, 52, 18], [36, 30, 36, 20], [24, 22, 26, 16]];
const thick = (pitch) => pitch - Math.min(1.5, 0.15 * pitch);
const px = (x) => String(Math.round(x * 100) / 100);

const fan = (heads, kv, width) => {
  const groups = Math.max(kv, 1);
  const size = heads / groups;
  let rows = 1, per, gap, pitch;
  for (; ; rows += 1) {
    per = Math.ceil(groups / rows);
    gap = per === 1 ? 0 : Math.min(size === 1 ? 3 : 14, (0.2 * width) / per);
    pitch = Math.min(LARGEST, (width - (per - 1) * gap) / (per * size));
    if (pitch >= SMALLEST || rows === groups) break;
  }
  const [tall, drop, low, apart] = HEIGHTS[Math.min(rows, 3) - 1];
  const left = (width - (per * size * pitch + (per - 1) * gap)) / 2;
  const one = tall + drop + low + apart;
  const at = Array.from({ length: groups }, (_, g) => {
    const x = left + (g % per) * (size * pitch + gap);
    return { x, y: Math.floor(g / per) * one, middle: x + (size * pitch - (pitch - thick(pitch))) / 2 };
  });
  return { rows, pitch, thick: thick(pitch), size, box: kv ? Math.min(23, 0.46 * size * pitch) : 0, tall, drop, low, left, groups: at, height: rows * one - apart };
};

const strand = (place, group, i) => {
  const x = group.x + i * place.pitch + place.thick / 2;
  const top = group.y + place.tall;
  const end = top + place.drop;
  const mid = place.drop * 0.55;
  return `M${px(x)} ${px(top)}C${px(x)} ${px(top + mid)} ${px(group.middle)} ${px(end - mid)} ${px(group.middle)} ${px(end)}`;
};
const strands = (place, g) => Array.from({ length: Math.round(place.size) }, (_, i) => strand(place, place.groups[g], i)).join("");

const box = (x, y, width, height) => ({ x: px(x), y: px(y), width: px(width), height: px(height), rx: px(Math.min(3, width / 4)) });

/* The yellow boxes of one group: [words, x, width]. */
const yellow = (now, place, group, width) => {
  if (now.kv) return [["k", group.middle - place.box - 0.5, place.box], ["v", group.middle + 0.5, place.box]];
  const { rank, rope } = now.mla;
  const long = Math.min(width * 0.6, 320);
  const wide = (long * rank) / (rank + rope);
  const left = group.middle - long / 2;
  return [[`latent c ${rank}`, left, wide - 1], [`kᴿ ${rope}`, left + wide, long - wide]];
};

/* The query heads above, what they read below. onHead(head) when one is pointed at, onPick(head) when one is chosen. */
const fansView = (onHead, onPick) => {
  const [fans, q, kv, letters] = ["", "", "", ""].map(() => kit.s("g"));
  const lit = kit.s("path", { class: "cw-heads-fan at" });
  const svg = kit.s("svg", { class: "cw-heads-fans", "aria-hidden": "true" }, fans, lit, q, kv, letters);
  const el = kit.h("div", { class: "cw-heads-stage", role: "slider", tabindex: "0", "aria-label": "Query head that is looked at" }, svg);
  let drawn = "";
  let place = null;
  let last = null;
  const lay = (now, width) => {
    place = fan(now.heads, now.kv, width);
    kit.set(svg, { viewBox: `0 0 ${width} ${px(place.height)}`, width, height: px(place.height) });
    const y = (group) => group.y + place.tall + place.drop;
    const heads = place.groups.flatMap((group, g) => Array.from({ length: Math.round(place.size) }, (_, i) => ({ group, g, i })));
    kit.list(q, heads, () => kit.s("rect"), (node, h, n) => kit.set(node, { ...box(h.group.x + h.i * place.pitch, h.group.y, place.thick, place.tall), data: { head: n } }));
    kit.list(fans, place.groups, () => kit.s("path"), (node, _group, g) => kit.set(node, { d: strands(place, g) }));
    const boxes = place.groups.flatMap((group, g) => yellow(now, place, group, width).map(([text, x, w]) => ({ text, x, w, y: y(group), g })));
    kit.list(kv, boxes, () => kit.s("rect", { class: "cw-heads-kv" }), (node, b) => kit.set(node, { ...box(b.x, b.y, b.w, place.low), data: { group: b.g } }));
    const named = boxes.filter((b) => b.w >= LETTER);
    kit.list(letters, named, () => kit.s("text", { class: "cw-heads-letter" }), (node, b) => kit.set(node, { x: px(b.x + b.w / 2), y: px(b.y + place.low / 2 + 4), text: b.text }));
  };
  const light = (head) => {
    const size = last.heads / Math.max(last.kv, 1);
    const g = Math.floor(head / size);
    [...q.children].forEach((node, n) => kit.set(node, { class: `cw-heads-q${Math.floor(n / size) === g ? " on" : ""}${n === head ? " at" : ""}` }));
    [...fans.children].forEach((node, n) => kit.set(node, { class: `cw-heads-fan${n === g ? " on" : ""}` }));
    kit.set(lit, { d: strand(place, place.groups[g], head - g * size) });
  };
  const pointed = (event) => {
    const { head, group } = event.target.dataset || {};
    if (head !== undefined) return Number(head);
    return group === undefined ? null : Math.floor((Number(group) * last.heads) / Math.max(last.kv, 1));
  };
  svg.addEventListener("pointerover", (event) => { const head = pointed(event); if (head !== null) { light(head); onHead(head); } });
  svg.addEventListener("pointerleave", () => { light(last.head); onHead(last.head); });
  svg.addEventListener("click", (event) => { const head = pointed(event); if (head !== null) onPick(head); });
  el.addEventListener("keydown", (event) => {
    const size = last.heads / Math.max(last.kv, 1);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1, PageUp: size, PageDown: -size, Home: -1e6, End: 1e6 }[event.key];
    if (!step) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(last.heads - 1, last.head + step)));
  });
  const update = (now, head, width) => {
    const key = [now.heads, now.kv, width, now.mla.rank, now.mla.rope].join("/");
    last = { heads: now.heads, kv: now.kv, head };
    if (key !== drawn) lay(now, width);
    drawn = key;
    light(head);
    kit.set(el, { "aria-valuemin": 0, "aria-valuemax": now.heads - 1, "aria-valuenow": head, "aria-valuetext": `${now.reads}, one of ${now.keeps}` });
  };
  return { el, update };
};

/* One bar per stop: bytes that each token leaves. Clicking a bar goes there. */
const BAR = 26;
const barsView = (onPick) => {
  const svg = kit.s("svg", { class: "cw-heads-bars", role: "img" });
  const make = () => {
    const parts = [kit.s("text", { class: "cw-heads-name", x: 66 }), kit.s("rect", { x: 74, height: 15, rx: 2 }), kit.s("text", { class: "cw-heads-bytes" })];
    const g = kit.s("g", {}, kit.s("rect", { class: "cw-heads-hit", x: 0, height: BAR, width: "100%" }), parts);
    g.parts = parts;
    g.addEventListener("click", () => onPick(g.kv));
    return g;
  };
  const update = (now, width) => {
    const most = Math.max(...now.stops.map((stop) => stop.bytes));
    const room = Math.max(60, width - 74 - 150);
    kit.set(svg, { viewBox: `0 0 ${width} ${BAR * now.stops.length}`, width, height: BAR * now.stops.length });
    kit.list(svg, now.stops, make, (g, stop, i) => {
      const long = Math.max(1.5, (room * stop.bytes) / most);
      const [name, bar, bytes] = g.parts;
      g.kv = stop.kv;
      kit.set(g, { class: `cw-heads-bar${stop.on ? " on" : ""}` });
      kit.set(g.firstChild, { y: i * BAR - 2 });
      kit.set(name, { y: i * BAR + 14, text: stop.label });
      kit.set(bar, { y: i * BAR + 3, width: px(long) });
      kit.set(bytes, { x: px(82 + long), y: i * BAR + 15, text: `${kit.fmt.bytes(stop.bytes, "KB")}${stop.own ? " · as built" : ""}` });
    });
    kit.set(svg, { "aria-label": `Cache bytes per token: ${now.stops.map((s) => `${s.label} ${kit.fmt.bytes(s.bytes, "KB")}`).join("; ")}` });
  };
  return { el: svg, update };
};

/* One card per rank: its query heads as a blue bar, its key/value heads as yellow tiles, copies hatched. */
const ranksView = () => {
  const id = kit.uid("hatch");
  const hatch = kit.s("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    kit.s("rect", { class: "cw-heads-hatch", width: 6, height: 6 }), kit.s("path", { class: "cw-heads-hatch-line", d: "M0 0V6" }));
  const cards = kit.s("g");
  const svg = kit.s("svg", { class: "cw-heads-ranks", role: "img" }, kit.s("defs", {}, hatch), cards);
  const make = () => {
    const parts = { frame: kit.s("rect", { class: "cw-heads-card", rx: 5 }), name: kit.s("text", { class: "cw-heads-rank" }), q: kit.s("path", { class: "cw-heads-few" }), tiles: kit.s("g"), words: kit.s("g") };
    const g = kit.s("g", {}, Object.values(parts));
    g.parts = parts;
    return g;
  };
  const update = (now, width) => {
    const ranks = now.tp.tiles.length;
    const most = Math.max(1, Math.floor(width / 38));
    let per = Math.min(ranks, most);
    while (ranks % per) per -= 1;
    if (per * 2 < Math.min(ranks, most)) per = Math.min(ranks, most);
    const wide = Math.min(230, width / per);
    const high = 62;
    kit.set(svg, { viewBox: `0 0 ${width} ${high * Math.ceil(ranks / per)}`, width, height: high * Math.ceil(ranks / per) });
    kit.list(cards, now.tp.tiles, make, (g, tiles, r) => {
      const x = (r % per) * wide;
      const y = Math.floor(r / per) * high;
      const inner = wide - 18;
      const size = Math.min(34, inner / tiles.length);
      const latent = now.kv === 0;
      const tileWidth = latent ? inner : size;
      kit.set(g.parts.frame, { x: px(x + 1), y: y + 1, width: px(wide - 6), height: high - 8 });
      kit.set(g.parts.name, { x: px(x + 7), y: y + 14, text: wide > 60 ? `rank ${r}` : r });
      const pitch = Math.min(9, inner / now.tp.query_heads);
      kit.set(g.parts.q, { d: Array.from({ length: now.tp.query_heads }, (_, i) => `M${px(x + 6 + i * pitch)} ${y + 19}h${px(pitch * 0.8)}v6h${px(-pitch * 0.8)}z`).join("") });
      kit.list(g.parts.tiles, tiles, () => kit.s("rect", { class: "cw-heads-kv" }), (node, _t, i) => kit.set(node, {
        ...box(x + 6 + i * size, y + 29, tileWidth - Math.min(2, tileWidth * 0.15), 19), fill: now.tp.copy[r] ? `url(#${id})` : false, class: now.tp.copy[r] ? "cw-heads-copy" : "cw-heads-kv",
      }));
      const named = latent ? [["c + kᴿ", wide > 62]] : tiles.map((t) => [t, size >= 17]);
      kit.list(g.parts.words, named.filter((one) => one[1]), () => kit.s("text", { class: "cw-heads-letter" }), (node, [text], i) => kit.set(node, {
        x: px(x + 6 + i * size + (tileWidth - 2) / 2), y: y + 42.5, text,
      }));
    });
    kit.set(svg, { "aria-label": `${ranks} ranks. ${now.tp.words}` });
  };
  return { el: svg, update };
};
