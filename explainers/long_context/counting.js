/* Twin of counting.py: a model's row and a length -> bytes kept, bytes that one new token reads, arithmetic. */
/** @import { Data } from "../../.make/data_types/long-context.d.ts" */
/** @import { Model } from "./models.js" */

/** What a layer keeps of a kind: its columns are KIND to LENT. @typedef {Data["rows"][number]} Row */

/** Layers of one kind. @typedef {ReturnType<typeof layers_of>[number]} Kind */

export const [KIND, NUMBERS, BITS, EVERY, CAP, FIXED, FP8, MIXED, TOP, LENT] = /** @type {const} */ ([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
]);
export const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** @type {{ [storage: string]: [bits: number, own: 0 | 6 | 7, words: string] }} */
export const STORED = {
  bf16: [16, 0, ""],
  fp8: [8, 0, ", FP8"],
  packed: [8, FP8, ", packed"],
  mixed: [8, MIXED, ", mixed"],
};
/** @param {number[]} list */
export const total = (list) => list.reduce((a, b) => a + b, 0);

/** @param {Row} row @param {string} storage */
const bits_of = (row, storage) => {
  const [bits, own] = STORED[storage];
  return (own && row[own]) || row[BITS] + row[NUMBERS] * bits;
};
/** @param {Row} row @param {number} tokens */
export const entries_of = (row, tokens) => {
  if (row[FIXED]) return 1;
  const found = Math.floor(tokens / row[EVERY]);
  return row[CAP] ? Math.min(found, row[CAP]) : found;
};
/** @param {Row} row @param {number} tokens */
export const read_of = (row, tokens) => {
  if (0 > row[TOP]) return ((tokens - 1) % row[CAP]) + 1;
  const found = entries_of(row, tokens);
  return row[TOP] ? Math.min(found, row[TOP]) : found;
};
/** @param {Row} row @param {number} count @param {number} loops @param {string} storage */
const bytes_of = (row, count, loops, storage) => Math.ceil((bits_of(row, storage) * count * loops) / 8);
/** @param {Row} row */
const grows = (row) => !(row[FIXED] || row[CAP] || row[LENT]);

/** @param {Row[]} rows @param {number} loops @param {number} tokens @param {string} storage */
export const layer_of = (rows, loops, tokens, storage) => {
  const own = rows.filter((row) => !row[LENT]);
  /** @param {Row[]} list */
  const kept = (list) => total(list.map((row) => bytes_of(row, entries_of(row, tokens), loops, storage)));
  /** @param {Row[]} list */
  const read = (list) => total(list.map((row) => bytes_of(row, read_of(row, tokens), loops, storage)));
  return {
    keeps: kept(own),
    growing: kept(own.filter(grows)),
    reads: read(rows),
    index: read(rows.filter((row) => row[KIND] === "index")),
    slope: total(rows.filter(grows).map((row) => (bits_of(row, storage) * loops) / row[EVERY] / 8)),
  };
};
/** @param {Model} model @param {string} letter */
export const counted = (model, letter) => model.stack.split(letter).length - 1;
/** @param {Model} model @param {Data} data @param {number} tokens @param {string} storage */
export const layers_of = (model, data, tokens, storage) =>
  model.kinds.map(([name, ...rows], i) => {
    const [words, role, reach] = data.names[name];
    return {
      name: words,
      role,
      reach,
      count: counted(model, LETTERS[i]),
      ...layer_of(
        rows.map((place) => data.rows[place]),
        model.loops,
        tokens,
        storage,
      ),
    };
  });
/** @param {Kind[]} kinds @param {"keeps" | "growing" | "reads" | "index" | "slope"} key */
export const summed = (kinds, key) => total(kinds.map((kind) => kind.count * kind[key]));
/** @param {Model} model @param {Data} data @param {number} tokens @param {string} storage */
export const kept_by = (model, data, tokens, storage) => summed(layers_of(model, data, tokens, storage), "keeps");

/** @param {Model} model @param {number} tokens */
export const work_of = (model, tokens) => {
  const found = [0, 0];
  for (const [kind, flop, every, cap] of model.reads) {
    const count = Math.floor(tokens / every);
    found[kind] += flop * (cap ? Math.min(count, cap) : count);
  }
  return found;
};
/** @param {Model} model */
export const per_past = (model) => total(model.reads.map(([, flop, every, cap]) => (cap ? 0 : flop / every)));
