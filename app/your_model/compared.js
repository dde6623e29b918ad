/* A catalogued model beside the reader's -> verdict, figures, drawing of both and table, as /compare/ shows them. */

import { cache } from "../compare/compare-cache.js";
import { links, marked, two } from "../compare/compare-views.js";
import { Stopped } from "./python.js";

/** @import { ComparedPair, DrawRequest } from "./types.d.ts" */

/**
 * @param {{ compare: (request: Omit<DrawRequest, "id">) => Promise<ComparedPair> }} engine
 * @param {Omit<DrawRequest, "id">} config
 * @param {AbortSignal} signal
 */
export async function compare(engine, { text, title, source, edits }, signal) {
  const box = /** @type {HTMLInputElement} */ (document.getElementById("other")),
    typed = box.value.trim();
  const found = await engine.compare({ text, title, source, edits, beside: typed && slugOf(typed) });
  if (signal.aborted) return;
  if (found.refused) throw new Stopped(found.refused);
  box.value = found.files[0].title;
  const { models } = /** @type {HTMLElement} */ (document.getElementById("yours")).dataset;
  const home = /** @type {HTMLElement} */ (document.getElementById("compared"));
  show(home, found, new URL(/** @type {string} */ (models), location.href));
}

/**
 * The catalogued model that a reader means.
 * @param {string} typed a title or a Hub id
 * @returns {string}
 */
function slugOf(typed) {
  const plain = typed.toLowerCase(),
    rows = [.../** @type {HTMLDataListElement} */ (document.getElementById("others")).options];
  const found =
    rows.find(({ value, dataset }) => value.toLowerCase() === plain || dataset.slug?.toLowerCase() === plain) ??
    rows.find(({ value, dataset }) => `${value} ${dataset.slug}`.toLowerCase().includes(plain));
  if (!found)
    throw new Stopped(`No drawn model here is called “${typed}”. Type a name from the list, such as Qwen3 32B.`);
  return found.dataset.slug ?? "";
}

/**
 * @param {HTMLElement} home
 * @param {ComparedPair} found
 * @param {URL} pages where the pages of models are
 */
function show(home, { files: [a, b], pair }, pages) {
  b.pairs[a.slug] = pair;
  const state = { show: "both", equal: false, part: "", width: 0 };
  function render() {
    state.width = home.clientWidth;
    home.replaceChildren(...two([a, b], { ...state, counting: "" }), cache([a, b]), links([a, b], pages));
  }
  /** @type {[selector: string, run: (part: HTMLElement) => void][]} */
  const presses = [
    [".cmp-show button", ({ dataset }) => pressShow(home, (state.show = dataset.show ?? "both"))],
    [
      "[data-equal]",
      () => {
        state.equal = !state.equal;
        render();
        /** @type {HTMLElement} */ (home.querySelector("[data-equal]")).focus();
      },
    ],
    [
      "a[data-to]",
      ({ dataset }) => {
        state.part = state.part === dataset.to ? "" : (dataset.to ?? "");
        marked(home, state.part, true);
      },
    ],
  ];
  home.onclick = (event) => {
    for (const [selector, run] of presses) {
      const part = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(selector));
      if (!part) continue;
      event.preventDefault();
      run(part);
    }
  };
  sized.disconnect();
  sized = new ResizeObserver(() => home.clientWidth && home.clientWidth !== state.width && render());
  sized.observe(home);
  render();
}
let sized = new ResizeObserver(() => {});

/**
 * Which of both models the drawing shows.
 * @param {HTMLElement} home
 * @param {string} show
 */
function pressShow(home, show) {
  /** @type {HTMLElement} */ (home.querySelector(".cmp-seen")).dataset.show = show;
  for (const one of /** @type {NodeListOf<HTMLButtonElement>} */ (home.querySelectorAll(".cmp-show button")))
    one.setAttribute("aria-pressed", String(one.dataset.show === show));
}
