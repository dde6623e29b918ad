/* Two drawings on a line: every value the format has (log beyond the smallest normal, even below it), and the bins near one. */

import { linearScale } from "../kit/chart.js";
import { at, bareExponent, rank as bitsRank, bitWidth, decode, ranks } from "../kit/codes.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { inDigits, short } from "../kit/fraction-text.js";
import { log2, POW2, Q } from "../kit/fractions.js";
import { fmt, put } from "../kit/numbers.js";
import { q } from "../kit/reals.js";

/** @import { Now } from "./compute.js" */
/** @import { Format } from "../kit/codes.js" */

/** @param {Format} f @param {boolean} [even] */
export const drawAxis = (f, even) => {
  // value -> 0..1, and the values that get a tick
  const [low, high] = ranks(f);
  const end = [low, high].map((r) => decode(f, at(f, r)));
  if (!f.exponent_bits || even) {
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => decode(f, at(f, low + i)));
    return { x: linearScale(end, [0, 1]), normal: ticks, small: [] };
  }
  const normal = POW2(bareExponent(f) ? -f.bias : 1 - f.bias);
  const octaves = Math.log2(end[1] / normal);
  const sub = bareExponent(f) ? 0 : Math.min(4.5, Math.max(1, 0.3 * octaves));
  /** @param {number} v */
  const u = (v) => (v < normal ? (sub * v) / normal : sub + Math.log2(v / normal)) / (sub + octaves);
  const every = bitWidth(f) <= 8;
  const place = Array.from({ length: every ? high : 0 }, (_, i) => decode(f, i + 1));
  const powers = every
    ? place.filter((v) => v >= normal)
    : Array.from({ length: Math.floor(octaves) + 1 }, (_, i) => normal * 2 ** i);
  const small = every ? place.filter((v) => v < normal) : [];
  /** @param {number[]} list */
  const both = (list) => (f.sign_bits ? [...list.map((v) => -v), ...list] : list);
  /** @param {number} v */
  const x = (v) => (f.sign_bits ? 0.5 + (Math.sign(v) * u(Math.abs(v))) / 2 : u(v));
  return { x, normal: both(powers), small: both(small) };
};
/** @template T @param {(f: Format, first: number) => T} make */
export const once = (make) => {
  // what a format alone decides is made once
  /** @type {Map<string, T>} */
  const made = new Map();
  /** @param {Format} f */
  return (f, first = 0) => {
    const key = `${f.name} ${first}`;
    if (!made.has(key)) made.set(key, make(f, first));
    return /** @type {T} */ (made.get(key));
  };
};
/** @param {number} v */
export const tickText = (v) => {
  const e = v === 0 ? 0 : log2(Math.abs(v));
  const power = v !== 0 && Math.abs(v) === POW2(e);
  return power && (e < -4 || e > 12) ? `${v < 0 ? "-" : ""}${fmt.pow2(e)}` : short(Q.of(v));
};
export const ticks = once((f) => {
  const [low, high] = ranks(f).map((r) => decode(f, at(f, r)));
  const some = [high, 1, POW2(1 - f.bias), 16, 1 / 16];
  const all = !f.exponent_bits
    ? [low, high, 0, low / 2, f.specials === "int" ? (high + 1) / 2 : 0.5]
    : bareExponent(f)
      ? [low, high, 1, 2 ** 64, 2 ** -64]
      : [0, ...some.map((v) => -v), ...some].filter((v) => low <= v && v <= high);
  return [...new Set(all)].map((at) => ({ at, text: tickText(at) }));
});
export const last = once((f) => {
  const high = ranks(f)[1];
  const values = [3, 2, 1, 0].map((i) => q(f, high - i));
  const rows = [...values, Q.sub(Q.add(values[3], values[3]), values[2])].map((v) => ({
    at: Q.odd(v),
    text: inDigits(f, v),
  }));
  return { values: rows.slice(0, 4), next: rows[4] };
});

/**
 * The ticks that have room.
 * @param {Element} labels
 * @param {Now} o
 * @param {(v: number) => number} at
 * @param {number} width
 */
const drawTicks = (labels, o, at, width) => {
  /** @type {number[]} */
  const taken = [];
  const shown = o.ticks
    .map((tick, i) => /** @type {[x: number, i: number]} */ ([at(tick.at), i]))
    .filter(([x]) => {
      const free = taken.every((t) => Math.abs(t - x) > 56);
      if (free) taken.push(x);
      return free;
    });
  renderList(
    labels,
    shown,
    () => s("text", { y: 68 }),
    (node, [x, i]) => {
      put(
        setAttrs(node, { x, "text-anchor": x < 24 ? "start" : x > width - 24 ? "end" : "middle" }),
        `ticks.${i}.text`,
        "text",
        o,
      );
    },
  );
};

/** @param {boolean} [even] */
export const line = (even) => {
  const normal = s("path", { class: "normal" });
  const small = s("path", { class: "subnormal" });
  const labels = s("g", { class: "ticks", "aria-hidden": "true" });
  const mark = s("g", { class: "mark" }, s("line", { y1: 22, y2: 52 }), s("text", { y: 15 }));
  const el = s(
    "svg",
    { class: "line", role: "img", height: 76 },
    s("path", { class: "base" }),
    small,
    normal,
    labels,
    mark,
  );
  /** @type {ReturnType<typeof drawAxis>} */
  let axis;
  /** @type {[format: Format | null, width: number]} */
  let [format, width] = [null, 0];
  /** @param {number} v */
  const at = (v) => 8 + axis.x(v) * (width - 16);
  /** @param {Now} o */
  const layout = (o) => {
    setAttrs(el, { viewBox: `0 0 ${width} 76`, width });
    setAttrs(/** @type {Element} */ (el.firstChild), { d: `M0 50.5H${width}` });
    /** @param {number[]} list @param {number} top */
    const path = (list, top) => list.map((v) => `M${at(v).toFixed(1)} ${top}V50`).join("");
    setAttrs(normal, { d: path(axis.normal, 34) });
    setAttrs(small, { d: path(axis.small, 40) });
    drawTicks(labels, o, at, width);
  };
  /** @param {Format} f @param {Now} o @param {number} now */
  const update = (f, o, now) => {
    const value = decode(f, o.code);
    if (f !== format || now !== width) {
      [format, width] = [f, now];
      axis = drawAxis(f, even);
      layout(o);
    }
    const seen = Number.isFinite(value);
    const x = seen ? at(value) : 0;
    setAttrs(mark, { visibility: seen ? "visible" : "hidden" });
    setAttrs(/** @type {Element} */ (mark.firstChild), { x1: x, x2: x });
    setAttrs(/** @type {Element} */ (mark.lastChild), {
      x,
      "text-anchor": x < 40 ? "start" : x > width - 40 ? "end" : "middle",
    });
    put(/** @type {Element} */ (mark.lastChild), "short", "text", o);
    setAttrs(el, {
      "aria-label": seen
        ? `${o.short} on the line of all values, from ${o.format.ends[0]} to ${o.format.ends[1]}`
        : `${o.short} is not on the line of values`,
    });
  };
  return { el, update };
};

/* The neighbourhood: what rounds to what. Bins alternate; the one that holds the number is lit. */
export const binsLine = () => {
  const rects = s("g", { class: "bins", "aria-hidden": "true" });
  const mark = s("g", { class: "typed" }, s("path"), s("text", { y: 12 }));
  const frame = s("rect", { class: "frame", y: 24, height: 26 });
  const el = s("svg", { class: "line", role: "img", height: 78 }, rects, frame, mark);
  /** @param {Format} f @param {Now} o @param {number} x @param {number} width @param {boolean} [open] */
  const update = (f, o, x, width, open) => {
    const all = o.bins;
    const rank = bitsRank(f, o.code);
    setAttrs(el, {
      viewBox: `0 0 ${width} 78`,
      width,
      "aria-label": open ? `The values near ${o.short}` : o.bin_words,
    });
    setAttrs(frame, { visibility: open ? "hidden" : "visible" });
    const step = all.length > 1 ? (all[all.length - 1].at - all[0].at) / (all.length - 1) : 1;
    const ends = all.map((b) => [b.low ?? b.at - step / 2, b.high ?? b.at + step / 2]);
    const [from, to] = [ends[0][0], /** @type {number[]} */ (ends.at(-1))[1]];
    const at = linearScale([from, to], [8, width - 8]);
    renderList(
      rects,
      all,
      () => s("g", {}, s("rect", { y: 24, height: 26 }), s("line", { y1: 30, y2: 50 }), s("text", { y: 68 })),
      (g, b, i) => {
        const [left, right] = ends[i].map(at);
        const here = b.rank === rank && !open;
        setAttrs(g, { class: here ? "here" : b.ends[0] || open ? "even" : "odd" });
        setAttrs(g.children[0], { visibility: open ? "hidden" : "visible" });
        setAttrs(g.children[0], { x: left, width: Math.max(0, right - left) });
        if (here) setAttrs(frame, { x: left, width: Math.max(0, right - left) });
        setAttrs(g.children[1], { x1: at(b.at), x2: at(b.at) });
        put(
          setAttrs(g.children[2], {
            x: at(b.at),
            visibility: right - left > 7 * b.value.length || here ? "visible" : "hidden",
          }),
          `bins.${i}.value`,
          "text",
          o,
        );
      },
    );
    const seen = Number.isFinite(x) && x >= from && x <= to;
    const px = seen ? at(x) : 0;
    setAttrs(mark, { visibility: seen ? "visible" : "hidden" });
    setAttrs(/** @type {Element} */ (mark.firstChild), { d: `M${px} 50V18M${px - 4} 18h8` });
    setAttrs(/** @type {Element} */ (mark.lastChild), {
      x: px,
      "text-anchor": px < 60 ? "start" : px > width - 60 ? "end" : "middle",
    });
    put(/** @type {Element} */ (mark.lastChild), "typed.label", "text", o);
  };
  return { el, update };
};
