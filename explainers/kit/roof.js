/* What a device can reach by FLOP a byte, both on log scales: a slope up to its ridge, then a flat part, before a grid. */
import { decades, logScale, pct } from "./chart.js";
import { renderList, s, setAttrs } from "./dom.js";
import { fmt } from "./numbers.js";

/** @import { Ends } from "./chart.js" */
/** @import { Attrs, Kid } from "./dom.js" */

/**
 * FLOP a byte at both ends; where it begins, a share of the width; its top and floor in pixels; the first digits of what
 * the grid has lines at, and what is written below it.
 * @typedef {{ ends: Ends, left: number, top: number, floor: number, digits: number[], feet: number[] }} Bounds
 */

const [END, ABOVE] = [0.99, 1.02]; // where the width ends, and how far above a roof the grid may still have a line
/** A pixel's place, for an attribute. @param {number} y */
export const hundredth = (y) => y.toFixed(2);

/**
 * A roof and the two scales that all on it share: `along` leads from FLOP a byte to a share of the width, `up` from
 * TFLOP/s to pixels, on the device of the last update.
 * @param {Bounds} bounds
 * @param {Attrs} said where the ridge's words stand
 * @param {...Kid} more that belongs to the roof
 */
export const roofFrame = ({ ends, left, top, floor, digits, feet }, said, ...more) => {
  const along = logScale(ends, [left, END], true);
  let up = along;
  const [start, end] = [left, END].map(pct);
  const [slope, flat, ridge, words] = [
    s("line", { x1: start, y1: floor, y2: top }),
    s("line", { x2: end, y1: top, y2: top }),
    s("line", { class: "ridge", y1: top, y2: floor }),
    s("text", said),
  ];
  const written = feet.map((t) =>
    s("text", { class: "mid", x: pct(along(t)), y: floor + 20, "data-index": true, text: fmt.int(t) }),
  );
  const [grid, foot, apart] = [s("g"), s("g", {}, written), s("g", {}, ridge, words)];
  const el = [s("g", { class: "scale" }, grid, foot), s("g", { class: "roof" }, slope, flat, apart, more)];
  /** @param {{ bandwidth: number, peak: number, ridge: number }} device bytes and FLOP a second, FLOP a byte */
  const update = ({ bandwidth, peak, ridge: bend }) => {
    const [low, high] = [(ends[0] * bandwidth) / 1e12, peak / 1e12];
    up = logScale([low, high], [floor, top]);
    renderList(
      grid,
      decades([low, high * ABOVE], digits).filter((h) => h > low),
      () =>
        s(
          "g",
          {},
          s("line", { x1: start, x2: end }),
          s("text", { class: "end", x: start, dx: -8, "data-index": true }),
        ),
      (node, h) => {
        setAttrs(node.children[0], { y1: hundredth(up(h)), y2: hundredth(up(h)) });
        setAttrs(node.children[1], { y: hundredth(up(h) + 4), text: fmt.int(h) });
      },
    );
    const at = pct(along(bend));
    setAttrs(slope, { x2: at });
    setAttrs(flat, { x1: at });
    setAttrs(ridge, { x1: at, x2: at });
    setAttrs(words, { x: at });
  };
  return { el, foot, apart, words, along, up: (/** @type {number} */ tflops) => up(tflops), update };
};
