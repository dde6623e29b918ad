// Two compared models -> the first things said of them: the verdict in a sentence, and their figures side by side.
import { make } from "./compare-elements.js";
import { change, FIGURES, whole } from "./compare-numbers.js";

/** @import { ComparedModel, Pair } from "../site/types.d.ts" */

/**
 * @param {Pair} found
 * @returns {HTMLParagraphElement}
 */
export function verdict(found) {
  const p = make("p", { class: "cmp-verdict" }),
    said = found.clauses;
  p.append(found.start, said.length ? " " : "");
  said.forEach((one, i) => {
    p.append(make(one.heavy ? "b" : "span", {}, one.words));
    p.append(i === said.length - 1 ? ":" : i === said.length - 2 ? " and " : ", ");
  });
  p.append(` ${found.end}`);
  return p;
}

/** What the labels mean, as the page came with it. */
const SAYS = new Map(
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cmp-figures dt"))].map((dt) => [
    dt.textContent,
    dt.title,
  ]),
);

/** @param {ComparedModel[]} models */
export function figures([a, ...others]) {
  const b = others[0];
  return make(
    "dl",
    { class: "cmp-figures" },
    ...FIGURES.map(([key, words, told]) => {
      const [was, is] = [a.figures[key], b.figures[key]];
      const dd =
        was === is
          ? make("dd", {}, told(was))
          : make("dd", {}, make("span", { class: "muted" }, `${told(was)} → `), make("b", {}, told(is)));
      return make(
        "div",
        {},
        make("dt", { title: SAYS.get(words) }, words),
        dd,
        make(
          "dd",
          { class: "small" },
          was && is ? change(is - was, told) : was === is ? "=" : change(is - was, key === "context" ? whole : told),
        ),
      );
    }),
  );
}
