// What each block of a model does and moves -> rows, verdict and roofline.
//
// Every block takes at least as long as its arithmetic and as its bytes, and blocks follow one another: a bound below
// which no step can be on so many GPUs that share the work evenly, with free communication.

import { decades, linePath, logScale } from "../../explainers/kit/chart.js";
import { at1, grid } from "../site/figure-grid.js";
import { DTYPES, fixed, inBytes, int, rowBytes } from "../weigh/cache-bytes.js";

/** @import { Frame, RooflineData, RooflineRow, RooflineState, WorkBlock, WorkSheet } from "../site/types.d.ts" */

/** @type {[size: number, unit: string][]} */
const FLOPS = [
  [1e18, "EFLOP"],
  [1e15, "PFLOP"],
  [1e12, "TFLOP"],
  [1e9, "GFLOP"],
  [1e6, "MFLOP"],
  [1, "FLOP"],
];
/** @type {[size: number, unit: string][]} */
const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];
const BINDS = { arithmetic: "arithmetic", weights: "reading weights", cache: "reading its cache", "": "nothing" };
const [LEFT, TOP, BOTTOM, NEAR, TOUCH, EDGE] = [60, 14, 44, 21, 20.9, 11];
const [LOW, HIGH, DEEP] = [0.1, 1e5, 1e6]; // FLOP a byte at both ends, and the rate at the top by that at the foot
const EVERY = 3;
/**
 * Of a model's page; figure.css shows the one that fits.
 * @type {{ [kind: string]: Frame }}
 */
export const FRAMES = { narrow: [380, 300, 20], middle: [700, 360, 24] };

/**
 * @param {number} value
 * @param {[size: number, unit: string][]} steps
 */
function scaled(value, steps) {
  const [size, unit] = steps.find(([one]) => value >= one) ?? steps[steps.length - 1];
  return `${fixed(value / size, 1)} ${unit}`;
}

// ---------------------------------------------------------------- work and bytes

/**
 * A sum over past entries: of one token that sees so many, or of all tokens of a prompt.
 * @param {number} context
 * @param {number} every
 * @param {number | null} cap
 */
function entriesAt(context, every, cap) {
  const found = Math.floor(context / every);
  return cap === null ? found : Math.min(found, cap);
}
/**
 * @param {number} tokens
 * @param {number} every
 * @param {number | null} cap
 */
function entriesOver(tokens, every, cap) {
  const limit = cap === null ? tokens : Math.min(tokens, cap * every + every - 1);
  const full = Math.floor(limit / every),
    rest = limit % every;
  return every * ((full * (full - 1)) / 2) + full * (rest + 1) + (tokens - limit) * (cap || 0);
}
/**
 * @param {WorkSheet} sheet
 * @param {WorkBlock} block
 * @param {number} context
 * @param {number} batch
 * @param {boolean} prefill
 */
function flops(sheet, block, context, batch, prefill) {
  let total = block.token * (prefill && block.half !== "head" ? context : 1); // the last token alone meets the head
  for (const [each, every, cap, when] of block.reads)
    if (when === "" || when === (prefill ? "prefill" : "decode"))
      total += each * (prefill ? entriesOver : entriesAt)(context, every, cap);
  return total * batch * (block.half === "head" ? 1 : sheet.loops);
}
/**
 * @param {WorkBlock} block
 * @param {number} tokens
 */
const weightBytes = (block, tokens) =>
  block.weights +
  block.experts.reduce(
    (sum, [size, many, visits]) =>
      sum + Number((BigInt(size) * BigInt(Math.min(visits * tokens, many)) + BigInt(many - 1)) / BigInt(many)),
    0,
  );
/**
 * @param {WorkSheet} sheet
 * @param {WorkBlock} block
 * @param {number} context
 * @param {string} dtype
 * @param {number} batch
 * @param {boolean} prefill
 */
function cacheBytes(sheet, block, context, dtype, batch, prefill) {
  let total = 0;
  for (const [row, most, many] of block.keeps)
    total +=
      many *
      rowBytes(row, sheet.loops, prefill || most === null ? context : Math.min(context, most * row[EVERY]), dtype);
  return total * batch;
}

/**
 * @param {RooflineData} data
 * @param {RooflineState} state
 * @returns {RooflineRow[]}
 */
export function rows({ sheet, devices }, state) {
  const prefill = state.job === "prefill",
    [bandwidth, peaks] = devices[state.gpu];
  const speed = state.gpus * bandwidth,
    tokens = state.batch * (prefill ? state.ctx : 1);
  return sheet.blocks.map((block) => {
    const work = flops(sheet, block, state.ctx, state.batch, prefill),
      weights = weightBytes(block, tokens);
    const cache = cacheBytes(sheet, block, state.ctx, DTYPES[state.kv], state.batch, prefill);
    const peak = state.gpus * peaks[block.runs],
      counting = work / peak,
      moving = (weights + cache) / speed,
      seconds = Math.max(counting, moving);
    const binds = !seconds ? "" : counting > moving ? "arithmetic" : weights >= cache ? "weights" : "cache";
    return {
      name: block.name,
      half: block.half,
      count: block.count,
      flops: work,
      weights,
      cache,
      seconds,
      peak,
      binds,
      intensity: weights + cache ? work / (weights + cache) : 0,
    };
  });
}
/**
 * @param {RooflineRow[]} found
 * @returns {number}
 */
export const totalOf = (found) => found.reduce((sum, one) => sum + one.seconds, 0);
/**
 * @param {RooflineRow} one
 * @param {number} total seconds of all blocks
 * @returns {string[]}
 */
export const cells = (one, total) => [
  scaled(one.flops, FLOPS),
  inBytes(one.weights),
  inBytes(one.cache),
  fixed(one.intensity, 1),
  scaled(one.seconds, TIMES),
  `${fixed(100 * (total ? one.seconds / total : 0), 1)} %`,
  BINDS[one.binds],
];

/**
 * @param {RooflineRow[]} found
 * @param {RooflineState} state
 * @returns {string}
 */
export function verdict(found, state) {
  const prefill = state.job === "prefill",
    total = totalOf(found),
    many = `${int(state.gpus)} × ${state.gpu.replaceAll("_", " ").toUpperCase()}`;
  if (!total) return `Nothing is done on ${many}.`;
  const most = found.reduce((best, one) => (one.seconds > best.seconds ? one : best));
  const what = prefill ? (state.batch > 1 ? "the prompts take" : "the prompt takes") : "a decode step takes";
  const where = most.half === "head" ? "" : ` in ${int(most.count)} layers`;
  return (
    `On ${many} ${what} at least ${scaled(total, TIMES)}, ${int((state.batch * (prefill ? state.ctx : 1)) / total)} tokens a second. ` +
    `${fixed(100 * (most.seconds / total), 0)} % of that time goes to ${most.name}${where}, bound by ${BINDS[most.binds]}.`
  );
}

// ---------------------------------------------------------------- the figure

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
