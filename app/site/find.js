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

/** @import { Find, FoundPlaces, PackedName, FoundRow, Place, SearchAnswer, SearchIndex, SearchModel, SearchPage, SearchPlaces } from "./types.d.ts" */

import { measured, numberIn, sortOf, those } from "./measures.js";

const LONG = 5; // letters from which a word may be written without its hyphens, or with one letter wrong
const MOST = 20; // words of a query that are read
const TRIES = 100; // readings of words with a slip
const FEW = 3; // ideas that a half typed name may mean in the glossary
const SHORTEST = 3; // letters from which the beginning of an idea's name is enough
const INSIDE = 4; // letters from which a word is found inside another: "eps" is none of DeepSeek's
// Words of a question.
const ASIDE = new Set(
  "a an and are can do does explained for from how i in is it many much of on the to what when which why with work works".split(
    " ",
  ),
);

const ANY = new Set(["has", "have", "llm", "llms", "model", "models"]); // of a question for a number: any model

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
/** @param {string[]} words */
export const essential = (words) => words.filter((word) => !ASIDE.has(word));

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
     * 4: one of its words is this; 3: one begins so; 2: it says so somewhere; 0: not at all.
     * @param {string} word
     */
    word: (word) =>
      kept(` ${word}`, ({ text, bare }) => {
        if (text.includes(` ${word}`)) return text.includes(` ${word} `) ? 4 : 3;
        return (word.length >= INSIDE && text.includes(word)) || (word.length >= LONG && bare.includes(word)) ? 2 : 0;
      }),
    /** @param {Set<string>} keys */
    ideas: (keys) =>
      kept(`#${[...keys].join()}`, ({ has }) => {
        for (const key of keys) if (has.has(key)) return 1;
        return 0;
      }),
  };
}

/** @type {SearchAnswer} */
const NOTHING = { same: [], lead: [], models: [], pages: [], ideas: [], words: [], corrected: "", without: [] };

/**
 * @param {SearchIndex} index
 * @returns {Find}
 */
export function finder({ models = [], ideas = [], pages = [], dated = models.length }) {
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
   * 4: it has the words; 3: its words begin so; 2: it says so itself; 1: it has the idea; 0: none of it. In a page's
   * many words, 2 is chance. What is equally good stays in the index's order, the newest first; where ideas alone are
   * asked for, the oldest models come first: those that had it first.
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
        let least = 4;
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
    const turned = !whole && asked.every(({ keys }) => keys.size);
    const place = (/** @type {number} */ at) => (turned && at < dated ? dated - 1 - at : at);
    return found.sort((a, b) => b.sum - a.sum || place(a.at) - place(b.at)).map(({ at }) => rows.said[at].one);
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
   * @param {boolean} typing it may not be typed to its end
   */
  function leading(words, typing) {
    if (!words.length) return [];
    const bare = words.join(""),
      singular = (/** @type {string} */ text) => (text.length > SHORTEST ? text.replace(/s$/, "") : text);
    const whole = leads.filter((term) => singular(term.bare) === singular(bare));
    const begins = typing && bare.length >= SHORTEST && ![...brands].some((name) => name.startsWith(bare));
    const found = whole.length || !begins ? whole : leads.filter((term) => term.bare.startsWith(bare));
    return [...new Set(found.map(({ page }) => page))];
  }

  /**
   * @param {string[]} words
   * @param {boolean} [typing]
   */
  function exactly(words, typing = true) {
    const asked = runs(words),
      same = names.get(words.join("")) ?? [],
      whole = leading(words, typing),
      lead = whole.length ? whole : leading(essential(words), typing);
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
   * The answer to all words; where they find no model, that to those that are not only of a question as well.
   * @param {string[]} words
   */
  function answered(words) {
    const found = exactly(words),
      kept = essential(words);
    if (found.models.length || !kept.length || kept.length === words.length) return found;
    const rest = exactly(kept);
    return {
      ...rest,
      lead: [...new Set([...found.lead, ...rest.lead])],
      pages: [...new Set([...found.pages, ...rest.pages])],
      words: found.words.length ? found.words : rest.words,
    };
  }

  /**
   * The answer to the words that some model has, where not all of them are of such.
   * @param {string[]} words
   */
  function partly(words) {
    const has = (/** @type {string} */ word) =>
      word.length > 1 &&
      (named(word, false).size || brands.has(word) || all.models.word(word).some((rank) => rank > 1));
    const kept = essential(words);
    const known = kept.filter(has);
    if (!known.length || known.length === kept.length) return null;
    return { ...exactly(known, false), without: kept.filter((word) => !known.includes(word)) };
  }
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
   * No model is found: a long word is read as one that is a letter away, from left to right until something is, or until
   * so many readings were tried: of many words there are more than anybody waits for.
   * @param {string[]} words
   * @param {{ tries: number }} left
   * @param {number} [from]
   * @returns {SearchAnswer | null}
   */
  function mended(words, left, from = 0) {
    for (let at = from; at < words.length; at++) {
      if (words[at].length < LONG || !/^\p{L}+$/u.test(words[at])) continue;
      for (const other of vocabulary()) {
        if (!left.tries) return null;
        if (other === words[at] || !near(words[at], other)) continue;
        left.tries--;
        const changed = words.map((word, index) => (index === at ? other : word));
        const found = exactly(changed);
        const better = found.models.length
          ? { ...found, corrected: changed.join(" "), without: [] }
          : mended(changed, left, at + 1);
        if (better) return better;
      }
    }
    return null;
  }

  /**
   * The answer to a query that asks for a number, too: to its other words, then those models that have the number, in
   * the order that is asked for. Null where it asks for none, or no model has it.
   * @param {string[]} words
   * @returns {SearchAnswer | null}
   */
  function counted(words) {
    const asked = measured(words),
      rest = essential(asked.rest).filter((word) => !ANY.has(word));
    if (!asked.order && !asked.wanted.length) return null;
    const found = rest.length ? find(rest.join(" ")) : { ...NOTHING, models };
    const kept = those(found.models, asked);
    if (!kept.length) return null;
    const about = new Map(kept.slice(0, MODELS).map((model) => [model.slug, numberIn(model, asked.order)]));
    return { ...found, lead: [], same: kept.slice(0, MODELS), models: kept, sort: sortOf(asked.order), about };
  }

  /**
   * @param {string} text
   * @returns {SearchAnswer}
   */
  const find = (text) => {
    const id = hubId(text).toLowerCase();
    const words = plain(id || text.replace(/(\d),(?=\d{3}(?!\d))/g, "$1")) // 4,096 is one word
      .split(" ")
      .filter((word) => /[\p{L}\p{N}]/u.test(word))
      .slice(0, MOST);
    const same = models.filter(({ slug }) => slug.toLowerCase() === id);
    if (!words.length) return NOTHING;
    const numbers = id ? null : counted(words);
    if (numbers) return numbers;
    const found = answered(words);
    const left = { tries: TRIES };
    const slip = isNothing(found) ? (mended(words, left) ?? mended(essential(words), left)) : null;
    const part = isNothing(found) && !slip ? partly(words) : null;
    const best = slip ?? part ?? found;
    const whole = found.models.length || slip || best.words.some((word) => word.whole && !part);
    const told = best.lead.length || whole ? best.lead : mentioned(words);
    return {
      corrected: "",
      without: [],
      ...best,
      lead: told,
      pages: [...new Set([...told, ...best.pages])],
      same: [...new Set([...same, ...best.same])],
      models: [...new Set([...same, ...best.models])],
    };
  };
  return Object.assign(find, { warm: vocabulary });
}

const MODELS = 8; // of a list; its last row leads to all of them
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

/**
 * The index of a page's search box, fetched once; without it nothing is found.
 * @type {Promise<SearchIndex> | null}
 */
let index = null;
/** @type {Promise<Find> | null} */
let asked = null;
/** @type {Promise<Find | null> | null} */
let widest = null;
/**
 * A finder whose words are read while nothing else happens, before a slip asks for them.
 * @param {SearchIndex} rows
 */
function warmed(rows) {
  const find = finder(rows);
  (globalThis.requestIdleCallback ?? setTimeout)(() => find.warm());
  return find;
}
/**
 * @param {HTMLElement} form
 * @returns {Promise<SearchIndex>}
 */
const rowsOf = (form) =>
  (index ??= fetch(/** @type {string} */ (form.dataset.search))
    .then((answer) => answer.json())
    .catch(() => ({})));
/**
 * What searches the models that have pages.
 * @param {HTMLElement} form
 * @returns {Promise<Find>}
 */
export const indexed = (form) => (asked ??= rowsOf(form).then(warmed));

/**
 * What searches the packed models, too, whose names are fetched with the first word; null where there are none.
 * @param {HTMLElement} form
 * @returns {Promise<Find | null>}
 */
export const widened = (form) =>
  (widest ??= rowsOf(form)
    .then(async (rows) => (rows.packed ? warmed(withPacked(rows, await namesOf(form, rows.packed.names))) : null))
    .catch(() => null));

/**
 * @param {HTMLElement} form
 * @param {string} file beside the index
 * @returns {Promise<PackedName[]>}
 */
const namesOf = (form, file) =>
  fetch(new URL(file, new URL(/** @type {string} */ (form.dataset.search), location.href))).then((answer) =>
    answer.json(),
  );

/**
 * @param {SearchIndex} index
 * @param {PackedName[]} names
 * @returns {SearchIndex}
 */
export function withPacked(index, names) {
  const rows = names.map(([slug, name, company]) => ({
    slug,
    name,
    company,
    words: `${name} ${slug} ${company}`,
    has: [],
    path: index.packed?.at.replace("SLUG", slug),
  }));
  const { models = [], dated = models.length } = index;
  return { ...index, models: [...models, ...rows], dated };
}

/**
 * The places beside it, fetched once with what searches them; null where they cannot be.
 * @type {Promise<SearchPlaces | null> | null}
 */
let sought = null;
/**
 * @param {HTMLElement} form
 * @returns {Promise<SearchPlaces | null>}
 */
export const placed = (form) =>
  (sought ??= Promise.all([
    fetch(new URL("places.json", new URL(/** @type {string} */ (form.dataset.search), location.href))).then((answer) =>
      answer.json(),
    ),
    import("./places.js"),
  ])
    .then(([/** @type {Place[]} */ rows, { placer }]) => placer(rows))
    .catch(() => null));
