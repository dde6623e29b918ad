// The gallery's search box: which cards have what is typed, what else a reader may want, and where Enter leads.
import { $, cards, pending } from "./gallery-cards.js";

/** @import { Find, SearchAnswer } from "../site/types.d.ts" */
/** @import { Card } from "./gallery-cards.js" */

/** @type {HTMLInputElement} */
export const search = $(".search input");

export const form = /** @type {HTMLFormElement} */ (search.form);

/** @type {Find | null} */
let find = null; // asked for with the first word: once it is there, ideas count too; a card's own words always do

const INSIDE = 4; // letters from which a word is found inside another, as in find-rows.js

const NO_WORD = /[^\p{L}\p{N}.]+/gu;

/**
 * @param {string} text
 * @param {string} word
 */
const holds = (text, word) =>
  word.length >= INSIDE
    ? text.includes(word)
    : ` ${text.replace(NO_WORD, " ")}`.includes(` ${word.replace(NO_WORD, "")}`);

/**
 * A question to a card: does it say what is typed, or have the idea that it means?
 * @param {() => void} again what to do once ideas can be asked for, too
 */
export function asked(again) {
  const typed = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  /** @param {{ text: string }} card */
  const says = (card) => typed.every((word) => holds(card.text, word));
  if (typed.length && !find)
    import("../site/find-index.js")
      .then(({ indexed }) => indexed(form))
      .then((made) => {
        find = made;
        again();
      });
  const found =
    find && typed.length
      ? find(search.value)
      : { same: [], lead: [], models: [], pages: [], words: [], corrected: "", without: [] };
  if (found.corrected && [...cards, ...pending].some(says))
    return { typed: says, ...found, pages: [], words: [], corrected: "" };
  const slugs = new Set(found.models.map(({ slug }) => slug));
  return {
    typed: (/** @type {{ slug: string, text: string }} */ card) => slugs.has(card.slug) || says(card),
    ...found,
  };
}

/**
 * What a reader may want beside the cards: the explainers of an idea, what a misspelt word was taken for, and words that
 * no model has.
 * @param {Pick<SearchAnswer, "pages" | "words" | "corrected" | "without">} question
 */
export function beside({ pages, words, corrected, without }) {
  const told = [...pages, ...words.map(({ key, name }) => ({ path: `/glossary/#${key}`, name: `Glossary: ${name}` }))];
  $(".learnt span").replaceChildren(
    ...told.flatMap(({ path, name }, at) => {
      const href = new URL(`..${path}`, location.href).href;
      return [at ? " · " : "", Object.assign(document.createElement("a"), { href, textContent: name })];
    }),
  );
  $(".learnt").hidden = !told.length;
  $(".meant").textContent = corrected
    ? `Nothing is called “${search.value.trim()}”. These are for “${corrected}”.`
    : without.length
      ? `No model matches “${without.join(" ")}”; it was left out.`
      : "";
  $(".meant").hidden = !corrected && !without.length;
}

/**
 * Enter: the model called just so, though it has no card of its own; else the first that is shown.
 * @param {() => Card[]} placed the cards in their order
 */
export async function open(placed) {
  const made = /** @type {Find} */ (
    find ?? (await import("../site/find-index.js").then(({ indexed }) => indexed(form)))
  );
  /** @param {{ slug: string }} one */
  const hidden = ({ slug }) =>
    [...cards, ...pending].some((one) => one.slug === slug && one.node.getAttribute("hidden") === "");
  const same = made(search.value).same.find((one) => !hidden(one));
  if (same)
    return location.assign(
      new URL(`${same.slug}/`, new URL(/** @type {string} */ (form.dataset.models), location.href)),
    );
  const first = [...placed(), ...pending].find((one) => !one.node.hidden);
  if (first) location.assign(/** @type {HTMLAnchorElement} */ (first.node.querySelector("a")).href);
}
