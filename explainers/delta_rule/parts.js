/* Pictures of a state: a heat-map with its sign drawn, a strip of eight numbers; and how a number is printed. */
import { renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";

/** @import { Matrix } from "./writes.js" */
/** @import { Format } from "../kit/numbers.js" */

const S = 20; // a cell of a state, in pixels
const LEFT = 16; // of it are the names of its rows

/** A number in a label: a true minus, and 0 for what rounding has left. @param {number} x */
export const format_number = (x, digits = 3) =>
  fmt
    .sig(Math.abs(x) < 5e-16 ? 0 : x, digits)
    .replace("-", "−")
    .replace("e-", "e−");
/**
 * Prints a text, and says where it stands in compute.
 * @param {Element} node
 * @param {string} path
 * @param {Format} how
 * @param {string} text
 */
export const print_bound = (node, path, how, text) => setAttrs(node, { "data-out": path, "data-format": how, text });
/** @param {Element} node @param {string} path @param {number} v */
export const print_percent = (node, path, v) => print_bound(node, path, "percent 1", fmt.percent(v));

/** @param {number} size */
const cell = (size) =>
  s(
    "g",
    {},
    s("rect", { width: size - 1, height: size - 1, rx: 1.5 }),
    s("path", { class: "cw-delta-rule-minus", d: `M${size * 0.3} ${size / 2 - 0.5}h${size * 0.4}` }),
  );
/** @param {Element} g @param {number} v @param {number} x @param {number} y @param {number} most */
const shade = (g, v, x, y, most) => {
  const [rect, minus] = g.children;
  const strong = Math.min(1, Math.abs(v) / most);
  setAttrs(g, { transform: `translate(${x} ${y})` });
  setAttrs(rect, {
    class: v < 0 ? "neg" : "pos",
    "fill-opacity": strong.toFixed(3),
    visibility: strong < 0.0005 ? "hidden" : false,
  });
  setAttrs(minus, { visibility: v < 0 && strong > 0.06 ? "visible" : "hidden" });
};

/** 8 rows of keys, 8 columns of values. */
export const matrix_view = () => {
  const frame = s("rect", {
    class: "cw-delta-rule-frame",
    x: LEFT - 2.5,
    y: 0.5,
    width: 8 * S + 4,
    height: 8 * S + 4,
    rx: 4,
  });
  const [cells, names] = [s("g", {}), s("g", { "aria-hidden": "true" })];
  const el = s(
    "svg",
    { viewBox: `0 0 ${LEFT + 8 * S + 3} ${8 * S + 5}`, class: "cw-delta-rule-matrix", role: "img" },
    frame,
    names,
    cells,
  );
  /** @type {(state: Matrix, most: number, label: string, letters: string) => void} */
  const update = (state, most, label, letters) => {
    setAttrs(el, { "aria-label": label });
    renderList(
      names,
      [...letters],
      () => s("text", { "text-anchor": "middle", "data-index": true }),
      (text, letter, i) => {
        setAttrs(text, { x: LEFT / 2 - 2, y: S * i + S * 0.72 + 2 });
        setText(text, letter);
      },
    );
    renderList(
      cells,
      state.flat(),
      () => cell(S),
      (g, v, i) => shade(g, v, LEFT + S * (i % 8), 3 + S * Math.floor(i / 8), most),
    );
  };
  return { el, update };
};

/** Eight numbers in a row. */
export const strip_view = (size = 26) => {
  const cells = s("g", {});
  const texts = s("g", { "aria-hidden": "true" });
  const el = s("svg", { viewBox: `0 0 ${8 * size} ${size}`, class: "cw-delta-rule-strip", role: "img" }, cells, texts);
  /** @type {(values: number[], most: number, label: string, path: string) => void} */
  const update = (values, most, label, path) => {
    // values: none, or eight; path: where compute has them
    setAttrs(el, { "aria-label": label });
    renderList(
      cells,
      values,
      () => cell(size),
      (g, v, i) => {
        shade(g, v, size * i, 0, most);
        setAttrs(g.children[1], { visibility: "hidden" });
      },
    );
    renderList(
      texts,
      values,
      () => s("text", { "text-anchor": "middle" }),
      (text, v, i) => {
        setAttrs(text, { x: size * (i + 0.5) - 0.5, y: size * 0.64, class: Math.abs(v) / most > 0.6 ? "on" : false });
        print_bound(text, `${path}.${i}`, "fixed 2", fmt.fixed(v, 2));
      },
    );
  };
  return { el, update };
};
