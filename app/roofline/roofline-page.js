// The compute section of a model's page follows what is chosen: weigh-page.js says so by the event "weigh".

import { cells, rows, totalOf, verdict } from "./roofline.js";
import { FRAMES, inner } from "./roofline-figure.js";

/** @import { RooflineData, RooflineState } from "../site/types.d.ts" */

const root = /** @type {HTMLElement} */ (document.querySelector("[data-roofline]"));
/** @type {RooflineData} */
const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("roofline-data")).textContent);
const lines = [...root.querySelectorAll("[data-block]")].map((row) => [...row.querySelectorAll("td")].slice(0, 7));
const figures = [...root.querySelectorAll("[data-roof]")];
const says = /** @type {HTMLElement} */ (root.querySelector("[data-says]"));
const large = /** @type {HTMLElement} */ (root.querySelector("[data-large]"));
const [target] = `${large.getAttribute("href")}`.split("&");
let waiting = 0,
  /** @type {RooflineState} */
  state;

function show() {
  waiting = 0;
  const found = rows(data, state),
    total = totalOf(found);
  found.forEach((one, at) =>
    cells(one, total).forEach((text, place) => {
      if (lines[at][place].textContent !== text) lines[at][place].textContent = text;
    }),
  );
  figures.forEach((node, at) => {
    node.innerHTML = inner(Object.values(FRAMES)[at], found, data, state);
  });
  const text = verdict(found, state);
  if (says.textContent !== text) says.textContent = text;
  const { ctx, batch, kv, gpu, gpus } = state;
  large.setAttribute(
    "href",
    `${target}&${new URLSearchParams({ ctx: `${ctx}`, batch: `${batch}`, kv, gpu, gpus: `${gpus}` })}`,
  );
}

// In sight it follows a moving slider; out of sight it waits until the slider rests.
let seen = false;
new IntersectionObserver(([entry]) => {
  seen = entry.isIntersecting;
}).observe(root);
document.addEventListener("weigh", ({ detail }) => {
  state = detail;
  if (seen && waiting) return;
  clearTimeout(waiting);
  waiting = setTimeout(show, seen ? 60 : 250);
});
