/* Whatever a reader asks of a drawing's page: one thing at a time, and each fault is a sentence. */

import { Stopped } from "./python.js";

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
const KEPT = 8; // answers of this visit: the same config again costs no Python
/** @typedef {{ text: string, title: string, source: string, edits: string, layouts: string }} Asked */

/** @param {string} sentence */
export function refuse(sentence) {
  at("error").textContent = sentence;
  at("error").hidden = !sentence;
}

/** @param {(words: string) => void} say what is happening; nothing at the end */
export function tasks(say) {
  let asking = new AbortController();
  const idle = () => {
    say("");
    at("drawing").removeAttribute("aria-busy");
  };

  /** @param {(signal: AbortSignal) => Promise<void>} run */
  async function act(run) {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    refuse("");
    at("drawing").setAttribute("aria-busy", "true");
    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      refuse(error instanceof Stopped ? error.message : `Something here went wrong: ${error}`);
    }
    if (signal.aborted) return;
    idle();
  }

  /** @param {() => void} stop what is at work outside of this page's script */
  function cancel(stop) {
    asking.abort();
    stop();
    idle();
  }
  return { act, cancel };
}

/**
 * What Python says of a config, or said before.
 * @template Answer
 * @param {Map<string, Answer>} known
 * @param {(request: Asked) => Promise<Answer>} ask
 * @param {Asked} request
 */
export async function answered(known, ask, request) {
  const key = JSON.stringify(request);
  const found = known.get(key) ?? (await ask(request));
  known.delete(key);
  known.set(key, found); // the last one asked for stays longest
  for (const old of [...known.keys()].slice(0, -KEPT)) known.delete(old);
  return found;
}
