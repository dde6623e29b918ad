// /trends/ works without scripts: its plots are SVG, and their dots are links. For readers with a mouse, each plot in
// sight becomes a Bokeh figure with zoom and tooltips; keyboard users keep the SVG.

import { loadBokeh, onTheme, theme } from "../roofline/bokeh.js";

const root = /** @type {HTMLElement} */ (document.querySelector("[data-trends]"));
/** @type {Promise<unknown> | undefined} */
let bokeh;
/** @type {Set<HTMLElement>} */
const alive = new Set();
/** @type {Map<HTMLElement, Promise<void>>} */
const turns = new Map(); // what each figure is about to show

/**
 * One drawing after another, and of those that wait only the last: two at once would both stand in the card.
 * @param {HTMLElement} figure
 */
function enliven(figure) {
  /** @type {Promise<void>} */
  const mine = (turns.get(figure) ?? Promise.resolve())
    .then(() => (turns.get(figure) === mine ? redraw(figure) : undefined))
    .catch(() => {});
  turns.set(figure, mine);
}

/**
 * Replaces a picture by its Bokeh figure; if the figure's file does not load, the picture stays.
 * @param {HTMLElement} figure
 */
async function redraw(figure) {
  const answer = await fetch(`${figure.dataset.live}`);
  if (!answer.ok) return;
  const both = await answer.json();
  bokeh ??= loadBokeh(root.dataset.script);
  await bokeh;
  const picture = /** @type {SVGElement} */ (figure.querySelector(".t-plot"));
  const place = /** @type {HTMLElement} */ (figure.querySelector(".t-live"));
  place.replaceChildren();
  place.hidden = false;
  await /** @type {NonNullable<Window["Bokeh"]>} */ (window.Bokeh).embed.embed_item(both[theme()]);
  picture.toggleAttribute("hidden", true);
  alive.add(figure);
  figure.dataset.ready = "";
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting) {
      seen.unobserve(target);
      enliven(/** @type {HTMLElement} */ (target));
    }
});

addEventListener(
  "pointermove",
  ({ pointerType }) => {
    if (pointerType !== "mouse") return;
    for (const figure of root.querySelectorAll("[data-live]")) seen.observe(figure);
  },
  { once: true },
);

onTheme(() => {
  for (const figure of alive) enliven(figure);
});
