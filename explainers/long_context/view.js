/* What compute returns -> the numbers of the lab and its table of kinds. */
import { upto } from "../kit/arrays.js";
import { h, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { makeResults } from "../kit/table.js";
import { UNITS } from "./ruler.js";
import { all_words, bar_marks, HIGH, STRIP } from "./ruler_view.js";

/** @import { Shown } from "./compute.js" */

/** What paths draw, by their class. @typedef {{ [css: string]: string }} Paths */

/* ------------------------------------------------------------ the lab */
/** @type {[label: string, template: string][]} */
const RESULTS = [
  ["kept in total", "{of.kept:bytes}"],
  ["read for one new token", "{of.reads:bytes}"],
  ["read, indexer keys only", "{of.index:bytes}"],
  ["arithmetic, weights", "{of.weights_gflop:fixed 1} GFLOP"],
  ["arithmetic, states", "{of.states_gflop:fixed 1} GFLOP"],
  ["arithmetic, indexers", "{of.index_gflop:fixed 1} GFLOP"],
  ["arithmetic, attention scores and values", "{of.read_gflop:fixed 1} GFLOP"],
  ["attention’s share of the arithmetic", "{of.past_share:percent 1}"],
];
export const results_view = () => {
  const results = makeResults("cw-long-context-results", RESULTS);
  const [big, formula, note] = [
    h("p", { class: "cw-long-context-big" }),
    h("p", { class: "cw-long-context-formula" }),
    h("p", { class: "cw-note" }),
  ];
  /** @param {Shown} now */
  const update = (now) => {
    const { longest } = now.of;
    fill(big, "{of.slope} bytes per token", now);
    fill(formula, "{of.formula}", now);
    results.update(now);
    const ends =
      longest && now.spans[0] > longest ? " The context length in its config is {of.longest:int} tokens." : "";
    fill(note, `{of.read_share:percent 1} of the bytes kept are read for each new token.${ends}`, now);
  };
  return { el: [big, formula, results.el, note], update };
};

/** @param {unknown[]} rows */
export const kinds_view = (rows) => {
  const high = HIGH + 2 + STRIP;
  /** @param {number} which Of three bars the whole past alone stands there before a script. */
  const omitted = (which) => ({ "data-omit": which > 0 });
  const heads = upto(3).map((which) => h("th", { scope: "col", ...omitted(which) }));
  const made = rows.map((_, r) => {
    const bars = upto(3).map(() =>
      s("svg", {
        width: "100%",
        height: high,
        viewBox: `0 0 ${UNITS} ${high}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      }),
    );
    const [name, title] = [h("b"), h("small")];
    const sizes = ["reads", "keeps"].map((key) => h("td", { class: `size ${key}` }));
    return {
      bars,
      name,
      title,
      sizes,
      r,
      tr: h(
        "tr",
        {},
        h("th", { scope: "row" }, name, title),
        bars.map((svg, which) => h("td", omitted(which), svg)),
        sizes,
      ),
    };
  });
  /** @param {string} text @param {string} [css] */
  const column = (text, css) => h("th", { scope: "col", class: css || false, text });
  const table = h(
    "table",
    { class: "cw-long-context-kinds" },
    h("caption", {
      text: "Kinds of layers side by side, with the bytes that one layer keeps and reads for the newest token",
    }),
    h("thead", {}, h("tr", {}, column("kind of layer"), heads, column("reads", "size"), column("keeps", "size"))),
    h(
      "tbody",
      {},
      made.map((one) => one.tr),
    ),
  );
  /** @param {Shown} now */
  const update = (now) => {
    [all_words(now), "the last {spans.1:int}", "the last {spans.2:int}"].forEach((words, i) =>
      fill(heads[i], words, now),
    );
    /** @param {{ role: string, name: string }} kind */
    const first = ({ role, name }) => role + name.split(" ")[0];
    const own = now.kinds.map(first);
    for (const { bars, name, title, sizes, r, tr } of made) {
      const row = now.ruler[r];
      setAttrs(tr, { class: own.includes(first(row)) ? "own" : false });
      fill(name, `{ruler.${r}.name}`, now);
      fill(title, `{ruler.${r}.title}`, now);
      bars.forEach((svg, which) => svg.replaceChildren(bar_marks(row, which, now.spans[which], 0)));
      ["reads", "keeps"].forEach((key, i) => fill(sizes[i], `{ruler.${r}.${key}:bytes}`, now));
    }
  };
  return { el: [table], update };
};
