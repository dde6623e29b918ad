/* What compute returns -> the mask, the stack with its reach, the cache curve; built once, then only attributes change. */
import { firstChild, h, lastChild, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { CURVE, TOKENS } from "./compute.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */
/** @import { OnPoint } from "../kit/pointer.js" */
/** @import { Mask, Span, Stack } from "./compute.js" */

const CELL = 10;
const PAPER = TOKENS * CELL;
/** How far a key moves the query. @type {{ [key: string]: number }} */
const QUERY_STEPS = {
  ArrowDown: 1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowLeft: -1,
  PageDown: 8,
  PageUp: -8,
  Home: -TOKENS,
  End: TOKENS,
};
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
/** The role that colours a kind of mask. @type {{ [kind: string]: string }} */
export const ROLE = { causal: "full", window: "window", chunked: "window" };
/** @param {number} x */
const px = (x) => String(Math.round(x * 100) / 100);
/** @param {Span[][]} rows */
const cellsPath = (rows) =>
  rows
    .flatMap((list, query) =>
      list.map(([a, b]) => `M${a * CELL} ${query * CELL}h${(b - a + 1) * CELL}v${CELL}h-${(b - a + 1) * CELL}z`),
    )
    .join("");
/** @param {Mask} mask @param {number} first @returns {Span[][]} */
const seenRanges = (mask, first) =>
  mask.starts.map((start, query) => {
    const early = Math.min(first, start);
    /** @type {Span} */
    const own = [start, query];
    return early > 0 ? [[0, early - 1], own] : [own];
  });

/**
 * Queries down, keys to the right; drag or use the arrow keys to move the query.
 * @param {(query: number) => void} onQuery
 */
export const maskView = (onQuery) => {
  const lines = Array.from({ length: TOKENS + 1 }, (_, i) => `M0 ${i * CELL}H${PAPER}M${i * CELL} 0V${PAPER}`).join("");
  const known = s("path", { class: "cw-masks-known" });
  const seenPath = s("path", { class: "cw-masks-seen" });
  const row = s("rect", { class: "cw-masks-row", x: 0, width: PAPER, height: CELL });
  const number = s("text", { class: "cw-masks-at" });
  // what the colours mean, where they are: beside the diagonal, in the corner below it and in the one above
  const named = s("text", {
    class: "cw-masks-says start",
    x: PAPER * 0.4 + CELL,
    y: PAPER * 0.4,
    text: "← attended to",
  });
  const below = s("text", { class: "cw-masks-says", x: PAPER * 0.26, y: PAPER * 0.7 });
  const above = s("text", { class: "cw-masks-says", x: PAPER * 0.72, y: PAPER * 0.2, text: "later tokens: masked" });
  const sink = s(
    "g",
    { class: "cw-masks-sink" },
    s("rect", { x: -24, y: 0, width: 12, height: PAPER, rx: 2 }),
    s("text", { class: "cw-masks-axis", x: -18, y: -5, "text-anchor": "middle", text: "sink" }),
  );
  const svg = s(
    "svg",
    { class: "cw-masks-mask", viewBox: `-48 -18 ${PAPER + 128} ${PAPER + 22}`, "aria-hidden": "true" },
    s("text", { class: "cw-masks-axis", x: 14, y: -5, text: "keys: the past on the left, itself on the diagonal →" }),
    s("text", {
      class: "cw-masks-axis",
      x: 14,
      y: 42,
      transform: "rotate(90)",
      text: "queries: one row for each token →",
    }),
    sink,
    s("path", { class: "cw-masks-past", d: `M0 0${"h10v10".repeat(TOKENS)}H0z` }),
    known,
    seenPath,
    s("path", { class: "cw-masks-grid", d: lines }),
    row,
    named,
    below,
    above,
    number,
  );
  const el = h(
    "div",
    {
      class: "cw-masks-stage",
      role: "slider",
      tabindex: "0",
      "aria-label": "Query token",
      "aria-orientation": "vertical",
      "aria-valuemin": 0,
      "aria-valuemax": TOKENS - 1,
    },
    svg,
  );
  let at = 0;
  /** @type {OnPoint} */
  const toQuery = (_x, y) =>
    onQuery(Math.max(0, Math.min(TOKENS - 1, Math.floor(((y / svg.clientHeight) * (PAPER + 22) - 18) / CELL))));
  onDrag(svg, { move: toQuery });
  el.addEventListener("keydown", (event) => {
    const step = QUERY_STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    onQuery(Math.max(0, Math.min(TOKENS - 1, at + step)));
  });
  /** @param {Mask} mask @param {State} state */
  const update = (mask, state) => {
    at = state.query;
    setAttrs(known, { d: cellsPath(mask.known_from) });
    setAttrs(seenPath, { d: cellsPath(seenRanges(mask, state.first)), class: `cw-masks-seen ${ROLE[state.kind]}` });
    const apart = mask.starts.at(-1) ?? 0; // the last row’s first key: what lies before it is another colour
    const reached = mask.known_from.at(-1)?.[0]?.[0] ?? apart;
    setAttrs(below, {
      text: apart > reached ? "known through lower layers" : "not attended to",
      visibility: apart > 12 ? false : "hidden",
    });
    setAttrs(sink, { visibility: state.sink ? false : "hidden" });
    setAttrs(row, { y: at * CELL });
    put(setAttrs(number, { x: PAPER + 6, y: at * CELL + 9 }), "mask.at", "text", { mask });
    setAttrs(el, { "aria-valuenow": at, "aria-valuetext": mask.row });
  };
  return { el, update };
};

/**
 * One line per layer, the last on top: its mark, and how far back it knows on a log scale, now at the right.
 * @param {(layer: number) => void} onLayer
 */
export const stackView = (onLayer) => {
  const layers = s("g");
  const axis = s("g");
  const svg = s("svg", { class: "cw-masks-stack", "aria-hidden": "true" }, axis, layers);
  const el = h(
    "div",
    {
      class: "cw-masks-stage",
      role: "slider",
      tabindex: "0",
      "aria-label": "Layer",
      "aria-orientation": "vertical",
      "aria-valuemin": 0,
    },
    svg,
  );
  let last = { count: 1, layer: 0, tall: 7 };
  const top = 16;
  /** @param {number} layer */
  const move = (layer) => onLayer(Math.max(0, Math.min(last.count - 1, layer)));
  onDrag(svg, { move: (_x, y) => move(last.count - 1 - Math.floor((y - top) / last.tall)) });
  el.addEventListener("keydown", (event) => {
    const step = LAYER_STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    move(last.layer + step);
  });
  /** @param {Stack} stack @param {State} state @param {number} width @param {boolean} [hide] */
  const update = (stack, state, width, hide) => {
    const count = stack.first.length;
    const tall = Math.max(5, Math.min(12, Math.floor(430 / count)));
    const token = state.context - 1;
    const room = width - 64;
    /** @param {number} tokens */
    const reach = (tokens) => (room * Math.log2(tokens)) / Math.log2(Math.max(2, state.context));
    last = { count, layer: state.layer, tall };
    setAttrs(svg, { viewBox: `0 0 ${width} ${count * tall + top + 18}`, width, height: count * tall + top + 18 });
    renderList(
      layers,
      stack.first,
      () =>
        s(
          "g",
          {},
          s("rect", { class: "cw-masks-hit", x: 0 }),
          s("rect"),
          s("rect"),
          s("rect"),
          s("text", { class: "cw-masks-axis", "data-index": "" }),
        ),
      (g, first, i) => {
        const y = top + (count - 1 - i) * tall;
        const on = i === state.layer ? " on" : "";
        /** @param {string} css @param {number} from */
        const bar = (css, from) => {
          const long = Math.max(1, reach(token - from + 1));
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
      },
    );
    renderList(
      axis,
      stack.back,
      () =>
        s(
          "g",
          {},
          s("path", { class: "cw-masks-tick" }),
          s("text", { class: "cw-masks-axis", "text-anchor": "middle" }),
        ),
      (g, t, i) => {
        const x = width - 50 - reach(t);
        setAttrs(g.children[0], { d: `M${px(x)} ${top - 2}V${count * tall + top + 2}` });
        fill(
          setAttrs(g.children[1], { x: px(Math.max(22, x)), y: count * tall + top + 14 }),
          i ? `−{stack.back.${i}:int}` : "now",
          { stack },
        );
      },
    );
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
 * Bytes against context, both on log scales: as it is, and as if every layer kept every token.
 * @param {(context: number) => void} onContext
 */
export const curveView = (onContext) => {
  const high = 250;
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
    const y = (bytes) => 10 + (high - 34) * (1 - (Math.log10(Math.max(1, bytes)) - low) / (up - low));
    /** @param {number[]} values */
    const line = (values) => values.map((v, i) => `${i ? "L" : "M"}${px(x(CURVE[i]))} ${px(y(v))}`).join("");
    setAttrs(svg, {
      viewBox: `0 0 ${width} ${high}`,
      width,
      height: high,
      "aria-label": `Cache bytes against context for ${stack.title}. Every token in every layer: ${spelt(stack.curve_full)}.${hide ? "" : ` As built: ${spelt(stack.curve)}.`}`,
    });
    setAttrs(parts.full, { d: line(stack.curve_full) });
    setAttrs(parts.real, { d: line(stack.curve) });
    setAttrs(area, { d: `${line(stack.curve)}V${high - 24}H${left}z` });
    const at = Math.max(256, Math.min(2 ** 20, state.context));
    setAttrs(parts.gap, { d: `M${px(x(at))} ${px(y(stack.bytes_full))}V${px(y(stack.bytes))}` });
    dots.forEach((dot, i) => setAttrs(dot, { cx: px(x(at)), cy: px(y(i ? stack.bytes : stack.bytes_full)) }));
    setAttrs(names[0], { x: px(x(16384)), y: px(y(stack.curve_full[6]) - 12), "text-anchor": "end" });
    setAttrs(names[1], { x: px(x(65536)), y: px(y(stack.curve[8]) + 20), "text-anchor": "start" });
    const rows = Array.from({ length: up - low + 1 }, (_, i) => low + i);
    const columns = [8, 11, 13, 15, 17, 20];
    renderList(
      parts.grid,
      [...rows.map((e) => ({ byte: true, power: e })), ...columns.map((p) => ({ byte: false, power: p }))],
      () => s("g", {}, s("path", { class: "cw-masks-tick" }), s("text", { class: "cw-masks-axis", "data-index": "" })),
      (g, { byte, power }) => {
        const [gx, gy] = byte ? [left - 8, y(10 ** power)] : [x(2 ** power), high - 8];
        setAttrs(g.children[0], { d: byte ? `M${left} ${px(gy)}h${px(wide)}` : `M${px(gx)} ${high - 24}v4` });
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
  return { el: svg, update };
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
