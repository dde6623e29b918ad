/* A kind and a seed -> numbers to quantize: the same ones as samples.py, or those that the reader pasted. */

/** @import { State } from "./compute.js" */

export const TILE = 128;
/** @param {number} seed @param {number} i @param {number} lane */
const noise = (seed, i, lane) => {
  // murmur3's finalizer
  let h = (i * 8 + lane + Math.imul(seed, 0x9e3779b9)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
};
/** @param {number} seed @param {number} i */
const bell = (seed, i) => {
  let total = 0;
  for (let lane = 0; lane < 4; lane += 1) {
    const h = noise(seed, i, lane);
    total += (h >>> 16) + (h & 0xffff);
  }
  return (total - 262140) / 53510;
};
/** @type {{ [sample: string]: (seed: number, i: number, n: number) => number }} */
const raw = {
  bell,
  heavy: (seed, i) => (0.8 * bell(seed, i)) / Math.sqrt(Math.sqrt(((noise(seed, i, 4) >>> 16) + 1) / 65536)),
  ramp: (seed, i, n) => (6 * (i % Math.min(n, TILE))) / (Math.min(n, TILE) - 1) - 3,
};
/** @type {{ key: string, x: Float64Array }} */
const kept = { key: "", x: new Float64Array() }; // a tile of 16,384 is made once, not at every move
/** @param {string} kind @param {number} seed @param {number} n */
const sample = (kind, seed, n) => {
  const key = `${kind} ${seed} ${n}`;
  if (kept.key !== key) {
    kept.key = key;
    kept.x = Float64Array.from({ length: n }, (_, i) => Math.floor(raw[kind](seed, i, n) * 100 + 0.5) / 100);
  }
  return kept.x;
};
/**
 * n numbers before the outlier and the changes.
 * @param {Pick<State, "sample" | "seed"> & { own?: number[] }} state
 * @param {number} n
 */
export const given = ({ sample: kind, seed, own = [] }, n) =>
  kind === "own" ? Float64Array.from({ length: n }, (_, i) => own[i % own.length]) : sample(kind, seed, n);
