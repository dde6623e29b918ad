/* What compute returns -> one row of scores in two tiles: what is kept after each, and the factor that mends the first. */
import { upto } from "../kit/arrays.js";
import { h, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Shown } from "./compute.js" */

/** @param {string} css @param {boolean} hide */
const hushed = (css, hide) => css + (hide ? " hush" : "");

const KEPT = [
  ["largest score", "max", "fixed 1"],
  ["sum", "sum", "fixed 3"],
  ["output so far", "out", "signed 3"],
];
const MEND = [
  ["factor e^({row.first.max:fixed 1} − {row.second.max:fixed 1}) = {row.factor:fixed 3}", ""],
  ["", "sum: {row.first.sum:fixed 3} × {row.factor:fixed 3} + {row.fresh_sum:fixed 3} = {row.second.sum:fixed 3}"],
  [
    "",
    "output: {row.first.out:signed 3} × {row.factor:fixed 3} + {row.fresh_out:signed 3} = {row.second.out:signed 3}",
  ],
  ["final output: {row.second.out:signed 3} ÷ {row.second.sum:fixed 3} = {row.tiled:fixed 4}", ""],
  ["", "plain softmax, all at once: {row.plain:fixed 4}"],
];
export const pieces_view = () => {
  const cells = [
    ["score", "scores", "fixed 1"],
    ["value", "values", "signed 0"],
    ["e^(score − max)", "weights", "fixed 3"],
  ].map(([name, path, how]) => ({ name, path, how, each: upto(8).map(() => h("td")) }));
  const head = h(
    "tr",
    {},
    h("td"),
    ["first tile", "second tile"].map((text) => h("th", { scope: "colgroup", colspan: 4, text })),
  );
  const rows = cells.map(({ name, each }) => h("tr", {}, h("th", { scope: "row", text: name }), each));
  const table = h(
    "table",
    { class: "cw-flash-cells", "aria-label": "One row of scores in two tiles" },
    h("thead", {}, head),
    h("tbody", {}, rows),
  );
  const boxes = [
    ["first", "kept after the first tile"],
    ["second", "kept after the second tile"],
  ].map(([which, title]) => {
    const each = KEPT.map(() => h("dd"));
    return {
      which,
      each,
      el: h(
        "div",
        {},
        h("p", { text: title }),
        h(
          "dl",
          {},
          KEPT.map(([name], i) => h("div", {}, h("dt", { text: name }), each[i])),
        ),
      ),
    };
  });
  const lines = MEND.map(() => [h("b"), h("span")]);
  const mend = h(
    "div",
    {},
    lines.map((both) => h("p", {}, both)),
  );
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    for (const { path, how, each } of cells)
      each.forEach((td, i) =>
        put(setAttrs(td, { class: hushed(path, hide && path === "weights" && i > 3) }), `row.${path}.${i}`, how, now),
      );
    for (const { which, each, el } of boxes) {
      setAttrs(el, { class: hushed(`cw-flash-kept ${which}`, hide && which === "second") });
      KEPT.forEach(([, key, how], i) => put(each[i], `row.${which}.${key}`, how, now));
    }
    setAttrs(mend, { class: hushed("cw-flash-mend", hide) });
    lines.forEach((both, i) => both.forEach((node, j) => fill(node, MEND[i][j], now)));
  };
  return {
    el: [
      table,
      h(
        "div",
        { class: "cw-flash-carried" },
        boxes.map((one) => one.el),
      ),
      mend,
    ],
    update,
  };
};
