/* The block as a card with a size on every wire, and the stream through the stack. */

import { upto } from "../kit/arrays.js";
import { linePath, logScale } from "../kit/chart.js";
import { firstChild, h, lastChild, renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { makeResults } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { layer_of } from "./stack.js";

/** @import { Shown } from "./compute.js" */

/** @typedef {"mixer" | "mlp"} Half */
/**
 * A box around its height, with a line or two of words.
 * @typedef {{
 *   css: string, x: number, y: number, wide: number, words: string[], high: number,
 * }} Box
 */

/** @type {Half[]} */
const HALVES = ["mixer", "mlp"];

const [STREAM, RIGHT, RISE, OWN_ROW] = [58, 372, 46, 26];
const ROWS = { mixer: 236, mlp: 136 };
/** Where each begins, and how wide it is. */
const BOXES = { before: [84, 46], half: [142, 104], gate: [258, 46], behind: [316, 46] };
const CHART = 160;
/** What is printed of a coordinate: two decimals at most. @param {number} x */
export const fine = (x) => String(Number(x.toFixed(2)));
export const name_of = () => h("p", { class: "ab-name" });
/**
 * Shows or hides a part; hidden it keeps its room.
 * @template {Element} E
 * @param {E} node
 * @param {string} css
 * @param {boolean} hide
 */
export const hushed = (node, css, hide) => setAttrs(node, { class: css + (hide ? " hush" : "") });

/**
 * The boxes of a half, from left to right.
 * @param {Shown} now
 * @param {Half} half
 * @returns {[place: keyof typeof BOXES, css: string, words: string[]][]}
 */
const boxes_of = ({ norm: kind, gate, qk, cap }, half) => {
  const more = [
    [qk, "QK-norm"],
    [cap, "cap"],
  ]
    .filter(([on]) => on)
    .map(([, word]) => word)
    .join(" · ");
  const words = half === "mlp" ? ["MLP"] : more ? ["attention", more] : ["attention"];
  /** @type {ReturnType<typeof boxes_of>} */
  const made = [["half", half, words]];
  if (kind === "pre" || kind === "sandwich") made.unshift(["before", "norm", ["norm"]]);
  if (half === "mixer" && gate !== "none") made.push(["gate", "gate", ["σ gate"]]);
  if (kind === "sandwich" || kind === "behind") made.push(["behind", "norm", ["norm"]]);
  return made;
};
/**
 * Everything of the card as rows: wires, boxes, sums; what is printed is apart.
 * @param {Shown} now
 */
const shapes_of = (now) => {
  const side = now.parallel;
  const wires = /** @type {string[]} */ ([]);
  const boxes = /** @type {Box[]} */ ([]);
  const sums = /** @type {number[]} */ ([]);
  /** @param {...[x: number, y: number]} points */
  const line = (...points) => wires.push(linePath(points));
  /** @type {(css: string, x: number, y: number, wide: number, words: string[], high?: number) => void} */
  const box = (css, x, y, wide, words, high = 34) => boxes.push({ css, x, y, wide, words, high });
  const flows = (now.streams > 1 ? [-6, -2, 2, 6] : [0]).map(
    (dx) => `M${STREAM + dx} 292L${STREAM + dx} ${now.own ? 4 : 34}`,
  );
  for (const half of HALVES) {
    const y = ROWS[half];
    const sum_at = (side ? ROWS.mlp : y) - RISE;
    line(half === "mixer" || !side ? [STREAM, y] : [STREAM + 14, y], [RIGHT, y], [RIGHT, sum_at], [STREAM, sum_at]);
    if (side && half === "mlp") line([STREAM + 14, ROWS.mixer], [STREAM + 14, y]);
    for (const [at, css, words] of boxes_of(now, half)) box(css, BOXES[at][0], y, BOXES[at][1], words);
    if (!side || half === "mlp") sums.push(sum_at);
    if (now.norm === "normed" && !(side && half === "mlp")) box("norm", STREAM - 23, y + 24, 46, ["norm"], 20);
  }
  if (now.norm === "post") for (const y of sums) box("norm", STREAM - 23, y - 24, 46, ["norm"], 20);
  if (now.own) {
    line([246, OWN_ROW], [STREAM, OWN_ROW]);
    box("own", 84, OWN_ROW, 162, ["the layer’s own embedding"], 28);
    sums.push(OWN_ROW);
  }
  return { flows, wires, boxes, sums };
};

const block_view = () => {
  const [flows, wires, boxes, sums, printed] = upto(5).map(() => s("g"));
  const adds = HALVES.map((half) => s("text", { class: "size", x: 194, y: ROWS[half] - 25 }));
  const third = s("text", { class: "size", x: 256, y: OWN_ROW + 4, "text-anchor": "start" });
  const sizes = { enter: 280, middle: 168, leave: 46 };
  const [enter, middle, leave] = Object.entries(sizes).map(([key, y]) => ({
    key,
    node: s("text", { class: "stream", x: 17, y }),
  }));
  const svg = s("svg", { class: "ab-card", role: "img" }, flows, wires, boxes, sums, printed);
  const where = h("p", { class: "ab-where" });
  /** @param {Shown} now */
  const update = (now) => {
    const made = shapes_of(now);
    /** @param {Element} parent @param {string[]} all @param {string} css */
    const paths = (parent, all, css) =>
      renderList(
        parent,
        all,
        () => s("path", { class: css }),
        (node, d) => setAttrs(node, { d }),
      );
    paths(flows, made.flows, "flow");
    paths(wires, made.wires, "wire");
    renderList(
      boxes,
      made.boxes,
      () => s("g", {}, s("rect"), s("g")),
      (g, { css, x, y, wide, words, high }) => {
        setAttrs(g, { class: css });
        setAttrs(firstChild(g), { x, y: y - high / 2, width: wide, height: high });
        renderList(
          lastChild(g),
          words,
          () => s("text", { "data-index": true }),
          (node, text, i) => setAttrs(node, { x: x + wide / 2, y: y + 4 - 7 * (words.length - 1) + 14 * i, text }),
        );
      },
    );
    renderList(
      sums,
      made.sums,
      () => s("g", { class: "sum" }, s("circle", { cx: STREAM, r: 9 }), s("path")),
      (g, y) => {
        setAttrs(firstChild(g), { cy: y });
        setAttrs(lastChild(g), { d: `M${STREAM - 5} ${y}h10M${STREAM} ${y - 5}v10` });
      },
    );
    adds.forEach((node, i) => fill(node, `adds {here.${HALVES[i]}:fixed 2}`, now));
    if (now.own) fill(third, "adds {here.own:fixed 2}", now);
    const shown = now.parallel ? [enter, leave] : [enter, middle, leave];
    for (const { key, node } of shown) fill(node, `{here.${key}:fixed 2}`, now);
    printed.replaceChildren(...adds, ...(now.own ? [third] : []), ...shown.map(({ node }) => node));
    fill(where, "Layer {here.at:int} of {cost.passes:int}, counted from zero. Sizes are root mean squares.", now);
    setAttrs(leave.node, { y: now.own ? 16 : 46 });
    setAttrs(svg, {
      viewBox: now.own ? "0 0 384 300" : "0 30 384 270",
      "aria-label": `A block: attention and MLP ${now.parallel ? "in parallel" : "in sequence"}, norms: ${now.norm}.`,
    });
  };
  return { el: [svg, where], update };
};

/**
 * The card with play, step and scrub through the layers.
 * @param {(layer: number) => void} keep is told where the reader stops
 */
export const block_player = (keep) => {
  const view = block_view();
  let held = /** @type {Shown | null} */ (null);
  let quiet = false;
  /** @param {Shown} now @param {number} t */
  const at = (now, t) => ({ ...now, here: layer_of(now, Math.round(t)) });
  const play = makeTransport({
    label: "layer",
    length: 1,
    rate: 6,
    format: (t) => `layer ${Math.round(t)}`,
    print: (node, t) => {
      if (held) fill(node, "layer {here.at:int}", at(held, t));
    },
    onFrame: (t) => {
      if (held) view.update(at(held, t));
    },
    onStop: (t) => {
      if (!quiet) keep(Math.round(t));
    },
  });
  /** @param {Shown} now */
  const update = (now) => {
    if (play.playing()) {
      quiet = true;
      play.stop();
      quiet = false;
    }
    held = now;
    play.length(now.cost.passes - 1);
    play.set(now.here.at);
    view.update(now);
  };
  return { el: [...view.el, play.el], play, update, stop: play.stop };
};

/** The place of a size, from 100 at the foot to 0 at the head. */
const down = /* @__PURE__ */ logScale([0.5, 128], [100, 0], true);
/** A line through values, one unit apart. @param {number[]} values */
export const path_of = (values) => linePath(values.map((v, i) => [i, down(v).toFixed(1)]));
const MARKS = [1, 4, 16, 64];
/**
 * A stretched chart on a log scale: lines inside, its scale and points outside.
 * @param {string} label
 * @param {...SVGElement} lines
 */
export const log_chart = (label, ...lines) => {
  const grid = MARKS.map(() => s("path", { class: "grid" }));
  const inner = s("svg", { x: "5%", width: "95%", height: CHART, preserveAspectRatio: "none" }, grid, lines);
  const marks = MARKS.map((t) =>
    s("text", { x: 0, y: fine((CHART * down(t)) / 100 + 4), "data-index": true, text: t }),
  );
  const svg = s(
    "svg",
    { class: "ab-sizes", width: "100%", height: CHART, role: "img", "aria-label": label },
    inner,
    marks,
  );
  /** @param {number} n */
  const wide = (n) => {
    setAttrs(inner, { viewBox: `0 0 ${n} 100` });
    grid.forEach((node, i) => setAttrs(node, { d: `M0 ${fine(down(MARKS[i]))}H${n}` }));
  };
  return { svg, wide };
};

export const sizes_view = () => {
  const name = name_of();
  const [line, dot] = [s("path", { class: "sizes" }), s("circle", { class: "at", r: 5 })];
  const { svg, wide } = log_chart("The stream’s size after every layer, on a log scale.", line);
  svg.append(dot);
  /** @param {Shown} now */
  const update = (now) => {
    const [values, at, n] = [now.sizes, now.here.at + 1, now.sizes.length - 1];
    fill(name, "size of the stream, layer by layer: {sizes.0:fixed 2} at the start, {size:fixed 2} at the end", now);
    wide(n);
    setAttrs(line, { d: path_of(values) });
    setAttrs(dot, { cx: `${fine(5 + (95 * at) / n)}%`, cy: fine((CHART * down(values[at])) / 100) });
  };
  return { el: [name, svg], update };
};

/** @param {[label: string, template: string][]} rows */
export const results_view = (rows) => makeResults("ab-results", rows);
