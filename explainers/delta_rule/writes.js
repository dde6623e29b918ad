/* The writes: keys, values and gates, and a state that is read with a key. */

/** @import { State } from "./compute.js" */

/** Eight rows of eight numbers: a row for each of a key's; or one vector for each write. @typedef {number[][]} Matrix */
/** A write: which key, and the value's eight signs as bits. @typedef {[key: number, bits: number]} Pair */
/** The decay at each write, that of KDA's channels, and KDA's at each write. @typedef {{ scalar: number[], channels: number[], rows: Matrix }} Gates */

export const D = 8;
/** @returns {Matrix} */
export const zeros = () => Array.from({ length: D }, () => new Array(D).fill(0));
/** @param {number[]} a @param {number[]} b @returns {number} */
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
/** @param {Matrix} S @param {number[]} q @returns {number[]} */
export const read_state = (S, q) => S[0].map((_, j) => S.reduce((sum, row, i) => sum + row[j] * q[i], 0));

/** @param {number} overlap @returns {Matrix} */
const keys = (overlap) => {
  const base = Math.sqrt(1 - overlap);
  const lean = (Math.sqrt(1 + 7 * overlap) - base) / 8;
  return zeros().map((row, i) => row.map((_, j) => (i === j ? base : 0) + lean));
};
/** @param {number} seed */
const uniform = (seed) => {
  // mulberry32
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let t = Math.imul(at ^ (at >>> 15), at | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};
/** @param {number} seed @returns {Matrix} */
const random_keys = (seed) => {
  const draw = uniform(seed);
  return Array.from({ length: 24 }, () => {
    const key = [];
    for (let i = 0; i < D / 2; i += 1) {
      const far = Math.sqrt(-2 * Math.log(1 - draw()));
      const turn = 2 * Math.PI * draw();
      key.push(far * Math.cos(turn), far * Math.sin(turn));
    }
    const long = Math.sqrt(dot(key, key));
    return key.map((x) => x / long);
  });
};
/** @param {State} state */
export const keys_of = (state) => (state.seed ? random_keys(state.seed) : keys(state.overlap));
/** @param {number} bits @returns {number[]} */
export const value_of = (bits) => Array.from({ length: D }, (_, j) => ((bits >> (7 - j)) & 1 ? 1 : -1));

/** @param {number[]} gates @returns {Map<number, number>} */
export const own_gates = (gates) =>
  new Map(Array.from({ length: gates.length / 2 }, (_, i) => [gates[2 * i], gates[2 * i + 1]]));
/** @param {State} state @param {number} n @returns {Gates} */
export const gates_of = (state, n) => {
  // the decay at each write, and KDA's at each write and channel
  const own = own_gates(state.gates);
  const channels = state.channels.length ? state.channels : new Array(D).fill(state.decay);
  const all = Array.from({ length: n }, (_, t) => t);
  return {
    scalar: all.map((t) => (own.has(t) ? /** @type {number} */ (own.get(t)) : state.decay)),
    channels,
    rows: all.map((t) => (own.has(t) ? new Array(D).fill(own.get(t)) : channels)),
  };
};

/** @param {number[]} writes @returns {Pair[]} */
export const pairs_of = (writes) =>
  Array.from({ length: writes.length / 2 }, (_, i) => [writes[2 * i], writes[2 * i + 1]]);
