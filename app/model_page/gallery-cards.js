// The cards of /models/ and the rows below them, as they are in the page -> what each is found and sorted by.

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

/** Something that a search finds, a card or a row of a list. Its words are read when they are first asked for. */
class Row {
  /** @type {string | undefined} */
  #text;

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    this.slug = `${node.querySelector("a")?.getAttribute("href")}`.replace(/\/$/, "");
  }

  get text() {
    return (this.#text ??= words(this.node));
  }
}

/** A model's card, and what it is found and sorted by. */
export class Card extends Row {
  /** @type {ReturnType<typeof read> | undefined} */
  #told;

  /**
   * @param {HTMLElement} node
   * @param {number} date the later, the greater
   */
  constructor(node, date) {
    super(node);
    this.date = date;
    this.has = new Set(/** @type {string} */ (node.dataset.has).split(" "));
  }

  /** What it says, and is sorted by; read when it is first asked for. */
  get told() {
    return (this.#told ??= read(this));
  }
}

/** @param {Card} card */
function read({ node, date }) {
  const [parameters, active, layers, cache] = [...node.querySelectorAll("dd")].map((dd, at) =>
    number(dd.textContent, at === 3),
  );
  const [company, month = ""] = `${node.querySelector(".by")?.firstChild?.textContent}`.split(" · "); // what follows is a link
  const name = /** @type {HTMLElement} */ (node.querySelector("h2")).textContent.trim().toLowerCase();
  /** @type {{ [key: string]: string | number }} */
  const value = { name, company, date, parameters, active, layers, cache };
  return { month, company, value };
}

/** @type {Card[]} */
export const cards = [.../** @type {NodeListOf<HTMLElement>} */ (gallery.querySelectorAll(".card"))].map(
  (node, index, all) => new Card(node, all.length - index),
);

export const pending = [.../** @type {NodeListOf<HTMLElement>} */ (gallery.querySelectorAll(".pending li"))].map(
  (node) => new Row(node),
);

/**
 * @param {string} key
 * @returns {(a: Card, b: Card) => number}
 */
export function compare(key) {
  const falling = key.startsWith("-"),
    name = key.replace("-", "");
  /** @param {Card} card */
  const undated = (card) => name === "date" && !card.told.month; // last, whichever way
  return (a, b) => {
    if (undated(a) !== undated(b)) return undated(a) ? 1 : -1;
    const [x, y] = [a.told.value[name], b.told.value[name]];
    const way = x < y ? -1 : x > y ? 1 : 0;
    return (falling ? -way : way) || (a.told.value.name < b.told.value.name ? -1 : 1);
  };
}
