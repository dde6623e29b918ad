/* What compute returns -> a bar of work for each rank, and the mean. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { chips, cw, pct, row_of, tone } from "./rank_chips.js";

/** @import { Now } from "./compute.js" */

export const bars_view = () => {
  const [ranks, rows] = [chips(), s("g")];
  const [line, name] = [
    s("line", { x1: "47%", x2: "47%", y1: 0 }),
    s("text", { x: "47%", "text-anchor": "middle", text: "the mean" }),
  ];
  const svg = s("svg", { class: cw("bars"), role: "img", width: "100%" }, ranks.el, rows, line, name);
  const make = () =>
    s(
      "g",
      {},
      s("rect", { class: "track", x: "11%", width: "72%" }),
      s("rect", { x: "11%" }),
      s("text", { x: "100%", "text-anchor": "end" }),
    );
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { each } = now.work;
    const high = row_of(each.length);
    const low = 4 + each.length * high;
    ranks.update(each.length, 4);
    renderList(rows, each, make, (node, share, rank) => {
      const y = 4 + rank * high;
      const [track, bar, said] = node.children;
      setAttrs(track, { y, height: high - 4 });
      setAttrs(bar, { class: tone(rank), y, height: high - 4, width: pct(hide ? 0 : share * 36) });
      setAttrs(said, { y: y + high / 2 + 2 });
      if (hide) setAttrs(said, { "data-out": false, text: "" });
      else put(said, `work.each.${rank}`, "fixed 3", now);
    });
    setAttrs(line, { y2: low });
    setAttrs(name, { y: low + 14 });
    setAttrs(svg, {
      height: low + 20,
      "aria-label": hide ? "A bar for the work of each rank, still empty." : "A bar of work for each rank.",
    });
  };
  return { svg, update };
};
