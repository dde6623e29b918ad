/* One beat alone, in a frame: no rail, no lab, nothing remembered; its link leads to the lab of the page. */
import { machine } from "./beat-machine.js";
import { looker } from "./beat-words.js";
import { findIn } from "./dom.js";
import { readTold } from "./told.js";

/** @import { BeatSection } from "./beat-machine.js" */
/** @import { Explainer } from "./beats.js" */

/**
 * Brings the one beat of the document to life.
 * @param {Explainer} explainer
 */
export const beginBeat = (explainer) => {
  const { href } = /** @type {HTMLAnchorElement} */ (findIn(document, ".embed-foot a"));
  const told = readTold();
  const page = { ...told, ...explainer, data: told.seed.data, home: href, progress() {} };
  /** @type {BeatSection} */
  const section = findIn(document, "section.beat");
  section.machine = machine(section, told.rows.beats[0], { ...page, look: looker(page) });
  section.dataset.ready = "";
};
