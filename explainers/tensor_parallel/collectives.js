/* The collectives of t ranks in a ring, and the log of what they send. */
import { carryOut } from "../kit/network.js";
import { growing, shrinking } from "../kit/two-levels.js";
import { range } from "./arithmetic.js";

/** @import { Matrix } from "./arithmetic.js" */

/**
 * One message of the log.
 * @typedef {[what: string, step: number, source: number, destination: number, first: number, rows: number, bytes:
 * number]} Message
 */

/* t ranks in a ring of the mesh, and the log of what they send: [what, step, src, dst, first row, rows, bytes]. */
/** @param {number} t */
export const ring_of = (t) => {
  /** @type {Message[]} */
  const log = [];
  /**
   * @param {typeof growing} steps
   * @param {string} what
   * @param {(Matrix | null)[][]} slots
   * @param {number} after
   * @returns {Matrix[][]}
   */
  const run = (steps, what, slots, after) => {
    let number = after;
    carryOut({ steps: steps(t, 1), order: 0 }, slots, (step, sent) => {
      number += 1;
      step.sends.forEach(({ source, destination, chunk }, i) => {
        const part = sent[i];
        log.push([
          what,
          number,
          source,
          destination,
          chunk * part.length,
          part.length,
          part.reduce((sum, row) => sum + 8 * row.length, 0),
        ]);
      });
    });
    return /** @type {Matrix[][]} */ (slots); // every chunk has arrived
  };
  /** @param {string} what @param {Matrix[]} parts */
  const reduce_scatter = (what, parts) => {
    const blocks = parts.map((part) =>
      range(t).map((c) => part.slice((c * part.length) / t, ((c + 1) * part.length) / t)),
    );
    return run(shrinking, what, blocks, 0).map((mine, i) => mine[i]);
  };
  /** @param {string} what @param {Matrix[]} shares @param {number} [after] */
  const all_gather = (what, shares, after = 0) =>
    run(
      growing,
      what,
      shares.map((share, i) => range(t).map((c) => (c === i ? share : null))),
      after,
    ).map((mine) => mine.flat());
  return {
    log,
    reduce_scatter,
    all_gather,
    /** @param {string} what @param {Matrix[]} parts */
    all_reduce: (what, parts) => all_gather(what, reduce_scatter(what, parts), t - 1),
  };
};
