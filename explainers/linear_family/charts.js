/* Half-lives of heads on a log axis, and what one layer's state costs beside one layer's cache. */
import { upto } from "../kit/arrays.js";
import { logScale, pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/linear-family.d.ts" */
/** @import { Shown } from "./view.js" */

const ENDS = /** @type {[number, number]} */ ([0.5, 50_000]);
const across = logScale(ENDS, [0.02, 0.98]);
const AXIS = upto(5).map((i) => 10 ** i);

export const halves_view = () => {
  const [retnet, lightning] = [s("g", { class: "retnet" }), s("g", { class: "lightning" })];
  const [first, last] = [s("text", { y: 66 }), s("text", { y: 66, "text-anchor": "end" })];
  const [from, to] = [s("text", { y: 162 }), s("text", { y: 162, "text-anchor": "end" })];
  const title = s("text", { class: "name", x: 0, y: 110 });
  const svg = s(
    "svg",
    { class: "cw-linear-family-halves", role: "img", width: "100%", height: 214 },
    AXIS.map((n) => s("line", { class: "grid", x1: pct(across(n)), x2: pct(across(n)), y1: 22, y2: 178 })),
    s("text", { class: "name", x: 0, y: 14, text: "RetNet, eight heads" }),
    title,
    retnet,
    lightning,
    [first, last, from, to],
    AXIS.map((n) => s("text", { class: "tick", x: pct(across(n)), y: 194, "data-index": true, text: fmt.int(n) })),
    s("text", { class: "tick", x: "50%", y: 210, text: "half-life in tokens" }),
  );
  /** @param {SVGElement} row @param {number[]} found @param {number} y @param {number} r */
  const dots = (row, found, y, r) =>
    renderList(
      row,
      found,
      () => s("circle", { r }),
      (dot, tokens) => setAttrs(dot, { cx: pct(across(tokens)), cy: y }),
    );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { halves } = now;
    const ends = halves.lightning_ends;
    dots(retnet, hide ? halves.retnet.slice(0, 1) : halves.retnet, 42, 6);
    dots(lightning, hide ? [] : halves.lightning, 138, 4);
    fill(setAttrs(first, { x: pct(across(halves.retnet_ends[0]) - 0.02) }), "{halves.retnet_ends.0:fixed 1}", now);
    fill(setAttrs(last, { x: pct(across(halves.retnet_ends[1]) + 0.02) }), "{halves.retnet_ends.1:int}", now);
    fill(setAttrs(from, { x: pct(across(ends[0]) - 0.01) }), "{halves.lightning_ends.0:sig 3}", now);
    fill(setAttrs(to, { x: pct(across(ends[1]) + 0.01) }), "{halves.lightning_ends.1:int}", now);
    fill(title, hide ? "" : "Lightning Attention, {halves.title:text}, layer {layer:int}", now);
    for (const node of [last, from, to]) node.style.display = hide ? "none" : "";
    const told = hide
      ? ""
      : ` to ${fmt.int(halves.retnet_ends[1])} tokens; of Lightning Attention from ${fmt.sig(ends[0], 3)} to ${fmt.int(ends[1])}`;
    setAttrs(svg, {
      "aria-label": `Half-lives of RetNet’s heads, from ${fmt.fixed(halves.retnet_ends[0], 1)} tokens${told}.`,
    });
  };
  return { el: svg, update };
};

/** @param {Data} data */
export const costs_view = (data) => {
  const places = data.picked.map((slug) => data.models.findIndex((one) => one[0] === slug)).filter((i) => i >= 0);
  const make = () => {
    const [name, size, words] = [h("span", { class: "name" }), h("b"), h("span", { class: "words" })];
    const bar = s("rect", { height: 10, rx: 2 });
    const svg = s("svg", { width: "100%", height: 10, "aria-hidden": "true" }, bar);
    return Object.assign(h("li", {}, name, size, svg, words), { parts: { name, size, bar, words } });
  };
  const list = h("ul", { class: "cw-linear-family-costs" });
  const title = "State of one layer, and what an attention layer of the same model holds";
  const el = h("div", {}, h("p", { class: "cw-linear-family-name", text: title }), list);
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const most = Math.max(...places.map((i) => now.costs[i].state));
    renderList(list, places, make, ({ parts }, i) => {
      const { state, token, slug } = now.costs[i];
      fill(parts.name, `{costs.${i}.title:text}, {costs.${i}.rule:text}`, now);
      fill(parts.size, `{costs.${i}.state:bytes MB 2}`, now);
      setAttrs(parts.bar, { width: pct(state / most), class: slug === now.model ? "on" : false });
      const attention = `an attention layer: {costs.${i}.token:int} B per token, more from {costs.${i}.crossing:int} tokens on`;
      fill(parts.words, token ? (hide ? "an attention layer: ? B per token" : attention) : "no attention layers", now);
    });
  };
  return { el, update };
};
