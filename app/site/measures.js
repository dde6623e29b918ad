// Words of a query that ask for a number: "smallest MLA", "longest context", "128 window", "64 experts". Pure.

/** @import { SearchModel } from "./types.d.ts" */

/** @typedef {{ at: number, down: boolean }} Order `at` a column of a model's numbers; `down`: the largest first */
/** @typedef {{ at: number, value: number }} Wanted */
/** @typedef {{ rest: string[], wanted: Wanted[], order: Order | null }} Measured `rest`: the words that ask for none */

const [PARAMETERS, ACTIVE, CONTEXT, WINDOW, EXPERTS, CACHE, DATE] = [0, 1, 2, 3, 4, 5, 6]; // columns of `numbers`
/** @type {{ [word: string]: number }} */
const NOUNS = {
  active: ACTIVE,
  cache: CACHE,
  context: CONTEXT,
  contexts: CONTEXT,
  expert: EXPERTS,
  experts: EXPERTS,
  parameters: PARAMETERS,
  window: WINDOW,
  windows: WINDOW,
};
/** @type {{ [word: string]: Order }} */
const ORDERS = {
  biggest: { at: PARAMETERS, down: true },
  earliest: { at: DATE, down: false },
  fewest: { at: PARAMETERS, down: false },
  largest: { at: PARAMETERS, down: true },
  latest: { at: DATE, down: true },
  longest: { at: CONTEXT, down: true },
  most: { at: PARAMETERS, down: true },
  newest: { at: DATE, down: true },
  oldest: { at: DATE, down: false },
  shortest: { at: CONTEXT, down: false },
  smallest: { at: PARAMETERS, down: false },
};
const COUNTED = new Set([CONTEXT, WINDOW, EXPERTS]); // columns of which a query may name a value
const BETWEEN = new Set(["token", "tokens", "of"]); // "128-token window", "window of 128"
const NEAR = 0.03; // of a context: 128k is 131,072 and 128,000
const SORTS = ["parameters", "active", "", "", "", "cache", "date"]; // what /models/ calls the columns that it sorts by

/**
 * "128", "4,096", "128k", "1M" -> the number, k and M by 1,024; 0 for anything else.
 * @param {string} word
 */
function numberOf(word) {
  const found = /^(\d+(?:\.\d+)?)([km]?)$/.exec(word.replaceAll(",", ""));
  return found ? Number(found[1]) * ({ k: 2 ** 10, m: 2 ** 20 }[found[2]] ?? 1) : 0;
}

/**
 * What the words ask for; a noun belongs to the superlative or the number that it stands beside.
 * @param {string[]} words
 * @returns {Measured}
 */
export function measured(words) {
  /** @type {Measured} */
  const found = { rest: [], wanted: [], order: null };
  for (let at = 0; at < words.length; at++) {
    const order = Object.hasOwn(ORDERS, words[at]) ? ORDERS[words[at]] : null,
      step = BETWEEN.has(words[at + 1]) ? 2 : 1,
      next = words[at + step] ?? "";
    if (order && !found.order) {
      const noun = Object.hasOwn(NOUNS, words[at + 1] ?? "") ? NOUNS[words[at + 1]] : null;
      found.order = { ...order, at: noun ?? order.at };
      if (noun !== null) at += words[at + 2] === "parameters" ? 2 : 1; // "fewest active parameters"
    } else if (numberOf(words[at]) && COUNTED.has(NOUNS[next])) {
      found.wanted.push({ at: NOUNS[next], value: numberOf(words[at]) });
      at += step;
    } else if (COUNTED.has(NOUNS[words[at]]) && numberOf(next)) {
      found.wanted.push({ at: NOUNS[words[at]], value: numberOf(next) });
      at += step;
    } else found.rest.push(words[at]);
  }
  return found;
}

/**
 * @param {SearchModel} model
 * @param {number} at
 * @returns {number[]}
 */
const valuesOf = (model, at) => [model.numbers?.[at] ?? []].flat();

/**
 * Of several numbers the one that an order goes by: the largest, or the smallest.
 * @param {SearchModel} model
 * @param {Order} order
 */
const best = (model, { at, down }) => valuesOf(model, at).reduce((a, b) => (down ? Math.max(a, b) : Math.min(a, b)));

/**
 * The models that have the numbers, in the order that is asked for; who does not say the number is left out.
 * @param {SearchModel[]} models
 * @param {Measured} asked
 * @returns {SearchModel[]}
 */
export function those(models, { wanted, order }) {
  const have = models.filter((model) =>
    wanted.every(({ at, value }) =>
      valuesOf(model, at).some((one) => Math.abs(one / value - 1) <= (at === CONTEXT ? NEAR : 0)),
    ),
  );
  if (!order) return have;
  const known = have.filter((model) => valuesOf(model, order.at).length);
  return known.sort((a, b) => (order.down ? best(b, order) - best(a, order) : best(a, order) - best(b, order)));
}

/**
 * How the page of all models calls the order; "" where it has no such column.
 * @param {Order | null} order
 */
export const sortOf = (order) => (order && SORTS[order.at] ? `${order.down ? "-" : ""}${SORTS[order.at]}` : "");

const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
/**
 * The number that an order goes by, as a row of the list shows it: "1.96B", "10,485,760"; "" for a date.
 * @param {SearchModel} model
 * @param {Order | null} order
 */
export function numberIn(model, order) {
  if (!order || order.at === DATE) return "";
  const value = best(model, order);
  if (order.at === CACHE) return `${SHORT.format(value)}B`;
  return order.at === PARAMETERS || order.at === ACTIVE ? SHORT.format(value) : value.toLocaleString("en-US");
}
