/* Weights and merges -> the model as the page runs it. A single file has no weights, and so not this. */
import { advance, logitsAt, makeModel, makeSession } from "./forward.js";
import { loaded } from "./load.js";
import { encode, FIRST, nameOf, readTokens } from "./tokens.js";

/** @import { Config, Step } from "./forward.js" */

/**
 * A model that runs: a text's tokens, how a token is printed and what it says, and a run over tokens, <s> first.
 * @typedef {ReturnType<typeof start>} Running
 */

/** @param {Config} config @param {Uint8Array} weights @param {string} merges */
const start = (config, weights, merges) => {
  const tokens = readTokens(merges);
  const session = makeSession(makeModel(config, weights));
  return {
    session,
    encode: (/** @type {string} */ text) => encode(tokens, text),
    name: (/** @type {number} */ id) => nameOf(tokens, id),
    bytes: (/** @type {number} */ id) => Uint8Array.from(tokens.pieces[id]),
    /** @param {number[]} ids @returns {{ ids: number[], logits: Float64Array, steps: Step[] }} */
    run: (ids) => {
      const seen = [FIRST, ...ids];
      advance(session, seen);
      return { ids: seen, logits: logitsAt(session), steps: [...session.steps] };
    },
  };
};

export const addRuntime = () => {
  loaded.start = start;
};
