/* Layers -> pipeline stages; the twin of gallery/planning/stages.py. */

import * as schedules from "./schedules.js";

/** @import { Counts, Layout, Sheet } from "./types.d.ts" */

/**
 * [first, end) of the layers of each chunk, in the order in which a token meets them.
 * @param {number} layers
 * @param {number} parts
 * @returns {number[][]}
 */
export const chunks = (layers, parts) => {
  const ends = layers % parts === 0 ? 0 : 1;
  const all = layers + 2 * ends;
  const [each, more] = [Math.floor(all / parts), all % parts];
  const out = [];
  for (let part = 0, start = -ends; part < parts; part += 1) {
    const stop = start + each + (part < more ? 1 : 0);
    out.push([Math.max(start, 0), Math.max(Math.min(stop, layers), Math.max(start, 0))]);
    start = stop;
  }
  return out;
};

export const REPEATED = /\(([^()]*)\)(?:\*(\d{1,4}))?|([EtmL|])\*(\d{1,4})/;
export const MOST_LETTERS = 10000;

/**
 * Megatron-LM's layout string -> what each chunk is made of: "Et*2|(t|)*2L" -> Ett, t, t, L.
 * @param {string} text
 * @returns {string[]}
 */
export const expand_layout = (text) => {
  let plain = text.replace(/[,\s]/g, "");
  for (let found; plain.length <= MOST_LETTERS && (found = REPEATED.exec(plain)); ) {
    const many = (found[1] || found[3] || "").repeat(Number(found[2] || found[4] || 1));
    plain = plain.slice(0, found.index) + many + plain.slice(found.index + found[0].length);
  }
  return plain.split("|");
};

/**
 * The layers of each chunk of a layout string.
 * @param {string} text
 * @returns {number[][]}
 */
export const layers_of_layout = (text) => {
  let start = 0;
  return expand_layout(text).map((letters) => [start, (start += letters.split("t").length - 1)]);
};

/**
 * The stages a chunk stands on: round and round, down and back up, or one for each end that micro-batches enter.
 * @param {number} chunk
 * @param {Pick<Layout, "pp" | "placement">} one
 * @returns {number[]}
 */
export const places = (chunk, { pp, placement }) => {
  const [turn, stage] = [Math.floor(chunk / pp), chunk % pp];
  if (placement === "both") return [stage, pp - 1 - stage];
  return [placement === "v" && turn % 2 ? pp - 1 - stage : stage];
};
/**
 * @param {Layout} one
 * @returns {number[]}
 */
export const first_stages = (one) => places(0, one);
/**
 * @param {Layout} one
 * @returns {number[]}
 */
export const last_stages = (one) => places(one.pp * one.chunks - 1, one);

/**
 * The layers of each stage, in the order in which a token meets them; kept, since a search asks again and again. Nobody
 * writes into it.
 * @type {Map<string, number[][]>}
 */
export const DEALT = new Map();
/**
 * @param {number} layers
 * @param {Layout} one
 * @returns {number[][]}
 */
export const of = (layers, one) => {
  const key = `${layers} ${one.pp} ${one.chunks} ${one.placement} ${one.split}`;
  if (DEALT.size > 512) DEALT.clear();
  if (!DEALT.has(key)) DEALT.set(key, deal_layers(layers, one));
  return /** @type {number[][]} */ (DEALT.get(key));
};
/**
 * @param {number} layers
 * @param {Layout} one
 * @returns {number[][]}
 */
export const deal_layers = (layers, one) => {
  const found = one.split ? layers_of_layout(one.split) : chunks(layers, one.pp * one.chunks);
  /** @type {number[][]} */
  const out = Array.from({ length: one.pp }, () => []);
  found.forEach(([first, end], chunk) => {
    for (const stage of places(chunk, one)) for (let layer = first; layer < end; layer += 1) out[stage].push(layer);
  });
  return out;
};

/**
 * Map of kind -> how many, in the order in which they come.
 * @param {Sheet} sheet
 * @param {number[]} layers
 * @returns {Counts}
 */
export const count_kinds = (sheet, layers) => {
  /** @type {Counts} */
  const out = new Map();
  for (const layer of layers) out.set(sheet.layers[layer], (out.get(sheet.layers[layer]) || 0) + 1);
  return out;
};

/**
 * The kinds of the layers that are trained to predict further tokens (stored: each that has weights, once), and where
 * they stand: at the first m of a layout string, else last.
 * @param {Sheet} sheet
 * @param {Pick<Layout, "mtp">} one
 * @param {boolean} [stored]
 * @returns {number[]}
 */
export const mtp_kinds = (sheet, { mtp }, stored = false) => {
  const many = mtp * Math.floor(sheet.mtp.length / Math.max(sheet.further, 1));
  return sheet.mtp.slice(0, stored ? Math.min(many, sheet.mtp_stored) : many);
};
/**
 * @param {Layout} one
 * @returns {number[]}
 */
export const mtp_stages = (one) => {
  const chunk = expand_layout(one.split).findIndex((letters) => letters.includes("m"));
  return chunk < 0 ? last_stages(one) : places(chunk, one);
};

/**
 * Map of kind -> how many a stage goes through, those that predict further tokens among them; stored: of how many it
 * holds weights.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @param {number} stage
 * @param {number[]} layers
 * @param {boolean} [stored]
 * @returns {Counts}
 */
export const count_on_stage = (sheet, one, stage, layers, stored = false) => {
  const out = count_kinds(sheet, layers);
  if (one.mtp && mtp_stages(one).includes(stage))
    for (const kind of mtp_kinds(sheet, one, stored)) out.set(kind, (out.get(kind) || 0) + 1);
  return out;
};

/**
 * What layers use of a layer on another stage.
 * @param {Sheet} sheet
 * @param {Layout} one
 * @returns {Set<"kv_source" | "weights_of">}
 */
export const crossings = (sheet, one) => {
  /** @type {string[]} */
  const at = [];
  of(sheet.layers.length, one).forEach((own, stage) =>
    own.forEach((layer) => {
      at[layer] = [...(at[layer] || []), stage].join(" ");
    }),
  );
  return new Set(sheet.crossings.filter(([, layer, of]) => at[of] !== at[layer]).map(([name]) => name));
};

/**
 * Micro-batches whose activations a stage holds at its fullest.
 * @param {number} stage
 * @param {Layout} one
 * @returns {number}
 */
export const in_flight = (stage, { runs, pp, chunks, micro_batches }) =>
  schedules.in_flight(runs, pp, chunks, micro_batches, stage);
