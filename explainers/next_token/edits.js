/* A text that is edited: with a token added at its end, or with one replaced. */
import { running } from "./load.js";
import { runOf } from "./run.js";

/** @import { Data } from "./compute.js" */

const SPACE = 32;

/** The text with its next token, whatever it is. @param {string} text @param {number} id @param {Data} data */
export const withToken = (text, id, data) => {
  const here = running(data);
  return here ? text + new TextDecoder().decode(here.bytes(id)) : text;
};

/**
 * The text with one of its tokens replaced; the new one keeps the space that the old one began with. null while the
 * model is not here.
 * @param {string} text
 * @param {number} at the token's place among those that the model sees, <s> being 0
 * @param {string} typed
 * @param {Data} data
 */
export const withReplaced = (text, at, typed, data) => {
  const here = running(data);
  const run = runOf(text, data);
  if (!here || !run) return null;
  const parts = here.encode(text).map((id) => [...here.bytes(id)]);
  const place = run.dropped + at - 1;
  const space = parts[place][0] === SPACE ? " " : "";
  parts[place] = [...new TextEncoder().encode(space + typed)];
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(parts.flat()));
};
