// What is typed into a search box -> the models, explainers and ideas it means. Pure: the index comes in, answers go out.
//
// index   {models: [{slug, name, company, words, has: [idea]}], dated: how many stand before variants and undated ones, ideas: [{key, words}],
//         pages: [{path, name, words, has, terms}]}
// answer  {models, pages: rows of those, lead: the pages about just what is typed, same: the models called just so,
//         which come first, ideas: [key], words: [{key, name, whole: it is called just so}] of the
//         glossary, corrected, without: words that no model has}
// A query is cut into the longest runs of words that name an idea ("sliding window", "multi query"); each run holds for
// what has the idea, or whose own words contain it. All runs must hold; words that are only of a question, then words
// that match nothing, are left out.

/** @import { Meanings } from "./find-terms.js" */
/** @import { Find, SearchAnswer, SearchIndex, SearchModel } from "./types.d.ts" */

import { ranked, table } from "./find-rows.js";
import { leading, meanings, meant, mentioned, named, runs } from "./find-terms.js";
import { MODELS } from "./found.js";
import { measured, numberIn, sortOf, those } from "./measures.js";
import { essential, hubId, LONG, near, plain, squeezed } from "./query.js";

const MOST = 20; // words of a query that are read
const TRIES = 100; // readings of words with a slip
const ANY = new Set(["has", "have", "llm", "llms", "model", "models"]); // of a question for a number: any model

/** @type {SearchAnswer} */
const NOTHING = { same: [], lead: [], models: [], pages: [], ideas: [], words: [], corrected: "", without: [] };

/** An index, ready to be searched. @typedef {ReturnType<typeof prepare>} Index */

/**
 * A title, or a repository's last part, without spaces -> the models called so.
 * @param {SearchModel[]} models
 */
function byName(models) {
  const names = new Map();
  for (const model of models)
    for (const name of new Set(
      [model.name, model.slug.slice(model.slug.lastIndexOf("/") + 1)].map((one) => squeezed(plain(one))),
    ))
      names.set(name, [...(names.get(name) ?? []), model]);
  return names;
}

/**
 * Every word that stands anywhere, if it is long enough to be mended.
 * @param {Meanings["terms"]} terms
 * @param {{ text: string }[][]} said
 */
function spellings(terms, ...said) {
  const found = new Set(terms.map(({ bare }) => bare));
  for (const rows of [terms, ...said]) for (const { text } of rows) for (const word of text.split(" ")) found.add(word);
  return [...found].filter((word) => word.length >= LONG - 1 && /^\p{L}+$/u.test(word));
}

/** @param {SearchIndex} index */
function prepare({ models = [], ideas = [], pages = [], dated = models.length }) {
  const tables = { models: table(models), pages: table(pages) };
  const known = meanings(models, ideas, pages);
  /** @type {string[] | null} */
  let spelt = null; // asked for with the first word that stands nowhere
  const vocabulary = () => (spelt ??= spellings(known.terms, tables.pages.said, tables.models.said));
  return { ...known, models, dated, tables, names: byName(models), vocabulary };
}

/**
 * The answer to just these words.
 * @param {Index} index
 * @param {string[]} words
 * @param {boolean} [typing] the last of them may not be typed to its end
 */
function exactly(index, words, typing = true) {
  const { tables, dated } = index,
    asked = runs(index, words),
    same = index.names.get(words.join("")) ?? [],
    whole = leading(index, words, typing),
    lead = whole.length ? whole : leading(index, essential(words), typing);
  return {
    same,
    lead,
    models: [...new Set([...same, ...ranked(tables.models, asked, { dated })])],
    pages: [...new Set([...lead, ...ranked(tables.pages, asked, { whole: true })])],
    ideas: [...new Set(asked.flatMap(({ keys }) => [...keys]))],
    words: meant(index, words.join(" "), asked),
  };
}

/**
 * The answer to all words; where they find no model, that to those that are not only of a question as well.
 * @param {Index} index
 * @param {string[]} words
 */
function answered(index, words) {
  const found = exactly(index, words),
    kept = essential(words);
  if (found.models.length || !kept.length || kept.length === words.length) return found;
  const rest = exactly(index, kept);
  return {
    ...rest,
    lead: [...new Set([...found.lead, ...rest.lead])],
    pages: [...new Set([...found.pages, ...rest.pages])],
    words: found.words.length ? found.words : rest.words,
  };
}

/**
 * The answer to those words of the query that some model has, if others have none.
 * @param {Index} index
 * @param {string[]} words
 */
function partly(index, words) {
  const has = (/** @type {string} */ word) =>
    word.length > 1 &&
    (named(index, word, false).size ||
      index.brands.has(word) ||
      index.tables.models.word(word).some((rank) => rank > 1));
  const kept = essential(words);
  const known = kept.filter(has);
  if (!known.length || known.length === kept.length) return null;
  return { ...exactly(index, known, false), without: kept.filter((word) => !known.includes(word)) };
}

/** @param {ReturnType<typeof exactly>} found */
const isNothing = ({ models, pages, words }) => !models.length && !pages.length && !words.length;

/**
 * No model is found: a long word is read as one that is a letter away, from left to right until something is, or until
 * so many readings were tried: of many words there are more than anybody waits for.
 * @param {Index} index
 * @param {string[]} words
 * @param {{ tries: number }} left
 * @param {number} [from]
 * @returns {SearchAnswer | null}
 */
function mended(index, words, left, from = 0) {
  for (let at = from; at < words.length; at++) {
    if (words[at].length < LONG || !/^\p{L}+$/u.test(words[at])) continue;
    for (const other of index.vocabulary()) {
      if (!left.tries) return null;
      if (other === words[at] || !near(words[at], other)) continue;
      left.tries--;
      const changed = words.map((word, place) => (place === at ? other : word));
      const found = exactly(index, changed);
      const better = found.models.length
        ? { ...found, corrected: changed.join(" "), without: [] }
        : mended(index, changed, left, at + 1);
      if (better) return better;
    }
  }
  return null;
}

/**
 * The answer to a query that asks for a number, too: to its other words, then those models that have the number, in
 * the order that is asked for. Null where it asks for none, or no model has it.
 * @param {Index} index
 * @param {string[]} words
 * @returns {SearchAnswer | null}
 */
function counted(index, words) {
  const asked = measured(words),
    rest = essential(asked.rest).filter((word) => !ANY.has(word));
  if (!asked.order && !asked.wanted.length) return null;
  const found = rest.length ? find(index, rest.join(" ")) : { ...NOTHING, models: index.models };
  const kept = those(found.models, asked);
  if (!kept.length) return null;
  const about = new Map(kept.slice(0, MODELS).map((model) => [model.slug, numberIn(model, asked.order)]));
  return { ...found, lead: [], same: kept.slice(0, MODELS), models: kept, sort: sortOf(asked.order), about };
}

/**
 * @param {Index} index
 * @param {string} text
 * @returns {SearchAnswer}
 */
function find(index, text) {
  const id = hubId(text).toLowerCase();
  const words = plain(id || text.replace(/(\d),(?=\d{3}(?!\d))/g, "$1")) // 4,096 is one word
    .split(" ")
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MOST);
  const same = index.models.filter(({ slug }) => slug.toLowerCase() === id);
  if (!words.length) return NOTHING;
  const numbers = id ? null : counted(index, words);
  if (numbers) return numbers;
  const found = answered(index, words);
  const left = { tries: TRIES };
  const slip = isNothing(found) ? (mended(index, words, left) ?? mended(index, essential(words), left)) : null;
  const part = isNothing(found) && !slip ? partly(index, words) : null;
  const best = slip ?? part ?? found;
  const whole = found.models.length || slip || best.words.some((word) => word.whole && !part);
  const told = best.lead.length || whole ? best.lead : mentioned(index, words);
  return {
    corrected: "",
    without: [],
    ...best,
    lead: told,
    pages: [...new Set([...told, ...best.pages])],
    same: [...new Set([...same, ...best.same])],
    models: [...new Set([...same, ...best.models])],
  };
}

/**
 * @param {SearchIndex} index
 * @returns {Find}
 */
export function finder(index) {
  const all = prepare(index);
  return Object.assign((/** @type {string} */ text) => find(all, text), { warm: all.vocabulary });
}
