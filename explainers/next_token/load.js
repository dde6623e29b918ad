/* The weights and the merges: sent along (a notebook), or fetched by the page when they are asked for. */
import { bytesOf, makeApart } from "../kit/apart.js";

/** @import { Running } from "./runtime.js" */
/** @import { Data as Sent } from "./compute.js" */

/** What the model needs to run, of this page or of another that shows it. @typedef {Pick<Sent, "config" | "digest" | "apart">} Data */
/**
 * `start` makes the model run, where a page has room for it.
 * @typedef {{
 *   start: ((config: Data["config"], weights: Uint8Array, merges: string) => Running) | null,
 *   running: Running | null,
 * }} Loaded
 */

/** @type {Loaded} */
export const loaded = { start: null, running: null };

/** @param {Data} data @param {Uint8Array[]} files the weights, the merges */
const begin = (data, [weights, merges]) => {
  loaded.running = loaded.start?.(data.config, weights, new TextDecoder().decode(merges)) ?? null;
};
const files = /* @__PURE__ */ makeApart("next-token", ["weights", "merges"], begin);
export const { whenLoaded, state } = files;

/** The running model, or null while its weights are not here. @param {Data} data @returns {Running | null} */
export const running = (data) => {
  if (!loaded.running && data.apart) begin(data, [data.apart.weights, data.apart.merges].map(bytesOf));
  return loaded.running;
};

const canLoad = () => Boolean(loaded.start && files.canLoad());

/** Fetches the weights, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  if (!running(data) && canLoad()) files.load(data);
};

/** What is said while a state needs a model that is not here. */
export const waitingWords = () =>
  !canLoad()
    ? "A frame has no room for the model, so it shows only the first text. The page runs any text."
    : state.failed
      ? "The model could not be fetched."
      : "The model is loading.";
