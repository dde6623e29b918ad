// Models, or pages, with what they say and the ideas that they have -> those that a query means, ranked. Pure.
//
// They are asked word by word: an answer is a rank for every row, and is kept, since the next letter asks most of the
// same words again. Rows that have the same ideas share one set.

import { LONG, plain } from "./query.js";

const INSIDE = 4; // letters from which a word is found inside another: "eps" is none of DeepSeek's
const KEPT = 300; // answers

/**
 * @template {{ words: string, has: string[] }} Row
 * @param {Row[]} rows
 */
export function table(rows) {
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

/**
 * 4: it has the words; 3: its words begin so; 2: it says so itself; 1: it has the idea; 0: none of it. In a page's
 * many words, 2 is chance. What is equally good stays in the index's order, the newest first; where ideas alone are
 * asked for, the oldest models come first: those that had it first.
 * @template {{ words: string, has: string[] }} Row
 * @param {ReturnType<typeof table<Row>>} rows
 * @param {{ words: string[], keys: Set<string> }[]} asked
 * @param {{ whole?: boolean, dated?: number }} [how] `whole`: they are pages
 */
export function ranked(rows, asked, { whole = false, dated = 0 } = {}) {
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
  const turned = asked.every(({ keys }) => keys.size);
  const place = (/** @type {number} */ at) => (turned && at < dated ? dated - 1 - at : at);
  return found.sort((a, b) => b.sum - a.sum || place(a.at) - place(b.at)).map(({ at }) => rows.said[at].one);
}
