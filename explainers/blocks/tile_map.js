/* A heat-map of a 128×128 tile: the largest magnitude of each small patch. */
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { num, plain } from "./spell.js";

/** @import { Now } from "./compute.js" */

export const tile_map = () => {
  const cells = s("g", {});
  const frame = s("rect", { class: "cw-blocks-window", x: 0.75, y: 0.75, width: 46.5, height: 10.5 });
  const svg = s("svg", { viewBox: "0 0 192 192", class: "cw-blocks-tile", role: "img" }, cells, frame);
  const caption = h("figcaption", { class: "cw-note" });
  const el = h("figure", { class: "cw-blocks-tilebox" }, svg, caption);
  /** @param {Now} out */
  const update = (out) => {
    setAttrs(el, { hidden: out.tile.length === 0 });
    fill(
      caption,
      "All {n:int} numbers: the largest of each small patch. The framed window is drawn above; the ringed patch sets the scale.",
      out,
    );
    if (!out.tile.length) return;
    const peak = Math.floor(out.peak / 1024) * 16 + Math.floor((out.peak % 128) / 8);
    setAttrs(svg, {
      "aria-label": `A heat-map of the 128×128 tile; row ${Math.floor(out.peak / 128)}, column ${out.peak % 128} is the largest with ${num(out.amax)}`,
    });
    renderList(
      cells,
      out.tile,
      () => s("rect", { width: 11.4, height: 11.4 }),
      (rect, v, i) => {
        setAttrs(rect, {
          x: (i % 16) * 12,
          y: Math.floor(i / 16) * 12,
          class: i === peak ? "peak" : false,
          "fill-opacity": (0.06 + 0.94 * (v / plain(out.amax))).toFixed(3),
        });
      },
    );
  };
  return { el, update };
};
