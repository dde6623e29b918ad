/* The weights and the merges: sent along (a notebook), or fetched by the page when they are asked for. */
import { makeModel, makeSession } from "./forward.js";
import { readTokens } from "./tokens.js";

/** @import { Session } from "./forward.js" */
/** @import { Tokens } from "./tokens.js" */
/** @import { Data } from "./compute.js" */

/** The model as it runs: a session keeps the cache of the last text. @typedef {{ session: Session, tokens: Tokens }} Running */

/** @type {{ running: Running | null, asked: boolean, failed: boolean }} */
export const loaded = { running: null, asked: false, failed: false };
/** @type {Set<() => void>} */
const waiting = new Set();

/** @param {Data} data @param {Uint8Array} weights @param {string} merges */
const start = (data, weights, merges) => {
  loaded.running = { session: makeSession(makeModel(data.config, weights)), tokens: readTokens(merges) };
};

/** @param {string} text base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

/** The running model, or null while its weights are not here. @param {Data} data @returns {Running | null} */
export const running = (data) => {
  if (!loaded.running && data.apart)
    start(data, bytesOf(data.apart.weights), new TextDecoder().decode(bytesOf(data.apart.merges)));
  return loaded.running;
};

/** Calls a function once the weights are here; returns what takes it back. @param {() => void} fn */
export const whenLoaded = (fn) => {
  waiting.add(fn);
  return () => waiting.delete(fn);
};

/** Fetches the weights, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  const home = /** @type {HTMLElement | null} */ (document.querySelector("[data-module]"));
  if (!home || loaded.asked || running(data)) return;
  Object.assign(loaded, { asked: true, failed: false });
  const base = new URL(String(home.dataset.module), document.baseURI);
  /** @param {string} name */
  const get = (name) =>
    fetch(new URL(`next-token/${name}.bin?v=${data.digest}`, base)).then((got) =>
      got.ok ? got.arrayBuffer() : Promise.reject(got.status),
    );
  const tell = () => [...waiting].forEach((fn) => fn());
  Promise.all(["weights", "merges"].map(get)).then(
    ([weights, merges]) => {
      start(data, new Uint8Array(weights), new TextDecoder().decode(merges));
      tell();
    },
    () => {
      Object.assign(loaded, { asked: false, failed: true });
      tell();
    },
  );
};
