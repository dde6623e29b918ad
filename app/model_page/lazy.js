// What a model's page needs only once it is touched is fetched then: the tips of its drawing, its menu "Copy, cite",
// the switch of its numbers. Its ranks are small and come at once: they may be pressed first.
// A press or a move that came before the code is sent again when it is there.

const figure = /** @type {HTMLElement} */ (document.querySelector("[data-parts] .cw-figure"));
const menu = /** @type {HTMLDetailsElement} */ (document.querySelector(".taking"));

/**
 * load() once, then what `part` was told meanwhile: the last event of each kind on what a selector finds.
 * @param {Element} part
 * @param {string[]} kinds
 * @param {string} on a selector
 * @param {() => Promise<unknown>} load
 */
function once(part, kinds, on, load) {
  /** @type {{ [kind: string]: Event }} */
  const early = {};
  /** @param {Event} event */
  const keep = (event) => {
    if (/** @type {Element} */ (event.target).closest(on)) early[event.type] = event;
  };
  for (const kind of kinds) part.addEventListener(kind, keep);
  /** @type {Promise<void> | undefined} */
  let asked;
  return () =>
    (asked ??= load().then(() => {
      for (const kind of kinds) part.removeEventListener(kind, keep);
      for (const event of Object.values(early))
        event.target?.dispatchEvent(new /** @type {typeof Event} */ (event.constructor)(event.type, event));
    }));
}

function readable() {
  const reading = once(figure, ["pointermove", "click"], "*", () => import("./reading.js"));
  for (const svg of figure.querySelectorAll(":scope > svg")) svg.setAttribute("tabindex", "0");
  for (const kind of ["pointerover", "focusin"]) figure.addEventListener(kind, reading, { once: true });
  const asked = () => {
    if (/^#(part=|w-)/.test(location.hash)) reading();
  };
  addEventListener("hashchange", asked);
  asked();
}

if (figure) readable();
if (menu) {
  const taking = once(menu, ["click"], "button", () => import("./taking-model.js"));
  if (menu.open) taking();
  else menu.addEventListener("toggle", taking, { once: true });
}

const small = /** @type {HTMLDetailsElement | null} */ (document.querySelector("details.run"));
const running = () => import("../your_model/run-model.js");
if (small?.open) running();
else small?.addEventListener("toggle", running, { once: true });

/**
 * Fetched with the first touch of a part, or at once where the address or an earlier choice asks for it.
 * @param {string} selector
 * @param {() => unknown} load
 * @param {boolean} now
 */
function touched(selector, load, now) {
  const part = document.querySelector(selector);
  if (now) load();
  else for (const kind of ["pointerover", "focusin"]) part?.addEventListener(kind, load, { once: true });
}
const query = new URLSearchParams(location.search);
/** @param {string} selector */
const is = (selector) => document.querySelector(selector) !== null; // touched before this was here
/** @param {string} key */
const chose = (key) => {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
};
touched("html", () => import("../site/say.js"), false);
touched(
  ".novelty",
  () => import("./novelty.js"),
  query.has("marks") || chose("marks") || is("[data-marks]:not(:checked)"),
);
touched(".what-if", () => import("./what-if.js"), query.has("edit") || is(".what-if[open]"));
if (document.querySelector("[data-xray]")) import("./ranks.js");
