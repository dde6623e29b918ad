/* Twin of reference.py, small.py and traffic.py: a head, a tile and a chip -> bytes, FLOP and room; softmax in tiles. */
import { upto } from "../kit/arrays.js";

/** @import { Data, State } from "../../.make/data_types/flash.d.ts" */

/** @typedef {Data["chips"][number]} Chip */

/**
 * A head of a model: a row of data.models by name.
 * @typedef {{ slug: string, title: string, qk: number, v: number, heads: number, layers: number, window: number }} Head
 */

/** @typedef {Pick<Head, "qk" | "v" | "window">} Sizes */

/** @typedef {ReturnType<typeof timed>} Timed */

/** @typedef {ReturnType<typeof cut>} Cut */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

const HEADS = [0, 32, 64, 96, 128, 192, 256, 512];
export const TOKENS = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const WINDOWS = [0, -1, 128, 512, 1024, 4096];
export const TILES = ["2x2", "2x4", "4x2", "4x4", "8x8"];
export const [REACHES, FIFTHS] = [
  [8, 4, 2],
  [1, 4, 8],
];
export const [SMALLEST, LARGEST, STEP, STEPS] = [16, 512, 16, 10];
/** @param {readonly number[]} list */
export const sum = (list) => list.reduce((a, b) => a + b, 0);
/** @param {string} slug @param {Data} data */
const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return /** @type {Head | undefined} */ (
    row &&
      Object.fromEntries(["slug", "title", "qk", "v", "heads", "layers", "window"].map((name, i) => [name, row[i]]))
  );
};

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  const chips = data.chips.map((one) => one.key);
  if (!chips.includes(state.chip)) return `A chip is one of ${chips.join(", ")}.`;
  const legal = { head: HEADS, tokens: TOKENS, window: WINDOWS, reach: REACHES, fifth: FIFTHS };
  for (const [key, all] of Object.entries(legal))
    if (!all.includes(state[/** @type {keyof typeof legal} */ (key)])) return `${key} is one of ${all.join(", ")}.`;
  for (const key of /** @type {const} */ (["rows", "keys"])) {
    const n = state[key];
    if (!Number.isInteger(n) || SMALLEST > n || n > LARGEST || n % STEP)
      return `A tile has ${SMALLEST} to ${LARGEST} ${key}, in steps of ${STEP}.`;
  }
  if (!TILES.includes(state.tile)) return `A small tile is one of ${TILES.join(", ")}.`;
  return Number.isInteger(state.step) && state.step >= 1 && STEPS >= state.step
    ? ""
    : `A step is a whole number from 1 to ${STEPS}.`;
}

/* ------------------------------------------------------------ bytes, FLOP, room */
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
const traffic = ({ tokens, rows, keys }, { qk, v, window }, chip) => {
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
const on_chip = ({ rows, keys }, { qk, v }, chip) => {
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

/* ------------------------------------------------------------ eight tokens */
const QUERIES = [
  [2, 0],
  [-1, 2],
  [1, -1],
  [0, 2],
  [1, 1],
  [-1, 1],
  [1, 0],
  [0, 1],
];
const KEY_ROWS = [
  [0.5, 1],
  [2.5, 0.5],
  [0, 2],
  [1, 0],
  [1.5, 1.5],
  [0, 4],
  [1, 0.5],
  [0.5, 1],
];
const VALUES = [2, -1, 1, 3, 0, 5, -2, 1];
const [SIZE, NONE] = [8, "–"];
/** @param {number} fifth */
const keys_with = (fifth) => KEY_ROWS.map((key, i) => (i === 5 ? [0, fifth] : key));
/** @param {number} q @param {number} k @param {number} reach */
export const sees = (q, k, reach) => q >= k && reach > q - k;
/** @param {number} q @param {number} fifth @param {number} reach */
const scores_of = (q, fifth, reach) =>
  keys_with(fifth).map((key, k) => (sees(q, k, reach) ? QUERIES[q][0] * key[0] + QUERIES[q][1] * key[1] : -Infinity));
/** @param {number} x */
const number = (x) => (x === -Infinity ? NONE : x);

/** @param {number[]} scores @param {number[]} values @param {number} wide */
const online = (scores, values, wide) => {
  let [top, total, out] = [-Infinity, 0, 0];
  return upto(scores.length / wide).map((i) => {
    const tile = scores.slice(i * wide, (i + 1) * wide);
    const best = Math.max(top, ...tile);
    const factor = top > -Infinity ? Math.exp(top - best) : 0;
    const weights = tile.map((x) => (best > -Infinity ? Math.exp(x - best) : 0));
    const [fresh_sum, fresh_out] = [sum(weights), sum(weights.map((w, j) => w * values[i * wide + j]))];
    [top, total, out] = [best, total * factor + fresh_sum, out * factor + fresh_out];
    return { max: top, sum: total, out, factor, weights, fresh_sum, fresh_out };
  });
};

/** @param {number} fifth */
export const row_of = (fifth) => {
  const scores = scores_of(7, fifth, SIZE);
  const [first, second] = online(scores, VALUES, 4);
  /** @param {typeof first} one */
  const told = (one) => ({ max: one.max, sum: one.sum, out: one.out });
  const all = scores.map((x) => Math.exp(x - Math.max(...scores)));
  return {
    query: 7,
    scores,
    values: VALUES,
    weights: [...first.weights, ...second.weights],
    first: told(first),
    second: told(second),
    factor: second.factor,
    fresh_sum: second.fresh_sum,
    fresh_out: second.fresh_out,
    tiled: second.out / second.sum,
    plain: sum(all.map((w, i) => w * VALUES[i])) / sum(all),
  };
};

/** @param {string} tile @param {number} reach */
const cut = (tile, reach) => {
  const [tall, wide] = tile.split("x").map(Number);
  const corners = upto(SIZE / tall).flatMap((r) => upto(SIZE / wide).map((k) => [r * tall, k * wide]));
  /** @param {number[]} corner */
  const needed = ([r, k]) => sum(upto(tall).map((i) => upto(wide).filter((j) => sees(r + i, k + j, reach)).length));
  const [order, skipped] = [corners.filter((one) => needed(one)), corners.filter((one) => !needed(one))];
  const met = sum(corners.map(needed));
  return {
    size: SIZE,
    scores: SIZE * SIZE,
    tall,
    wide,
    tiles: corners.length,
    computed: order.length,
    left: skipped.length,
    needed: met,
    needed_share: met / (SIZE * SIZE),
    share: order.length / corners.length,
    order,
    skipped,
  };
};

/** @param {Cut} small @param {Pick<State, "step" | "reach" | "fifth">} state */
export const walk_of = (small, { step: asked, reach, fifth }) => {
  const { tall, wide, order } = small;
  const step = Math.min(asked, order.length);
  const [r, k] = order[step - 1];
  const last = step === order.length || order[step][0] !== r;
  const rows = upto(tall).map((i) => {
    const one = online(scores_of(r + i, fifth, reach), VALUES, wide)[k / wide];
    const met = one.sum > 0;
    return {
      query: r + i,
      max: number(one.max),
      sum: met ? one.sum : NONE,
      out: met ? one.out : NONE,
      written: last ? one.out / one.sum : NONE,
    };
  });
  return {
    step,
    steps: order.length,
    row: r,
    row_to: r + tall - 1,
    key: k,
    key_to: k + wide - 1,
    scores: tall * wide,
    queries: QUERIES.slice(r, r + tall),
    keys: keys_with(fifth).slice(k, k + wide),
    values: VALUES.slice(k, k + wide),
    rows,
    cells: upto(tall).map((i) =>
      scores_of(r + i, fifth, reach)
        .slice(k, k + wide)
        .map(number),
    ),
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Head} */ (find(state.model, data));
  const head = { ...row, qk: state.head || row.qk, v: state.head || row.v, window: state.window || row.window };
  const chip = /** @type {Chip} */ (data.chips.find((one) => one.key === state.chip));
  const now = traffic(state, head, chip);
  const small = cut(state.tile, state.reach);
  const heads = head.heads * head.layers;
  return {
    ...now,
    head,
    chip,
    sram: on_chip(state, head, chip),
    all: { heads, plain: heads * now.masked.bytes, tiled: heads * now.tiled.bytes },
    small,
    row: row_of(state.fifth),
    walk: walk_of(small, state),
  };
}
