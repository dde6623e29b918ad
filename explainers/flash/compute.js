/* Twin of reference.py: a head, a tile, a chip and eight tokens -> all that is printed, and which states are legal. */
import { cut, row_of, walk_of } from "./small.js";
import { on_chip, traffic } from "./traffic.js";

/** @import { Data, State } from "../../.make/data_types/flash.d.ts" */

/** @typedef {Data["chips"][number]} Chip */

/**
 * A head of a model: a row of data.models by name.
 * @typedef {{ slug: string, title: string, qk: number, v: number, heads: number, layers: number, window: number }} Head
 */

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
