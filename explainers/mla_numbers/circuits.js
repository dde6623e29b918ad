/* A head in both orders, step by step: expanded and absorbed. */
import { h, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { block_view, blocks_view, classes } from "./blocks.js";
import { counted_to } from "./toy.js";

/** @import { Shown } from "./compute.js" */
/** @import { Block } from "./view.js" */

/** @type {Block[]} */
export const KEPT = [
  ["latent c", "unpack.c", 1, 3, "kept"],
  ["positional key kᴿ", "unpack.kr", 1, 2, "kept place"],
];
/** @type {Block[]} */
export const OF_HEAD = [
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
export const CHAIN = [
  ["query q", "carry.q", 1, 2, ""],
  ["rotate by {carry.distance:int}", "carry.turning", 2, 2, "turn"],
  ["q as the key sees it", "carry.seen", 1, 2, ""],
  ["Wk", "toy.wk", 2, 3, ""],
  ["absorbed q′", "carry.carried", 1, 3, "made"],
];
/** @type {Block} */
export const NEEDED = ["absorbed q′ that each of the four tokens would need", "carry.needed", 3, 4, "made"];

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
