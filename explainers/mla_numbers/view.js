/* What compute returns -> a latent unpacked, and what stands between the two circuits, as cells of numbers. */
import { upto } from "../kit/arrays.js";
import { h, s, setAttrs } from "../kit/dom.js";
import { block_view, blocks_view, classes, said_view } from "./blocks.js";
import { CHAIN, KEPT, NEEDED, OF_HEAD } from "./circuits.js";
import { SEEN } from "./toy.js";

/** @import { Shown } from "./compute.js" */

/** A matrix in cells. @typedef {[words: string, path: string, rows: number, columns: number, css: string]} Block */

const [MIDDLE, SCALE] = [62, 17]; // of the waves: the line of 0, and pixels to 1

export const unpack_view = () => {
  const [kept, grown] = [
    said_view("p", "name", ["token {unpack.token:int}: ", "{unpack.kept:int} numbers cached"]),
    said_view("p", "name", ["unpacked for two heads: ", "{unpack.numbers:int} numbers"]),
  ];
  const heads = upto(2).map((i) =>
    blocks_view(
      "each",
      OF_HEAD.map(/** @returns {Block} */ ([words, key, ...rest]) => [words, `unpack.heads.${i}.${key}`, ...rest]),
    ),
  );
  heads.forEach((one, i) =>
    one.el.prepend(h("p", { class: "name" }, "head ", h("span", { "data-index": true, text: i + 1 }))),
  );
  const cache = blocks_view("blocks", KEPT);
  const el = h(
    "div",
    { class: "unpack" },
    kept.el,
    cache.el,
    grown.el,
    h(
      "div",
      { class: "heads" },
      heads.map((one) => one.el),
    ),
  );
  return {
    el,
    /** @param {Shown} now */
    update: (now) => {
      for (const one of [kept, grown, cache, ...heads]) one.update(now);
    },
  };
};

export const carry_view = () => {
  const [chain, needed, lines] = [
    blocks_view("blocks", CHAIN),
    block_view(NEEDED),
    upto(3).map((i) => s("polyline", { class: `w${i}` })),
  ];
  const here = s("line", { class: "here", y1: 0, y2: 124 });
  const svg = s(
    "svg",
    { viewBox: "0 0 310 124", preserveAspectRatio: "none", height: 124, role: "img" },
    s("line", { class: "axis", x1: 0, x2: 310, y1: MIDDLE, y2: MIDDLE }),
    lines,
    here,
  );
  const count = said_view("p", "", ["", "{carry.different:int}", " different q′ over {carry.span:int} distances"]);
  const told = h(
    "div",
    {},
    h("div", { class: "waves" }, h("p", { class: "name", text: "the three numbers of q′, by distance" }), svg),
    h("div", {}, needed.el, count.el),
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    const { carry } = now;
    for (const one of [chain, needed, count]) one.update(now);
    setAttrs(told, { class: classes("told", hide && "hush") });
    lines.forEach((line, i) =>
      setAttrs(line, {
        points: carry.waves[i].map((y, d) => `${10 * d},${(MIDDLE - SCALE * y).toFixed(2)}`).join(" "),
      }),
    );
    setAttrs(here, { x1: 10 * carry.distance, x2: 10 * carry.distance });
    setAttrs(svg, {
      "aria-label": hide
        ? "Three numbers over distances."
        : `The three numbers of the absorbed query over ${SEEN} distances: ${carry.different > 1 ? "waves" : "flat lines"}.`,
    });
  };
  return { el: h("div", { class: "carry" }, chain.el, told), update };
};
