/* What compute returns -> dials of four pairs, and the wavelength of every pair. */

import { upto } from "../kit/arrays.js";
import { logScale, pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { gettext } from "../kit/gettext.js";
import { makeLegend } from "../kit/headings.js";
import { fill, put } from "../kit/numbers.js";
import { kind_of } from "./compute.js";

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
