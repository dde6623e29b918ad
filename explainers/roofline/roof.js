/* What compute returns -> what a device can reach by FLOP a byte, and where blocks stand. */
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt } from "../kit/numbers.js";
import { hushed, pct } from "./bars.js";

/** @import { Now, Row } from "./compute.js" */

/** The halves that have a point of their own. @typedef {"mlp" | "past" | "mixer"} Key */
/**
 * Where a point stands: its share of the width, and pixels aside and down.
 * @typedef {[at: number, aside: number, down: number]} Place
 */

const [LOW, HIGH, TOP, FLOOR, LEFT, NEAR, ACROSS, BEND] = [0.5, 16384, 34, 232, 12, 21, 400, 0.38];
const HEIGHTS = [0.1, 1, 10, 100, 1000, 10000];
const NAMES = { mlp: "MLP", past: "the past", mixer: "attention" };
const COLOURS = { mlp: "dense", past: "cached", mixer: "full" };
/** @param {number} y */
const hundredth = (y) => y.toFixed(2);
/** @param {number} intensity FLOP a byte */
const along_x = (intensity) =>
  (LEFT + ((99 - LEFT) * Math.log(Math.min(Math.max(intensity, LOW), HIGH) / LOW)) / Math.log(HIGH / LOW)) / 100;
/** @param {number} tflops @param {Now["device"]} device */
const up_y = (tflops, device) => {
  const [low, high] = [LOW * device.tb, device.tflops];
  return FLOOR - ((FLOOR - TOP) * Math.log(Math.max(tflops, low) / low)) / Math.log(high / low);
};

const frame_view = () => {
  const [scale, foot] = [
    s("g"),
    s(
      "g",
      {},
      [1, 10, 100, 1000, 10000].map((t) =>
        s("text", { class: "mid", x: pct(along_x(t)), y: FLOOR + 20, "data-index": true, text: fmt.int(t) }),
      ),
    ),
  ];
  const [slope, flat, ridge, said] = [
    s("line", { x1: `${LEFT}%`, y1: FLOOR, y2: TOP }),
    s("line", { x2: "99%", y1: TOP, y2: TOP }),
    s("line", { class: "ridge", y1: TOP, y2: FLOOR }),
    s("text", { class: "mid", y: TOP - 10 }),
  ];
  const [second, lower] = [s("line", { x2: "99%" }), s("text", { class: "end", x: "99%", y: FLOOR - 8 })];
  const [apart, below] = [s("g", {}, ridge, said), s("g", {}, second, lower)];
  const el = [
    s("g", { class: "scale" }, scale, foot),
    s("g", { class: "roof" }, slope, flat, apart, below),
    s("text", { class: "axis", x: "99%", y: FLOOR + 38, text: "FLOP a byte" }),
  ];
  /** @param {Now} now @param {unknown} hide */
  const update = (now, hide) => {
    const { device } = now;
    renderList(
      scale,
      HEIGHTS.filter((h) => h > LOW * device.tb && device.tflops * 1.02 >= h),
      () =>
        s(
          "g",
          {},
          s("line", { x1: `${LEFT}%`, x2: "99%" }),
          s("text", { class: "end", x: `${LEFT}%`, dx: -8, "data-index": true }),
        ),
      (node, h) => {
        const y = up_y(h, device);
        setAttrs(node.children[0], { y1: hundredth(y), y2: hundredth(y) });
        setAttrs(node.children[1], { y: hundredth(y + 4), text: 1 > h ? String(h) : fmt.int(h) });
      },
    );
    const at = pct(along_x(device.ridge));
    setAttrs(foot, { class: hide ? "hush" : "" });
    setAttrs(slope, { x2: at });
    setAttrs(flat, { x1: at });
    setAttrs(ridge, { x1: at, x2: at });
    fill(setAttrs(said, { x: at }), "ridge {device.ridge:int}", now);
    setAttrs(apart, { class: hide ? "hush" : "" });
    const low = up_y(device.plain / 1e12, device);
    setAttrs(second, { x1: pct(along_x(device.plain_ridge)), y1: hundredth(low), y2: hundredth(low) });
    fill(lower, "BF16: ridge {device.plain_ridge:int}", now);
    setAttrs(below, { class: hushed("lower", device.plain >= device.peak) });
  };
  return { el, update };
};

/**
 * Where each block stands; one that would lie on another stands right of it, under the flat part of the roof below it.
 * @param {Now} now
 * @param {Row[]} rows
 */
const places = (now, rows) =>
  rows.reduce((/** @type {Place[]} */ found, row) => {
    const at = along_x(row.intensity);
    let [aside, down] = [0, up_y(row.tflops, now.device)];
    const flat = at > along_x(now.device.ridge) - 0.03;
    while (
      found.some(([a, b, c]) => NEAR - 1 > Math.abs((at - a) * ACROSS + aside - b) && NEAR - 1 > Math.abs(down - c))
    ) {
      if (flat) down += NEAR;
      else aside += NEAR;
    }
    return [...found, /** @type {Place} */ ([at, aside, down])];
  }, []);

/** @param {Key[]} [keys] points of halves; without them every block has one */
export const roof_view = (keys) => {
  const name = h("p", { class: "cw-roofline-name" });
  const frame = frame_view();
  const points = s("g");
  const svg = s("svg", { class: "cw-roofline-roof", width: "100%", height: FLOOR + 44, role: "img" }, frame.el, points);
  /** @param {Now} now */
  const halves = (now) => {
    let last = 0;
    renderList(
      points,
      /** @type {Key[]} */ (keys),
      () => s("g", {}, s("circle", { r: 8 }), s("text")),
      (g, key) => {
        const row = now[key];
        const [at, down] = [along_x(row.intensity), up_y(row.tflops, now.device)];
        const above = at > BEND && along_x(now.device.ridge) - 0.01 > at;
        const low = above ? down - 10 : Math.abs(down + 22 - last) >= 17 ? down + 22 : last + 17;
        last = above ? last : low;
        const far = above || at > 0.8;
        const moe = key === "mlp" && now.rows.some((one) => one.role === "moe");
        setAttrs(g, { class: `point of-${moe ? "moe" : COLOURS[key]}` });
        setAttrs(g.children[0], { cx: pct(at), cy: hundredth(down) });
        fill(
          setAttrs(g.children[1], { class: far ? "end" : "", x: pct(at), dx: far ? -12 : 12, y: hundredth(low) }),
          `${moe ? "experts" : NAMES[key]}: {${key}.intensity:sig 3}`,
          now,
        );
      },
    );
  };
  /** @param {Now} now */
  const numbered = (now) => {
    const shown = now.drawn.filter((i) => now.rows[i].flops);
    const spots = places(
      now,
      shown.map((i) => now.rows[i]),
    );
    renderList(
      points,
      shown,
      () => s("g", {}, s("circle", { r: 10 }), s("text", { class: "mid", "data-index": true })),
      (g, i, k) => {
        const [at, aside, down] = spots[k];
        setAttrs(g, { class: `dot of-${now.rows[i].role}`, transform: `translate(${aside} 0)` });
        setAttrs(g.children[0], { cx: pct(at), cy: hundredth(down) });
        setAttrs(g.children[1], { x: pct(at), y: hundredth(down + 4), text: i + 1 });
      },
    );
  };
  /** @param {Now} now @param {unknown} [hide] */
  const update = (now, hide = false) => {
    fill(name, "{device.title:text}: TFLOP/s by FLOP a byte", now);
    frame.update(now, hide);
    if (keys) halves(now);
    else numbered(now);
    const where =
      keys && !hide
        ? ` ${keys.map((key) => `${NAMES[key]} at ${fmt.sig(now[key].intensity, 3)}`).join(", ")}; ridge at ${fmt.int(now.device.ridge)}.`
        : "";
    setAttrs(svg, { "aria-label": `A roof that rises with FLOP a byte up to its ridge, then is flat.${where}` });
  };
  return { el: [name, svg], update };
};
