/* The part of the page that lazy.js fetches: lanes and their cursor, tips over them, what is pinned. */

import * as cursor from "./cursor.js";
import * as pin from "./pin.js";
import { drawing } from "./pin-drawing.js";

/** @import { Changes } from "./types.d.ts" */

/**
 * `page`: what of page.js it calls.
 * @param {{ change: (changes: Changes, done: boolean) => void }} page
 */
export const start = (page) => {
  cursor.start();
  pin.start(page);
  return { show: cursor.show, draw: drawing, pin: pin.toggle, saved: cursor.saved };
};
