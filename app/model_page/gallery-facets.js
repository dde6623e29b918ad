// The facets' boxes -> what is chosen, which cards have it, and how many each box would show.
import { cards, gallery } from "./gallery-cards.js";

/** @import { Card } from "./gallery-cards.js" */

export const boxes = [.../** @type {NodeListOf<HTMLInputElement>} */ (gallery.querySelectorAll(".facets input"))];

/** @type {Map<string, HTMLInputElement[]>} */
export const groups = Map.groupBy
  ? Map.groupBy(boxes, (box) => box.name)
  : boxes.reduce((all, box) => all.set(box.name, [...(all.get(box.name) || []), box]), new Map());

const groupOf = new Map(boxes.map((box) => [box.value, box.name]));

/** @param {Element} box */
export const labelOf = (box) => /** @type {HTMLLabelElement} */ (box.closest("label"));

export function chosen() {
  return new Map([...groups].map(([name, some]) => [name, some.filter((box) => box.checked).map((box) => box.value)]));
}

/**
 * Within a group any of the chosen facets will do; between groups every one must hold: the groups that do not.
 * @param {Card} card
 * @param {Map<string, string[]>} facets
 */
const against = (card, facets) =>
  [...facets].filter(([, values]) => values.length && !values.some((value) => card.has.has(value)));

/**
 * What is shown, and of each box how many would be if its own group asked for nothing: one look at each card.
 * @param {Map<string, string[]>} facets
 * @param {(card: Card) => boolean} typed
 */
export function counted(facets, typed) {
  /** @type {Card[]} */
  const shown = [],
    counts = new Map();
  for (const card of cards) {
    const failed = typed(card) ? against(card, facets) : null;
    if (!failed || failed.length > 1) continue;
    if (!failed.length) shown.push(card);
    for (const key of card.has)
      if (!failed.length || groupOf.get(key) === failed[0][0]) counts.set(key, (counts.get(key) || 0) + 1);
  }
  return { shown, counts };
}
