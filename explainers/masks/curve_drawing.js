/* The cache curve: bytes against context, as built and as if every layer stored every token. */

import { renderList, s, setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { CURVE } from "./stack.js";
import { px } from "./stack_drawing.js";

/** @import { State } from "../../.make/data_types/masks.d.ts" */
/** @import { Stack } from "./stack.js" */

const HIGH = 250;

/**
 * Lines for bytes, a power of ten apart, and marks for tokens.
 * @param {Element} grid
 * @param {{
 *   low: number, up: number, left: number, wide: number, x: (tokens: number) => number, y: (bytes: number) => number,
 * }} scale
 */
const draw_axes = (grid, { low, up, left, wide, x, y }) => {
  const rows = Array.from({ length: up - low + 1 }, (_, i) => low + i);
  const columns = [8, 11, 13, 15, 17, 20];
  renderList(
    grid,
    [...rows.map((e) => ({ byte: true, power: e })), ...columns.map((p) => ({ byte: false, power: p }))],
    () => s("g", {}, s("path", { class: "cw-masks-tick" }), s("text", { class: "cw-masks-axis", "data-index": "" })),
    (g, { byte, power }) => {
      const [gx, gy] = byte ? [left - 8, y(10 ** power)] : [x(2 ** power), HIGH - 8];
      setAttrs(g.children[0], { d: byte ? `M${left} ${px(gy)}h${px(wide)}` : `M${px(gx)} ${HIGH - 24}v4` });
      setAttrs(g.children[1], {
        x: px(gx),
        y: px(byte ? gy + 4 : gy),
        "text-anchor": byte ? "end" : "middle",
        text: byte
          ? fmt.bytes(10 ** power, undefined, 0)
          : power === 20
            ? "1M"
            : power > 9
              ? `${2 ** (power - 10)}k`
              : "256",
      });
    },
  );
};

/**
 * Bytes against context, both on log scales: as it is, and as if every layer kept every token.
 * @param {(context: number) => void} onContext
 */
export const curveView = (onContext) => {
  /** @param {string} css */
  const make = (css) => s("path", { class: css });
  const parts = {
    grid: s("g"),
    full: make("cw-masks-curve all"),
    real: make("cw-masks-curve"),
    gap: make("cw-masks-gap"),
  };
  const area = make("cw-masks-area");
  const dots = [s("circle", { r: 4, class: "cw-masks-dot all" }), s("circle", { r: 5, class: "cw-masks-dot" })];
  const names = [
    s("text", { class: "cw-masks-name all", text: "every token kept" }),
    s("text", { class: "cw-masks-name", text: "as built" }),
  ];
  const svg = s("svg", { class: "cw-masks-curves", role: "img" }, area, Object.values(parts), dots, names);
  /** @type {{ left: number, wide: number } | null} */
  let scale = null;
  onDrag(svg, {
    move: (x) =>
      scale && onContext(2 ** Math.max(8, Math.min(20, Math.round(8 + (12 * (x - scale.left)) / scale.wide)))),
  });
  /** @param {number[]} values */
  const spelt = (values) =>
    [8192, 131072, 1048576].map((t) => `${fmt.int(t)} tokens ${fmt.bytes(values[CURVE.indexOf(t)])}`).join("; ");
  /** @param {Stack} stack @param {State} state @param {number} width @param {boolean} [hide] */
  const update = (stack, state, width, hide) => {
    for (const part of [parts.real, parts.gap, area, dots[1], names[1]])
      setAttrs(part, { visibility: hide ? "hidden" : false });
    const left = 62;
    const wide = width - left - 14;
    const low = Math.floor(Math.log10(Math.max(1, stack.curve[0])));
    const up = Math.ceil(Math.log10(Math.max(10, stack.curve_full[stack.curve_full.length - 1])));
    scale = { left, wide };
    /** @param {number} t */
    const x = (t) => left + (wide * (Math.log2(t) - 8)) / 12;
    /** @param {number} bytes */
    const y = (bytes) => 10 + (HIGH - 34) * (1 - (Math.log10(Math.max(1, bytes)) - low) / (up - low));
    /** @param {number[]} values */
    const line = (values) => values.map((v, i) => `${i ? "L" : "M"}${px(x(CURVE[i]))} ${px(y(v))}`).join("");
    setAttrs(svg, {
      viewBox: `0 0 ${width} ${HIGH}`,
      width,
      height: HIGH,
      "aria-label": `Cache bytes against context for ${stack.title}. Every token in every layer: ${spelt(stack.curve_full)}.${hide ? "" : ` As built: ${spelt(stack.curve)}.`}`,
    });
    setAttrs(parts.full, { d: line(stack.curve_full) });
    setAttrs(parts.real, { d: line(stack.curve) });
    setAttrs(area, { d: `${line(stack.curve)}V${HIGH - 24}H${left}z` });
    const at = Math.max(256, Math.min(2 ** 20, state.context));
    setAttrs(parts.gap, { d: `M${px(x(at))} ${px(y(stack.bytes_full))}V${px(y(stack.bytes))}` });
    dots.forEach((dot, i) => setAttrs(dot, { cx: px(x(at)), cy: px(y(i ? stack.bytes : stack.bytes_full)) }));
    setAttrs(names[0], { x: px(x(16384)), y: px(y(stack.curve_full[6]) - 12), "text-anchor": "end" });
    setAttrs(names[1], { x: px(x(65536)), y: px(y(stack.curve[8]) + 20), "text-anchor": "start" });
    draw_axes(parts.grid, { low, up, left, wide, x, y });
  };
  return { el: svg, update };
};
