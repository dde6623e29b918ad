/* The vectors of all sentences and layers, sent along (a notebook) or fetched by the page when they are asked for; and the
   small model of next-token, which the page fetches for a text of one's own. */
import { bytesOf, makeApart } from "../kit/apart.js";
import { fmt } from "../kit/numbers.js";
import * as small from "../next_token/load.js";

/** @import { Data, State } from "../../.make/data_types/attention.d.ts" */

/** @type {{ bytes: Uint8Array | null }} */
const loaded = { bytes: null };
const files = /* @__PURE__ */ makeApart("attention", ["vectors"], (_, [bytes]) => {
  loaded.bytes = bytes;
});

/** What the small model needs. @param {Data} data @returns {small.Data} */
export const modelOf = ({ model, apart }) => {
  const sent = /** @type {Partial<small.Data["apart"]>} */ (apart ?? {});
  const { weights, merges } = sent;
  return /** @type {small.Data} */ ({ ...model, ...(weights && merges ? { apart: { weights, merges } } : {}) });
};

/** Calls a function once vectors or the model have come; returns what takes it back. @param {() => void} fn */
export const whenLoaded = (fn) => {
  const both = [files.whenLoaded(fn), small.whenLoaded(fn)];
  return () => {
    for (const forget of both) forget();
  };
};

/** All vectors, or null while they are not here. @param {Data} data */
export const allVectors = (data) => {
  if (!loaded.bytes && data.apart) loaded.bytes = bytesOf(data.apart.vectors);
  return loaded.bytes;
};

/** Fetches what a state needs, where a page is around that has it. @param {State} state @param {Data} data */
export const load = (state, data) => {
  if (state.own) small.load(modelOf(data));
  else if (!allVectors(data)) files.load(data);
};

/** What is said while a state needs what is not here. @param {State} state @param {Data} data */
export const waitingWords = (state, data) => {
  if (!files.canLoad() || (state.own && !small.loaded.start))
    return "Only the page has the model and the other layers; here are the stored sentences.";
  const failed = state.own ? small.state.failed : files.state.failed;
  const what = state.own ? `The model (${fmt.bytes(data.model.bytes)})` : "The layer";
  return `${what} ${failed ? "could not be fetched." : "is loading."}`;
};
