/* The page's own elements: its root, the JSON that it carries, and the places in it that are filled by name. */

/** @import { PlanData } from "./types.d.ts" */

export const root = /** @type {HTMLElement} */ (document.querySelector("[data-plan]"));
/** @type {PlanData} */
export const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("plan-data")).textContent);
/**
 * @param {string} name
 * @returns {HTMLElement}
 */
export const at = (name) => /** @type {HTMLElement} */ (root.querySelector(`[data-at="${name}"]`));

/**
 * A button that was pressed there is drawn anew, and keeps the focus.
 * @param {string} name
 * @param {...(Node | string | false | 0 | null | undefined | (Node | string | false | 0 | null | undefined)[])} kids
 */
export const put = (name, ...kids) => {
  const box = at(name);
  const pressed = () => [.../** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("button, input"))];
  const i = box.contains(document.activeElement)
    ? pressed().indexOf(/** @type {HTMLElement} */ (document.activeElement))
    : -1;
  box.replaceChildren(...kids.flat().filter(Boolean));
  if (i >= 0) (pressed()[i] || pressed().at(-1))?.focus({ preventScroll: true });
};
