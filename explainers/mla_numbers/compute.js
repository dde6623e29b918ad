/* Twin of reference.py, costs.py and toy.py: sizes -> bytes, FLOPs and GPUs; four tokens -> two circuits. */
import { gpus_of, grow_of, kept_of, ways_of } from "./costs.js";
import { carry_of, circuits_of, counted_to, distance_of, unpacked_of } from "./toy.js";

/** @import { Data, State } from "../../.make/data_types/mla-numbers.d.ts" */
/** @import { Matrix } from "./toy.js" */

/** @typedef {Data["chips"][number]} Chip */

/**
 * A model: COLUMNS by name.
 * @typedef {{
 *   slug: string, title: string, heads: number, rank: number, rope: number, nope: number, v: number, layers: number,
 *   turned: number, picked: number,
 * }} Size
 */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

const COLUMNS = ["slug", "title", "heads", "rank", "rope", "nope", "v", "layers", "turned", "picked"];
export const LISTED = {
  rank: [0, 64, 128, 256, 512, 1024, 1536, 2048, 2560],
  rope: [-1, 0, 32, 64, 128],
  heads: [0, 16, 32, 64, 128],
  context: Array.from({ length: 11 }, (_, i) => 2 ** (10 + i)),
  ranks: [1, 2, 4, 8, 16],
  split: ["heads", "sequences"],
  turn: ["none", "apart", "every"],
  head: [1, 2],
  token: [0, 1, 2, 3],
};
const COUNTS = { fresh: [1, 512], distance: [0, 31], step: [0, 5] };
/** @param {string} slug @param {Data} data */
const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return /** @type {Size | undefined} */ (row && Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]])));
};

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  const chips = data.chips.map((one) => one.key);
  if (!chips.includes(state.chip)) return `A chip is one of ${chips.join(", ")}.`;
  for (const [key, all] of /** @type {[keyof typeof LISTED, (string | number)[]][]} */ (Object.entries(LISTED)))
    if (!all.includes(state[key])) return `${key} is one of ${all.join(", ")}.`;
  for (const [key, [low, high]] of /** @type {[keyof typeof COUNTS, number[]][]} */ (Object.entries(COUNTS))) {
    const n = state[key];
    if (!Number.isInteger(n) || low > n || n > high) return `${key} is a whole number from ${low} to ${high}.`;
  }
  return "";
}
/**
 * What has to be absorbed for a key at each distance.
 * @typedef {{ waves: Matrix, different: number, span: number, needed: Matrix }} Carry
 */

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const row = /** @type {Size} */ (find(state.model, data));
  const size = {
    ...row,
    rank: state.rank || row.rank,
    heads: state.heads || row.heads,
    rope: state.rope >= 0 ? state.rope : row.rope,
  };
  const chip = /** @type {Chip} */ (data.chips.find((one) => one.key === state.chip));
  const { turn, head } = state;
  return {
    size,
    on: chip,
    kept: kept_of(size),
    ways: ways_of(size, chip),
    grow: grow_of(size, state.context, state.fresh),
    gpus: gpus_of(size, data.other, state.ranks, state.split),
    unpack: unpacked_of(state.token),
    toy: circuits_of(turn, head),
    so_far: counted_to(state.step),
    carry: { ...carry_of(turn, head), ...distance_of(turn, head, state.distance) },
  };
}
