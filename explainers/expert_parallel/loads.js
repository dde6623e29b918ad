/* What compute returns -> tokens by the number of other nodes they go to, and token copies on each GPU, as bars. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { below, lines_in, percent_of, tenth } from "./percent_lines.js";

/** @import { Now } from "./compute.js" */

const [BARS, FOOT] = [190, 24];

export const spread_view = () => {
  const [base, columns] = [s("g"), s("g")];
  const svg = s(
    "svg",
    {
      class: "cw-expert-parallel-spread",
      role: "img",
      "aria-label": "Tokens by the number of other nodes.",
      width: "100%",
      height: BARS + FOOT,
    },
    base,
    columns,
  );
  const legend = makeLegend([
    { class: "now", label: "tokens, by how many other nodes they go to" },
    { class: "own", label: "as built" },
  ]);
  /** @param {Now} now */
  const update = (now) => {
    const { spread: counts_now, spread_own: own } = now;
    const [most, n] = [Math.max(...counts_now, ...own, 1), Math.max(counts_now.length, 4)];
    const differ = counts_now.some((c, i) => c !== own[i]);
    /** @param {Element} node @param {number} i @param {number} high @param {string} css */
    const rect = (node, i, high, css) =>
      setAttrs(node, {
        class: css,
        x: percent_of((100 * i + 15) / n),
        y: tenth(BARS - high),
        width: percent_of(70 / n),
        height: tenth(high),
        visibility: css ? false : "hidden",
      });
    lines_in(base, [["base", 0, BARS, 100, BARS]]);
    renderList(
      columns,
      counts_now,
      () => s("g", {}, s("rect"), s("rect"), s("text"), s("text", { class: "index", "data-index": true })),
      (node, c, i) => {
        const high = ((BARS - 30) * c) / most;
        const x = percent_of((100 * i + 50) / n);
        rect(node.children[0], i, high, "now");
        rect(node.children[1], i, ((BARS - 30) * own[i]) / most, differ ? "own" : "");
        put(setAttrs(node.children[2], { x, y: tenth(BARS - high - 6) }), `spread.${i}`, "int", now);
        setAttrs(node.children[3], { x, y: BARS + 18, text: i });
      },
    );
    /** @type {HTMLElement} */ (legend.children[1]).hidden = !differ;
  };
  return { el: [svg, legend], update };
};

export const loads_view = () => {
  const [kept, away, inner, mean, names, most] = [
    s("path", { class: "kept" }),
    s("path", { class: "lost" }),
    s("svg", { width: "100%", height: BARS, preserveAspectRatio: "none" }),
    s("g"),
    s("g"),
    s("text", { class: "most" }),
  ];
  inner.append(kept, away);
  const svg = s(
    "svg",
    { class: "cw-expert-parallel-loads", role: "img", width: "100%", height: BARS + FOOT },
    inner,
    mean,
    names,
    most,
  );
  const legend = makeLegend([
    { class: "kept", label: "computed" },
    { class: "lost", label: "dropped" },
    { class: "mean", label: "the mean" },
  ]);
  /** @param {Now} now */
  const update = (now) => {
    const { load, gpus } = now;
    const nodes = gpus / 8;
    const wide = gpus * 10 + (nodes - 1) * 6;
    const top = Math.max(2 * load.mean, ...load.asked);
    const y = (/** @type {number} */ n) => BARS - ((BARS - 24) * n) / top;
    const at = (/** @type {number} */ g) => 10 * g + 6 * Math.floor(g / 8) + 1;
    /** @param {number} g @param {number} a @param {number} b */
    const box = (g, a, b) => (b > a ? `M${at(g)} ${tenth(y(a))}V${tenth(y(b))}h8V${tenth(y(a))}z` : "");
    const x = (100 * (at(load.busiest) + 4)) / wide;
    setAttrs(inner, { viewBox: `0 0 ${wide} ${BARS}` });
    setAttrs(kept, { d: load.kept.map((n, g) => box(g, 0, n)).join("") });
    setAttrs(away, { d: load.kept.map((n, g) => box(g, n, load.asked[g])).join("") });
    lines_in(mean, [["mean", 0, y(load.mean), 100, y(load.mean)]]);
    renderList(
      names,
      upto(nodes),
      () => s("text", { class: "index", "data-index": true }),
      (node, n) => setAttrs(node, { x: percent_of((100 * (at(8 * n) + 39)) / wide), y: BARS + 16, text: `node ${n}` }),
    );
    fill(
      setAttrs(most, {
        x: percent_of(x),
        y: tenth(y(Math.max(load.kept[load.busiest], load.asked[load.busiest])) - 6),
        "text-anchor": below(x, 12) ? "start" : x > 88 ? "end" : "middle",
      }),
      "{load.ratio:fixed 2} ×",
      now,
    );
    setAttrs(svg, { "aria-label": `Token copies on each of ${gpus} GPUs.` });
    /** @type {HTMLElement} */ (legend.children[1]).hidden = !load.kept.some((n, g) => load.asked[g] > n);
  };
  return { el: [svg, legend], update };
};
