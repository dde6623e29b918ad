/* The weights and the merges: sent along (a notebook), or fetched by the page when they are asked for. */

/** @import { Running } from "./runtime.js" */
/** @import { Data } from "./compute.js" */

/**
 * `start` makes the model run, where a page has room for it.
 * @typedef {{
 *   start: ((config: Data["config"], weights: Uint8Array, merges: string) => Running) | null,
 *   running: Running | null, asked: boolean, failed: boolean,
 * }} Loaded
 */

/** @type {Loaded} */
export const loaded = { start: null, running: null, asked: false, failed: false };
/** @type {Set<() => void>} */
const waiting = /* @__PURE__ */ new Set();

/** @param {string} text base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

/** @param {Data} data @param {Uint8Array} weights @param {Uint8Array} merges */
const begin = (data, weights, merges) => {
  loaded.running = loaded.start?.(data.config, weights, new TextDecoder().decode(merges)) ?? null;
};

/** The running model, or null while its weights are not here. @param {Data} data @returns {Running | null} */
export const running = (data) => {
  if (!loaded.running && data.apart) begin(data, bytesOf(data.apart.weights), bytesOf(data.apart.merges));
  return loaded.running;
};

/** Calls a function once the weights are here; returns what takes it back. @param {() => void} fn */
export const whenLoaded = (fn) => {
  waiting.add(fn);
  return () => waiting.delete(fn);
};

/** Where the weights lie beside a page's script; a frame has none. */
const home = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-module]"));
const canLoad = () => Boolean(loaded.start && home());

/** Fetches the weights, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  if (loaded.asked || running(data)) return;
  if (!canLoad()) return;
  Object.assign(loaded, { asked: true, failed: false });
  const base = new URL(String(home()?.dataset.module), document.baseURI);
  /** @param {string} name */
  const get = (name) =>
    fetch(new URL(`next-token/${name}.bin?v=${data.digest}`, base)).then((got) =>
      got.ok ? got.arrayBuffer() : Promise.reject(got.status),
    );
  const tell = () => {
    for (const fn of waiting) fn();
  };
  Promise.all(["weights", "merges"].map(get)).then(
    ([weights, merges]) => {
      begin(data, new Uint8Array(weights), new Uint8Array(merges));
      tell();
    },
    () => {
      Object.assign(loaded, { asked: false, failed: true });
      tell();
    },
  );
};

/** What is said while a state needs a model that is not here. */
export const waitingWords = () =>
  !canLoad()
    ? "A frame has no room for the model, so it shows only the first text. The page runs any text."
    : loaded.failed
      ? "The model could not be fetched."
      : "The model is loading.";
