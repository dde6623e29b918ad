/* What compute returns -> the tile on the chip, bytes and FLOP as bars, and the roofline. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, valueAt } from "../kit/numbers.js";
import { hundredth, roofFrame } from "../kit/roof.js";
import { sum } from "./traffic.js";

/** @import { Bounds } from "../kit/roof.js" */
/** @import { Shown } from "./compute.js" */
/** @import { Timed } from "./traffic.js" */

/** @type {{ [part: string]: string }} */
const NAMES = {
  queries: "queries",
  keys: "keys",
  values: "values",
  output: "output, FP32",
  scores: "scores, FP32",
  stats: "max and sum",
};

export const sram_view = () => {
  const [name, rects, limit, sizes] = [
    h("p"),
    s("g"),
    s("line", { y1: 0, y2: 46 }),
    h("ul", { class: "cw-legend cw-flash-parts" }),
  ];
  const svg = s(
    "svg",
    {
      class: "cw-flash-sram",
      width: "100%",
      height: 46,
      role: "img",
      "aria-label": "What the tile takes of the SRAM.",
    },
    rects,
    limit,
  );
  /** @param {Shown} now */
  const update = (now) => {
    const { parts, total, fits } = now.sram;
    const most = Math.max(total, now.chip.sram) * 1.04;
    fill(
      setAttrs(name, { class: `cw-flash-name${fits ? "" : " over"}` }),
      `in SRAM: {sram.total:bytes KB} of {chip.sram:bytes KB}${fits ? "" : ": it does not fit"}`,
      now,
    );
    /** @param {number} i */
    const before = (i) => sum(parts.slice(0, i).map((one) => one.bytes));
    renderList(
      rects,
      parts,
      () => s("rect", { y: 6, height: 34 }),
      (node, one, i) => setAttrs(node, { class: one.name, x: pct(before(i) / most), width: pct(one.bytes / most) }),
    );
    setAttrs(limit, { x1: pct(now.chip.sram / most), x2: pct(now.chip.sram / most) });
    renderList(
      sizes,
      parts,
      (one) => {
        const text = h("span");
        return Object.assign(h("li", {}, h("i", { class: one.name, "aria-hidden": "true" }), text), { text });
      },
      (node, one, i) => fill(node.text, `${NAMES[one.name]} {sram.parts.${i}.bytes:bytes KB}`, now),
    );
  };
  return { el: [name, svg, sizes], update };
};

/** @param {string} title @param {{ [name: string]: string }} paths @param {string} how @param {string} unit */
export const bars_view = (title, paths, how, unit) => {
  const rows = Object.entries(paths).map(([name, path], i) => {
    const [amount, bar] = [
      s("text", { class: "end", x: "100%", y: 34 * i + 13 }),
      s("rect", { class: name, x: 0, y: 34 * i + 18, height: 10 }),
    ];
    return { path, amount, bar, all: [s("text", { class: name, x: 0, y: 34 * i + 13, text: name }), amount, bar] };
  });
  const svg = s(
    "svg",
    { class: "cw-flash-bars", width: "100%", height: 66, role: "img", "aria-label": `Plain and tiled: ${title}.` },
    rows.map((row) => row.all),
  );
  /** @param {Shown} now */
  const update = (now) => {
    const most = Math.max(...rows.map((row) => valueAt(now, row.path)));
    for (const { path, amount, bar } of rows) {
      fill(amount, `{${path}:${how}}${unit}`, now);
      setAttrs(bar, { width: pct(valueAt(now, path) / most) });
    }
  };
  return { el: [h("p", { class: "cw-flash-name", text: title }), svg], update };
};

/** @type {[kind: "masked" | "kept" | "tiled", words: string, dx: number, dy: number, r: number][]} */
const POINTS = [
  ["masked", "plain: ", -10, -10, 8],
  ["kept", "if L2 keeps K and V: ", 12, -12, 6.5],
  ["tiled", "tiled: ", 11, 20, 6.5],
];
/** @type {Bounds} */
const ROOF = { ends: [8, 8192], left: 0.11, top: 28, floor: 208, digits: [1, 3], feet: [10, 100, 1000] };

export const roof_view = () => {
  const name = h("p", { class: "cw-flash-name" });
  const frame = roofFrame(ROOF, { dx: 6, y: ROOF.floor - 6 });
  const dots = POINTS.map(([kind, words, dx, , r]) => {
    const [circle, text] = [s("circle", { r }), s("text", { dx })];
    return { kind, words, circle, text, el: s("g", {}, circle, text) };
  });
  const svg = s(
    "svg",
    { class: "cw-flash-roof", width: "100%", height: 236, role: "img" },
    frame.el,
    dots.map((one) => one.el),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { chip } = now;
    fill(name, "{chip.title}: attainable TFLOP/s by FLOP per byte moved", now);
    frame.update(chip);
    fill(frame.words, "ridge: {chip.ridge:int}", now);
    dots.forEach(({ kind, words, circle, text, el }, i) => {
      /** @type {Timed & { fits?: boolean }} */
      const here = now[kind];
      const [cx, cy] = [pct(frame.along(here.intensity)), frame.up(here.tflops)];
      const hushed = kind !== "masked" && (hide || here.fits === false);
      setAttrs(el, { class: (kind === "masked" ? "plain" : kind) + (hushed ? " hush" : "") });
      setAttrs(circle, { cx, cy: hundredth(cy) });
      fill(setAttrs(text, { x: cx, y: hundredth(cy + POINTS[i][3]) }), `${words}{${kind}.intensity:int}`, now);
    });
    setAttrs(svg, {
      "aria-label": `A roof that rises with FLOP per byte up to the ridge, then is flat.${hide ? "" : ` Plain attention is at ${fmt.int(now.masked.intensity)}, tiled at ${fmt.int(now.tiled.intensity)}, the ridge at ${fmt.int(chip.ridge)}.`}`,
    });
  };
  return { el: [name, svg], update };
};
