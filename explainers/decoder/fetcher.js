/* The weights of a mixer, fetched where a page is around that has them. */
import { decoder_of, fetched } from "./forward.js";
import { decoder } from "./live.js";
import { row_of } from "./mixers.js";

/** @import { Data } from "./compute.js" */

/**
 * Fetches the weights of a mixer, where a page is around that has them.
 * @param {HTMLElement | null} home
 * @param {Data} data
 * @param {() => void} then once they are here
 */
export const fetcher = (home, data, then) => {
  const asked = new Set();
  /** @param {string} name */
  const need = (name) => {
    if (!home || decoder(name, data) || asked.has(name)) return;
    asked.add(name);
    const one = row_of(name, data);
    const url = new URL(`decoder/${name}.bin?v=${one.digest}`, new URL(String(home.dataset.module), document.baseURI));
    fetch(url)
      .then((got) => (got.ok ? got.arrayBuffer() : Promise.reject(got.status)))
      .then(
        (bytes) => {
          fetched[name] = decoder_of(one, new Uint8Array(bytes));
          then();
        },
        () => {
          asked.delete(name);
        },
      );
  };
  return need;
};
