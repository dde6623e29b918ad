/* Ranks in a drawing: the rows they stand in, their colours, and their numbers one below the other. */
import { upto } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";

/** @param {number} x */
export const pct = (x) => `${Number(x.toFixed(2))}%`;
/** @param {number} ranks */
export const row_of = (ranks) => (ranks > 8 ? 19 : 28);
/** @param {string} name */
export const cw = (name) => `cw-context-parallel-${name}`;
/** @param {number} rank */
export const tone = (rank, more = "") => `cw-rank cw-rank${rank}${more && ` ${more}`}`;

/* The numbers of the ranks, one below the other. */
export const chips = () => {
  const el = s("g");
  /** @param {number} ranks @param {number} top */
  const update = (ranks, top) => {
    const high = row_of(ranks);
    renderList(
      el,
      upto(ranks),
      () =>
        s(
          "g",
          {},
          s("rect", { x: 0, width: 22, rx: 3 }),
          s("text", { x: 11, "text-anchor": "middle", "data-index": true }),
        ),
      (node, rank) => {
        const y = top + rank * high;
        setAttrs(node.children[0], { class: tone(rank), y, height: high - 4 });
        setAttrs(node.children[1], { class: rank > 7 ? "dark" : "light", y: y + high / 2 + 2, text: rank });
      },
    );
  };
  return { el, update };
};
