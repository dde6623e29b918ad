// What a reader does, and the entry of the browser's history it leads to -> the Panel session behind the page.
import { refuse, show } from "./bench-answers.js";
import { address, here, pasted, query } from "./bench-entry.js";

/**
 * The Panel session behind the page, as anywidget hands it over.
 * @typedef {{
 *   get(key: string): any,
 *   set(key: string, value: unknown): void,
 *   save_changes(): void,
 *   on(event: string, run: () => void): void,
 *   off(event: string, run: () => void): void,
 * }} BenchModel
 */
/** @typedef {ReturnType<typeof requestsOf>} Requests */

const HEARD = 10_000; // ms in which the session must have heard of an action

/** @param {BenchModel} model */
export function sessionOf(model) {
  let unheard = 0;
  /**
   * @param {string} key
   * @param {unknown} value
   */
  const send = (key, value) => {
    model.set(key, value);
    model.save_changes();
  };
  /**
   * Everything a reader does: said at once, sent, and heard by the session or noticed as unheard.
   * @param {string} words
   * @param {{ [key: string]: unknown }} changes
   */
  const act = (words, changes) => {
    const lost = document.documentElement.dataset.connection === "lost";
    show.status(lost ? `${words}: waits for the connection.` : `${words} …`);
    if ("again" in changes || "pasted" in changes) show.error("");
    for (const [key, value] of Object.entries(changes)) send(key, value);
    send("ping", model.get("ping") + 1);
    clearTimeout(unheard);
    unheard = setTimeout(() => document.dispatchEvent(new Event("unheard")), HEARD);
  };
  const heard = () => {
    clearTimeout(unheard);
    document.dispatchEvent(new Event("heard"));
    show.status(model.get("status"));
    show.error(model.get("error"));
  };
  return { send, act, heard };
}

/**
 * @param {BenchModel} model
 * @param {(words: string, changes: { [key: string]: unknown }) => void} act
 */
export function requestsOf(model, act) {
  /** @type {Map<number, { config: { text: string, turn: number } }>} */
  const entries = new Map(); // turn -> the state of the entry whose text was sent then
  /**
   * What this entry of the history asks for; its text first, where the session has not got it.
   * @param {string} words
   * @param {{ [key: string]: unknown }} [more]
   */
  const tell = (words, more = {}) => {
    const search = new URLSearchParams(location.search),
      config = pasted();
    search.delete("pasted");
    if (config) search.set("pasted", config.turn);
    const text = config && config.turn !== model.get("pasted").turn ? { pasted: config } : {};
    if (config) entries.set(config.turn, history.state);
    act(words, { ...text, search: `?${search}`, ...more });
  };
  /**
   * @param {string} words
   * @param {{ [key: string]: string }} change
   * @param {{ [key: string]: unknown }} [more]
   * @param {unknown} [state]
   */
  const go = (words, change, more = {}, state = history.state) => {
    const next = address({ ...query(), ...change });
    try {
      if (next !== here() || state !== history.state) history.pushState(state, "", next);
    } catch {
      return refuse("This browser keeps no more texts as long as this one: open the workbench anew.");
    }
    tell(words, more);
  };
  return { entries, tell, go };
}
