// Requests for a design, one after another; each fault is a sentence.

import { Stopped } from "../your_model/python.js";
import { refuse, say } from "./design-status.js";

/** @type {(() => Promise<void>) | null} */
let waiting = null;
let busy = false;

/**
 * One request after another: while one is at work only the latest waits.
 * @param {() => Promise<void>} run
 */
export async function act(run) {
  waiting = run;
  if (busy) return;
  busy = true;
  document.querySelector(".d-columns")?.setAttribute("aria-busy", "true");
  while (waiting) {
    const next = waiting;
    waiting = null;
    refuse("");
    try {
      await next();
    } catch (error) {
      refuse(error instanceof Stopped ? error.message : `Something here went wrong: ${error}`);
    }
  }
  busy = false;
  say("");
  document.querySelector(".d-columns")?.removeAttribute("aria-busy");
}

/** What waits is not asked for any more. */
export function drop() {
  waiting = null;
}
