/* What is left of each write: one column for each, how much of it an adding rule still holds. */
import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";

/** @import { Data, State } from "./compute.js" */
/** @import { Pair } from "./writes.js" */

/** @param {Data} data */
export const fading_view = (data) => {
  const bars = s("g", {});
  const el = s("svg", { class: "cw-delta-rule-fading", width: "100%", height: 190, role: "img" }, bars);
  const make = () =>
    s("g", {}, s("rect", { class: "all" }), s("rect", { class: "left" }), s("text", { "text-anchor": "middle" }));
  /** @type {(state: State, now: { left: number[] }, pairs: Pair[]) => void} */
  const update = (state, now, pairs) => {
    const n = pairs.length;
    const share = (/** @type {number} */ x) => `${Number(x.toFixed(3))}%`;
    renderList(bars, pairs, make, (g, [key], i) => {
      const high = Math.max(1, 150 * (now.left[i] || 0));
      const x = { x: share((100 * i) / n), width: share(80 / n) };
      setAttrs(g, { class: state.wanted.includes(key) ? "wanted" : false });
      setAttrs(g.children[0], { ...x, y: 0, height: 150 });
      setAttrs(g.children[1], { ...x, y: 150 - high, height: high });
      setAttrs(g.children[2], { x: share((100 * i + 40) / n), y: 172 });
      setText(g.children[2], data.letters[key]);
    });
    setAttrs(el, {
      "aria-label": `How much of each of ${n} writes is left in linear attention: of the first ${fmt.percent(now.left[0] || 0)}, of the last ${fmt.percent(now.left.at(-1) || 0)}`,
    });
  };
  return { el, update };
};
