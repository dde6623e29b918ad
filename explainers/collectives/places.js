/* A layout -> the ranks, nodes, columns and slots that stand still while a run goes by. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { cell_rect, pair, spot } from "./layout.js";

/** @import { Layout } from "./layout.js" */

/** @param {number | string} r */
export const tone = (r) => `cw-rank cw-rank${r}`;

/**
 * Several nodes: a band round the ranks of each, and a box round their columns.
 * @param {Element} parent
 * @param {Layout} g
 * @param {number} per_node
 */
export const node_boxes = (parent, g, per_node) => {
  const firsts = g.n > per_node ? upto(Math.ceil(g.n / per_node)).map((node) => node * per_node) : [];
  renderList(
    parent,
    firsts,
    () => s("g", {}, s("path"), s("rect", { rx: 6 }), s("text", { "text-anchor": "middle", "data-index": "" })),
    (node, first, i) => {
      const last = Math.min(first + per_node, g.n) - 1;
      const [[ax, ay], [bx, by]] = [spot(g, first), spot(g, last)];
      const around =
        last > first ? `A${g.radius} ${g.radius} 0 ${(last - first) * 2 > g.n ? 1 : 0} 1 ${bx} ${by}` : "h0.01";
      const [x, right] = [g.grid_x + first * g.column, g.grid_x + (last + 1) * g.column];
      setAttrs(node.children[0], { d: `M${ax} ${ay}${around}`, "stroke-width": 2 * g.node + 12 });
      setAttrs(node.children[1], { x: x + 1, y: g.grid_y - 37, width: right - x - 2, height: g.n * g.row + 61 });
      setAttrs(node.children[2], {
        x: (x + right) / 2,
        y: g.grid_y + g.n * g.row + 38,
        text: right - x > 44 ? `node ${i}` : i,
      });
    },
  );
};

/** The ranks in their circle. @param {Element} parent @param {Layout} g */
export const rank_circles = (parent, g) => {
  renderList(
    parent,
    upto(g.n),
    (r) => s("g", {}, s("circle"), s("text", { "text-anchor": "middle", dy: "0.36em" })),
    (node, r) => {
      const [x, y] = spot(g, r);
      setAttrs(node, { transform: `translate(${pair(x, y)})` });
      setAttrs(node.children[0], { r: g.node, class: tone(r) });
      setAttrs(node.children[1], {
        text: r,
        "data-index": true,
        class: r > 7 ? "cw-collectives-dark" : "cw-collectives-light",
      });
    },
  );
};

/** Above each column its rank, and below it what the rank has sent. @param {Element} parent @param {Layout} g */
export const column_heads = (parent, g) => {
  renderList(
    parent,
    upto(g.n),
    () =>
      s(
        "g",
        {},
        s("circle"),
        s("text", { "text-anchor": "middle", dy: "0.36em" }),
        s("text", { "text-anchor": "middle", class: "cw-collectives-count" }),
      ),
    (node, r) => {
      const x = g.grid_x + (r + 0.5) * g.column;
      const small = Math.min(11, g.column / 2 - 1);
      setAttrs(node.children[0], { cx: x, cy: g.grid_y - 22, r: small, class: tone(r) });
      setAttrs(node.children[1], {
        x,
        y: g.grid_y - 22,
        text: r,
        "data-index": true,
        class: r > 7 ? "cw-collectives-dark" : "cw-collectives-light",
      });
      setAttrs(node.children[2], { x, y: g.grid_y + g.n * g.row + 18 });
    },
  );
};

/** The name of each row: a chunk. @param {Element} parent @param {Layout} g */
export const chunk_names = (parent, g) => {
  renderList(
    parent,
    upto(g.n),
    () => s("text", { "text-anchor": "end", dy: "0.36em" }),
    (node, c) =>
      setAttrs(node, {
        x: g.grid_x - 4,
        y: g.grid_y + (c + 0.5) * g.row,
        "data-index": true,
        text: g.wide && 9 > g.n ? `chunk ${c}` : c,
      }),
  );
};

/** A box for every slot of every rank. @param {Element} parent @param {Layout} g */
export const slot_boxes = (parent, g) => {
  const ranks = upto(g.n);
  renderList(
    parent,
    ranks.flatMap((r) => ranks.map((s) => [r, s])),
    () => s("rect", { rx: 2 }),
    (node, [r, s]) => {
      const [x, y, w, h] = cell_rect(g, r, s);
      setAttrs(node, { x, y, width: w, height: h });
    },
  );
};
