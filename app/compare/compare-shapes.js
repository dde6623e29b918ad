// Matrices to scale and cells of the superposed drawing: what both models have, what A alone has, what B alone has.
import { ARROW, runs, wide } from "./compare-runs.js";
import { draw, round } from "./compare-svg.js";

/** @import { MatrixBox, MergedMatrix, Run } from "../site/types.d.ts" */

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
