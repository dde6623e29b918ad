// Words and shapes of the superposed drawing: runs of text (A's value, arrow, B's value), matrices to scale, cells, discs.

/** @import { Both, MatrixBox, MergedMatrix, MergedState, Run } from "../site/types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number | undefined }} [props]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const key in props) if (props[key] !== undefined && props[key] !== "") el.setAttribute(key, String(props[key]));
  if (children.length) el.append(...children);
  return el;
}

// ---------------------------------------------------------------- how wide a text is

/** @type {{ [style: string]: [pixels: number, wider: number] }} */
const SIZES = {
  title: [15, 1.1],
  strong: [17, 1.06],
  ink: [12.5, 1],
  bold: [12.5, 1.05],
  small: [11.5, 1],
  mono: [11, 0],
  name: [13, 1.09],
  on: [13, 1.05],
  count: [19, 1.03],
};
const NARROW = new Set("ijlI.,:;|!'’ ·"),
  SLIM = new Set('frt()[]/-*"'),
  BROAD = new Set("mwMWGOQ@%→←↑…—∑⊖⊕"),
  SMALL = new Set("ksvxyz");
/** @param {string} char */
const advance = (char) =>
  NARROW.has(char)
    ? 0.282
    : SLIM.has(char)
      ? 0.38
      : BROAD.has(char)
        ? 0.94
        : SMALL.has(char)
          ? 0.552
          : char >= "0" && char <= "9"
            ? 0.645
            : char >= "A" && char <= "Z"
              ? 0.69
              : 0.603;
/** @type {Map<string, number>} */
const known = new Map();
/**
 * @param {string} text
 * @param {string} [style]
 * @returns {number}
 */
export function wide(text, style = "ink") {
  const key = `${style}|${text}`,
    held = known.get(key);
  if (held !== undefined) return held;
  const [size, by] = SIZES[style];
  let sum = 0;
  if (by) for (const char of text) sum += advance(char);
  const found = Math.ceil((by ? sum * by : [...text].length * 0.605) * size);
  if (known.size > 20_000) known.clear();
  known.set(key, found);
  return found;
}
/**
 * @param {string} style
 * @returns {number}
 */
export const size = (style) => SIZES[style][0];

// ---------------------------------------------------------------- runs

export const ARROW = " → ";
/**
 * What A says and what B says as one line: their common words once, and a -> b where they differ.
 * @param {string} t
 */
const words = (t) => (t ? t.split(/(?<=[ (])|(?=, )/) : []);
/**
 * @param {string | undefined} a
 * @param {string | undefined} b
 * @returns {Run[]}
 */
export function runs(a, b) {
  if (a === undefined || b === undefined || a === b) return [{ t: a ?? b ?? "", k: "" }];
  const x = words(a),
    y = words(b),
    /** @type {(i: number, j: number) => boolean} */
    like = (i, j) => x.at(i)?.trimEnd() === y.at(j)?.trimEnd();
  let head = 0,
    tail = 0;
  while (head < Math.min(x.length, y.length) && like(head, head)) head++;
  while (tail < Math.min(x.length, y.length) - head && like(-1 - tail, -1 - tail)) tail++;
  const mine = x
      .slice(head, x.length - tail)
      .join("")
      .trimEnd(),
    theirs = y
      .slice(head, y.length - tail)
      .join("")
      .trimEnd(),
    after = x.slice(x.length - tail).join("");
  const open = x.slice(0, head).join(""),
    gap = /[ (]$/.test(open) || (mine || theirs).startsWith(",") ? "" : " ",
    out = open ? [{ t: open + gap, k: "" }] : [];
  if (mine) out.push({ t: mine, k: "a" });
  if (mine) out.push({ t: ARROW, k: "r" });
  if (mine && !theirs) out.push({ t: "none", k: "r" });
  if (theirs) out.push({ t: theirs, k: "b" });
  if (after) out.push({ t: after.startsWith(",") ? after : ` ${after}`, k: "" });
  return out;
}
/**
 * @param {Run[]} list
 * @param {string} t
 * @param {string} [k]
 * @returns {Run[]}
 */
export const plus = (list, t, k = "") => (t ? [...list, { t, k }] : list);
/**
 * @param {Run[]} list
 * @param {string} style
 * @returns {number}
 */
export const length = (list, style) =>
  list.reduce((sum, run) => sum + wide(run.t, style) * (run.k === "b" && style !== "mono" ? 1.05 : 1), 0);
/**
 * @param {string} t
 * @param {string} style
 * @param {number} room
 * @returns {string}
 */
export const fitted = (t, style, room) => (wide(t, style) <= room ? t : cut(t, style, room));
/**
 * @param {string} text
 * @param {string} style
 * @param {number} room
 */
const cut = (text, style, room) => {
  let t = text;
  while (t && wide(`${t}…`, style) > room) t = t.slice(0, -1);
  return `${t}…`;
};

/**
 * Runs in lines of at most so much room; a word that is too long is cut.
 * @param {Run[]} list
 * @param {string} style
 * @param {number} room
 * @returns {Run[][]}
 */
export function wrap(list, style, room) {
  /** @type {Run[][]} */
  const lines = [[]];
  let used = 0;
  for (const run of list) {
    if (run.t === "\n") {
      lines.push([]);
      used = 0;
      continue;
    }
    for (const word of run.t.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) {
      let t = word,
        much = wide(t, style) * (run.k === "b" ? 1.05 : 1);
      if (used && run.k !== "q" && used + wide(t.trimEnd(), style) + (run.k === "b" ? 2 : 0) > room) {
        lines.push([]);
        used = 0;
      }
      if (!used) {
        t = t.trimStart();
        if (wide(t.trimEnd(), style) > room) t = cut(t.trimEnd(), style, room);
        much = wide(t, style);
      }
      if (!t) continue;
      const line = lines[lines.length - 1],
        last = line.at(-1);
      if (last?.k === run.k) last.t += t;
      else line.push({ t, k: run.k });
      used += much;
    }
  }
  return lines.filter((line) => line.length);
}
/**
 * @param {number} x
 * @param {number} y
 * @param {Run[]} list
 * @param {string} style
 * @param {"start" | "middle" | "end"} [anchor]
 * @returns {SVGTextElement}
 */
export function text(x, y, list, style, anchor = "start") {
  const el = draw("text", { x, y, class: `i-${style}`, "text-anchor": anchor === "start" ? "" : anchor });
  if (list.length === 1 && !list[0].k) el.textContent = list[0].t;
  else
    el.append(
      ...list.map((run) => {
        const one = draw("tspan", { class: run.k && `k-${run.k}` });
        one.textContent = run.t;
        return one;
      }),
    );
  return el;
}

// ---------------------------------------------------------------- matrices

const GOLD = 0.25;
/**
 * Sides at scale 1 of the smallest box that holds both: its area is its numbers, it leans as gallery's Matrix does.
 * @param {MergedMatrix} item
 */
export function frame(item) {
  const reads = Math.max(item.a?.[3] ?? 0, item.b?.[3] ?? 0, 1),
    writes = Math.max(item.a?.[4] ?? 0, item.b?.[4] ?? 0, 1);
  const root = Math.sqrt(reads * writes),
    lean = (writes / reads) ** GOLD;
  return { reads, writes, w: root * lean, h: root / lean };
}
/**
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 */
const rect = (x, y, w, h) => `M${x} ${y}h${w}v${h}h${-w}z`;
/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;
/**
 * A is the outline, what B lacks is hatched, what B adds is solid; both stand at the frame's upper left corner.
 * @param {MergedMatrix} item
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 * @param {string} hatch
 * @returns {SVGGElement}
 */
export function matrix(item, x, y, scale, hatch) {
  const { reads, writes, w, h } = frame(item),
    W = w * scale,
    H = h * scale;
  /** @param {MatrixBox | undefined} row */
  const side = (row) => (row ? [round((row[4] / writes) * W), round((row[3] / reads) * H)] : [0, 0]);
  const [aw, ah] = side(item.a),
    [bw, bh] = side(item.b),
    cw = Math.min(aw, bw),
    ch = Math.min(ah, bh),
    g = draw("g", { class: "mx" });
  /**
   * @param {number} mw
   * @param {number} mh
   */
  const rest = (mw, mh) =>
    mw > cw && mh > ch
      ? `M${round(x + cw)} ${y}H${round(x + mw)}V${round(y + mh)}H${x}V${round(y + ch)}H${round(x + cw)}z`
      : mw > cw
        ? rect(round(x + cw), y, round(mw - cw), mh)
        : rect(x, round(y + ch), mw, round(mh - ch));
  if (cw && ch) g.append(draw("path", { class: "m-both", d: rect(x, y, cw, ch) }));
  if (item.a && (aw > cw || ah > ch))
    g.append(draw("path", { class: "m-a", fill: `url(#${hatch})`, d: cw && ch ? rest(aw, ah) : rect(x, y, aw, ah) }));
  if (item.b && (bw > cw || bh > ch))
    g.append(draw("path", { class: "m-b", d: cw && ch ? rest(bw, bh) : rect(x, y, bw, bh) }));
  if (item.a && item.b && item.state === "differs") g.append(draw("path", { class: "m-line", d: rect(x, y, aw, ah) }));
  return g;
}
/**
 * @param {MatrixBox | undefined} row
 * @returns {string | undefined}
 */
export const shape = (row) =>
  row ? `${row[3].toLocaleString("en-US")} → ${row[4].toLocaleString("en-US")}` : undefined;
/**
 * 1,536 → 24,576 → 12,288: what it reads, what it writes; each as a -> b where it differs.
 * @param {MergedMatrix} item
 * @returns {Run[]}
 */
export function shapes(item) {
  if (!item.a || !item.b) return [{ t: `${shape(item.a ?? item.b)}`, k: "" }];
  /**
   * @param {MatrixBox} row
   * @param {3 | 4} i
   */
  const told = (row, i) => row[i].toLocaleString("en-US");
  if (item.a[3] !== item.b[3] && item.a[4] !== item.b[4])
    return [
      { t: "in ", k: "" },
      ...runs(told(item.a, 3), told(item.b, 3)),
      { t: "\n", k: "" },
      { t: "out ", k: "" },
      ...runs(told(item.a, 4), told(item.b, 4)),
    ];
  return [...runs(told(item.a, 3), told(item.b, 3)), { t: ARROW, k: "" }, ...runs(told(item.a, 4), told(item.b, 4))];
}

// ---------------------------------------------------------------- cells, discs, edges

/**
 * Cells column by column: those of both, those of A alone, those of B alone.
 * @param {number} a
 * @param {number} b
 * @param {number} x
 * @param {number} y
 * @param {{ rows: number, step: number, wide: number, high: number }} sizes
 * @param {string} hatch
 * @returns {SVGGElement}
 */
export function cells(a, b, x, y, { rows, step, wide: w, high: h }, hatch) {
  const g = draw("g", { class: "cells", "data-a": a, "data-b": b }),
    both = Math.min(a, b),
    most = Math.max(a, b),
    one = `h${w}v${h}h${-w}z`;
  /**
   * @param {number} from
   * @param {number} to
   */
  const path = (from, to) => {
    let d = "";
    for (let i = from; i < to; i++)
      d += `M${round(x + Math.floor(i / rows) * step)} ${round(y + (i % rows) * step)}${one}`;
    return d;
  };
  if (both) g.append(draw("path", { class: "m-both", d: path(0, both) }));
  if (most > both)
    g.append(
      draw(
        "path",
        a > b ? { class: "m-a", fill: `url(#${hatch})`, d: path(both, most) } : { class: "m-b", d: path(both, most) },
      ),
    );
  return g;
}
/**
 * @param {number} number
 * @param {number} x
 * @param {number} y
 */
export function disc(number, x, y) {
  const link = draw("a", { href: `#d-${number}`, class: "i-disc", "aria-label": `difference ${number}` });
  link.append(
    draw("circle", { cx: x, cy: y, r: 9 }),
    text(x, y + 4, [{ t: String(number), k: "" }], "small", "middle"),
  );
  return link;
}
/**
 * @param {string} id
 * @returns {SVGDefsElement}
 */
export function hatching(id) {
  const pattern = draw("pattern", {
    id,
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  pattern.append(draw("path", { class: "m-hatch", d: "M0 0V6" }));
  return draw("defs", {}, pattern);
}
/**
 * @param {MergedState} state
 * @param {...[x: number, y: number]} points
 * @returns {SVGPathElement}
 */
export const edge = (state, ...points) =>
  draw("path", {
    class: `e e-${state}`,
    d: points.map(([x, y], i) => `${i ? "L" : "M"}${round(x)} ${round(y)}`).join(""),
  });
/**
 * @param {number} x
 * @param {number} y
 * @param {"up" | "left" | "right"} to
 * @param {MergedState} state
 * @returns {SVGPathElement}
 */
export const tip = (x, y, to, state) =>
  draw("path", {
    class: `tip e-${state}`,
    d: to === "left" ? `M${x} ${y}l7 -3.5v7z` : to === "right" ? `M${x} ${y}l-7 -3.5v7z` : `M${x} ${y}l-3.5 7h7z`,
  });
