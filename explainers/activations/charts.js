/* What compute returns -> channels of inputs and weights, a scheme under every alpha, and all schemes as bars. */
import { linearScale, linePath, pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Curve, Now } from "./compute.js" */

/** A place in a nested drawing of 100 by 100. @param {number} value */
export const hundredth = (value) => Number(value.toFixed(2));
/** A drawing that is stretched to its box. @param {{ [name: string]: string | number }} box @param {SVGElement[]} inside */
export const stretched = (box, ...inside) =>
  s("svg", { ...box, viewBox: "0 0 100 100", preserveAspectRatio: "none" }, inside);

/* ---------------------------------------------------------------- channels */
const STRIP = 60; // pixels
const ENLARGED = 2; // times the median channel: the height of the enlarged strip
/** Bars of some channels as one path. @param {number[]} sizes @param {number} most @param {(i: number) => boolean} chosen */
const bars_path = (sizes, most, chosen) =>
  sizes
    .map((size, i) => {
      const x = hundredth((100 * (i + 0.5)) / sizes.length);
      return chosen(i) ? `M${x} 100V${hundredth(100 - 100 * Math.min(size / most, 1))}` : "";
    })
    .join("");

/** One bar a channel, outliers wider; below the line lies what becomes zero. @param {"inputs" | "weights"} side @param {readonly number[]} loud */
const strip = (side, loud) => {
  const [rest, outliers] = [s("path", { class: side }), s("path", { class: `${side} loud` })];
  const zone = s("rect", { x: 0, width: "100%" });
  const inner = stretched({ x: 0, y: 0, width: "100%", height: STRIP }, rest, outliers);
  const foot = s("line", { x1: 0, x2: "100%", y1: STRIP, y2: STRIP });
  const svg = s("svg", { class: "cw-activations-strip", role: "img", width: "100%", height: STRIP }, inner, zone, foot);
  const head = h("p", { class: "cw-note" });
  /** @param {number[]} sizes @param {number} most @param {number} zero @param {string} words */
  const update = (sizes, most, zero, words) => {
    setAttrs(rest, { d: bars_path(sizes, most, (i) => !loud.includes(i)) });
    setAttrs(outliers, { d: bars_path(sizes, most, (i) => loud.includes(i)) });
    const tall = hundredth(Math.min(STRIP, (STRIP * zero) / most));
    setAttrs(zone, { y: hundredth(STRIP - tall), height: tall });
    setAttrs(svg, { "aria-label": `${words} Channels ${loud.join(" and ")} are the outliers.` });
  };
  return { el: [head, svg], head, update };
};

/** The largest magnitude of each channel: of inputs, of the same enlarged, and of weights. @param {readonly number[]} loud */
export const channels_view = (loud) => {
  const [inputs, enlarged, weights] = [strip("inputs", loud), strip("inputs", loud), strip("weights", loud)];
  setAttrs(enlarged.head, { text: "The same inputs, enlarged. What is in the grey zone becomes zero in INT8." });
  const el = h("div", { class: "cw-activations-channels" }, inputs.el, enlarged.el, weights.el);
  /** @param {Now} now @param {boolean} zone whether what rounds to zero is drawn */
  const update = (now, zone) => {
    const { sizes, largest, step } = now.channels.inputs;
    inputs.update(sizes, largest, 0, "Inputs: the largest magnitude of each channel.");
    enlarged.update(sizes, ENLARGED, step / 2, "The same inputs, enlarged, and the zone that becomes zero.");
    const { sizes: others, largest: most } = now.channels.weights;
    weights.update(others, most, 0, "Weights: the largest magnitude of each channel.");
    fill(inputs.head, `Inputs: the largest of {channels.inputs.sizes.length:int} channels is ${RATIO("inputs")}`, now);
    fill(weights.head, `Weights: the largest is ${RATIO("weights")}`, now);
    for (const node of enlarged.el) node.style.display = zone ? "" : "none";
  };
  return { el, update };
};
/** @param {string} side */
const RATIO = (side) => `{channels.${side}.largest:fixed 1} times the median one.`;

/* ---------------------------------------------------------------- a scheme under every alpha */
const [TOP, FOOT] = [18, 160];
/** @param {"smooth" | "awq"} which */
export const curve_view = (which) => {
  const [band, line, plain] = [
    s("path", { class: "band" }),
    s("path", { class: "mean" }),
    s("path", { class: "plain" }),
  ];
  const inner = stretched({ x: 0, y: TOP, width: "100%", height: FOOT - TOP }, band, plain, line);
  const [best, chosen] = [s("circle", { class: "best", r: 6 }), s("circle", { class: "chosen", r: 5 })];
  const [best_words, plain_words] = [s("text", { class: "best" }), s("text", { x: "100%", "text-anchor": "end" })];
  const feet = ["α = 0", "0.5", "1"].map((text, i) =>
    s("text", { x: pct(i / 2), y: FOOT + 20, "text-anchor": ["start", "middle", "end"][i], text, "data-index": true }),
  );
  const axis = s("line", { class: "axis", x1: 0, x2: "100%", y1: FOOT, y2: FOOT });
  const parts = [axis, inner, best, chosen, best_words, plain_words, feet];
  const svg = s("svg", { class: "cw-activations-curve", role: "img", width: "100%", height: FOOT + 28 }, parts);
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    /** @type {Curve} */
    const { points, plain: before, best: top } = now[which];
    const low = Math.min(before.low, ...points.map((point) => point.low));
    const high = Math.max(before.high, ...points.map((point) => point.high));
    const y = linearScale([low - 1, high + 1], [100, 0]);
    const pixel = (/** @type {number} */ dB) => hundredth(TOP + ((FOOT - TOP) * y(dB)) / 100);
    /** @param {"mean" | "low" | "high"} key @returns {[number, number][]} */
    const along = (key) => points.map((point) => [hundredth(100 * point.alpha), hundredth(y(point[key]))]);
    setAttrs(band, { d: `${linePath([...along("high"), ...along("low").reverse()])}Z` });
    setAttrs(line, { d: linePath(along("mean")) });
    setAttrs(plain, { d: `M0 ${hundredth(y(before.mean))}H100` });
    setAttrs(best, { cx: pct(top.alpha), cy: pixel(top.mean) });
    const end = top.alpha > 0.5;
    setAttrs(best_words, {
      x: pct(top.alpha),
      y: hundredth(pixel(top.high) - 10),
      "text-anchor": end ? "end" : "start",
    });
    fill(best_words, `best: {${which}.best.mean:signed 1} dB at α = {${which}.best.alpha:num 2}`, now);
    setAttrs(plain_words, { y: hundredth(pixel(before.mean) - 7) });
    fill(plain_words, `nothing moved: {${which}.plain.mean:signed 1} dB`, now);
    const at = points.findIndex(({ alpha }) => Math.abs(alpha - now.alpha) < 1e-9);
    const known = at >= 0 && now.method === which;
    if (known) setAttrs(chosen, { cx: pct(now.alpha), cy: pixel(points[at].mean) });
    for (const node of [band, line, best, best_words]) node.style.display = hide ? "none" : "";
    chosen.style.display = known && !hide ? "" : "none";
    const told = hide ? "" : ` Best at α = ${fmt.num(top.alpha, 2)}: ${fmt.signed(top.mean, 1)} dB.`;
    setAttrs(svg, {
      "aria-label": `Signal over error against α; with nothing moved ${fmt.signed(before.mean, 1)} dB.${told}`,
    });
  };
  return { el: svg, update };
};

/* ---------------------------------------------------------------- all schemes */
/** A bar to the mean of eight layers, a line from the lowest to the highest. */
export const bars_view = () => {
  const list = h("ul", { class: "cw-activations-bars" });
  const legend = makeLegend([
    { class: "bar", label: "mean of eight layers" },
    { class: "range", label: "lowest to highest" },
  ]);
  const make = () => {
    const [label, value] = [h("span"), h("span", { class: "cw-mono" })];
    const [bar, range] = [s("rect", { height: 16 }), s("line", { y1: 8, y2: 8 })];
    const svg = s("svg", { width: "100%", height: 16, "aria-hidden": "true" }, bar, range);
    return Object.assign(h("li", {}, label, svg, value), { parts: { label, value, bar, range } });
  };
  /** @param {Now} now @param {readonly string[]} hidden of these nothing is told: a bet asks for them */
  const update = (now, hidden = []) => {
    const top = Math.max(...now.rows.map(({ high }) => high));
    renderList(list, now.rows, make, ({ parts }, row, i) => {
      const quiet = hidden.includes(row.name);
      put(parts.label, `rows.${i}.label`, "text", now);
      fill(parts.value, quiet ? "?" : `{rows.${i}.mean:signed 1} dB`, now);
      /** @param {number} dB */
      const at = (dB) => pct(quiet ? 0 : Math.max(dB, 0) / top);
      setAttrs(parts.bar, { width: at(row.mean) });
      setAttrs(parts.range, { x1: at(row.low), x2: at(row.high) });
    });
  };
  return { el: [list, legend], update };
};
