/* What compute returns -> a latent unpacked, two circuits, what stands between them, as cells of numbers. */

import { upto } from "../kit/arrays.js";
import { h, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { counted_to, SEEN } from "./compute.js";

/** @import { Shown } from "./compute.js" */

/** A matrix in cells. @typedef {[words: string, path: string, rows: number, columns: number, css: string]} Block */

const [MIDDLE, SCALE] = [62, 17]; // of the waves: the line of 0, and pixels to 1

/** @type {Block[]} */
const KEPT = [
  ["latent c", "unpack.c", 1, 3, "kept"],
  ["positional key kᴿ", "unpack.kr", 1, 2, "kept place"],
];
/** @type {Block[]} */
const OF_HEAD = [
  ["Wk", "wk", 2, 3, ""],
  ["key: Wk c, and kᴿ again", "key", 1, 4, "made key"],
  ["Wv", "wv", 2, 3, ""],
  ["value: Wv c", "value", 1, 2, "made"],
];
/** @type {Block[]} */
const QUERY = [
  ["query q", "toy.q", 1, 2, ""],
  ["positional qᴿ", "toy.qr", 1, 2, "place"],
];
/** @type {Block[]} */
const GIVEN = [
  ["Wk", "toy.wk", 2, 3, ""],
  ["Wv", "toy.wv", 2, 3, ""],
  ["latents c", "toy.c", 3, 4, "kept"],
  ["positional keys kᴿ", "toy.kr", 2, 4, "kept place"],
];
/** @type {[way: "expanded" | "absorbed", title: string, blocks: Block[]][]} */
const SIDES = [
  [
    "expanded",
    "unpack, then attend",
    [
      ["keys k = Wk c", "toy.k", 2, 4, "made"],
      ["scores (q·k + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.expanded.scores", 1, 4, "score"],
      ["weights: softmax", "toy.expanded.weights", 1, 4, "weight"],
      ["values v = Wv c", "toy.v", 2, 4, "made"],
      ["output: weights × v", "toy.expanded.out", 1, 2, "out"],
    ],
  ],
  [
    "absorbed",
    "absorb, then attend",
    [
      ["absorbed q′ = Wkᵀ q", "toy.carried", 1, 3, "made"],
      ["scores (q′·c + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.absorbed.scores", 1, 4, "score"],
      ["weights: softmax", "toy.absorbed.weights", 1, 4, "weight"],
      ["one latent: weights × c", "toy.absorbed.mixed", 1, 3, "made"],
      ["output: Wv × it", "toy.absorbed.out", 1, 2, "out"],
    ],
  ],
];
/** @type {Block[]} */
const CHAIN = [
  ["query q", "carry.q", 1, 2, ""],
  ["rotate by {carry.distance:int}", "carry.turning", 2, 2, "turn"],
  ["q as the key sees it", "carry.seen", 1, 2, ""],
  ["Wk", "toy.wk", 2, 3, ""],
  ["absorbed q′", "carry.carried", 1, 3, "made"],
];
/** @type {Block} */
const NEEDED = ["absorbed q′ that each of the four tokens would need", "carry.needed", 3, 4, "made"];

/** @param {...(string | number | boolean | undefined)} words */
export const classes = (...words) => words.filter(Boolean).join(" ");
/** @param {Block} block */
const block_view = ([words, path, rows, columns, css]) => {
  const said = h("span");
  const cells = upto(rows).map((i) =>
    upto(columns).map(/** @returns {[HTMLTableCellElement, string]} */ (j) => [h("td"), `${path}.${i}.${j}`]),
  );
  const table = h(
    "table",
    { class: classes("m", css) },
    h(
      "tbody",
      {},
      cells.map((row) =>
        h(
          "tr",
          {},
          row.map(([td]) => td),
        ),
      ),
    ),
  );
  const el = h("div", { class: "block" }, said, table);
  /** @param {object} now */
  const update = (now, more = "") => {
    setAttrs(el, { class: classes("block", more) });
    fill(said, words, now);
    for (const [td, at] of cells.flat()) put(td, at, css === "weight" ? "fixed 3" : "num 3", now);
  };
  return { el, update };
};
/** @param {string} css @param {Block[]} all */
const blocks_view = (css, all) => {
  const views = all.map(block_view);
  return {
    el: h(
      "div",
      { class: css },
      views.map((one) => one.el),
    ),
    /** @param {Shown} now */
    update: (now) => {
      for (const one of views) one.update(now);
    },
  };
};
/**
 * Words in three pieces, of which the middle one is bold.
 * @param {"p" | "div"} tag
 * @param {string} css
 * @param {string[]} words
 */
export const said_view = (tag, css, [before, strong, after = ""]) => {
  const [a, b, c] = [h("span"), h("b"), h("span")];
  /** @param {Shown} now */
  const update = (now) => {
    fill(a, before, now);
    fill(b, strong, now);
    fill(c, after, now);
  };
  return { el: h(tag, { class: css || false }, a, b, c), update };
};

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

const circuits_view = () => {
  const [query, given] = [blocks_view("query", QUERY), blocks_view("blocks", GIVEN)];
  given.el.prepend(query.el);
  const sides = SIDES.map(([way, title, all]) => {
    const [views, count] = [all.map(block_view), h("span")];
    return {
      way,
      views,
      count,
      el: h(
        "div",
        { class: `side ${way}` },
        h("p", { class: "name" }, h("b", { text: title }), " ", count),
        views.map((one) => one.el),
      ),
    };
  });
  const said = h("p");
  const el = h(
    "div",
    { class: "circuits" },
    given.el,
    h(
      "div",
      { class: "sides" },
      sides.map((one) => one.el),
    ),
    said,
  );
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide) => {
    for (const one of [query, given]) one.update(now);
    for (const { way, views, count } of sides) {
      views.forEach((one, i) =>
        one.update(
          now,
          classes("row", (i >= now.step || (hide && way === "absorbed" && i)) && "hush", now.step === i + 1 && "here"),
        ),
      );
      fill(count, `{so_far.${way}.flops:int} FLOP, {so_far.${way}.made:int} new numbers`, now);
    }
    setAttrs(said, { class: classes("verdict", now.toy.equal ? "same" : "off", (hide || 2 > now.step) && "hush") });
    fill(said, now.toy.equal ? "scores are equal in both" : "scores are up to {toy.apart:fixed 3} apart", now);
  };
  return { el, update };
};

/**
 * The circuits with play, step and scrub.
 * @param {(step: number) => void} keep is told where the reader stops
 */
export const circuits_player = (keep) => {
  const view = circuits_view();
  /** @type {[Shown | null, boolean]} */
  let [now, hidden] = [null, false];
  const names = ["nothing yet", "the matrix", "scores", "weights", "values or sum", "output"];
  /** @param {number} step */
  const show = (step) => view.update({ .../** @type {Shown} */ (now), step, so_far: counted_to(step) }, hidden);
  const play = makeTransport({
    label: "step",
    length: 5,
    value: 5,
    rate: 0.8,
    format: (t) => names[Math.round(t)],
    onFrame: (t) => {
      if (now) show(Math.round(t));
    },
    onStop: (t) => keep(Math.round(t)),
  });
  /** @param {Shown} given @param {boolean} hide */
  const update = (given, hide) => {
    [now, hidden] = [given, hide];
    play.set(now.step);
    if (!play.playing()) show(now.step);
  };
  return { el: [view.el, play.el], update, stop: play.stop };
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
