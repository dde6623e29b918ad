/* A model as it is sent -> its blocks by name, once its numbers are here. */

/** @import { Data } from "../../.make/data_types/roofline.d.ts" */

/**
 * What a block is part of: a mixer's matrices, what it reads of the past, an MLP, the head.
 * @typedef {"mixer" | "past" | "mlp" | "head"} Half
 */

/**
 * A product over the past: FLOPs for each entry, one entry in so many tokens, at most so many, and when.
 * @typedef {[each: number, every: number, cap: number | null, when: string]} Reading
 */

/**
 * Experts: bytes of all, how many there are, how many a token visits.
 * @typedef {[size: number, many: number, visits: number]} Experts
 */

/**
 * What a block keeps: numbers and further bits of an entry, one entry in so many tokens, at most so many, whether it is
 * one for all, the most entries that a decoding step reads, in how many layers.
 * @typedef {[
 *   numbers: number, bits: number, every: number, cap: number | null, fixed: number, most: number | null,
 *   layers: number,
 * ]} Keeping
 */

/**
 * A block of a model: `runs` is the form of its products (ORDER), `token` FLOPs for one token, `weights` bytes.
 * @typedef {{
 *   name: string, half: Half, role: string, runs: number, count: number, token: number, reads: Reading[],
 *   weights: number, experts: Experts[], keeps: Keeping[],
 * }} Block
 */

/**
 * The columns of a block in Data.
 * @typedef {[name: string, half: Half, role: string, runs: number, count: number, token: number, reads: Reading[],
 * weights: number, experts: Experts[], keeps: Keeping[]]} Columns
 */

/**
 * A model as it is sent.
 * @typedef {[title: string, loops: number, alone: string, held: number, rows: Columns[]]} Model
 */

/**
 * A model: `alone` is the form of weights alone, `held` the bytes of all weights.
 * @typedef {{ title: string, loops: number, alone: string, held: number, blocks: Block[] }} Sheet
 */

/** @type {Model} */
const EMPTY = ["", 1, "", 0, []];

/** @type {{ [slug: string]: Model }} */
export const fetched = {}; // slug -> model, for all who share this module

/**
 * A model's numbers, once they are here: in the page, sent along (a notebook), or fetched by the page.
 * @param {string} slug
 * @param {Data} data
 * @returns {Model | undefined}
 */
export const model_of = (slug, data) => {
  if (!fetched[slug] && data.apart?.[slug])
    fetched[slug] = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(data.apart[slug]), (c) => c.charCodeAt(0))),
    );
  return /** @type {{ [slug: string]: Model }} */ (data.models)[slug] || fetched[slug];
};

/** @param {string} slug @param {Data} data @returns {Sheet} */
export const sheet_of = (slug, data) => {
  const [title, loops, alone, held, rows] = model_of(slug, data) || EMPTY;
  const blocks = rows.map(([name, half, role, runs, count, token, reads, weights, experts, keeps]) => ({
    name,
    half,
    role,
    runs,
    count,
    token,
    reads,
    weights,
    experts,
    keeps,
  }));
  return {
    title: title || /** @type {string[]} */ (data.names.find((one) => one[0] === slug))[1],
    loops,
    alone,
    held,
    blocks,
  };
};
