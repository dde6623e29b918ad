/* The vectors of all sentences and layers: sent along (a notebook), or fetched by the page when they are asked for. */
import { bytesOf, makeApart } from "../kit/apart.js";

/** @import { Data } from "../../.make/data_types/attention.d.ts" */

/** @type {{ bytes: Uint8Array | null }} */
const loaded = { bytes: null };
const files = /* @__PURE__ */ makeApart("attention", ["vectors"], (_, [bytes]) => {
  loaded.bytes = bytes;
});
export const { whenLoaded } = files;

/** All vectors, or null while they are not here. @param {Data} data */
export const allVectors = (data) => {
  if (!loaded.bytes && data.apart) loaded.bytes = bytesOf(data.apart.vectors);
  return loaded.bytes;
};

/** Fetches the vectors, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  if (!allVectors(data)) files.load(data);
};

/** What is said while a state needs vectors that are not here. */
export const waitingWords = () =>
  !files.canLoad()
    ? "A frame holds one sentence and one layer. The page has the others."
    : files.state.failed
      ? "The vectors of this layer could not be fetched."
      : "The vectors of this layer are loading.";
