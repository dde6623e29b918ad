/* The vectors of all sentences and layers: sent along (a notebook), or fetched by the page when they are asked for. */

/** @import { Data } from "../../.make/data_types/attention.d.ts" */

/** @type {{ bytes: Uint8Array | null, asked: boolean, failed: boolean }} */
const loaded = { bytes: null, asked: false, failed: false };
/** @type {Set<() => void>} */
const waiting = /* @__PURE__ */ new Set();

/** @param {string} text base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

/** All vectors, or null while they are not here. @param {Data} data */
export const allVectors = (data) => {
  if (!loaded.bytes && data.apart) loaded.bytes = bytesOf(data.apart.vectors);
  return loaded.bytes;
};

/** Calls a function once the vectors are here; returns what takes it back. @param {() => void} fn */
export const whenLoaded = (fn) => {
  waiting.add(fn);
  return () => waiting.delete(fn);
};

/** Where the file lies beside a page's script; a frame has none. */
const home = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-module]"));

/** Fetches the vectors, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  const place = home();
  if (loaded.asked || allVectors(data) || !place) return;
  Object.assign(loaded, { asked: true, failed: false });
  const base = new URL(String(place.dataset.module), document.baseURI);
  const tell = () => {
    for (const fn of waiting) fn();
  };
  fetch(new URL(`attention/vectors.bin?v=${data.digest}`, base))
    .then((got) => (got.ok ? got.arrayBuffer() : Promise.reject(got.status)))
    .then(
      (bytes) => {
        loaded.bytes = new Uint8Array(bytes);
        tell();
      },
      () => {
        Object.assign(loaded, { asked: false, failed: true });
        tell();
      },
    );
};

/** What is said while a state needs vectors that are not here. */
export const waitingWords = () =>
  !home()
    ? "A frame holds one sentence and one layer. The page has the others."
    : loaded.failed
      ? "The vectors of this layer could not be fetched."
      : "The vectors of this layer are loading.";
