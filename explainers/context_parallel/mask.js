/* What compute returns -> the causal mask, each query's row in the colour of its rank. */
import { modulo } from "../kit/arrays.js";
import { renderList, s, setAttrs } from "../kit/dom.js";
import { cw, tone } from "./rank_chips.js";

/** @import { Now } from "./compute.js" */

/** @param {Now} now @param {number} step @returns {[name: string, d: string][]} */
const runs_of = ({ owner, table }, step) => {
  const ranks = table.length;
  /** @param {number} rank @param {number} key */
  const phase = (rank, key) => {
    if (step < 0) return "";
    const when = modulo(rank - owner[key], ranks);
    return step > when ? "done" : step === when ? "now" : "later";
  };
  /** @type {Map<string, string>} */
  const found = new Map();
  owner.forEach((rank, query) => {
    let start = 0;
    for (let key = 0; query >= key; key += 1) {
      const own = phase(rank, key);
      if (key !== query && phase(rank, key + 1) === own) continue;
      const name = tone(rank, own);
      found.set(name, `${found.get(name) || ""}M${start} ${query}h${key + 1 - start}v1H${start}z`);
      start = key + 1;
    }
  });
  return [...found].sort(([a], [b]) => (a > b ? 1 : -1));
};

export const mask_view = () => {
  const [strips, cells] = [s("g"), s("g")];
  const svg = s("svg", { class: cw("mask"), role: "img", viewBox: "-2.4 -2.4 34.4 34.4" }, strips, cells);
  /** @param {Now} now */
  const update = (now, step = -1) => {
    renderList(
      strips,
      now.owner,
      () => s("g", {}, s("rect", { y: -2.4, width: 1, height: 1.6 }), s("rect", { x: -2.4, width: 1.6, height: 1 })),
      (node, rank, i) => {
        setAttrs(node.children[0], { class: tone(rank), x: i });
        setAttrs(node.children[1], { class: tone(rank), y: i });
      },
    );
    renderList(
      cells,
      runs_of(now, step),
      () => s("path"),
      (node, [name, d]) => setAttrs(node, { class: name, d }),
    );
    setAttrs(svg, {
      "aria-label": `A square of queries and keys; each query’s row has the colour of one of ${now.table.length} ranks.`,
    });
  };
  return { svg, update };
};
