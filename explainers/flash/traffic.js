/* Twin of traffic.py: a head, a tile and a chip -> the bytes and FLOP of plain and of tiled attention, and room on the chip. */

/** @import { State } from "../../.make/data_types/flash.d.ts" */
/** @import { Chip, Head } from "./compute.js" */

/** @typedef {Pick<Head, "qk" | "v" | "window">} Sizes */

/** @typedef {ReturnType<typeof timed>} Timed */

/** @param {readonly number[]} list */
export const sum = (list) => list.reduce((a, b) => a + b, 0);

/** @param {number} tokens @param {number} rows @param {number} keys @param {number} window */
const passes = (tokens, rows, keys, window) => {
  let [tiles, read] = [0, 0];
  for (let first = 0; tokens > first; first += rows) {
    const later = window === -1;
    const low = later || !window ? 0 : Math.max(0, first - window + 1);
    const high = later ? tokens - 1 : Math.min(first + rows, tokens) - 1;
    const [begin, end] = [Math.floor(low / keys), Math.floor(high / keys) + 1];
    tiles += end - begin;
    read += Math.min(end * keys, tokens) - begin * keys;
  }
  return [tiles, read];
};

/** The scores that the mask leaves. @param {number} tokens @param {number} window */
const pairs_of = (tokens, window) => {
  if (window === -1) return tokens * tokens;
  const seen = Math.min(window || tokens, tokens);
  return tokens * seen - (seen * (seen - 1)) / 2;
};

/** @param {{ flops: number }} one @param {number} moved @param {Chip} chip */
const timed = (one, moved, chip) => ({
  intensity: one.flops / moved,
  gflop: one.flops / 1e9,
  tflops: Math.min(chip.peak, (one.flops / moved) * chip.bandwidth) / 1e12,
  us_bytes: (moved / chip.bandwidth) * 1e6,
  us_flops: (one.flops / chip.peak) * 1e6,
});

/** @param {Pick<State, "tokens" | "rows" | "keys">} tile @param {Sizes} head @param {Chip} chip */
export const traffic = ({ tokens, rows, keys }, { qk, v, window }, chip) => {
  const both = qk + v;
  const [blocks, columns] = [rows, keys].map((n) => Math.ceil(tokens / n));
  const [tiles, read] = passes(tokens, rows, keys, window);
  const [ends, square, kv] = [4 * tokens * both, tokens * tokens, 2 * tokens * both];
  const plain = {
    pass_bytes: 2 * square,
    square_bytes: 8 * square,
    bytes: 8 * square + ends,
    times: (8 * square + ends) / ends,
    flops: 2 * square * both,
  };
  const pairs = pairs_of(tokens, window);
  const masked = { pairs, bytes: 8 * pairs + ends, flops: 2 * pairs * both };
  const bytes = kv + 2 * read * both;
  const tiled = {
    blocks,
    tiles: blocks * columns,
    computed: tiles,
    share: tiles / (blocks * columns),
    again_bytes: 2 * (read - tokens) * both,
    bytes,
    flops: tiles * rows * keys * 2 * both,
    less: masked.bytes / bytes,
  };
  return {
    square,
    ends,
    kv,
    plain,
    masked: { ...masked, ...timed(masked, masked.bytes, chip) },
    tiled: { ...tiled, ...timed(tiled, bytes, chip) },
    kept: { fits: chip.l2 >= kv, ...timed(tiled, ends, chip) },
  };
};

/** @param {Pick<State, "rows" | "keys">} tile @param {Sizes} head @param {Chip} chip */
export const on_chip = ({ rows, keys }, { qk, v }, chip) => {
  const sizes = {
    queries: 2 * rows * qk,
    keys: 2 * keys * qk,
    values: 2 * keys * v,
    output: 4 * rows * v,
    scores: 4 * rows * keys,
    stats: 8 * rows,
  };
  const total = sum(Object.values(sizes));
  return { parts: Object.entries(sizes).map(([name, bytes]) => ({ name, bytes })), total, fits: chip.sram >= total };
};
