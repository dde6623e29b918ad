/* What scripts say, in the language of their page: gettext("Show me"). A page that is not in English has a dictionary,
   script#words, of {English: its words}; what it lacks stays English. build/words.py collects all calls for translators. */

/** @typedef {{ [english: string]: string }} Words */

/** @type {Words | null} */
let words = null;

/**
 * Takes a dictionary where there is no page yet: first pictures are drawn at build.
 * @param {Words} given
 */
export const setWords = (given) => {
  words = given;
};

/** @returns {Words} */
const readWords = () => JSON.parse(globalThis.document?.getElementById("words")?.textContent || "{}");

/**
 * A text in the page's language, its {names} filled in; {names} that no value is given for stay.
 * @param {string} english
 * @param {{ [name: string]: string | number }} [values]
 */
export const gettext = (english, values = {}) => {
  words ??= readWords();
  return (words[english] ?? english).replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
};
