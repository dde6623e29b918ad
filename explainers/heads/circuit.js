/* The latent's way through one layer, drawn twice: keys rebuilt (expanded), or W_uk folded into the query (absorbed). */
import { s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */

/** @typedef {(key: string, x: number, y: number, css?: string) => SVGTextElement} Label */

/**
 * @param {Label} label
 * @param {string} css
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {string} key
 */
const block = (label, css, x, y, w, h, key) => [
  s("rect", { class: css, x, y, width: w, height: h, rx: 5 }),
  label(key, x + w / 2, y + h / 2 + 4, css === "cw-heads-kv" ? "cw-heads-letter" : "cw-heads-in"),
];
/**
 * @param {string} d
 * @param {boolean} [arrow]
 */
const wire = (d, arrow = true) => s("path", { class: arrow ? "cw-heads-wire" : "cw-heads-wire bare", d });
/**
 * @param {number} x
 * @param {number} y
 */
const tip = (x, y) => s("path", { class: "cw-heads-tip", d: `M${x} ${y}l-4 8h8z` });
/**
 * @param {number} x
 * @param {number} from
 * @param {number} to
 */
const up = (x, from, to) => [wire(`M${x} ${from}V${to + 7}`), tip(x, to)];
/**
 * @param {number} x
 * @param {number} y
 */
const pill = (x, y) => [
  s("rect", { class: "cw-heads-pill", x: x - 21, y, width: 42, height: 18, rx: 9 }),
  s("text", { class: "cw-heads-in", x, y: y + 13, text: "RoPE" }),
];

/**
 * What both ways share: projections of x, the parts of the query, what is cached, the softmax.
 * @param {Label} label
 * @param {SVGElement} turning
 * @param {SVGElement} straight
 */
const drawShared = (label, turning, straight) => [
  label("x", 190, 372, "cw-heads-in"),
  wire("M190 358V346H80V341", false),
  tip(80, 334),
  wire("M190 346H284V341", false),
  tip(284, 334),
  block(label, "cw-heads-weight", 24, 308, 112, 26, "q"),
  block(label, "cw-heads-weight", 212, 308, 144, 26, "kv_a"),
  up(54, 308, 252),
  wire("M116 308V292", false),
  up(264, 308, 252),
  wire("M339 308V292", false),
  turning,
  straight,
  up(116, 274, 252),
  up(339, 274, 252),
  block(label, "cw-heads-part", 20, 224, 68, 28, "q_nope"),
  block(label, "cw-heads-part", 94, 224, 44, 28, "q_rope"),
  block(label, "cw-heads-kv", 204, 222, 112, 30, "c"),
  block(label, "cw-heads-kv", 320, 222, 38, 30, "k_rope"),
  label("cached", 293, 266, "cw-heads-cached"),
  up(116, 224, 112),
  up(339, 222, 112),
  block(label, "cw-heads-soft", 20, 80, 340, 32, "soft"),
];

/** Keys and values rebuilt from the latent. @param {Label} label */
const drawExpanded = (label) =>
  s(
    "g",
    {},
    up(54, 224, 112),
    up(226, 222, 186),
    up(298, 222, 186),
    block(label, "cw-heads-weight", 200, 160, 52, 26, "uk"),
    block(label, "cw-heads-weight", 272, 160, 52, 26, "uv"),
    up(226, 160, 112),
    up(298, 160, 112),
    label("k_shape", 220, 140, "cw-heads-note end"),
    label("v_shape", 292, 140, "cw-heads-note end"),
    up(190, 80, 30),
  );

/** W_uk folded into the query, and W_uv after the sum. @param {Label} label */
const drawAbsorbed = (label) =>
  s(
    "g",
    {},
    up(54, 224, 186),
    block(label, "cw-heads-weight", 20, 160, 68, 26, "uk_t"),
    up(54, 160, 112),
    label("q_fold", 62, 142, "cw-heads-note start"),
    up(260, 222, 112),
    label("c_read", 254, 170, "cw-heads-note end"),
    up(190, 80, 68),
    block(label, "cw-heads-weight", 164, 42, 52, 26, "uv_after"),
    up(190, 42, 30),
  );

/**
 * The words of the drawing by key.
 * @param {boolean} folded
 * @param {boolean} turned
 */
const wordsOf = (folded, turned) => ({
  x: "x {width_in:int}",
  q: "q projection",
  kv_a: "kv_a_proj",
  q_nope: "q {mla.nope}",
  q_rope: turned ? "qᴿ {mla.rope}" : "q {mla.rope}",
  c: "latent c {mla.rank}",
  k_rope: turned ? "kᴿ {mla.rope}" : "k {mla.rope}",
  still: "not rotated",
  cached: "cached",
  soft: `softmax( ${folded ? "q′·c" : "q·k"} + ${turned ? "qᴿ·kᴿ" : "q·k"} ) · ${folded ? "c" : "v"}`,
  uk: "W_uk",
  uv: "W_uv",
  uk_t: "W_ukᵀ",
  uv_after: "W_uv",
  k_shape: "k {heads}×{mla.nope}",
  v_shape: "v {heads}×{mla.v}",
  q_fold: "q′ {mla.rank}",
  c_read: "read directly",
  out: "to o_proj: {heads} × {mla.v}",
});

/**
 * The drawing as a sentence.
 * @param {Now["mla"]} mla
 * @param {boolean} folded
 */
const describe = ({ heads, rank, rope, nope, v, turned }, folded) => {
  const own = turned
    ? `the RoPE key of ${rope} is separate.`
    : `the key of ${rope} that all heads share is separate, without RoPE.`;
  return folded
    ? `Absorbed: W_uk is folded into the query, so each head's query is ${rank} wide and reads the cached latents directly; W_uv comes after the sum; ${own}`
    : `Expanded: W_uk and W_uv rebuild ${heads} keys of ${nope} and values of ${v} from each cached latent of ${rank}; ${own}`;
};

/** @param {SVGElement} node @param {boolean} hidden */
const hide = (node, hidden) => setAttrs(node, { visibility: hidden && "hidden" });

/** @returns {{ el: SVGElement, update: (now: Now, path: string) => void }} */
export const circuitView = () => {
  /** @type {{ [key: string]: SVGTextElement }} */
  const texts = {};
  /** @type {Label} */
  const label = (key, x, y, css = "cw-heads-note") => (texts[key] = s("text", { class: css, x, y }));
  const turning = s("g", {}, pill(116, 274), pill(339, 274), tip(116, 292), tip(339, 292));
  const straight = s("g", {}, wire("M116 292V274", false), wire("M339 292V274", false), label("still", 228, 288));
  const shared = drawShared(label, turning, straight);
  const [expanded, absorbed] = [drawExpanded(label), drawAbsorbed(label)];
  const svg = s(
    "svg",
    { class: "cw-heads-circuit", viewBox: "0 0 380 380", role: "img" },
    shared,
    expanded,
    absorbed,
    label("out", 190, 20, "cw-heads-in"),
  );

  /**
   * @param {Now} now
   * @param {string} path
   */
  const update = (now, path) => {
    const { turned } = now.mla;
    const folded = path === "absorbed";
    for (const [key, text] of Object.entries(wordsOf(folded, turned))) fill(texts[key], text, now);
    hide(expanded, folded);
    hide(absorbed, !folded);
    hide(turning, !turned);
    hide(straight, turned);
    setAttrs(svg, { "aria-label": describe(now.mla, folded) });
  };
  return { el: svg, update };
};
