/* A stack: one line per layer with its reach, the kinds of layers, and the stack as a small strip. */
import { firstChild, h, lastChild, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { makeStage } from "./stage.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { Stack } from "./stack.js" */

/** How far a key moves the layer: the last is on top. @type {{ [key: string]: number }} */
const LAYER_STEPS = {
  ArrowUp: 1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowLeft: -1,
  PageUp: 6,
  PageDown: -6,
  Home: -999,
  End: 999,
};
const TOP = 16; // above the layers
/** @param {number} x */
export const px = (x) => String(Math.round(x * 100) / 100);

/**
 * How wide the drawing is, how tall a layer, where the layers end, and how long the bar of some tokens is.
 * @typedef {{ width: number, tall: number, foot: number, reach: (tokens: number) => number }} Scale
 */

/** @param {number} count @param {number} context @param {number} width @returns {Scale} */
const scaleOf = (count, context, width) => {
  const tall = Math.max(5, Math.min(12, Math.floor(430 / count)));
  const room = width - 64;
  const reach = (/** @type {number} */ tokens) => (room * Math.log2(tokens)) / Math.log2(Math.max(2, context));
  return { width, tall, foot: count * tall + TOP, reach };
};

const makeLayer = () =>
  s(
    "g",
    {},
    s("rect", { class: "cw-masks-hit", x: 0 }),
    s("rect"),
    s("rect"),
    s("rect"),
    s("text", { class: "cw-masks-axis", "data-index": "" }),
  );

/** @param {SVGElement} layers @param {Stack} stack @param {State} state @param {Scale} scale @param {boolean} [hide] */
const drawLayers = (layers, stack, state, { width, tall, reach }, hide) => {
  const count = stack.first.length;
  renderList(layers, stack.first, makeLayer, (g, first, i) => {
    const y = TOP + (count - 1 - i) * tall;
    const on = i === state.layer ? " on" : "";
    /** @param {string} css @param {number} from */
    const bar = (css, from) => {
      const long = Math.max(1, reach(state.context - from));
      return {
        class: `cw-masks-${css} ${stack.marks[i]}`,
        x: px(width - 50 - long),
        y,
        width: px(long),
        height: tall - 1,
      };
    };
    setAttrs(g.children[0], { y: y - 1, width: width - 24, height: tall + 1, class: `cw-masks-hit${on}` });
    setAttrs(g.children[1], bar("reach", hide ? stack.sees[i] : first));
    setAttrs(g.children[2], bar("sight", stack.sees[i]));
    setAttrs(g.children[3], {
      class: `cw-masks-mark ${stack.marks[i]}`,
      x: width - 44,
      y,
      width: 16,
      height: tall - 1,
    });
    const close = Math.abs(i - state.layer) * tall < 11;
    const named = i === state.layer || ((i === 0 || i === count - 1) && !close);
    setAttrs(g.children[4], {
      x: width - 22,
      y: y + tall / 2 + 3.5,
      text: named ? i : "",
      class: `cw-masks-axis${on}`,
    });
  });
};

/** The ticks of the log scale, now at the right. @param {SVGElement} axis @param {Stack} stack @param {Scale} scale */
const drawAxis = (axis, stack, { width, foot, reach }) =>
  renderList(
    axis,
    stack.back,
    () =>
      s("g", {}, s("path", { class: "cw-masks-tick" }), s("text", { class: "cw-masks-axis", "text-anchor": "middle" })),
    (g, t, i) => {
      const x = width - 50 - reach(t);
      setAttrs(g.children[0], { d: `M${px(x)} ${TOP - 2}V${foot + 2}` });
      fill(setAttrs(g.children[1], { x: px(Math.max(22, x)), y: foot + 14 }), i ? `−{stack.back.${i}:int}` : "now", {
        stack,
      });
    },
  );

/**
 * One line per layer, the last on top: its mark, and how far back it knows on a log scale, now at the right.
 * @param {(layer: number) => void} onLayer
 */
export const stackView = (onLayer) => {
  const layers = s("g");
  const axis = s("g");
  const svg = s("svg", { class: "cw-masks-stack", "aria-hidden": "true" }, axis, layers);
  let last = { count: 1, layer: 0, tall: 7 };
  /** @param {number} layer */
  const move = (layer) => onLayer(Math.max(0, Math.min(last.count - 1, layer)));
  const el = makeStage(svg, { label: "Layer", steps: LAYER_STEPS, onStep: (by) => move(last.layer + by) });
  onDrag(svg, { move: (_x, y) => move(last.count - 1 - Math.floor((y - TOP) / last.tall)) });
  /** @param {Stack} stack @param {State} state @param {number} width @param {boolean} [hide] */
  const update = (stack, state, width, hide) => {
    const count = stack.first.length;
    const scale = scaleOf(count, state.context, width);
    last = { count, layer: state.layer, tall: scale.tall };
    setAttrs(svg, { viewBox: `0 0 ${width} ${scale.foot + 18}`, width, height: scale.foot + 18 });
    drawLayers(layers, stack, state, scale, hide);
    drawAxis(axis, stack, scale);
    setAttrs(el, {
      "aria-valuemax": count - 1,
      "aria-valuenow": state.layer,
      "aria-valuetext": hide ? `Layer ${state.layer}` : stack.knows,
    });
  };
  return { el, update };
};

/**
 * The kinds of layers in a stack, and the colour of each.
 * @param {Data} data
 */
export const marksLegend = (data) => {
  const el = h("ul", { class: "cw-legend" });
  /** @type {{ [letter: string]: string }} */
  const names = data.marks;
  /** @param {string} marks */
  const update = (marks) =>
    renderList(
      el,
      Object.keys(names).filter((letter) => marks.includes(letter)),
      () => h("li", {}, h("i", { "aria-hidden": "true" }), h("span")),
      (li, letter) => {
        setAttrs(firstChild(li), { class: `cw-masks-key ${letter}` });
        setText(lastChild(li), names[letter]);
      },
    );
  return { el, update };
};

/**
 * A stack as a small strip, first layer on the left.
 * @param {string} marks
 * @param {string} letter
 * @param {number} wide
 * @param {number} high
 */
const stripPath = (marks, letter, wide, high) =>
  [...marks]
    .map((m, i) =>
      m === letter
        ? `M${px((i * wide) / marks.length)} 0h${px(Math.max(0.5, wide / marks.length - 0.6))}v${high}h-${px(Math.max(0.5, wide / marks.length - 0.6))}z`
        : "",
    )
    .join("");
export const strip = () => {
  const letters = [..."FWCSHLKN"];
  const paths = letters.map((letter) => s("path", { class: `cw-masks-mark ${letter}` }));
  const svg = s(
    "svg",
    { class: "cw-masks-strip", viewBox: "0 0 200 16", preserveAspectRatio: "none", "aria-hidden": "true" },
    paths,
  );
  return {
    el: svg,
    update: /** @param {string} marks */ (marks) =>
      letters.forEach((letter, i) => setAttrs(paths[i], { d: stripPath(marks, letter, 200, 16) })),
  };
};
