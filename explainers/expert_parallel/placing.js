/* Twin of placing.py: who stands in which slot, which copy a token goes to, and who finds no room. */

import { upto } from "../kit/arrays.js";
import { PER_NODE } from "./routing.js";

/** The slot that each choice of each token goes to, and whether it finds room there. @typedef {{ where: number[][], fits: boolean[][] }} Sent */

/** @type {<T>(items: T[], key: (one: T) => number) => T} */
const least = (items, key) => items.reduce((best, one) => (key(best) > key(one) ? one : best));

/** @param {number[]} load @param {number} spare */
const packed = (load, spare) => {
  const copies = load.map(() => 1);
  for (const _ of upto(spare * PER_NODE)) copies[least(upto(load.length), (e) => -load[e] / copies[e])] += 1;
  const room = copies.reduce((a, b) => a + b) / PER_NODE;
  const heaviest = load
    .flatMap((n, e) => upto(copies[e]).map(() => [n / copies[e], e]))
    .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  /** @type {{ work: number, own: number[] }[]} */
  const gpus = upto(PER_NODE).map(() => ({ work: 0, own: [] }));
  for (const [weight, e] of heaviest) {
    const gpu = least(
      gpus.filter((g) => room > g.own.length),
      (g) => g.work,
    );
    gpu.own.push(e);
    gpu.work += weight;
  }
  return gpus.flatMap((gpu) => gpu.own);
};
/** @param {number[]} load @param {number} nodes @param {number} spare @returns {number[]} */
export const slots_of = (load, nodes, spare) => {
  const each = load.length / nodes;
  if (!spare) return upto(load.length);
  return upto(nodes).flatMap((node) =>
    packed(load.slice(node * each, node * each + each), spare).map((e) => e + node * each),
  );
};
/** @param {number[][]} choice @param {number[]} slots @param {number} room @returns {Sent} */
export const sent_to = (choice, slots, room) => {
  /** @type {Map<number, number[]>} */
  const of = new Map();
  slots.forEach((expert, slot) => {
    if (of.has(expert)) /** @type {number[]} */ (of.get(expert)).push(slot);
    else of.set(expert, [slot]);
  });
  /** @type {[seen: Map<number, number>, filled: number[]]} */
  const [seen, filled] = [new Map(), slots.map(() => 0)];
  /** @type {boolean[][]} */
  const fits = [];
  const where = choice.map((row, token) => {
    fits[token] = [];
    return row.map((expert) => {
      const turn = seen.get(expert) || 0;
      const slot = /** @type {number[]} */ (of.get(expert))[turn % /** @type {number[]} */ (of.get(expert)).length];
      seen.set(expert, turn + 1);
      filled[slot] += 1;
      fits[token].push(!room || room >= filled[slot]);
      return slot;
    });
  });
  return { where, fits };
};
