/* Collectives in two levels: over a ring of nodes, and inside each node. gallery/mesh/two_levels.py again. */
import { modulo, upto } from "./arrays.js";
import { doubling, stepOf, summed, wholeOf } from "./schedule-steps.js";

/** @import { Step } from "./schedule-steps.js" */

/**
 * n ranks as nodes of `local`: each as [node, place]; at(node, place) is the rank, or the slot, round both rings.
 * @param {number} n
 * @param {number} local
 */
export const levels = (n, local) => ({
  nodes: n / local,
  ranks: upto(n).map((i) => [Math.floor(i / local), i % local]),
  at: (/** @type {number} */ node, /** @type {number} */ place) =>
    modulo(node, n / local) * local + modulo(place, local),
});

/**
 * [steps round the ring of nodes, steps round each node]: each rank passes on what it got, chunk `late` places behind.
 * @param {number} n
 * @param {number} local
 * @param {number} late
 * @param {(sends: number[][]) => Step} step
 */
export const rings = (n, local, late, step) => {
  const { nodes, ranks, at } = levels(n, local);
  return [
    upto(nodes - 1).map((j) => step(ranks.map(([a, b]) => [at(a, b), at(a + 1, b), at(a - j - late, b)]))),
    upto(local - 1).map((j) =>
      step(ranks.flatMap(([a, b]) => upto(nodes).map((x) => [at(a, b), at(a, b + 1), at(x, b - j - late)]))),
    ),
  ];
};

/**
 * An all-gather in rings: between nodes, then inside each.
 * @param {number} n
 * @param {number} local
 */
export const growing = (n, local) => rings(n, local, 0, (sends) => stepOf("all-gather", sends)).flat();

/**
 * A reduce-scatter in rings: inside each node, then between nodes.
 * @param {number} n
 * @param {number} local
 */
export const shrinking = (n, local) => rings(n, local, 1, summed).reverse().flat();

/**
 * An all-to-all: between nodes first, each rank with those of its own place, then inside each node.
 * @param {number} n
 * @param {number} local
 */
export const exchanging = (n, local) => {
  const { nodes, ranks, at } = levels(n, local);
  /** @param {number[][]} sends */
  const step = (sends) => stepOf("exchange", sends, { frees: true });
  return [
    ...upto(nodes)
      .slice(1)
      .map((d) =>
        step(
          ranks.flatMap(([a, b]) => upto(local).map((y) => [at(a, b), at(a + d, b), at(a + d, y), at(a + 2 * d, y)])),
        ),
      ),
    ...upto(local)
      .slice(1)
      .map((d) =>
        step(
          ranks.flatMap(([a, b]) => upto(nodes).map((x) => [at(a, b), at(a, b + d), at(x, b + d), at(x, b + 2 * d)])),
        ),
      ),
  ];
};

/**
 * A broadcast from a root: to one rank of every node, then inside each.
 * @param {number} n
 * @param {number} local
 * @param {number} root
 */
export const broadcasting = (n, local, root) => {
  const { nodes, at } = levels(n, local);
  const [node, place] = [Math.floor(root / local), root % local];
  return [
    ...doubling(nodes, node).map((pairs) =>
      wholeOf(
        pairs.map(([a, b]) => [at(a, place), at(b, place)]),
        n,
      ),
    ),
    ...doubling(local, place).map((pairs) =>
      wholeOf(
        upto(nodes).flatMap((x) => pairs.map(([a, b]) => [at(x, a), at(x, b)])),
        n,
      ),
    ),
  ];
};
