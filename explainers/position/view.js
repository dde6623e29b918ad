/* What compute returns -> dials of four pairs, and the wavelength of every pair. */

import { upto } from "../kit/arrays.js";
import { linearScale, linePath, logScale, pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { gettext } from "../kit/gettext.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { DISTANCES, kind_of } from "./compute.js";

/** @import { Now } from "./compute.js" */

const [HEIGHT, FOOT, TEN] = [250, 228, 204]; // pixels: where one token stands, and ten
/** @type {[exponent: number, label: string][]} */
const TICKS = [
  [1, "10"],
  [3, "10³"],
  [5, "10⁵"],
  [7, "10⁷"],
  [9, "10⁹"],
];
/** @param {SVGLineElement} node @param {number} degrees */
const hand = (node, degrees) =>
  setAttrs(node, {
    x2: (44 * Math.cos((degrees * Math.PI) / 180)).toFixed(2),
    y2: (-44 * Math.sin((degrees * Math.PI) / 180)).toFixed(2),
  });

export const dials_view = () => {
  const list = h("ul", { class: "cw-position-dials" });
  const none = h("p", { class: "cw-position-none", text: gettext("Nothing turns here: every dial stands still.") });
  const legend = makeLegend([
    { class: "query", label: gettext("query") },
    { class: "key", label: gettext("key") },
  ]);
  const make = () => {
    const [key, query] = ["key", "query"].map((name) => s("line", { class: name, x1: 0, y1: 0 }));
    const [name, angle] = [h("span"), h("span")];
    const svg = s("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, s("circle", { r: 46 }), key, query);
    return Object.assign(
      h("li", {}, svg, h("span", {}, h("b", {}, gettext("pair "), name)), h("span", {}, angle, gettext("° apart"))),
      { parts: { key, query, name, angle } },
    );
  };
  /** @param {Now} now */
  const update = (now) => {
    renderList(list, now.dials, make, ({ parts }, one, i) => {
      hand(parts.key, one.key);
      hand(parts.query, one.query);
      put(parts.name, `dials.${i}.pair`, "int", now);
      put(parts.angle, `dials.${i}.between`, "fixed 1", now);
    });
    none.hidden = now.dials.length > 0;
    list.hidden = legend.hidden = !none.hidden;
  };
  return { el: [none, list, legend], update };
};

export const waves_view = () => {
  const y = logScale([1, 10], [FOOT, TEN]);
  const grid = TICKS.map(([e, text]) => [
    s("line", { x1: "10%", x2: "100%", y1: y(10 ** e), y2: y(10 ** e) }),
    s("text", { x: 0, y: y(10 ** e) + 4, "data-index": true, text }),
  ]);
  const [line, label] = [s("line", { x1: "10%", x2: "100%" }), s("text", { x: "11%" })];
  const [before, dots] = [s("g"), s("g")];
  const ends = [
    s("text", { x: "10%", y: HEIGHT - 4, text: gettext("fast pairs") }),
    s("text", { x: "100%", y: HEIGHT - 4, "text-anchor": "end", text: gettext("slow pairs") }),
  ];
  const svg = s(
    "svg",
    { class: "cw-position-waves", role: "img", width: "100%", height: HEIGHT },
    s("g", { class: "cw-position-grid" }, grid),
    s("g", { class: "cw-position-trained" }, line, label),
    before,
    dots,
    ends,
  );
  const legend = makeLegend([
    { class: "kept", label: gettext("unchanged") },
    { class: "slowed", label: gettext("slowed") },
    { class: "plain", label: gettext("before scaling") },
  ]);
  /** @param {Now} now @param {number} pair @param {boolean} hide */
  const update = (now, pair, hide) => {
    const { pairs, title, original, trained: tokens } = now.rope;
    /** @param {number} i */
    const x = (i) => pct(0.1 + (0.88 * i) / Math.max(pairs - 1, 1));
    const shown = upto(hide ? Math.floor(pairs / 2) : pairs);
    setAttrs(line, { y1: y(tokens).toFixed(2), y2: y(tokens).toFixed(2) });
    setAttrs(
      fill(
        label,
        original ? gettext("trained on {rope.trained:int} tokens") : gettext("its config’s {rope.trained:int} tokens"),
        now,
      ),
      { y: (y(tokens) - 6).toFixed(2) },
    );
    renderList(
      before,
      shown.filter((i) => kind_of(now, i) !== "kept"),
      () => s("circle", { class: "plain", r: 3 }),
      (node, i) => setAttrs(node, { cx: x(i), cy: y(now.plain[i]).toFixed(2) }),
    );
    renderList(
      dots,
      shown,
      () => s("circle"),
      (node, i) =>
        setAttrs(node, {
          class: kind_of(now, i) + (i === pair ? " on" : ""),
          cx: x(i),
          cy: y(now.waves[i]).toFixed(2),
          r: i === pair ? 6 : 3.5,
        }),
    );
    legend.hidden = now.rope.kept === pairs;
    setAttrs(svg, { "aria-label": gettext("Tokens for one turn of each pair of {title}, on a log scale.", { title }) });
  };
  return { el: [svg, legend], update };
};

const [WIDE, TALL, BOTTOM] = [1000, 220, 200];
/** @type {[distance: number, label: string][]} */
const STOPS = [
  [1, "1"],
  [10, "10"],
  [100, "100"],
  [1000, "1,000"],
  [10000, "10,000"],
  [100000, "100,000"],
];
const LEVELS = [1, 0.5, 0];
/** The mean score by distance, and two standard deviations about it. */
export const distances_view = () => {
  const x = logScale([1, 131072], [0, WIDE]);
  const y = linearScale([1, -0.3], [8, BOTTOM]);
  const [band, line] = [s("path", { class: "band" }), s("path", { class: "mean" })];
  const inner = s(
    "svg",
    { x: "8%", width: "90%", height: TALL, viewBox: `0 0 ${WIDE} ${TALL}`, preserveAspectRatio: "none" },
    LEVELS.map((v) => s("path", { class: "grid", d: `M0 ${y(v)}H${WIDE}` })),
    band,
    line,
  );
  const svg = s(
    "svg",
    { class: "cw-position-far", role: "img", width: "100%", height: TALL + 24 },
    inner,
    LEVELS.map((v) => s("text", { x: "6%", y: y(v) + 4, "text-anchor": "end", "data-index": true, text: String(v) })),
    STOPS.map(([at, text]) =>
      s("text", { x: pct(0.08 + (0.9 * x(at)) / WIDE), y: TALL, "text-anchor": "middle", "data-index": true, text }),
    ),
    s("text", { x: "98%", y: TALL + 18, "text-anchor": "end", text: gettext("tokens between query and key") }),
  );
  const legend = makeLegend([
    { class: "mean", label: gettext("mean score, as a share of that at distance 0") },
    { class: "band", label: gettext("two standard deviations over random queries") },
  ]);
  /** @param {Now} now @param {boolean} hide */
  const update = ({ distances: { mean, spread } }, hide) => {
    const shown = DISTANCES.map((at, i) => ({ at, i })).filter(({ at }) => !hide || 10 >= at);
    /** @param {number} side */
    const points = (side) =>
      shown.map(
        ({ at, i }) =>
          /** @type {[string, string]} */ ([x(at).toFixed(1), y(mean[i] + 2 * side * spread[i]).toFixed(1)]),
      );
    setAttrs(line, { d: linePath(points(0)) });
    setAttrs(band, { d: `${linePath([...points(1), ...points(-1).reverse()])}Z` });
    setAttrs(svg, {
      "aria-label": gettext("The mean score of a key equal to its query, by the tokens between them, on a log scale."),
    });
  };
  return { el: [svg, legend], update };
};
