/* A widget alone, in a frame. ?beat=3 leads to the frame of that beat. */
import { findIn } from "./dom.js";
import { mount } from "./host.js";

/** @import { Explainer } from "./beats.js" */

/**
 * Mounts the widget of the document.
 * @param {Pick<Explainer, "widget" | "check" | "settle">} explainer
 * @param {number} beats how many its page has
 */
export const beginLab = (explainer, beats) => {
  const asked = new URLSearchParams(location.search);
  const beat = asked.get("beat") ?? "";
  asked.delete("beat");
  if (/^[1-9]$/.test(beat) && beats >= Number(beat)) location.replace(`beat-${beat}/?${asked}#beat-${beat}`);
  mount(findIn(document, "[data-widget]"), explainer);
};
