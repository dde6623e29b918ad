/* A heading with a muted note, and a legend: what the colours mean. */
import { h } from "./dom.js";

/** @import { Kid } from "./dom.js" */

/**
 * A heading with a muted note.
 * @param {string} title
 */
export const heading = (title, note = "") =>
  h("h2", { class: "cw-heading" }, h("span", { text: title }), " ", h("small", { text: note }));

/**
 * What the colours mean: a swatch of each class and its words.
 * @param {readonly { class: string, label: Kid }[]} items
 */
export const makeLegend = (items) =>
  h(
    "ul",
    { class: "cw-legend" },
    items.map((i) => h("li", {}, h("i", { class: i.class, "aria-hidden": "true" }), i.label)),
  );
