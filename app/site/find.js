// What is typed into a search box -> the models, explainers and ideas it means. Pure: the index comes in, answers go out.
//
// index   {models: [{slug, name, company, words, has: [idea]}], ideas: [{key, words}],
//         pages: [{path, name, words, has, terms}]}
// answer  {models, pages: rows of those, lead: the pages about just what is typed, same: the models called just so,
//         which come first, ideas: [key], words: [{key, name, whole: it is called just so}] of the
//         glossary, corrected}
// A query is cut into the longest runs of words that name an idea ("sliding window", "multi query"); each run holds for
// what has the idea, or whose own words contain it. All runs must hold.

/** @import { Find, SearchAnswer, SearchIndex, SearchModel, SearchPage } from "./types.d.ts" */

const LONG = 5; // letters from which a word may be written without its hyphens, or with one letter wrong
const MOST = 20; // words of a query that are read
const FEW = 3; // ideas that a half typed name may mean in the glossary
const SHORTEST = 3; // letters from which the beginning of an idea's name is enough
const ASIDE = new Set("a an and are do does explained how in is of the what why work works".split(" ")); // of a question

/**
 * @param {string} text
 * @returns {string}
 */
export const plain = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, " ")
    .trim();
/** @param {string} text */
const squeezed = (text) => text.replaceAll(" ", "");

/**
 * "https://huggingface.co/org/name/tree/main" and "org/name" both mean org/name.
 * @param {string} text
 * @returns {string}
 */
export function hubId(text) {
  const path = text
    .trim()
    .replace(/^https?:\/\/[^/]+\//, "")
    .replace(/^hf\.co\//, "");
  const [org, name] = path.split(/[/?#]/);
  return org && name && /^[\w.-]+$/.test(org) && /^[\w.-]+$/.test(name) ? `${org}/${name}` : "";
}

/**
 * Whether one letter more, less, other, or two that changed places, make b of a.
 * @param {string} a
 * @param {string} b
 * @returns {boolean}
 */
export function near(a, b) {
  if (Math.abs(a.length - b.length) > 1 || a === b) return a === b;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [x, y] = [a.slice(from), b.slice(from)];
  return (
    x.slice(1) === y.slice(1) ||
    x.slice(1) === y ||
    x === y.slice(1) ||
    (x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2))
  );
}

// Rows with what they say and have, asked word by word: an answer is a rank for every row, and is kept, since the next
// letter asks most of the same words again. Rows that have the same ideas share one set.
const KEPT = 300; // answers
/**
 * @template {{ words: string, has: string[] }} Row
 * @param {Row[]} rows
 */
function table(rows) {
  const shared = new Map();
  const said = rows.map((one) => {
    const text = ` ${plain(one.words)} `,
      ideas = one.has.join();
    if (!shared.has(ideas)) shared.set(ideas, new Set(one.has));
    return { one, text, bare: text.replaceAll(" ", ""), has: shared.get(ideas) };
  });
  const known = new Map();
  /**
   * @param {string} key
   * @param {(row: { text: string, bare: string, has: Set<string> }) => number} make
   * @returns {Uint8Array}
   */
  const kept = (key, make) => {
    if (known.size > KEPT) known.clear();
    if (!known.has(key)) known.set(key, Uint8Array.from(said, make));
    return known.get(key);
  };
  return {
    said,
    /**
     * 3: one of its words begins so; 2: it says so somewhere; 0: not at all.
     * @param {string} word
     */
    word: (word) =>
      kept(` ${word}`, ({ text, bare }) =>
        text.includes(` ${word}`) ? 3 : text.includes(word) || (word.length >= LONG && bare.includes(word)) ? 2 : 0,
      ),
    /** @param {Set<string>} keys */
    ideas: (keys) =>
      kept(`#${[...keys].join()}`, ({ has }) => {
        for (const key of keys) if (has.has(key)) return 1;
        return 0;
      }),
  };
}

/**
 * @param {SearchIndex} index
 * @returns {Find}
 */
export function finder({ models = [], ideas = [], pages = [] }) {
  /**
   * A text with a space on both sides, so that " word" is where one begins; and without any.
   * @param {string} words
   */
  const both = (words) => ({ text: ` ${plain(words)} `, bare: squeezed(plain(words)) });
  const all = { models: table(models), pages: table(pages) };
  const terms = ideas.flatMap(({ key, words }) => words.map((name) => ({ key, ...both(name) })));
  const called = new Map(ideas.map(({ key, words }) => [key, words[0]]));
  const names = new Map(); // a title, or a repository's last part, without spaces -> the models called so
  for (const model of models)
    for (const name of new Set(
      [model.name, model.slug.slice(model.slug.lastIndexOf("/") + 1)].map((one) => squeezed(plain(one))),
    ))
      names.set(name, [...(names.get(name) ?? []), model]);
  /** @type {string[] | null} */
  let spelt = null; // every word that stands anywhere: asked for with the first word that does not
  /** @returns {string[]} */
  function vocabulary() {
    if (spelt) return spelt;
    const found = new Set(terms.map(({ bare }) => bare));
    for (const rows of [terms, all.pages.said, all.models.said])
      for (const { text } of rows) for (const word of text.split(" ")) found.add(word);
    return (spelt = [...found].filter((word) => word.length >= LONG - 1 && /^\p{L}+$/u.test(word)));
  }

  const leads = pages.flatMap((page) => page.terms.map((term) => ({ page, ...both(term) })));

  // "Kimi" means the models, though an idea is called Kimi Delta Attention.
  const brands = new Set(
    models.flatMap(({ name, company }) => [plain(name).split(" ")[0], ...plain(company).split(" ")]),
  );

  /**
   * The ideas that a run of words names; the last word of a query may still be half typed.
   * @param {string} run
   * @param {boolean} last
   */
  function named(run, last) {
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

  /** @param {string[]} words */
  function runs(words) {
    const found = [];
    for (let from = 0, to; from < words.length; from = to) {
      let keys = new Set();
      for (to = words.length; to > from; to--) {
        keys = named(words.slice(from, to).join(" "), to === words.length);
        if (keys.size) break;
      }
      to = Math.max(to, from + 1);
      found.push({ words: words.slice(from, to), keys });
    }
    return found;
  }

  /**
   * 3: its words begin so; 2: it says so itself; 1: it has the idea; 0: none of it. In a page's many words, 2 is
   * chance.
   * @template {{ words: string, has: string[] }} Row
   * @param {ReturnType<typeof table<Row>>} rows
   * @param {{ words: string[], keys: Set<string> }[]} asked
   * @param {boolean} [whole]
   */
  function ranked(rows, asked, whole) {
    const parts = asked.map((run) => ({ words: run.words.map(rows.word), ideas: rows.ideas(run.keys) }));
    const found = [];
    for (let at = 0; at < rows.said.length; at++) {
      let sum = 0;
      for (const { words, ideas: have } of parts) {
        let least = 3;
        for (const ranks of words) least = Math.min(least, ranks[at]);
        if (whole && least < 3) least = 0;
        least ||= have[at];
        if (!least) {
          sum = 0;
          break;
        }
        sum += least;
      }
      if (sum) found.push({ at, sum });
    }
    return found.sort((a, b) => b.sum - a.sum || a.at - b.at).map(({ at }) => rows.said[at].one);
  }

  /**
   * The entries of the glossary that are asked for: an idea whose name is what is typed; else one begun so, if few are.
   * @param {string} text
   * @param {{ keys: Set<string> }[]} asked
   */
  function meant(text, asked) {
    const bare = squeezed(text),
      keys = new Set(asked.flatMap((run) => [...run.keys]));
    const whole = new Set(terms.filter((term) => term.bare === bare).map(({ key }) => key));
    const found = whole.size ? whole : asked.length === 1 && keys.size <= FEW ? keys : new Set();
    return [...found].map((key) => ({ key, name: called.get(key) ?? key, whole: whole.has(key) }));
  }

  /**
   * The pages about just what is typed, one of whose terms it is, in the singular or plural; else about what begins so,
   * unless a maker's name does, too.
   * @param {string[]} words
   */
  function leading(words) {
    if (!words.length) return [];
    const bare = words.join(""),
      singular = (/** @type {string} */ text) => text.replace(/s$/, "");
    const whole = leads.filter((term) => singular(term.bare) === singular(bare));
    const begins = bare.length >= SHORTEST && ![...brands].some((name) => name.startsWith(bare));
    const found = whole.length || !begins ? whole : leads.filter((term) => term.bare.startsWith(bare));
    return [...new Set(found.map(({ page }) => page))];
  }

  /** @param {string[]} words */
  function exactly(words) {
    const asked = runs(words),
      same = names.get(words.join("")) ?? [],
      whole = leading(words),
      lead = whole.length ? whole : leading(essential(words));
    return {
      same,
      lead,
      models: [...new Set([...same, ...ranked(all.models, asked)])],
      pages: [...new Set([...lead, ...ranked(all.pages, asked, true)])],
      ideas: [...new Set(asked.flatMap(({ keys }) => [...keys]))],
      words: meant(words.join(" "), asked),
    };
  }

  /**
   * The answer to all words; where there is none, to those that are not only of a question.
   * @param {string[]} words
   */
  function answered(words) {
    const found = exactly(words);
    return isNothing(found) ? exactly(essential(words)) : found;
  }
  /** @param {string[]} words */
  const essential = (words) => words.filter((word) => !ASIDE.has(word));
  /** @param {ReturnType<typeof exactly>} found */
  const isNothing = ({ models, pages, words }) => !models.length && !pages.length && !words.length;

  /**
   * The pages whose terms stand somewhere in what is typed, the longest term's first.
   * @param {string[]} words
   */
  function mentioned(words) {
    const text = ` ${words.join(" ")} `;
    const found = leads.filter((term) => text.includes(term.text));
    return [...new Set(found.sort((a, b) => b.text.length - a.text.length).map(({ page }) => page))];
  }

  /**
   * No model is found: a long word is read as one that is a letter away, from left to right until something is.
   * @param {string[]} words
   * @param {number} [from]
   * @returns {SearchAnswer | null}
   */
  function mended(words, from = 0) {
    for (let at = from; at < words.length; at++) {
      if (words[at].length < LONG || !/^\p{L}+$/u.test(words[at])) continue;
      for (const other of vocabulary()) {
        if (other === words[at] || !near(words[at], other)) continue;
        const changed = words.map((word, index) => (index === at ? other : word));
        const found = exactly(changed);
        const better = found.models.length ? { ...found, corrected: changed.join(" ") } : mended(changed, at + 1);
        if (better) return better;
      }
    }
    return null;
  }

  /**
   * @param {string} text
   * @returns {SearchAnswer}
   */
  const find = (text) => {
    const words = plain(text)
      .split(" ")
      .filter((word) => /[\p{L}\p{N}]/u.test(word))
      .slice(0, MOST);
    const id = hubId(text).toLowerCase();
    const same = models.filter(({ slug }) => slug.toLowerCase() === id);
    if (!words.length) return { same: [], lead: [], models: [], pages: [], ideas: [], words: [], corrected: "" };
    const found = answered(words);
    const best = (isNothing(found) && mended(words)) || found;
    return {
      corrected: "",
      ...best,
      pages: isNothing(best) ? mentioned(words) : best.pages,
      same: [...new Set([...same, ...best.same])],
      models: [...new Set([...same, ...best.models])],
    };
  };
  return Object.assign(find, { warm: vocabulary });
}

/**
 * The index of a page's search box, fetched once; without it nothing is found.
 * @type {Promise<Find> | null}
 */
let asked = null;
/**
 * @param {HTMLElement} form
 * @returns {Promise<Find>}
 */
export const indexed = (form) =>
  (asked ??= fetch(/** @type {string} */ (form.dataset.search))
    .then((answer) => answer.json())
    .catch(() => ({}))
    .then((index) => {
      const find = finder(index);
      (globalThis.requestIdleCallback ?? setTimeout)(() => find.warm()); // before a slip asks for it
      return find;
    }));
