/* What compute returns -> the same GPUs twice, as attention groups them and as experts do. */
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { percent_of } from "./percent_lines.js";

/** @import { Now } from "./compute.js" */

const CELL = 25;

export const COLOURS = 16;
const OWN = 4; // --moe
/* A colour for each set of experts, if there are enough; else one for those of the GPU in hand, and null for the others. */
/** @param {Now["fold"]} fold @param {number} gpu @returns {(number | null)[]} */
export const colours_of_experts = ({ gpus, edp, etp, places }, gpu) => {
  const sets = places.ep.map((e, i) => e * etp + places.etp[i]);
  return gpus / edp > COLOURS ? sets.map((one) => (one === sets[gpu] ? OWN : null)) : sets;
};

export const fold_view = () => {
  /** @param {string} name @param {string} words @param {string} note */
  const half = (name, words, note) => {
    const svg = s("svg", {
      class: "cw-expert-parallel-grid",
      width: "100%",
      height: 8 * CELL,
      role: "img",
      "aria-label": `GPUs as ${name} use${name === "experts" ? "" : "s"} them.`,
      "data-index": true,
    });
    const sizes = h("span");
    /** @param {Now} now @param {number} gpu @param {(number | null)[]} colour @param {number[]} numbers */
    const update = (now, gpu, colour, numbers) => {
      fill(sizes, words, now);
      renderList(
        svg,
        numbers,
        () => s("g", {}, s("rect"), s("text")),
        (node, number, i) => {
          const [x, y] = [(i % 8) * 12.5, Math.floor(i / 8) * CELL];
          const rank = colour[i];
          setAttrs(node.children[0], {
            class: `${rank === null ? "else" : `cw-rank cw-rank${rank}`}${i === gpu ? " on" : ""}`,
            x: percent_of(x + 0.4),
            y: y + 1,
          });
          setAttrs(node.children[1], {
            class: rank === null || rank > 7 ? "dark" : false,
            x: percent_of(x + 6.25),
            y: y + 17,
            text: number,
          });
        },
      );
    };
    return { el: h("div", {}, h("p", {}, h("b", { text: name }), " ", sizes), svg, h("p", { text: note })), update };
  };
  const attention = half(
    "attention",
    "DP {fold.dp:int} × CP {fold.cp:int} × TP {fold.tp:int}",
    "the number is its data-parallel rank",
  );
  const experts = half(
    "experts",
    "EDP {fold.edp:int} × EP {fold.ep:int} × ETP {fold.etp:int}",
    "the number is its expert-parallel rank",
  );
  /** @param {Now} now @param {number} gpu @param {boolean} [alone] */
  const update = (now, gpu, alone) => {
    const { places } = now.fold;
    attention.update(now, gpu, places.tp, places.dp);
    experts.update(now, gpu, colours_of_experts(now.fold, gpu), places.ep);
    setAttrs(experts.el, { "data-omit": alone });
    setAttrs(el, { class: `cw-expert-parallel-fold${alone ? " half" : ""}` });
  };
  const el = h("div", {}, attention.el, experts.el);
  return { el, update };
};
