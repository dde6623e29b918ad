// Any number of compared models -> one table: figures, then part by part the fields in which they differ.
import { make } from "./compare-elements.js";
import { FIGURES, LETTERS, PARTS } from "./compare-numbers.js";

/** @import { ComparedModel, Field } from "../site/types.d.ts" */

/**
 * [part, field, key, a value for each model] of what any model has otherwise than A, or of all fields.
 * @param {ComparedModel[]} models
 * @param {boolean} equal whether fields that are the same in all are among them
 * @returns {[part: string, what: string, key: string, values: string[]][]}
 */
export function fieldRows(models, equal) {
  const maps = models.map((model) => new Map(model.fields.map((row) => [`${row[0]}|${row[1]}`, row])));
  const keys = [...new Set(maps.flatMap((map) => [...map.keys()]))];
  return keys
    .map((key) => {
      const [part, what, name] = /** @type {Field} */ (maps.map((map) => map.get(key)).find(Boolean));
      return /** @type {[string, string, string, string[]]} */ ([
        part,
        what,
        name,
        maps.map((map) => map.get(key)?.[3] ?? ""),
      ]);
    })
    .filter(([, , , values]) => new Set(values).size > 1 || (equal && values[0]));
}

/**
 * A value for each model, "=" where it is A's; of several, it leads to the pair of A and its model.
 * @param {string[]} values
 * @param {(i: number) => string} [leads]
 */
const cells = (values, leads) =>
  values.map((one, i) =>
    make(
      "td",
      { class: "n" },
      i && one === values[0]
        ? "="
        : i && leads
          ? make("a", { href: leads(i) }, make("b", {}, one || "none"))
          : i
            ? make("b", {}, one || "none")
            : one || "none",
    ),
  );
/**
 * @param {string} part
 * @param {string} words
 * @param {ComparedModel[]} models
 * @param {HTMLElement[]} rows
 */
const partBody = (part, words, models, rows) =>
  make(
    "tbody",
    {},
    make(
      "tr",
      { class: "cmp-part" },
      make("th", { scope: "rowgroup" }, words),
      ...models.map((model, i) =>
        make(
          "td",
          { class: "n muted" },
          i && model.heads[part] === models[0].heads[part] ? "=" : model.heads[part] || "none",
        ),
      ),
    ),
    ...rows,
  );

/**
 * Any set of models as a table: figures, then part by part what differs, or every field; "=" where it is A's.
 * @param {ComparedModel[]} models
 * @param {(model: ComparedModel, part?: string) => string} address
 * @param {{ equal?: boolean, more?: [words: string, values: string[]][] }} [options] rows that follow the figures
 * @returns {HTMLDivElement}
 */
export function matrix(models, address, { equal = false, more = [] } = {}) {
  const [a, ...others] = models;
  /**
   * @param {string} words
   * @param {string} key
   * @param {string[]} values
   * @param {string} [part]
   */
  const row = (words, key, values, part = "") =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, `${words} `, key ? make("code", {}, key) : ""),
      ...cells(values, others.length > 1 ? (i) => address(models[i], part) : undefined),
    );
  const figureRows = FIGURES.map(([key, words, told]) =>
    row(
      words,
      "",
      models.map((model) => told(model.figures[key])),
    ),
  );
  const rows = fieldRows(models, equal),
    bodies = Object.entries(PARTS).map(([part, words]) =>
      partBody(
        part,
        words,
        models,
        rows.filter(([of]) => of === part).map(([, what, key, values]) => row(what, key, values, part)),
      ),
    );
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "Part and field"),
    ...models.map((model, i) => make("th", { scope: "col", class: "n" }, `${LETTERS[i]} ${model.title}`)),
  );
  return make(
    "div",
    { class: "scroll cmp-matrix", tabindex: 0, role: "region", "aria-label": "Differences" },
    make(
      "table",
      { class: "cmp-table" },
      make("caption", { class: "away" }, `${a.title} compared with ${others.map((one) => one.title).join(", ")}`),
      make("thead", {}, head),
      make("tbody", {}, ...figureRows, ...more.map(([words, values]) => row(words, "", values))),
      ...bodies,
    ),
  );
}
