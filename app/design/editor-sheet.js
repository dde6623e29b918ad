// On a phone the editor is a sheet at the bottom of the screen, the drawing above it: a button opens it, Escape closes it.

/**
 * @param {{ sheet: HTMLElement, open: HTMLElement, close: HTMLElement, drawing: HTMLElement }} parts
 */
export function asSheet({ sheet, open, close, drawing }) {
  const narrow = matchMedia("(max-width: 50rem)");
  /** @type {string} the id of what had the focus in the sheet */
  let last = "";

  /** @param {boolean} shown */
  function set(shown) {
    sheet.classList.toggle("open", shown);
    open.setAttribute("aria-expanded", String(shown));
  }
  /** @param {HTMLElement | null} [target] what takes the focus; else what had it when the sheet was closed */
  function show(target = null) {
    set(true);
    const { top, bottom } = drawing.getBoundingClientRect();
    if (top > innerHeight / 3 || bottom < innerHeight / 3) drawing.scrollIntoView({ block: "start" });
    const back = target ?? document.getElementById(last);
    (back && sheet.contains(back) ? back : close).focus({ preventScroll: true });
    back?.closest(".d-field")?.scrollIntoView({ block: "nearest" });
  }
  function hide() {
    set(false);
    open.focus({ preventScroll: true });
  }

  sheet.addEventListener("focusin", ({ target }) => {
    const { id } = /** @type {HTMLElement} */ (target);
    if (id && target !== close) last = id;
  });
  open.addEventListener("click", () => show());
  close.addEventListener("click", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && narrow.matches && sheet.classList.contains("open")) hide();
  });
  // A disc of the drawing leads to its field, which lies in the sheet.
  drawing.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a[href^='#field-']");
    if (!link || !narrow.matches) return;
    event.preventDefault();
    const field = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
    show(field?.querySelector("input") ?? field?.querySelector("button:enabled") ?? null);
  });
}
