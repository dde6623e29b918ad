/* The page's own elements: its root, the JSON that it carries, and the places in it that are filled by name. */

export const root = /** @type {HTMLElement} */ (document.querySelector("[data-plan]"));
export const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("plan-data")).textContent);
export const at = (name) => root.querySelector(`[data-at="${name}"]`);

/* A button that was pressed there is drawn anew, and keeps the focus. */
export const put = (name, ...kids) => {
  const box = at(name);
  const pressed = () => [...box.querySelectorAll("button, input")];
  const i = box.contains(document.activeElement) ? pressed().indexOf(document.activeElement) : -1;
  box.replaceChildren(...kids.flat().filter(Boolean));
  if (i >= 0) (pressed()[i] || pressed().at(-1))?.focus({ preventScroll: true });
};
