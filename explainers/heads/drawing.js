/* Where heads, fans, boxes, bars and ranks stand; nodes are reused, only attributes change. */
import { h, renderList, s, setAttrs, uid } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */

/**
 * Where a group of query heads stands; `middle` is that of what they read. All in px.
 * @typedef {{ x: number, y: number, middle: number }} FanGroup
 */

/**
 * Groups of query heads in rows: the pitch and thickness of a head, heads of a group, the heights of heads, strands and
 * boxes. All in px.
 * @typedef {{
 *   rows: number, pitch: number, thick: number, size: number, box: number, tall: number, drop: number, low: number,
 *   left: number, groups: FanGroup[], height: number,
 * }} Fan
 */

/** A bar, its parts, and the stop that it stands for. @typedef {SVGGElement & { parts: SVGElement[], kv: number }} Bar */

const SMALLEST = 6;
const LARGEST = 24;
const LETTER = 12;
const HEIGHTS = [
  [52, 42, 52, 18],
  [36, 30, 36, 20],
  [24, 22, 26, 16],
];
/** @param {number} pitch */
const thick = (pitch) => pitch - Math.min(1.5, 0.15 * pitch);
/** @param {number} x */
const px = (x) => String(Math.round(x * 100) / 100);

/**
 * @param {number} heads
 * @param {number} kv
 * @param {number} width
 * @returns {Fan}
 */
export const fan = (heads, kv, width) => {
  const groups = Math.max(kv, 1);
  const size = heads / groups;
  let [rows, per, gap, pitch] = [1, 1, 0, 0];
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
  return {
    rows,
    pitch,
    thick: thick(pitch),
    size,
    box: kv ? Math.min(23, 0.46 * size * pitch) : 0,
    tall,
    drop,
    low,
    left,
    groups: at,
    height: rows * one - apart,
  };
};

/**
 * @param {Fan} place
 * @param {FanGroup} group
 * @param {number} i
 */
const strand = (place, group, i) => {
  const x = group.x + i * place.pitch + place.thick / 2;
  const [aside, bend] = [px(group.middle - x), place.drop * 0.55];
  return `M${px(x)} ${px(group.y + place.tall)}c0 ${px(bend)} ${aside} ${px(place.drop - bend)} ${aside} ${px(place.drop)}`;
};
/**
 * @param {Fan} place
 * @param {number} g
 */
const strands = (place, g) =>
  Array.from({ length: Math.round(place.size) }, (_, i) => strand(place, place.groups[g], i)).join("");

/**
 * A box with round corners, as a piece of a path: one path draws them all.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
const box = (x, y, width, height) => {
  const r = Math.min(3, width / 4);
  const [w, h] = [px(width - 2 * r), px(height - 2 * r)];
  /**
   * @param {number} dx
   * @param {number} dy
   */
  const turn = (dx, dy) => `a${px(r)} ${px(r)} 0 0 1 ${px(dx)} ${px(dy)}`;
  return `M${px(x + r)} ${px(y)}h${w}${turn(r, r)}v${h}${turn(-r, r)}h-${w}${turn(-r, -r)}v-${h}${turn(r, -r)}z`;
};

/**
 * The yellow boxes of one group: [words, x, width].
 * @param {Now} now
 * @param {Fan} place
 * @param {FanGroup} group
 * @param {number} width
 * @returns {[words: string, x: number, width: number][]}
 */
const yellow = (now, place, group, width) => {
  if (now.kv)
    return [
      ["k", group.middle - place.box - 0.5, place.box],
      ["v", group.middle + 0.5, place.box],
    ];
  const { rank, rope, turned } = now.mla;
  const long = Math.min(width * 0.6, 320);
  const wide = (long * rank) / (rank + rope);
  const left = group.middle - long / 2;
  return [
    ["latent c {mla.rank}", left, wide - 1],
    [`${turned ? "kᴿ" : "k"} {mla.rope}`, left + wide, long - wide],
  ];
};

/**
 * The query heads above, what they read below. onHead(head) when one is pointed at, onPick(head) when one is chosen.
 * @param {(head: number) => void} onHead
 * @param {(head: number) => void} onPick
 * @returns {{ el: HTMLElement, update: (now: Now, head: number, width: number) => void }}
 */
export const fansView = (onHead, onPick) => {
  /** @param {string} css */
  const path = (css) => s("path", { class: css });
  const all = { fans: path("cw-heads-fan"), q: path("cw-heads-q"), kv: path("cw-heads-kv") };
  const on = { fans: path("cw-heads-fan on"), q: path("cw-heads-q on") };
  const lit = { fan: path("cw-heads-fan at"), q: path("cw-heads-q at") };
  const letters = s("g");
  const svg = s(
    "svg",
    { class: "cw-heads-fans", "aria-hidden": "true" },
    all.fans,
    on.fans,
    lit.fan,
    all.q,
    on.q,
    lit.q,
    all.kv,
    letters,
  );
  const el = h(
    "div",
    { class: "cw-heads-stage", role: "slider", tabindex: "0", "aria-label": "Selected query head" },
    svg,
  );
  let drawn = "";
  /** @type {Fan} */
  let place;
  /** @type {{ heads: number, head: number, width: number }} */
  let last;
  /**
   * @param {number} g
   * @param {number} i
   */
  const headBox = (g, i) => box(place.groups[g].x + i * place.pitch, place.groups[g].y, place.thick, place.tall);
  /** @param {number} g */
  const headBoxes = (g) => Array.from({ length: Math.round(place.size) }, (_, i) => headBox(g, i)).join("");
  /**
   * @param {Now} now
   * @param {number} width
   */
  const lay = (now, width) => {
    place = fan(now.heads, now.kv, width);
    setAttrs(svg, { viewBox: `0 0 ${width} ${px(place.height)}`, width, height: px(place.height) });
    const boxes = place.groups.flatMap((group) =>
      yellow(now, place, group, width).map(([text, x, w]) => ({ text, x, w, y: group.y + place.tall + place.drop })),
    );
    setAttrs(all.q, { d: place.groups.map((_, g) => headBoxes(g)).join("") });
    setAttrs(all.fans, { d: place.groups.map((_, g) => strands(place, g)).join("") });
    setAttrs(all.kv, { d: boxes.map((b) => box(b.x, b.y, b.w, place.low)).join("") });
    renderList(
      letters,
      boxes.filter((b) => b.w >= LETTER),
      () => s("text", { class: "cw-heads-letter" }),
      (node, b) => fill(setAttrs(node, { x: px(b.x + b.w / 2), y: px(b.y + place.low / 2 + 4) }), b.text, now),
    );
  };
  /** @param {number} head */
  const light = (head) => {
    const g = Math.floor(head / place.size);
    const i = Math.round(head - g * place.size);
    setAttrs(on.q, { d: headBoxes(g) });
    setAttrs(on.fans, { d: strands(place, g) });
    setAttrs(lit.q, { d: headBox(g, i) });
    setAttrs(lit.fan, { d: strand(place, place.groups[g], i) });
  };
  /** @param {MouseEvent} event */
  const pointed = (event) => {
    const frame = svg.getBoundingClientRect();
    const scale = last.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
    const reach = place.tall + place.drop + place.low;
    const g = place.groups.findIndex(
      (group) => y >= group.y && group.y + reach >= y && x >= group.x && group.x + place.size * place.pitch >= x,
    );
    return g === -1
      ? null
      : Math.round(g * place.size + Math.min(place.size - 1, Math.floor((x - place.groups[g].x) / place.pitch)));
  };
  svg.addEventListener("pointermove", (event) => {
    const head = pointed(event);
    if (head !== null) {
      light(head);
      onHead(head);
    }
  });
  svg.addEventListener("pointerleave", () => {
    light(last.head);
    onHead(last.head);
  });
  svg.addEventListener("click", (event) => {
    const head = pointed(event);
    if (head !== null) onPick(head);
  });
  el.addEventListener("keydown", (event) => {
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowUp: 1,
      ArrowDown: -1,
      PageUp: place.size,
      PageDown: -place.size,
      Home: -1e6,
      End: 1e6,
    }[event.key];
    if (!step) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(last.heads - 1, last.head + step)));
  });
  /**
   * @param {Now} now
   * @param {number} head
   * @param {number} width
   */
  const update = (now, head, width) => {
    const key = [now.heads, now.kv, width, now.mla.rank, now.mla.rope, now.mla.turned].join("/");
    last = { heads: now.heads, head, width };
    if (key !== drawn) lay(now, width);
    drawn = key;
    light(head);
    setAttrs(el, {
      "aria-valuemin": 0,
      "aria-valuemax": now.heads - 1,
      "aria-valuenow": head,
      "aria-valuetext": `${now.reads}, one of ${now.keeps}`,
    });
  };
  return { el, update };
};

/* One bar per stop: bytes that each token leaves. Clicking a bar goes there. */
const BAR = 26;
/**
 * @param {(kv: number) => void} onPick
 * @returns {{ el: SVGElement, update: (now: Now, width: number) => void }}
 */
export const barsView = (onPick) => {
  const svg = s("svg", { class: "cw-heads-bars", role: "img" });
  const make = () => {
    const parts = [
      s("text", { class: "cw-heads-name", x: 66 }),
      s("rect", { x: 74, height: 15, rx: 2 }),
      s("text", { class: "cw-heads-bytes" }),
    ];
    const hit = s("rect", { class: "cw-heads-hit", x: 0, height: BAR, width: "100%" });
    const g = /** @type {Bar} */ (s("g", {}, hit, parts));
    g.parts = parts;
    g.addEventListener("click", () => onPick(g.kv));
    return g;
  };
  /**
   * @param {Now} now
   * @param {number} width
   */
  const update = (now, width) => {
    const most = Math.max(...now.stops.map((stop) => stop.bytes));
    const room = Math.max(60, width - 74 - 150);
    setAttrs(svg, { viewBox: `0 0 ${width} ${BAR * now.stops.length}`, width, height: BAR * now.stops.length });
    renderList(svg, now.stops, make, (g, stop, i) => {
      const long = Math.max(1.5, (room * stop.bytes) / most);
      const [name, bar, bytes] = g.parts;
      g.kv = stop.kv;
      setAttrs(g, { class: `cw-heads-bar${stop.on ? " on" : ""}` });
      setAttrs(/** @type {Element} */ (g.firstChild), { y: i * BAR - 2 });
      put(setAttrs(name, { y: i * BAR + 14 }), `stops.${i}.label`, "text", now);
      setAttrs(bar, { y: i * BAR + 3, width: px(long) });
      fill(
        setAttrs(bytes, { x: px(82 + long), y: i * BAR + 15 }),
        `{stops.${i}.bytes:bytes KB}${stop.own ? " · as built" : ""}`,
        now,
      );
    });
    setAttrs(svg, {
      "aria-label": `Cache bytes per token: ${now.stops.map((s) => `${s.label} ${fmt.bytes(s.bytes, "KB")}`).join("; ")}`,
    });
  };
  return { el: svg, update };
};

/* One card per rank: its query heads as small blue boxes, its key/value heads as yellow tiles, copies hatched. */
const CARD = 62;
/** @returns {{ el: SVGElement, update: (now: Now, width: number) => void }} */
export const ranksView = () => {
  const id = uid("hatch");
  const hatch = s(
    "pattern",
    { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "cw-heads-hatch", width: 6, height: 6 }),
    s("path", { class: "cw-heads-hatch-line", d: "M0 0V6" }),
  );
  const paths = Object.fromEntries(
    [
      ["frame", "cw-heads-card"],
      ["q", "cw-heads-few"],
      ["first", "cw-heads-kv"],
      ["copy", "cw-heads-copy"],
    ].map(([key, css]) => [key, s("path", { class: css, fill: key === "copy" ? `url(#${id})` : false })]),
  );
  const words = s("g");
  const svg = s("svg", { class: "cw-heads-ranks", role: "img" }, s("defs", {}, hatch), Object.values(paths), words);
  /**
   * @param {number} ranks
   * @param {number} width
   */
  const columns = (ranks, width) => {
    const most = Math.max(1, Math.floor(width / 38));
    let per = Math.min(ranks, most);
    while (ranks % per) per -= 1;
    return per * 2 < Math.min(ranks, most) ? Math.min(ranks, most) : per;
  };
  /**
   * @param {Now} now
   * @param {number} width
   */
  const update = (now, width) => {
    const ranks = now.tp.tiles.length;
    const per = columns(ranks, width);
    const wide = Math.min(230, width / per);
    const inner = wide - 18;
    const latent = now.kv === 0;
    /** @type {{ [part: string]: string }} */
    const d = { frame: "", q: "", first: "", copy: "" };
    /** @type {{ x: number, y: number, text: string, css: string, rank?: number }[]} */
    const texts = [];
    now.tp.tiles.forEach((tiles, r) => {
      const [x, y] = [(r % per) * wide, Math.floor(r / per) * CARD];
      const size = Math.min(34, inner / tiles.length);
      const tile = latent ? inner : size;
      const pitch = Math.min(9, inner / now.tp.query_heads);
      d.frame += box(x + 1, y + 1, wide - 6, CARD - 8);
      for (let i = 0; now.tp.query_heads > i; i += 1)
        d.q += `M${px(x + 6 + i * pitch)} ${y + 19}h${px(pitch * 0.8)}v6h${px(-pitch * 0.8)}z`;
      tiles.forEach((_, i) => {
        d[now.tp.copy[r] ? "copy" : "first"] += box(x + 6 + i * size, y + 29, tile - Math.min(2, tile * 0.15), 19);
      });
      texts.push({ x: x + 7, y: y + 14, text: wide > 60 ? `rank ${r}` : String(r), css: "cw-heads-rank", rank: r });
      const named = latent
        ? wide > 62
          ? [now.mla.turned ? "c + kᴿ" : "c + k"]
          : []
        : size >= 17
          ? tiles.map((_, i) => `{tp.tiles.${r}.${i}}`)
          : [];
      named.forEach((text, i) =>
        texts.push({
          x: x + 6 + i * size + (tile - 2) / 2,
          y: y + 42.5,
          text,
          css: `cw-heads-letter${now.tp.copy[r] ? " copy" : ""}`,
        }),
      );
    });
    const high = CARD * Math.ceil(ranks / per);
    setAttrs(svg, {
      viewBox: `0 0 ${width} ${high}`,
      width,
      height: high,
      "aria-label": `${ranks} rank${ranks > 1 ? "s" : ""}. ${now.tp.words}`,
    });
    for (const [key, node] of Object.entries(paths)) setAttrs(node, { d: d[key] });
    renderList(
      words,
      texts,
      () => s("text"),
      (node, one) =>
        fill(
          setAttrs(node, { x: px(one.x), y: one.y, class: one.css, "data-index": one.rank ?? false }),
          one.text,
          now,
        ),
    );
  };
  return { el: svg, update };
};
