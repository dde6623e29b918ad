/* The groups of experts, and the few that a token is limited to. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { HIGH, sends_view, TOP } from "./charts.js";
import { most } from "./loads.js";
import { NODES } from "./router.js";
import { named, percent_of, tenth } from "./view.js";

/** @import { Shown } from "./compute.js" */

/** The experts of a group, and what stands below them. @param {number} g */
const make_box = (g) => {
  const x = 12.5 * g;
  const [bar, picked] = [s("path", { class: "bar" }), s("path", { class: "picked" })];
  const inner = s(
    "svg",
    { x: percent_of(x + 0.8), y: TOP, width: "10.9%", height: HIGH, preserveAspectRatio: "none" },
    bar,
    picked,
  );
  const box = s("rect", { x: percent_of(x + 0.3), y: 0, width: "11.9%", height: TOP + HIGH });
  const [mark, node] = [17, 34].map((y) => s("text", { x: percent_of(x + 6.25), y: TOP + HIGH + y }));
  setAttrs(node, { "data-index": true, text: `node ${g}` });
  return { box, inner, bar, picked, mark, node };
};

export const groups_view = () => {
  const boxes = upto(NODES).map(make_box);
  const dots = s("g");
  const svg = s(
    "svg",
    { class: "cw-experts-groups", role: "img", width: "100%", height: TOP + HIGH + 40 },
    boxes.map((b) => [b.box, b.inner, b.mark, b.node]),
    dots,
  );
  const legend = named([
    ["best", "among the best experts overall"],
    ["missed", "among the best, but group not kept"],
    ["gained", "chosen instead"],
  ]);
  const sent = sends_view();
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const { ranked, kept, chosen: met, free } = now.here;
    const [experts, low, high] = [ranked.length, ranked.reduce((a, b) => Math.min(a, b)), most(ranked)];
    const size = experts / NODES;
    const heights = ranked.map((v) => Math.round(6 + (86 * (v - low)) / (high - low || 1)));
    setAttrs(svg, { "aria-label": `One token’s scores for ${experts} experts in ${NODES} groups.` });
    boxes.forEach((b, g) => {
      const css = !hide && kept.includes(g) ? " kept" : "";
      const d = { bar: "", picked: "" };
      for (const i of upto(size))
        d[!hide && met.includes(g * size + i) ? "picked" : "bar"] +=
          `M${10 * i + 2} 100v-${heights[g * size + i]}h6V100z`;
      setAttrs(b.box, { class: `box${css}` });
      setAttrs(b.inner, { viewBox: `0 0 ${10 * size} 100` });
      setAttrs(b.bar, { d: d.bar });
      setAttrs(b.picked, { d: d.picked });
      fill(setAttrs(b.mark, { class: `mark${css}` }), hide ? "" : `{here.marks.${g}:fixed 3}`, now);
      setAttrs(b.node, { class: `node${css}` });
    });
    const all = hide ? [] : upto(experts).filter((e) => free.includes(e) || met.includes(e));
    renderList(
      dots,
      all,
      () => s("circle", { r: 3.5 }),
      (dot, e) =>
        setAttrs(dot, {
          class: free.includes(e) ? (met.includes(e) ? "best" : "missed") : "gained",
          cx: percent_of(12.5 * Math.floor(e / size) + 0.8 + (10.9 * ((e % size) + 0.5)) / size),
          cy: tenth(TOP + HIGH * (1 - heights[e] / 100) - 5),
        }),
    );
    setAttrs(legend, { class: `cw-legend${hide ? " hide" : ""}` });
    sent.update(now, hide);
  };
  return { el: [svg, legend, sent.el], update };
};
