/* What compute returns -> two lines against the length on log scales, bars of models, arithmetic of two. */
import { logScale, pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt } from "../kit/numbers.js";
import { px } from "./ruler_view.js";

/** @import { Now, Shown } from "./compute.js" */

const [TALL, ABOVE, LAST, GOAL, STEP] = [204, 12, 2 ** 20, 1e10, 31];
const CHARTS = {
  work: {
    title: "GFLOP for one new token of {of.title}, by context length",
    first: 1000,
    low: 0.1,
    high: 1e4,
    ticks: [1, 10, 100, 1000, 10000],
    how: "int",
    flat: "weights: {of.weights_gflop:int}",
    rise: "attention, at a million: {of.million_gflop:int}",
    lines: (/** @type {Now} */ { of }) => [of.weights_gflop + of.states_gflop, of.each_mflop / 1e3, of.crossing],
  },
  bytes: {
    title: "bytes kept, by context length",
    first: 1,
    low: 1e3,
    high: 1e12,
    ticks: [1e3, 1e6, 1e9, 1e12],
    how: "short",
    flat: "states: {mix.fixed:bytes} at any length",
    rise: "caches, at a million: {mix.million:bytes}",
    lines: (/** @type {Now} */ { mix }) => [mix.fixed, mix.slope, mix.tokens],
  },
};

/** @param {"work" | "bytes"} kind */
export const chart_view = (kind) => {
  const { title, first, low, high, ticks, how, flat, rise, lines } = CHARTS[kind];
  const [x, y] = [logScale([first, LAST], [0, 1], true), logScale([low, high], [TALL, ABOVE], true)];
  /** @param {number} value */
  const printed = (value) => (how === "int" ? fmt.int(value) : fmt.bytes(value, "", 0));
  /** @param {string} css */
  const line = (css) => s("line", { class: css });
  const [head, level, slope, cursor, meeting] = [
    h("p", { class: "cw-long-context-title" }),
    line("flat"),
    line("rise"),
    line("cursor"),
    s("circle", { r: 7 }),
  ];
  const [flat_words, rise_words] = [s("text", { x: "2%" }), s("text", { class: "end", x: "100%" })];
  const grid = ticks.map((t) => [
    s("line", { x1: 0, x2: "100%", y1: px(y(t)), y2: px(y(t)) }),
    s("text", { class: "tick", x: 0, dx: -10, y: px(y(t) + 4), "data-index": true, text: printed(t) }),
  ]);
  const rising = s("g", { class: "bet-answered" }, slope, rise_words, kind === "work" ? cursor : null, meeting);
  const label = `${fmt.int(first)} to ${fmt.int(LAST)} tokens on a log scale: one line is flat, the other rises.`;
  const svg = s(
    "svg",
    { class: `cw-long-context-chart ${kind}`, role: "img", "aria-label": label, width: "100%", height: TALL + 4 },
    s("g", { class: "grid" }, grid),
    level,
    flat_words,
    rising,
  );
  /** @param {Shown} now */
  const update = (now) => {
    const [fixed, each, meet] = lines(now);
    const at = px(y(fixed));
    fill(head, title, now);
    setAttrs(level, { x1: 0, x2: "100%", y1: at, y2: at });
    fill(setAttrs(flat_words, { y: px(y(fixed) - 9) }), flat, now);
    const left = each ? Math.max(first, low / each) : first;
    setAttrs(slope, { x1: pct(x(left)), x2: "100%", y1: px(y(each * left)), y2: px(y(each * LAST)) });
    fill(setAttrs(rise_words, { y: px(Math.max(12, y(each * LAST) - 9)) }), rise, now);
    setAttrs(cursor, { x1: pct(x(now.tokens)), x2: pct(x(now.tokens)), y1: px(y(each * now.tokens)), y2: TALL });
    setAttrs(meeting, { cx: pct(x(meet)), cy: at });
    setAttrs(rising, { visibility: each ? false : "hidden" });
    setAttrs(meeting, { visibility: meet >= first && LAST >= meet ? false : "hidden" });
  };
  return { el: [head, svg], update };
};

export const models_view = () => {
  const svg = s("svg", { class: "cw-long-context-models", role: "img", width: "100%" });
  const [rows, goal, scale] = [s("g"), s("line", { class: "goal", y1: 15 }), h("li")];
  svg.append(rows, goal);
  const legend = makeLegend([{ class: "goal", label: "goal: 10 GB" }]);
  legend.append(scale);
  /** @param {Shown} now */
  const update = (now) => {
    const { bars, least } = now;
    const [end, high] = [bars.reduce((a, bar) => Math.max(a, bar.bytes), 10 * least), STEP * bars.length];
    const x = logScale([least, end], [0, 1], true);
    renderList(
      rows,
      bars,
      (_, i) =>
        s(
          "g",
          {},
          s("text", { x: 0, y: STEP * i + 13 }),
          s("text", { class: "end", x: "100%", y: STEP * i + 13 }),
          s("rect", { x: 0, y: STEP * i + 18, height: 8 }),
        ),
      (g, { bytes }, i) => {
        setAttrs(g, { class: i === bars.length - 1 ? "own" : false });
        fill(g.children[0], `{bars.${i}.title}`, now);
        fill(g.children[1], `{bars.${i}.bytes:bytes}`, now);
        setAttrs(g.children[2], { width: pct(x(bytes)) });
      },
    );
    setAttrs(goal, {
      x1: pct(x(GOAL)),
      x2: pct(x(GOAL)),
      y2: high,
      visibility: GOAL >= least && end >= GOAL ? false : "hidden",
    });
    setAttrs(svg, { height: high, "aria-label": `Bytes kept by ${bars.length} models on a log scale.` });
    fill(scale, "log scale from {least:bytes}", now);
  };
  return {
    el: [
      h("p", { class: "cw-long-context-title", text: "bytes kept in BF16, with the selected model at the bottom" }),
      svg,
      legend,
    ],
    update,
  };
};

export const work_view = () => {
  const rows = /** @type {const} */ (["old", "new"]).map((key, i) => {
    const y = 38 * i;
    const [title, size] = [s("text", { x: 0, y: y + 13 }), s("text", { class: "end", x: "100%", y: y + 13 })];
    const [fixed, past] = ["weights", "past"].map((css) => s("rect", { class: css, y: y + 18, height: 14 }));
    return {
      key,
      title,
      size,
      fixed,
      past,
      el: s("g", { class: i ? "new bet-answered" : key }, title, size, fixed, past),
    };
  });
  const label = "Arithmetic for one new token: the weights’ part and attention’s part.";
  const svg = s(
    "svg",
    { class: "cw-long-context-work", role: "img", "aria-label": label, width: "100%", height: 72 },
    rows.map((row) => row.el),
  );
  /** @param {Shown} now */
  const update = (now) => {
    const most = Math.max(now.pair.old.gflop, now.pair.new.gflop);
    for (const { key, title, size, fixed, past } of rows) {
      const { fixed_gflop, past_gflop } = now.pair[key];
      fill(title, `{pair.${key}.title}`, now);
      fill(size, `{pair.${key}.gflop:int}`, now);
      setAttrs(fixed, { x: 0, width: pct(fixed_gflop / most) });
      setAttrs(past, { x: pct(fixed_gflop / most), width: pct(past_gflop / most) });
    }
  };
  const legend = makeLegend([
    { class: "weights", label: "weights" },
    { class: "past", label: "indexer and attention" },
  ]);
  return { el: [h("p", { class: "cw-long-context-title", text: "GFLOP for one new token" }), svg, legend], update };
};
