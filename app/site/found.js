// What a query finds -> the rows of the list below the search box, in their order. Pure.

/** @import { FoundPlaces, FoundRow, SearchAnswer, SearchModel, SearchPage } from "./types.d.ts" */

export const MODELS = 8; // of a list; its last row leads to all of them
const TEACHING = 2; // explainers of an idea that stand before its models
const BETTER = 3; // places that stand before all else
const FURTHER = 6; // other places

/** @param {SearchPage} page @returns {FoundRow} */
const rowOfPage = ({ name, path }) => ({ kind: path.startsWith("/learn/") ? "Explainer" : "Page", name, path });
/** @param {SearchModel} model @param {string} [number] what the order goes by @returns {FoundRow} */
const rowOfModel = ({ name, company, slug, path = `/models/${slug}/` }, number = "") => ({
  kind: "Model",
  name,
  about: [company, number].filter(Boolean).join(" · "),
  path,
});
/** @param {{ key: string, name: string }} word @returns {FoundRow} */
const rowOfWord = ({ key, name }) => ({ kind: "Glossary", name, path: `/glossary/#${key}` });

/**
 * All that is found as rows of one list: what is spelt just so, pages about just this, models and places called just so,
 * what teaches it, its models, what else speaks of it. Where models lack a word that places have, these come first. Where
 * places could not be fetched, the rest stands alone.
 * @param {SearchAnswer} found
 * @param {FoundPlaces | null} places
 * @returns {FoundRow[]}
 */
export function arranged({ lead, same, words, pages, models, ideas, without, about }, places) {
  const { named, exact, more, all } = places ?? { named: [], exact: [], more: [], all: false };
  const whole = words.filter((word) => word.whole).map(rowOfWord);
  const teaching = pages.filter(({ has }) => has.some((key) => ideas.includes(key))).slice(0, TEACHING);
  const lacking = without.length > 0 || !models.length;
  const first = once([
    ...named,
    ...(without.length ? exact : []),
    ...lead.map(rowOfPage),
    ...same.map((model) => rowOfModel(model, about?.get(model.slug))),
    ...whole,
    ...exact,
    ...(lacking && all ? more.slice(0, BETTER) : []),
    ...teaching.map(rowOfPage),
  ]);
  const before = new Set(first.map(({ path }) => path));
  const after = [...words.map(rowOfWord), ...pages.map(rowOfPage), ...more].filter(({ path }) => !before.has(path));
  return once([
    ...first,
    ...models.slice(0, MODELS).map((model) => rowOfModel(model)),
    ...once(after).slice(0, FURTHER),
  ]);
}

/** @param {FoundRow[]} rows */
function once(rows) {
  const seen = new Set();
  return rows.filter(({ path }) => !seen.has(path) && seen.add(path));
}
