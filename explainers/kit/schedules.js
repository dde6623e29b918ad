/* A collective, an algorithm and a number of ranks -> who sends which chunk to whom, step by step.
   gallery/mesh/schedules.py again. */
import { modulo, upto } from "./arrays.js";
import { distances, doubling, stepOf, summed, tidy, wholeOf } from "./schedule-steps.js";
import { broadcasting, exchanging, growing, shrinking } from "./two-levels.js";

/** @import { Operation, Plan, Schedule } from "./schedule-steps.js" */

/** Every rank to every other, without a detour. @type {Record<Operation, Plan>} */
export const direct = {
  "reduce-scatter": (n) =>
    upto(n)
      .slice(1)
      .map((d) => summed(upto(n).map((i) => [i, (i + d) % n, (i + d) % n]))),
  "all-gather": (n) =>
    upto(n)
      .slice(1)
      .map((d) =>
        stepOf(
          "all-gather",
          upto(n).map((i) => [i, (i + d) % n, i]),
        ),
      ),
  "all-reduce": (n) =>
    upto(n)
      .slice(1)
      .map((d) =>
        stepOf(
          "everyone to everyone",
          upto(n).flatMap((i) => upto(n).map((c) => [i, (i + d) % n, c])),
          { adds: true, first: true },
        ),
      ),
  "all-to-all": (n) => exchanging(n, n),
  broadcast: (n, root) =>
    upto(n)
      .slice(1)
      .map((d) => wholeOf([[root, (root + d) % n]], n)),
};

/** Binomial trees: as few steps as there can be. @type {Record<Operation, Plan>} */
export const tree = {
  "reduce-scatter": (n) =>
    distances(n)
      .reverse()
      .map((d) =>
        summed(upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, (i + d) % n, (i + d + k) % n]))),
      ),
  "all-gather": (n) =>
    distances(n).map((d) =>
      stepOf(
        "all-gather",
        upto(n).flatMap((i) => upto(Math.min(d, n - d)).map((k) => [i, modulo(i - d, n), (i + k) % n])),
      ),
    ),
  "all-reduce": (n) => [
    ...distances(n).map((d) =>
      stepOf(
        "reduce to rank 0",
        upto(n)
          .filter((i) => i % (2 * d) === d)
          .flatMap((i) => upto(n).map((c) => [i, i - d, c])),
        { adds: true, frees: true },
      ),
    ),
    ...tree.broadcast(n, 0, 0),
  ],
  "all-to-all": (n) =>
    distances(n).map((hop) =>
      stepOf(
        "exchange",
        upto(n).flatMap((i) =>
          upto(n)
            .filter((d) => d & hop)
            .map((d) => [i, (i + hop) % n, (i + d) % n, (i + hop + d) % n]),
        ),
        { frees: true },
      ),
    ),
  broadcast: (n, root) => doubling(n, root).map((pairs) => wholeOf(pairs, n)),
};

/** Rings: each rank sends to the next one alone. @type {Record<Operation, Plan>} */
export const ring = {
  "reduce-scatter": (n) => shrinking(n, 1),
  "all-gather": (n) => growing(n, 1),
  "all-reduce": (n) => [...shrinking(n, 1), ...growing(n, 1)],
  "all-to-all": (n) =>
    upto(n - 1).map((t) =>
      stepOf(
        "pass on",
        upto(n).flatMap((i) =>
          upto(n - t)
            .slice(1)
            .map((k) => {
              const [to, goal] = [(i + 1) % n, (i + k) % n];
              return [i, to, goal, goal === to ? modulo(i - t, n) : goal];
            }),
        ),
        { frees: true },
      ),
    ),
  broadcast: (n, root) =>
    upto(2 * n - 2).map((t) =>
      stepOf(
        "broadcast",
        upto(n - 1)
          .filter((h) => t - h >= 0 && t - h - n < 0)
          .map((h) => [(root + h) % n, (root + h + 1) % n, t - h]),
      ),
    ),
};

/** Two levels: nodes, and the ranks of each node. @type {Record<Operation, Plan>} */
export const hierarchical = {
  "reduce-scatter": (n, _root, local) => shrinking(n, local),
  "all-gather": (n, _root, local) => growing(n, local),
  "all-reduce": (n, _root, local) => [...shrinking(n, local), ...growing(n, local)],
  "all-to-all": (n, _root, local) => exchanging(n, local),
  broadcast: (n, root, local) => broadcasting(n, local, root),
};

/**
 * The schedule of a collective on n ranks.
 * @param {string} op an Operation
 * @param {string} algorithm an Algorithm
 * @param {number} n
 * @param {number} [root] of a broadcast
 * @param {number} [local] ranks of a node, for the hierarchical algorithm
 * @returns {Schedule}
 */
export const makeSchedule = (op, algorithm, n, root = 0, local = 0) => {
  const all = /** @type {{ [name: string]: { [op: string]: Plan } }} */ ({ ring, tree, direct, hierarchical });
  const steps = all[algorithm]?.[op];
  if (!steps) throw new Error(`There is no ${algorithm} ${op}.`);
  if (algorithm === "hierarchical" && (!local || n % local))
    throw new Error(`${n} ranks in equal parts on nodes were looked for, to go from node to node.`);
  const order = op === "all-to-all" && algorithm !== "ring" ? (algorithm === "hierarchical" ? local : n) : 0;
  return { steps: steps(n, root, local), order, tidy };
};
