/* The whole run in numbers: its results, and what became of each request. */
import { makeStack } from "../kit/table.js";
import { letter } from "./view.js";

/** @import { Seen } from "./view.js" */

export const RESULTS = /** @type {[string, string][]} */ ([
  ["steps until all are answered", "{end:int}"],
  ["blocks in use, at most", "{sums.peak:int} of {blocks:int}"],
  ["slots of held blocks with a token", "{sums.held_share:percent 1}"],
  ["slots of the cache with a token, on average", "{sums.filled_share:percent 1}"],
  ["preemptions", "{sums.preemptions:int}"],
  ["tokens computed again", "{sums.repeated:int}"],
  ["tokens found in the cache", "{sums.hits:int}"],
  ["cached blocks evicted", "{sums.evictions:int}"],
  ["largest step, tokens", "{sums.largest:int}"],
  ["steps until the first token, on average", "{sums.first_mean:fixed 1}"],
]);

/** @typedef {{ i: number, now: Seen, class: string | false }} Row */
export const requests_table = () => {
  /** @param {string} key @param {string} label */
  const column = (key, label) => ({
    label,
    align: "right",
    out: (/** @type {Row} */ row) => `rows.${row.i}.${key}`,
    how: "int",
  });
  return makeStack({
    caption: "The requests",
    columns: [
      { key: "i", label: "request", format: letter },
      column("prompt", "prompt"),
      column("answer", "answer"),
      column("hits", "found cached, in all"),
      column("first", "first token at step"),
      column("done", "answered at step"),
    ],
  });
};
