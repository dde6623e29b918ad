/* What compute returns -> the square of eight tokens in tiles: needed, computed then masked, skipped. */
import { upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill } from "../kit/numbers.js";
import { sees } from "./small.js";
import { pair } from "./square.js";

/** @import { Cut } from "./small.js" */
/** @import { Shown } from "./compute.js" */

/** A tile of the square. @typedef {[css: string, at: number[]]} Mark */

const [CELL, CORNER, ONE] = [30, [56, 24], 92];

/** @param {number[][]} tiles @param {number} q @param {number} k @param {Cut} cut */
export const within = (tiles, q, k, { tall, wide }) =>
  tiles.some(([r, c]) => q >= r && r + tall > q && k >= c && c + wide > k);
/** @param {number} cell @param {number[]} corner */
export const grid_view = (cell, [x, y]) => {
  const [cells, lines] = [s("g"), s("g")];
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { small, reach } = now;
    renderList(
      cells,
      upto(64),
      (i) =>
        s("rect", {
          x: x + (i % 8) * cell + 1,
          y: y + Math.floor(i / 8) * cell + 1,
          width: cell - 2,
          height: cell - 2,
        }),
      (node, i) => {
        const [q, k] = [Math.floor(i / 8), i % 8];
        setAttrs(node, {
          class: sees(q, k, reach) ? "needed" : !hide && within(small.order, q, k, small) ? "idle" : "none",
        });
      },
    );
    const tiles = hide
      ? []
      : [
          ...small.skipped.map(/** @returns {Mark} */ (at) => ["out", at]),
          ...small.order.map(/** @returns {Mark} */ (at) => ["tile", at]),
        ];
    renderList(
      lines,
      tiles,
      () => s("rect"),
      (node, [css, [r, k]]) =>
        setAttrs(node, {
          class: css,
          x: x + k * cell,
          y: y + r * cell,
          width: small.wide * cell,
          height: small.tall * cell,
        }),
    );
  };
  return { el: [cells, lines], update };
};

export const tiles_view = () => {
  const grid = grid_view(CELL, CORNER);
  const svg = s(
    "svg",
    { class: "cw-flash-tiles", viewBox: "0 0 300 268", role: "img" },
    s("text", { class: "muted", x: CORNER[0] + 4 * CELL, y: 14, text: "keys" }),
    s("text", { class: "muted end", x: CORNER[0] - 8, y: CORNER[1] + 4 * CELL + 4, text: "queries" }),
    grid.el,
  );
  const tile = s("rect", { class: "tile", x: 0, y: 0 });
  const one = s(
    "svg",
    { class: "cw-flash-one", height: ONE, preserveAspectRatio: "xMinYMid meet", "aria-hidden": "true" },
    tile,
  );
  const [needed, size, cover, left] = upto(4).map(() => h("p"));
  const bold = h("b");
  needed.append(bold);
  const legend = makeLegend(
    [
      ["needed", "needed"],
      ["idle", "computed, then masked"],
      ["out", "skipped"],
    ].map(([css, label]) => ({ class: css, label })),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { tall, wide } = now.small;
    grid.update(now, hide);
    const high = Math.max(ONE, tall * CELL + 2); // larger tiles are drawn smaller, so that nothing below moves
    setAttrs(tile, { width: wide * CELL, height: tall * CELL });
    setAttrs(one, { viewBox: `-1 ${(tall * CELL - high) / 2} ${8 * CELL + 2} ${high}` });
    fill(bold, "needed: {small.needed:int} of {small.scores:int} scores", now);
    fill(size, "one tile: {small.tall:int} queries × {small.wide:int} keys", now);
    fill(cover, "{small.tiles:int} such tiles cover the square", now);
    fill(
      setAttrs(left, { class: hide ? "hush" : "strong" }),
      "{small.computed:int} tiles computed, {small.left:int} skipped",
      now,
    );
    setAttrs(svg, {
      "aria-label": `Queries against keys: no query needs a later key.${hide ? "" : ` Tiles lie over it: ${now.small.computed} are computed, ${now.small.left} skipped.`}`,
    });
  };
  return { el: pair("", svg, needed, one, size, cover, left, legend), update };
};
