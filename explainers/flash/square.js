/* What compute returns -> the square of scores in plain attention, with Q and K beside it, and its three passes. */
import { h, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { hundredth } from "../kit/roof.js";

/** @import { Kid } from "../kit/dom.js" */
/** @import { Shown } from "./compute.js" */

const [SIDE, SQUARE] = [236, [112, 60]];

const PASSES = [
  ["scores = Q × K", "written", "written {plain.pass_bytes:bytes}"],
  ["softmax, row by row", "read, written", "read {plain.pass_bytes:bytes}, written {plain.pass_bytes:bytes}"],
  ["weights × V", "read", "read {plain.pass_bytes:bytes}"],
];
/** @param {string} css @param {Kid} svg @param {Kid[]} side */
export const pair = (css, svg, ...side) =>
  h("div", { class: `cw-flash-pair${css}` }, svg, h("div", { class: "cw-flash-side" }, side));

export const square_view = () => {
  const [q, k] = [
    s("rect", { class: "input", y: SQUARE[1], height: SIDE }),
    s("rect", { class: "input", x: SQUARE[0], width: SIDE }),
  ];
  const [of_q, of_k] = [
    s("text", { class: "muted end", y: SQUARE[1] + SIDE / 2 }),
    s("text", { class: "muted", x: SQUARE[0] + SIDE / 2 }),
  ];
  const inside = s("text", { class: "strong", x: SQUARE[0] + SIDE / 2, y: SQUARE[1] + SIDE / 2 - 4 });
  const svg = s(
    "svg",
    {
      class: "cw-flash-square",
      viewBox: "0 0 360 304",
      role: "img",
      "aria-label": "A square of scores: every query against every key, with Q and K beside it to scale.",
    },
    s("rect", { class: "score", x: SQUARE[0], y: SQUARE[1], width: SIDE, height: SIDE }),
    k,
    q,
    of_k,
    of_q,
    inside,
    s("text", {
      class: "muted",
      x: SQUARE[0] + SIDE / 2,
      y: SQUARE[1] + SIDE / 2 + 16,
      text: "one head, drawn to scale",
    }),
  );
  const steps = PASSES.map(() => h("span"));
  const ends = h("p", { class: "cw-flash-ends" });
  const list = h(
    "ol",
    { class: "cw-flash-passes" },
    PASSES.map(([name], i) => h("li", {}, h("b", { text: name }), steps[i])),
  );
  const el = pair("", svg, h("p", { class: "cw-flash-title", text: "plain attention, pass by pass" }), list, ends);
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const thick = Math.max(0.75, Math.min(36, (SIDE * now.head.qk) / now.tokens));
    setAttrs(k, { y: hundredth(SQUARE[1] - 5 - thick), height: hundredth(thick) });
    setAttrs(q, { x: hundredth(SQUARE[0] - 5 - thick), width: hundredth(thick) });
    fill(setAttrs(of_k, { y: hundredth(SQUARE[1] - 13 - thick) }), "K, {tokens:int} keys", now);
    fill(setAttrs(of_q, { x: hundredth(SQUARE[0] - 13 - thick) }), "Q, {tokens:int}", now);
    fill(inside, "{square:count} scores", now);
    PASSES.forEach(([, bare, said], i) => fill(steps[i], hide ? bare : said, now));
    fill(ends, "Q, K, V and the output: {ends:bytes}", now);
  };
  return { el, update };
};
