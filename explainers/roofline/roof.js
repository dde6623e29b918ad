/* What compute returns -> what a device can reach by FLOP a byte, and where blocks stand. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt } from "../kit/numbers.js";
import { hundredth, roofFrame } from "../kit/roof.js";
import { hushed } from "./bars.js";

/** @import { Bounds } from "../kit/roof.js" */
/** @import { Now } from "./compute.js" */
/** @import { Row } from "./steps.js" */

/** The halves that have a point of their own. @typedef {"mlp" | "past" | "mixer"} Key */
/**
 * Where a point stands: its share of the width, and pixels aside and down.
 * @typedef {[at: number, aside: number, down: number]} Place
 */

/** @type {Bounds} */
const ROOF = { ends: [0.5, 16384], left: 0.12, top: 34, floor: 232, digits: [1], feet: [1, 10, 100, 1000, 10000] };
const [NEAR, ACROSS, BEND] = [21, 400, 0.38];
const NAMES = { mlp: "MLP", past: "cache", mixer: "attention" };
const COLOURS = { mlp: "dense", past: "cached", mixer: "full" };

const frame_view = () => {
  const [second, lower] = [s("line", { x2: "99%" }), s("text", { class: "end", x: "99%", y: ROOF.floor - 8 })];
  const below = s("g", {}, second, lower);
  const frame = roofFrame(ROOF, { class: "mid", y: ROOF.top - 10 }, below);
  const { along, up } = frame;
  /** @param {Now} now @param {unknown} hide */
  const update = (now, hide) => {
    const { device } = now;
    frame.update(device);
    fill(frame.words, "ridge {device.ridge:int}", now);
    for (const node of [frame.foot, frame.apart]) setAttrs(node, { class: hide ? "hush" : "" });
    const low = hundredth(up(device.plain / 1e12));
    setAttrs(second, { x1: pct(along(device.plain_ridge)), y1: low, y2: low });
    fill(lower, "BF16: ridge {device.plain_ridge:int}", now);
    setAttrs(below, { class: hushed("lower", device.plain >= device.peak) });
  };
  const axis = s("text", { class: "axis", x: "99%", y: ROOF.floor + 38, text: "FLOP per byte" });
  return { el: [frame.el, axis], along, up, update };
};

/**
 * Where each block stands; one that would lie on another stands right of it, under the flat part of the roof below it.
 * @param {Now} now
 * @param {Row[]} rows
 * @param {Pick<ReturnType<typeof frame_view>, "along" | "up">} frame
 */
const places = (now, rows, { along, up }) =>
  rows.reduce((/** @type {Place[]} */ found, row) => {
    const at = along(row.intensity);
    let [aside, down] = [0, up(row.tflops)];
    const flat = at > along(now.device.ridge) - 0.03;
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
  const { along, up } = frame;
  const points = s("g");
  const svg = s(
    "svg",
    { class: "cw-roofline-roof", width: "100%", height: ROOF.floor + 44, role: "img" },
    frame.el,
    points,
  );
  /** @param {Now} now */
  const halves = (now) => {
    let last = 0;
    renderList(
      points,
      /** @type {Key[]} */ (keys),
      () => s("g", {}, s("circle", { r: 8 }), s("text")),
      (g, key) => {
        const row = now[key];
        const [at, down] = [along(row.intensity), up(row.tflops)];
        const above = at > BEND && along(now.device.ridge) - 0.01 > at;
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
      frame,
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
    fill(name, "{device.title:text}: TFLOP/s by FLOP per byte", now);
    frame.update(now, hide);
    if (keys) halves(now);
    else numbered(now);
    const where =
      keys && !hide
        ? ` ${keys.map((key) => `${NAMES[key]} at ${fmt.sig(now[key].intensity, 3)}`).join(", ")}; ridge at ${fmt.int(now.device.ridge)}.`
        : "";
    setAttrs(svg, { "aria-label": `A roof that rises with FLOP per byte up to its ridge, then is flat.${where}` });
  };
  return { el: [name, svg], update };
};
