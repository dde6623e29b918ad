/* What is fetched when it is wanted: lanes, their cursor and what is pinned (later.js) when somebody comes near them, what
   can be copied (export.js), what the axes stand for (axes-told.js) and formulas (of tips.js) once the plan stands, suggestions when the reader
   has stopped typing. */

import { setText } from "../../../explainers/kit/dom.js";
import * as elements from "./elements.js";
import * as session from "./session.js";

/** @import { Changes, Now } from "./types.d.ts" */

/**
 * What of page.js the lanes call.
 * @typedef {{ change: (changes: Changes, done: boolean) => void, drawTopology: (now: Now) => void }} Page
 */

/** @type {{ on: ReturnType<typeof import("./later.js").start> | null }} */
export const state = { on: null }; // what later.js gives: show, draw, pin, saved
/** @type {Promise<typeof import("./later.js")> | null} */
let asked = null;
/** @type {Page} */
let page;

/** @param {Page} actions */
export const start = (actions) => {
  page = actions;
};

export const get = async () => {
  asked ||= import("./later.js");
  const later = await asked;
  if (!state.on) {
    state.on = later.start(page);
    const { good } = session.state;
    if (good?.chosen.pin) page.drawTopology(good);
    if (good) state.on.show(good);
  }
  return state.on;
};

export const exporting = () => {
  import("./axes-told.js");
  return import("./export.js");
};
export const suggestions = () => import("./suggestions.js");

/**
 * Bytes of activations that a stage keeps at the cursor; null where there is none.
 * @param {number} stage
 * @returns {number | null}
 */
export const saved = (stage) => state.on?.saved(stage) ?? null;

/* The first plan's lanes are not another one's. */
export const clear = () => {
  if (state.on) return;
  setText(elements.at("runs-note"), "");
  elements.put("lanes");
};

export const watch = () => {
  const near = new IntersectionObserver(
    ([seen]) => {
      if (!seen.isIntersecting) return;
      near.disconnect();
      get();
    },
    { rootMargin: "200px" },
  );
  near.observe(elements.at("lanes"));
};
