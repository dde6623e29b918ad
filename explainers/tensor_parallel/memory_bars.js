/* The memory on each rank: a bar for every legal number of ranks. */
import { pct } from "../kit/chart.js";
import { firstChild, h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Shown } from "./compute.js" */
/** @import { Memory } from "./memory.js" */

/* One bar per legal number of ranks: what one rank holds. */
export const memory_view = () => {
  /** @type {[key: keyof Memory, css: string, label: string][]} */
  const PARTS = [
    ["cut", "cw-tensor-parallel-weight", "sharded weights"],
    ["kv", "cw-tensor-parallel-kvw", "k and v weights"],
    ["whole", "cw-tensor-parallel-optimizer", "on every rank (norms, routers, latents)"],
    ["cache", "cw-tensor-parallel-cache", "KV cache"],
    ["stream", "cw-tensor-parallel-stream", "one layer's residual stream"],
  ];
  const el = h("div", { class: "cw-tensor-parallel-memory" });
  const legend = makeLegend(PARTS.map(([, c, label]) => ({ class: c, label })));
  /** @param {Shown} now */
  const update = (now) => {
    const top = Math.max(...now.ladder.map((row) => row.total));
    renderList(
      el,
      now.ladder,
      () =>
        h(
          "div",
          { class: "cw-tensor-parallel-bar" },
          h("span", { class: "cw-mono" }),
          h(
            "span",
            { class: "cw-tensor-parallel-track" },
            s(
              "svg",
              { "aria-hidden": "true" },
              PARTS.map(([, c]) => s("rect", { class: c, height: "100%" })),
            ),
          ),
          h("b", { class: "cw-mono" }),
        ),
      (node, row, i) => {
        setAttrs(node, {
          class: `cw-tensor-parallel-bar${row.t === now.tp ? " on" : ""}`,
          role: "img",
          "aria-label": `${row.t} ranks: ${PARTS.map(([key, , label]) => `${label} ${fmt.bytes(row[key])}`).join(", ")} on each.`,
        });
        const [ranks, track, total] = node.children;
        fill(ranks, `t = {ladder.${i}.t}`, now);
        let x = 0;
        PARTS.forEach(([key], n) => {
          const width = row[key] / top;
          setAttrs(firstChild(track).children[n], { x: pct(x), width: pct(width) });
          x += width;
        });
        put(total, `ladder.${i}.total`, "bytes", now);
      },
    );
  };
  return { el: h("div", {}, el, legend), update };
};
