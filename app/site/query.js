// What is typed into a search box -> its words; which of them only ask; the id of a repository; a word that is a letter away.

export const LONG = 5; // letters from which a word may be written without its hyphens, or with one letter wrong
// Words of a question.
const ASIDE = new Set(
  "a an and are can do does explained for from how i in is it many much of on the to what when which why with work works".split(
    " ",
  ),
);

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
export const squeezed = (text) => text.replaceAll(" ", "");
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

/**
 * A text with a space on both sides, so that " word" is where one begins; and without any.
 * @param {string} words
 */
export const both = (words) => ({ text: ` ${plain(words)} `, bare: squeezed(plain(words)) });
