// The dialog that a config is pasted into, to be compared as a model is.
import { hold, listed, server } from "./compare-files.js";
import { dialog, say } from "./compare-page.js";
import { state } from "./compare-state.js";

const FILES =
  "This site is static and cannot read a config. To compare a pasted one, start the live app with make serve.";

let slot = 1;
/** @param {number} i the box that the config is for */
export function paste(i) {
  if (!server.live) return say(FILES);
  slot = i;
  dialog.showModal();
  return /** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea")).focus();
}
/** @param {(i: number, slug: string) => unknown} put what shows a model in a box */
export async function pasted(put) {
  const says = /** @type {HTMLElement} */ (dialog.querySelector("[role=alert]")),
    /** @type {(words: string) => void} */
    tell = (words) => {
      says.textContent = words;
      says.hidden = !words;
    };
  tell("");
  dialog.setAttribute("aria-busy", "true");
  try {
    const one = listed(await server.paste(/** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea")).value));
    hold(one);
    dialog.close();
    if (state.slugs.some((slug, i) => slug === one.slug && i !== slot)) return say("That config is already here.");
    return put(slot, one.slug);
  } catch (error) {
    return tell(/** @type {Error} */ (error).message);
  } finally {
    dialog.setAttribute("aria-busy", "false");
  }
}
