// What is typed into a search box -> the steps of explainers, entries of the glossary, config keys, formats and devices
// that it names or is about. Pure: the rows of /data/places.json come in, rows go out. MiniSearch (MIT) has the index.

/** @import { FoundPlaces, Place, SearchPlaces } from "./types.d.ts" */

import MiniSearch from "minisearch";
import { essential, plain } from "./query.js";

const PREFIX = 3; // letters from which the beginning of a word is enough
const FUZZY = 6; // letters from which a word may be misspelt
const WORDS = 20; // of what is typed that are read
const MOST = 12;
const STEP = 20; // places that are indexed at once
const KINDS = new Set(["Config key", "Format", "Device"]); // whose names may be written with underscores

/**
 * A word as it is compared: without the s of a plural.
 * @param {string} word
 */
const term = (word) =>
  word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\p{L}{3})(?<!s)s$/u, "");
/** @param {string} han */
const pairs = (han) => (han.length < 3 ? [han] : Array.from(han.slice(1), (letter, at) => han[at] + letter));
/**
 * The words of a text; Chinese, which has no spaces, by two characters: 注意力 is 注意 and 意力.
 * @param {string} text
 */
export const tokens = (text) =>
  text
    .split(/[\s\p{Z}\p{P}]+|(\p{Script=Han}+)/u)
    .filter(Boolean)
    .flatMap((word) => (/^\p{Script=Han}/u.test(word) ? pairs(word) : [word]));
/** @param {string} text */
const bare = (text) => plain(text).split(" ").map(term).join("");
const options = {
  processTerm: term,
  prefix: (/** @type {string} */ word) => word.length >= PREFIX,
  fuzzy: (/** @type {string} */ word) => word.length >= FUZZY && 0.2,
  boost: { name: 4, also: 3 },
};

/**
 * What searches the places; the index is made in small steps, so that typing does not wait for it.
 * @param {Place[]} places
 * @returns {Promise<SearchPlaces>}
 */
export async function placer(places) {
  /** @type {MiniSearch<Place & { id: number }>} */
  const index = new MiniSearch({
    fields: ["name", "also", "about", "words"],
    extractField: (/** @type {any} */ place, field) => [place[field] ?? ""].flat().join(" "),
    searchOptions: options,
    tokenize: tokens,
    processTerm: term,
  });
  await index.addAllAsync(
    places.map((place, id) => ({ ...place, id })),
    { chunkSize: STEP },
  );
  /** @type {Map<string, Place[]>} */
  const called = new Map();
  for (const place of places)
    for (const name of new Set([place.name, ...(place.also ?? [])].map(bare)))
      called.set(name, [...(called.get(name) ?? []), place]);

  /**
   * Those that have all words, or those that have some.
   * @param {string} text
   * @param {"AND" | "OR"} combineWith
   */
  const ranked = (text, combineWith) =>
    index
      .search(text, { combineWith })
      .slice(0, MOST)
      .map(({ id }) => places[id]);

  /**
   * @param {string} typed
   * @returns {FoundPlaces}
   */
  return (typed) => {
    const text = typed.split(/\s+/).slice(0, WORDS).join(" ");
    const words = plain(text).split(" ").filter(Boolean);
    const kept = essential(words).join(" ") || words.join(" ");
    const exact = called.get(bare(words.join(" "))) ?? called.get(bare(kept)) ?? [];
    const spelt = text.split(/\s+/).filter((word) => /[\p{L}\p{N}][_.][\p{L}\p{N}]/u.test(word));
    const named = spelt.flatMap((word) => called.get(bare(word)) ?? []).filter(({ kind }) => KINDS.has(kind));
    const whole = ranked(kept, "AND");
    const some = () => ranked(kept.replace(/(?<!\S)\S(?!\S)/gu, ""), "OR"); // a letter alone is chance
    return { named: [...new Set(named)], exact, more: whole.length ? whole : some(), all: whole.length > 0 };
  };
}
