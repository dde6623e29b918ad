// /trends/ works without scripts: its plots are SVG, and their dots are links. For readers with a mouse, each plot in
// sight becomes a Bokeh figure with zoom and tooltips; keyboard users keep the SVG.

import { adoptStyles } from "../roofline/adopted-style.js";

const root = /** @type {HTMLElement} */ (document.querySelector("[data-trends]"));
/** @type {Promise<unknown> | undefined} */
let bokeh;
/** @type {Set<HTMLElement>} */
const alive = new Set();

const theme = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
    ? "dark"
    : "light";

function loaded() {
  bokeh ??= new Promise((done, failed) => {
    adoptStyles();
    document.head.append(
      Object.assign(document.createElement("script"), { src: root.dataset.script, onload: done, onerror: failed }),
    );
  });
  return bokeh;
}

/**
 * Replaces a picture by its Bokeh figure; if the figure's file does not load, the picture stays.
 * @param {HTMLElement} figure
 */
async function enliven(figure) {
  const answer = await fetch(`${figure.dataset.live}`);
  if (!answer.ok) return;
  const both = await answer.json();
  await loaded();
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
      enliven(/** @type {HTMLElement} */ (target)).catch(() => {});
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

const repaint = () => {
  for (const figure of alive) enliven(figure).catch(() => {});
};
new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
