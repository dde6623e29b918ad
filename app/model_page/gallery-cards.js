// The cards of /models/ and the rows below them, as they are in the page -> what each is found and sorted by.

/**
 * A model's card, and what it is found and sorted by.
 * @typedef {(typeof cards)[number]} Card
 */

/**
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @returns {E}
 */
export const $ = (selector) => /** @type {E} */ (document.querySelector(selector));

export const gallery = $("[data-gallery]");

/** @param {Element} node */
const words = (node) =>
  `${node.textContent} ${/** @type {HTMLAnchorElement} */ (node.querySelector("a")).getAttribute("href")}`.toLowerCase();

/** @type {{ [unit: string]: number }} */
const UNITS = { T: 1e12, B: 1e9, M: 1e6, KB: 1e3, MB: 1e6 };

/**
 * The numbers are read from the card itself: "671.03 B" parameters, "70.3 KB" of cache ("0 B" is no billion).
 * @param {string} text
 * @param {boolean} bytes
 */
function number(text, bytes) {
  const [value, unit] = text.replaceAll(",", "").split(" ");
  return Number(value) * (bytes && unit === "B" ? 1 : UNITS[unit] || 1);
}

/** @param {Element} node */
const slugOf = (node) => `${node.querySelector("a")?.getAttribute("href")}`.replace(/\/$/, "");

export const cards = [.../** @type {NodeListOf<HTMLElement>} */ (gallery.querySelectorAll(".card"))].map(
  (node, index, all) => {
    const [parameters, active, layers, cache] = [...node.querySelectorAll("dd")].map((dd, at) =>
      number(dd.textContent, at === 3),
    );
    const [company, month = ""] = `${node.querySelector(".by")?.firstChild?.textContent}`.split(" · "); // what follows is a link
    const name = /** @type {HTMLElement} */ (node.querySelector("h2")).textContent.trim();
    /** @type {{ [key: string]: string | number }} */
    const value = { name: name.toLowerCase(), company, date: all.length - index, parameters, active, layers, cache };
    return {
      node,
      value,
      month,
      slug: slugOf(node),
      has: new Set(/** @type {string} */ (node.dataset.has).split(" ")),
      text: words(node),
    };
  },
);

export const pending = [.../** @type {NodeListOf<HTMLElement>} */ (gallery.querySelectorAll(".pending li"))].map(
  (node) => ({ node, text: words(node), slug: slugOf(node) }),
);

/**
 * @param {string} key
 * @returns {(a: Card, b: Card) => number}
 */
export function compare(key) {
  const falling = key.startsWith("-"),
    name = key.replace("-", "");
  /** @param {Card} card */
  const undated = (card) => name === "date" && !card.month; // last, whichever way
  return (a, b) => {
    if (undated(a) !== undated(b)) return undated(a) ? 1 : -1;
    const [x, y] = [a.value[name], b.value[name]];
    const way = x < y ? -1 : x > y ? 1 : 0;
    return (falling ? -way : way) || (a.value.name < b.value.name ? -1 : 1);
  };
}
