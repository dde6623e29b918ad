// What /design/ says of itself: what is going on, what went wrong, and both in the one line of a phone's sheet.

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
export const at = (id) => document.getElementById(id);

/**
 * @param {string} words
 * @param {number} [loaded]
 * @param {number} [of]
 */
export function say(words, loaded = 0, of = 0) {
  at("status").textContent =
    loaded < of ? `${words} ${(loaded / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB` : words;
  at("progress").hidden = !(loaded < of);
  at("cancel").hidden = !words;
  at("progress").max = of || 1;
  at("progress").value = loaded;
  tellSheet();
}

/** @param {string} sentence */
export function refuse(sentence) {
  at("error").textContent = sentence;
  at("error").hidden = !sentence;
  tellSheet();
}

/** The sheet of a phone covers neither: what is going on, else what went wrong, else how much is changed. */
export function tellSheet() {
  at("sheet-says").textContent = at("status").textContent || at("error").textContent || at("changes").textContent;
}
