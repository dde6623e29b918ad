// Cards -> the rows of the table, and which column it is sorted by.
import { $ } from "./gallery-cards.js";

/** @import { Card } from "./gallery-cards.js" */

/**
 * @param {Card[]} list
 * @param {string} order the key that they are sorted by, with - before it where the largest come first
 */
export function rows(list, order) {
  const body = $(".models-table tbody");
  body.replaceChildren(
    ...list.map(({ node, told }) => {
      const row = document.createElement("tr");
      const link = /** @type {HTMLAnchorElement} */ (node.querySelector("h2 a")).cloneNode(true);
      /**
       * @param {string | Node} content
       * @param {boolean} [number]
       */
      const cell = (content, number) => {
        const td = document.createElement("td");
        td.append(content);
        if (number) td.className = "n";
        row.append(td);
      };
      cell(link);
      cell(told.company);
      cell(told.month);
      for (const dd of node.querySelectorAll("dd")) cell(dd.textContent, true);
      cell(/** @type {HTMLElement} */ (node.querySelector(".line")).textContent);
      return row;
    }),
  );
  for (const th of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".models-table th[data-key]"))) {
    const mine = order.replace("-", "") === th.dataset.key;
    if (mine) th.setAttribute("aria-sort", order.startsWith("-") ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  }
}
