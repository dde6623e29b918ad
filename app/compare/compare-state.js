// What /compare/ shows: read from the address, and written to it.
import { queryOf, readAddress, USUAL } from "./compare-address.js";
import { root } from "./compare-page.js";

/** @import { Shown } from "./compare-address.js" */

export const first = /** @type {string} */ (root.dataset.default).split(" ");
/** @type {Shown} */
export let state = { slugs: [], equal: false, table: false, show: "both", part: "", cache: USUAL };

export const read = () => {
  state = readAddress(location.search, first);
};
/** @param {boolean} push */
export const write = (push) =>
  history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${queryOf(state, first)}`);
