/* What a collective is made of: chunks on their way, steps in which they go at once, the order of slots at the end.
   gallery/mesh/steps.py again. */
import { modulo, upto } from "./arrays.js";

/**
 * A chunk on its way: `source` sends what its slot `chunk` holds to the slot `into` of `destination`, which adds it or keeps
 * it.
 * @typedef {{ source: number, destination: number, chunk: number, into: number, adds: boolean }} Send
 */

/**
 * Sends at the same time. `frees`: who sends keeps nothing; `first`: what is sent is what was there before all steps.
 * @typedef {{ phase: string, sends: Send[], frees: boolean, first: boolean }} Step
 */

/**
 * The steps of a collective. Where `order` is not 0, `tidy` puts the slots of all-to-all in order at the end.
 * @typedef {{ steps: Step[], order: number, tidy?: typeof tidy }} Schedule
 */

/** A collective. @typedef {"reduce-scatter" | "all-gather" | "all-reduce" | "all-to-all" | "broadcast"} Operation */

/** @typedef {"ring" | "tree" | "direct" | "hierarchical"} Algorithm */

/** The steps on n ranks, `local` of them on each node. @typedef {(n: number, root: number, local: number) => Step[]} Plan */

/**
 * 1, 2, 4 … below n.
 * @param {number} n
 */
export const distances = (n) => upto(Math.ceil(Math.log2(n))).map((k) => 2 ** k);

/**
 * One step of sends that are written [source, destination, chunk, into].
 * @param {string} phase
 * @param {number[][]} sends
 * @param {{ adds?: boolean, frees?: boolean, first?: boolean }} [flags]
 * @returns {Step}
 */
export const stepOf = (phase, sends, { adds = false, frees = false, first = false } = {}) => ({
  phase,
  frees,
  first,
  sends: sends.map(([source, destination, chunk, into = chunk]) => ({ source, destination, chunk, into, adds })),
});

/**
 * A step of a reduce-scatter: what is sent is added.
 * @param {number[][]} sends
 */
export const summed = (sends) => stepOf("reduce-scatter", sends, { adds: true, frees: true });

/**
 * A step of a broadcast that sends all n chunks between pairs of ranks.
 * @param {number[][]} pairs
 * @param {number} n
 */
export const wholeOf = (pairs, n) =>
  stepOf(
    "broadcast",
    pairs.flatMap(([a, b]) => upto(n).map((c) => [a, b, c])),
  );

/**
 * Who sends to whom so that n ranks have what the root has, twice as many after each step.
 * @param {number} n
 * @param {number} root
 * @returns {number[][][]}
 */
export const doubling = (n, root) =>
  distances(n)
    .reverse()
    .map((d) =>
      upto(n)
        .filter((i) => i % (2 * d) === 0 && i + d - n < 0)
        .map((i) => [(root + i) % n, (root + i + d) % n]),
    );

/**
 * Puts the slots of every rank in order after an all-to-all.
 * @template Chunk
 * @param {number} order
 * @param {Chunk[][]} held held[rank][slot], changed in place
 */
export const tidy = (order, held) => {
  held.forEach((slots, rank) => {
    slots.slice().forEach((chunk, slot) => {
      slots[slotOf(order, rank, slot, held.length)] = chunk;
    });
  });
};

/**
 * Where a slot belongs after an all-to-all.
 * @param {number} order
 * @param {number} rank
 * @param {number} slot
 * @param {number} n
 */
export const slotOf = (order, rank, slot, n) => {
  const [node, place, above, beside] = [Math.floor(rank / order), rank % order, Math.floor(slot / order), slot % order];
  return modulo(2 * node - above, n / order) * order + modulo(2 * place - beside, order);
};
