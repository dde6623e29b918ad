// The names of ideas, the terms of pages and the names of makers -> what words mean of them. Pure.

/** @import { SearchIdea, SearchModel, SearchPage } from "./types.d.ts" */

import { both, LONG, plain, squeezed } from "./query.js";

const FEW = 3; // ideas that a half typed name may mean in the glossary
const SHORTEST = 3; // letters from which the beginning of an idea's name is enough

/** What words are looked up in. @typedef {ReturnType<typeof meanings>} Meanings */

/**
 * @param {SearchModel[]} models
 * @param {SearchIdea[]} ideas
 * @param {SearchPage[]} pages
 */
export const meanings = (models, ideas, pages) => ({
  terms: ideas.flatMap(({ key, words }) => words.map((name) => ({ key, ...both(name) }))),
  called: new Map(ideas.map(({ key, words }) => [key, words[0]])),
  leads: pages.flatMap((page) => page.terms.map((term) => ({ page, ...both(term) }))),
  // "Kimi" means the models, though an idea is called Kimi Delta Attention.
  brands: new Set(models.flatMap(({ name, company }) => [plain(name).split(" ")[0], ...plain(company).split(" ")])),
});

/**
 * The ideas that a run of words names; the last word of a query may still be half typed.
 * @param {Meanings} known
 * @param {string} run
 * @param {boolean} last
 */
export function named({ terms, brands }, run, last) {
  const same = terms.filter(({ text }) => text === ` ${run} `).map(({ key }) => key);
  if (same.length || brands.has(run)) return new Set(same); // what is called just so, and nothing that only has the word
  const whole = ` ${run} `,
    begun = run.length >= SHORTEST && last;
  const inOne = run.length >= LONG ? squeezed(run) : null;
  return new Set(
    terms
      .filter(
        ({ text, bare }) =>
          text.includes(whole) ||
          (begun && text.includes(` ${run}`)) ||
          (inOne && (last ? bare.startsWith(inOne) : bare === inOne)),
      )
      .map(({ key }) => key),
  );
}

/**
 * The words of a query in the longest runs that name an idea, each with the ideas.
 * @param {Meanings} known
 * @param {string[]} words
 */
export function runs(known, words) {
  const found = [];
  for (let from = 0, to; from < words.length; from = to) {
    let keys = new Set();
    for (to = words.length; to > from; to--) {
      keys = named(known, words.slice(from, to).join(" "), to === words.length);
      if (keys.size) break;
    }
    to = Math.max(to, from + 1);
    found.push({ words: words.slice(from, to), keys });
  }
  return found;
}

/**
 * The entries of the glossary that are asked for: an idea whose name is what is typed; else one begun so, if few are.
 * @param {Meanings} known
 * @param {string} text
 * @param {{ keys: Set<string> }[]} asked
 */
export function meant({ terms, called }, text, asked) {
  const bare = squeezed(text),
    keys = new Set(asked.flatMap((run) => [...run.keys]));
  const whole = new Set(terms.filter((term) => term.bare === bare).map(({ key }) => key));
  const found = whole.size ? whole : asked.length === 1 && keys.size <= FEW ? keys : new Set();
  return [...found].map((key) => ({ key, name: called.get(key) ?? key, whole: whole.has(key) }));
}

/**
 * The pages about just what is typed, one of whose terms it is, in the singular or plural; else about what begins so,
 * unless a maker's name does, too.
 * @param {Meanings} known
 * @param {string[]} words
 * @param {boolean} typing it may not be typed to its end
 */
export function leading({ leads, brands }, words, typing) {
  if (!words.length) return [];
  const bare = words.join(""),
    singular = (/** @type {string} */ text) => (text.length > SHORTEST ? text.replace(/s$/, "") : text);
  const whole = leads.filter((term) => singular(term.bare) === singular(bare));
  const begins = typing && bare.length >= SHORTEST && ![...brands].some((name) => name.startsWith(bare));
  const found = whole.length || !begins ? whole : leads.filter((term) => term.bare.startsWith(bare));
  return [...new Set(found.map(({ page }) => page))];
}

/**
 * The pages whose terms stand somewhere in what is typed, the longest term's first.
 * @param {Meanings} known
 * @param {string[]} words
 */
export function mentioned({ leads }, words) {
  const text = ` ${words.join(" ")} `;
  const found = leads.filter((term) => text.includes(term.text));
  return [...new Set(found.sort((a, b) => b.text.length - a.text.length).map(({ page }) => page))];
}
