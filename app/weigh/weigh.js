// Brings what weighs a cache when somebody first reaches for it, or when the address says what to show. What was pressed
// before it is there is pressed again then; what was changed it finds in the controls.

import { changed } from "./weigh-changed.js";

const roots = document.querySelectorAll("[data-weigh]");
/** @type {Promise<unknown> | undefined} */
let coming;
const begin = () =>
  (coming ??= Promise.all([
    import("./weigh-page.js"),
    document.querySelector("[data-roofline]") && import("../roofline/roofline-page.js"),
  ])
    .then(([{ ready }]) => ready)
    .catch(() => {
      coming = undefined;
    }));

/** @type {{ [kind: string]: (event: Event) => unknown }} */
const PRESSED = {
  click: ({ target }) => /** @type {Element} */ (target).closest("[data-weigh] button"),
  keydown: (event) => {
    const { key, target } = /** @type {KeyboardEvent & { target: Element }} */ (event);
    return key === "Enter"
      ? target.matches('[data-in="vs"]')
      : "[]".includes(key) && !target.closest("input:not([type=range]), select, textarea");
  },
};
/** @param {Event} event */
const early = (event) => {
  if (!event.isTrusted || "weighs" in document.documentElement.dataset || !PRESSED[event.type](event)) return;
  begin().then(() =>
    /** @type {Element} */ (event.target).dispatchEvent(
      new /** @type {typeof Event} */ (event.constructor)(event.type, event),
    ),
  );
};

for (const root of roots)
  for (const event of ["pointerover", "focusin", "touchstart", "input"])
    root.addEventListener(event, begin, { once: true, passive: true });
if (roots.length) {
  for (const type of Object.keys(PRESSED)) addEventListener(type, early);
  /** @type {NodeListOf<HTMLButtonElement | HTMLInputElement>} */
  const waiting = document.querySelectorAll('.w-step button, [data-weigh] [data-in="vs"]');
  for (const control of waiting) control.disabled = false;
  if (/[?&](ctx|batch|kv|vs|gpus?|job)=/.test(location.search) || changed().length) begin();
}
