/* Weights -> both models as the page runs them. A single file has no weights, and so not this. */
import { upto } from "../kit/arrays.js";
import { advance, logitsAt, makeModel, makeSession } from "../next_token/forward.js";
import { addRuntime as addTarget } from "../next_token/runtime.js";
import { loaded } from "./load.js";

/** @import { Config, Session } from "../next_token/forward.js" */

/** The logits after each token from `from` on. @param {Session} session @param {number[]} ids @param {number} from */
const logits = (session, ids, from) => {
  advance(session, ids);
  return upto(ids.length - from).map((i) => logitsAt(session, from + i));
};

export const addRuntime = () => {
  addTarget();
  /** @param {Config} config @param {Uint8Array} weights */
  loaded.start = (config, weights) => ({ session: makeSession(makeModel(config, weights)), logits });
};
