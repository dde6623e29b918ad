/* Element codes and scales -> bytes in memory order, and which bits of which element each byte holds: packing.py again. */
/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Made, Row } from "./float32.js" */

/**
 * The codes in bytes, and the pieces of elements in each byte.
 * @typedef {{ packing: keyof Data["packings"], bytes: number[], pieces: [element: number, bits: number][][] }} Packed
 */

/** The bit at which element i starts. @param {string} packing @param {number} i @param {number} bits @param {number} n @param {Data} data */
const position = (packing, i, bits, n, data) => {
  if (packing in data.halves) {
    const size = data.halves[/** @type {keyof Data["halves"]} */ (packing)] || n;
    return 4 * size * Math.floor(i / size) + 8 * (i % (size / 2)) + 4 * Math.floor((i % size) / (size / 2));
  }
  if (packing === "high_first") return 8 * Math.floor(i / 2) + 4 * (1 - (i % 2));
  return data.wide.includes(packing) ? 8 * i + (packing === "paired" ? 4 : 0) : bits * i;
};
/**
 * Where the bits of element i stand, low bits first.
 * @param {string} packing
 * @param {number} i
 * @param {number} bits
 * @param {number} n
 * @param {Data} data
 * @returns {[from: number, count: number][]}
 */
const runs = (packing, i, bits, n, data) =>
  packing in more_runs ? more_runs[packing](i) : [[position(packing, i, bits, n, data), bits]];

/** @param {Row} row @param {string} wanted */
export const packing_of = (row, wanted) =>
  /** @type {Packed["packing"]} */ (row.packings.includes(wanted) ? wanted : row.packings[0]);

/** @param {Row} row @param {string} wanted @param {number[]} codes @param {Data} data @returns {Packed} */
export const packed = (row, wanted, codes, data) => {
  const packing = packing_of(row, wanted);
  const length = data.wide.includes(packing) ? codes.length : (codes.length * row.bits) / 8;
  /** @type {number[]} */
  const bytes = new Array(length).fill(0);
  /** @type {[low: number, element: number, bits: number][][]} */
  const parts = bytes.map(() => []);
  codes.forEach((one, i) => {
    let done = 0;
    for (const [from, count] of runs(packing, i, row.bits, codes.length, data)) {
      for (const end = done + count, start = from - done; done < end; ) {
        const [byte, low] = [Math.floor((start + done) / 8), (start + done) % 8];
        const taken = Math.min(8 - low, end - done);
        bytes[byte] |= ((one >> done) & (2 ** taken - 1)) << low;
        parts[byte].push([low, i, taken]);
        done += taken;
      }
    }
  });
  const pieces = parts.map((list) =>
    list.sort((a, b) => b[0] - a[0]).map(([, i, taken]) => /** @type {[number, number]} */ ([i, taken])),
  );
  return { packing, bytes, pieces };
};

/**
 * What searched.js adds: where the bits of elements stand in a packing, and the numbers stored beside the codes of a kind.
 * @typedef {[from: number, count: number]} Run
 */
/** @type {{ [packing: string]: (i: number) => Run[] }} */
export const more_runs = {};
/** @type {{ [kind: string]: (made: Made, row: Row) => number[][] }} */
export const more_stored = {};

/** [code, bytes] of each number that is stored beside the codes. @param {Row} row @param {Made} made @param {number} sub @returns {number[][]} */
const stored_parts = (row, made, sub) =>
  row.kind in more_stored ? more_stored[row.kind](made, row) : [[made.scale_codes[sub], row.scale_bytes]];
/** What is stored beside the codes, little-endian. @param {Row} row @param {Made} made @param {number} sub */
export const scale_bytes = (row, made, sub) =>
  stored_parts(row, made, sub).flatMap(([one, size]) =>
    Array.from({ length: size }, (_, k) => (one >>> (8 * k)) & 0xff),
  );
