// The parts of the page /compare/ that stay, and what it says in them.

export const root = /** @type {HTMLElement} */ (document.querySelector(".cmp")),
  body = /** @type {HTMLElement} */ (root.querySelector(".cmp-body")),
  dialog = /** @type {HTMLDialogElement} */ (root.querySelector("dialog"));
export const boxes = /** @type {HTMLElement} */ (root.querySelector(".cmp-boxes")),
  alertBox = /** @type {HTMLElement} */ (root.querySelector(".cmp-alert"));
/** @param {string} words */
export const say = (words) => {
  alertBox.textContent = words;
  alertBox.hidden = !words;
};
/** @param {string} key */
export const button = (key) => /** @type {HTMLElement} */ (root.querySelector(`[data-do="${key}"]`));

/**
 * @param {string} key
 * @param {string} words
 */
export function told(key, words) {
  const pressed = button(key),
    before = pressed.dataset.words ?? pressed.textContent;
  pressed.dataset.words = before;
  pressed.textContent = words;
  setTimeout(() => {
    pressed.textContent = before;
  }, 1500);
}
