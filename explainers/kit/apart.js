/* Files apart from a page, as weights: fetched once, when a state needs them, from where the page's script lies. The
   window hears "apart" when they have come: what was computed without them is no longer right. */

/** @param {string} text base64 */
export const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

/**
 * The files `names` of a folder of /assets/explainers/. `begin` gets their bytes, in this order.
 * @param {string} folder
 * @param {readonly string[]} names
 * @param {(data: any, files: Uint8Array[]) => void} begin
 */
export const makeApart = (folder, names, begin) => {
  const state = { asked: false, failed: false };
  /** @type {Set<() => void>} */
  const waiting = new Set();
  /** A frame has no such place: it calls nobody. */
  const home = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-module]"));
  /** @param {string} digest @param {string} name */
  const get = (digest, name) =>
    fetch(new URL(`${folder}/${name}.bin?v=${digest}`, new URL(String(home()?.dataset.module), document.baseURI))).then(
      (got) => (got.ok ? got.arrayBuffer() : Promise.reject(got.status)),
    );
  const tell = () => {
    dispatchEvent(new Event("apart"));
    for (const fn of waiting) fn();
  };
  return {
    state,
    canLoad: () => Boolean(home()),
    /** Calls a function once the files are here, or could not be fetched; returns what takes it back. @param {() => void} fn */
    whenLoaded: (fn) => {
      waiting.add(fn);
      return () => waiting.delete(fn);
    },
    /** @param {{ digest: string }} data */
    load: (data) => {
      if (state.asked || !home()) return;
      Object.assign(state, { asked: true, failed: false });
      Promise.all(names.map((name) => get(data.digest, name))).then(
        (files) => {
          begin(
            data,
            files.map((one) => new Uint8Array(one)),
          );
          tell();
        },
        () => {
          Object.assign(state, { asked: false, failed: true });
          tell();
        },
      );
    },
  };
};
