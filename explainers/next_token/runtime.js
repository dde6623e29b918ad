/* Weights and merges -> the model as the page runs it. A single file has no weights, and so not this. */
import { advance, logitsAt, logitsOf, makeModel, makeSession } from "./forward.js";
import { loaded } from "./load.js";
import { encode, FIRST, nameOf, piecesOf, readTokens } from "./tokens.js";

/** @import { Config, Step } from "./forward.js" */

/**
 * A model that runs: a text's tokens, how a token is printed and what it says, and a run over tokens, <s> first.
 * @typedef {ReturnType<typeof start>} Running
 */

/**
 * What a function of a token's id gives, worked out once.
 * @template T
 * @param {(id: number) => T} make
 */
const once = (make) => {
  /** @type {T[]} */
  const known = [];
  return (/** @type {number} */ id) => (known[id] ??= make(id));
};

/** @param {Config} config @param {Uint8Array} weights @param {string} merges */
const start = (config, weights, merges) => {
  const tokens = readTokens(merges);
  const session = makeSession(makeModel(config, weights));
  return {
    session,
    encode: (/** @type {string} */ text) => encode(tokens, text),
    name: once((id) => nameOf(tokens, id)),
    pieces: once((id) => piecesOf(tokens, id)),
    logits: (/** @type {Float64Array} */ vector) => logitsOf(session.model, vector),
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
