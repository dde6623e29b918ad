/* Both models: sent along (a notebook), or fetched by the page when they are asked for. The target's files are next-token's. */
import { bytesOf, makeApart } from "../kit/apart.js";
import * as target from "../next_token/load.js";

/** @import { Config, Session } from "../next_token/forward.js" */
/** @import { Running as Target } from "../next_token/runtime.js" */
/** @import { Data } from "./compute.js" */

/** The draft model's session, and what runs it. @typedef {{ session: Session, logits: (session: Session, ids: number[], from: number) => Float64Array[] }} Drafting */
/** Both models. @typedef {{ target: Target } & Drafting} Running */

/**
 * `start` makes the draft model run, where a page has room for it.
 * @type {{ start: ((config: Config, weights: Uint8Array) => Drafting) | null, draft: Drafting | null }}
 */
export const loaded = { start: null, draft: null };

const files = /* @__PURE__ */ makeApart("speculative", ["draft"], (/** @type {Data} */ data, [weights]) => {
  loaded.draft = loaded.start?.(data.config, weights) ?? null;
});

/** What next-token's loader reads. @param {Data} data */
const ofTarget = (data) => /** @type {any} */ ({ ...data.target, apart: data.apart });

/** Both models, or null while one is not here. @param {Data} data @returns {Running | null} */
export const running = (data) => {
  if (!loaded.draft && data.apart && loaded.start) loaded.draft = loaded.start(data.config, bytesOf(data.apart.draft));
  const other = loaded.draft && target.running(ofTarget(data));
  return loaded.draft && other && { target: other, ...loaded.draft };
};

/** @param {() => void} fn */
export const whenLoaded = (fn) => {
  const both = [files.whenLoaded(fn), target.whenLoaded(fn)];
  return () => {
    for (const forget of both) forget();
  };
};

const canLoad = () => Boolean(loaded.start && files.canLoad());

/** Fetches the weights, where a page is around that has them. @param {Data} data */
export const load = (data) => {
  if (running(data) || !canLoad()) return;
  files.load(data);
  target.load(ofTarget(data));
};

/** What is said while a state needs models that are not here. */
export const waitingWords = () =>
  !canLoad()
    ? "A frame has no room for the models, so it shows stored runs only. The page runs any text."
    : files.state.failed
      ? "The models could not be fetched."
      : "The models are loading.";
