// The blocks of a model as dots under the roofs of its GPUs -> the figure's SVG.
import { decades, linePath, logScale } from "../../explainers/kit/chart.js";
import { at1, grid } from "../site/figure-grid.js";
import { FLOPS, scaled } from "./roofline.js";

/** @import { Frame, RooflineData, RooflineRow, RooflineState } from "../site/types.d.ts" */

const [LEFT, TOP, BOTTOM, NEAR, TOUCH, EDGE] = [60, 14, 44, 21, 20.9, 11];
const [LOW, HIGH, DEEP] = [0.1, 1e5, 1e6]; // FLOP a byte at both ends, and the rate at the top by that at the foot
/**
 * Of a model's page; figure.css shows the one that fits.
 * @type {{ [kind: string]: Frame }}
 */
export const FRAMES = { narrow: [380, 300, 20], middle: [700, 360, 24] };

/**
 * Where roofs are flat, the highest first: one, and a dashed one for each slower format of products.
 * @param {RooflineRow[]} found
 */
function peaksOf(found) {
  const worth = found.filter((one) => one.flops);
  const peaks = [...new Set((worth.length ? worth : found).map((one) => one.peak))].sort((a, b) => b - a);
  return worth.length ? peaks : peaks.slice(0, 1);
}

// Steps to the next room for a dot, the nearest first: down and to the right, where no roof is; to the left at last.
const STEPS = Array.from({ length: 25 * 13 }, (_, at) => [Math.floor(at / 13) - 12, at % 13]).sort(
  ([a, b], [c, d]) => Number(a < 0) - Number(c < 0) || a * a + b * b - c * c - d * d || a - c,
);

/**
 * The place for a dot that is nearest to its own: on no other, and on no axis.
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 * @param {[x: number, y: number][]} placed
 */
export function free([width, height, right], x, y, placed) {
  const foot = height - BOTTOM - EDGE,
    end = width - right;
  const [left, top] = [Math.max(x, LEFT + EDGE), Math.min(y, foot)];
  for (const [across, down] of STEPS) {
    const [a, b] = [left + across * NEAR, top + down * NEAR];
    if (
      LEFT + EDGE <= a &&
      a <= end &&
      b <= foot &&
      !placed.some(([one, two]) => Math.abs(a - one) < TOUCH && Math.abs(b - two) < TOUCH)
    )
      return [a, b];
  }
  return [left, top];
}

/**
 * @param {Frame} frame
 * @param {RooflineRow[]} found
 * @param {Pick<RooflineData, "devices">} data
 * @param {RooflineState} state
 * @returns {string}
 */
export function inner(frame, found, { devices }, state) {
  const speed = state.gpus * devices[state.gpu][0],
    peaks = peaksOf(found);
  const plot = plotOf(frame, 10 ** Math.ceil(Math.log10(peaks[0]))),
    { x, y } = plot,
    out = gridOf(plot);
  for (const rate of peaks) {
    const low = rate === peaks[0] ? [[LOW, LOW * speed]] : [];
    const corners = [...low, [rate / speed, rate], [HIGH, rate]].map(([a, b]) => [at1(x(a)), at1(y(b))]);
    out.push(`<path class="r-roof${low.length ? "" : " w-line2"}" d="${linePath(corners)}"/>`);
  }
  /** @type {[x: number, y: number][]} */
  const placed = [];
  found.forEach((one, at) => {
    if (!one.flops || !one.seconds) return;
    const [left, top] = free(frame, x(one.intensity), y(Math.min(one.peak, one.intensity * speed)), placed);
    placed.push([left, top]);
    out.push(
      `<circle class="r-dot r-${one.half}" cx="${at1(left)}" cy="${at1(top)}" r="9"/><text class="r-number f-mid" x="${at1(left)}" y="${at1(top + 4)}">${at + 1}</text>`,
    );
  });
  return out.join("");
}

/**
 * @param {Frame} frame
 * @param {number} high FLOP/s at the top
 */
function plotOf([width, height, right], high) {
  const plot = { left: LEFT, right: width - right, top: TOP, foot: height - BOTTOM, gap: 6, tick: 18, high };
  const x = logScale([LOW, HIGH], [LEFT, plot.right], true);
  return { ...plot, x, y: logScale([high / DEEP, high], [plot.foot, TOP]) };
}

/** @param {ReturnType<typeof plotOf>} plot */
function gridOf(plot) {
  const { x, y, left, top, high } = plot;
  /** @param {number} rate */
  const short = (rate) => scaled(rate, FLOPS).replace(".0", "").replace("FLOP", "");
  return [
    grid(
      plot,
      decades([high / DEEP, high]).map((rate) => [y(rate), short(rate)]),
      decades([LOW, HIGH]).map((one) => [x(one), one < 1e4 ? one : `${one / 1000}k`]),
      "FLOP/byte",
    ),
    `<text class="f-label" x="${left + 6}" y="${top + 12}">FLOP/s</text>`,
  ];
}
