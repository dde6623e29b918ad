/* The blocks that a head's computation is drawn of: named rows of numbers, and the sentence below. */
import { upto } from "../kit/arrays.js";
import { h, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Shown } from "./compute.js" */
/** @import { Block } from "./view.js" */

/** @param {...(string | number | boolean | undefined)} words */
export const classes = (...words) => words.filter(Boolean).join(" ");
/** @param {Block} block */
export const block_view = ([words, path, rows, columns, css]) => {
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
export const blocks_view = (css, all) => {
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
