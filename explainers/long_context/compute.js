/* Twin of reference.py: a model, a storage and a length -> what each layer keeps, what a token reads, its arithmetic. */
import { fmt } from "../kit/numbers.js";
import {
  CAP,
  entries_of,
  FIXED,
  KIND,
  kept_by,
  layer_of,
  layers_of,
  per_past,
  read_of,
  STORED,
  summed,
  TOP,
  total,
  work_of,
} from "./counting.js";
import { BATCHES, find, MILLION, MOST, TOPKS, WINDOWS } from "./models.js";
import { bars_of, spans_of } from "./ruler.js";
import { gemma_of, indexer_of, mix_of, pair_of } from "./scenes.js";

/** @import { Data, State } from "../../.make/data_types/long-context.d.ts" */
/** @import { Kind, Row } from "./counting.js" */
/** @import { Model } from "./models.js" */

/** @typedef {ReturnType<typeof compute>} Now */

/** Layers of one kind, and their place. @typedef {Now["kinds"][number]} Layer */

/** A kind of layer on the ruler. @typedef {Now["ruler"][number]} Ruled */

/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  if (!Object.keys(STORED).includes(state.storage)) return `A storage is one of ${Object.keys(STORED).join(", ")}.`;
  const { tokens } = state;
  if (!(Number.isInteger(tokens) && tokens >= 1 && MOST >= tokens))
    return `Tokens are a whole number from 1 to ${fmt.int(MOST)}.`;
  const legal = { batch: BATCHES, window: WINDOWS, topk: TOPKS };
  for (const [key, all] of Object.entries(legal))
    if (!all.includes(state[/** @type {keyof typeof legal} */ (key)])) return `${key} is one of ${all.join(", ")}.`;
  return "";
}

/** @param {number} x */
const written = (x) => fmt.fixed(x, Number.isInteger(x) ? 0 : Number.isInteger(10 * x) ? 1 : 2);
/** @param {{ bytes: number }[]} bars */
const least_of = (bars) => {
  const shortest = bars.reduce((a, bar) => Math.min(a, bar.bytes), Infinity);
  let found = 1;
  while (shortest >= 10 * found) found *= 10;
  return found;
};
/** @param {State} state @param {Model} model @param {Kind[]} kinds */
const one_model = ({ tokens, batch }, model, kinds) => {
  const [keeps, reads] = [summed(kinds, "keeps"), summed(kinds, "reads")];
  const [index, reading] = work_of(model, tokens);
  const [past, each, fixed] = [index + reading, per_past(model), model.weights + model.states];
  const formula = kinds
    .filter((kind) => kind.slope)
    .map((kind) => `${kind.count} × ${written(kind.slope)}`)
    .join(" + ");
  return {
    title: model.title,
    layers: model.stack.length,
    longest: model.longest,
    kept: keeps * batch,
    still: (keeps - summed(kinds, "growing")) * batch,
    slope: written(summed(kinds, "slope")),
    formula: formula || "nothing grows without limit",
    reads,
    index: summed(kinds, "index"),
    read_share: keeps ? reads / keeps : 0,
    weights_gflop: model.weights / 1e9,
    states_gflop: model.states / 1e9,
    index_gflop: index / 1e9,
    read_gflop: reading / 1e9,
    past_gflop: past / 1e9,
    all_gflop: (fixed + past) / 1e9,
    past_share: past / (fixed + past),
    each_mflop: each / 1e6,
    million_gflop: total(work_of(model, MILLION)) / 1e9,
    crossing: each ? Math.ceil(fixed / each) : 0,
  };
};

/** @param {State} state @param {Data} data */
const on_ruler = ({ tokens, storage, window, topk }, data) =>
  data.examples.map(([key, slug, kind, short]) => {
    const model = /** @type {Model} */ (find(slug, data));
    const [name, ...places] = model.kinds[kind];
    const words = data.names[name];
    let [rows, label] = [places.map(/** @returns {Row} */ (place) => [...data.rows[place]]), words[0]];
    if (key === "window") {
      rows[0][CAP] = window;
      label = `window of ${fmt.int(window)}`;
    }
    if (key === "dsa") {
      for (const row of rows) row[TOP] = row[KIND] === "kv" ? topk : 0;
      label = topk ? `indexer, top ${fmt.int(topk)}` : "indexer, reads all";
    }
    if (key === "raw") {
      rows = rows.filter((row) => row[KIND] === "kv");
      label = `window of ${rows[0][CAP]}`;
    }
    const drawn = rows.filter((row) => !["csa", "hca"].includes(key) || row[KIND] !== "kv");
    const found = layer_of(rows, 1, tokens, storage);
    const read = drawn.filter((row) => row[KIND] !== "index" && !row[FIXED]);
    return {
      key,
      short,
      name: label,
      title: model.title,
      role: key === "raw" ? "window" : words[1],
      reads: found.reads,
      keeps: found.keeps,
      entries: total(read.map((row) => entries_of(row, tokens))),
      read: total(read.map((row) => read_of(row, tokens))),
      bars: bars_of(drawn, tokens),
    };
  });

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const { tokens, storage, batch } = state;
  const model = /** @type {Model} */ (find(state.model, data));
  const kinds = layers_of(model, data, tokens, storage);
  const [of, spans] = [one_model(state, model, kinds), spans_of(tokens)];
  const bars = data.bars
    .map((slug) => /** @type {Model} */ (find(slug, data)))
    .map((one) => ({ title: one.title, bytes: batch * kept_by(one, data, tokens, "bf16") }));
  bars.push({ title: of.title + STORED[storage][2], bytes: of.kept });
  return {
    of,
    kinds: kinds.map((kind, at) => ({ ...kind, at })),
    stack: model.stack,
    mix: mix_of(model, data, batch),
    cross: data.hybrids.map((slug) => mix_of(/** @type {Model} */ (find(slug, data)), data)),
    gemma: gemma_of(state, data),
    indexer: indexer_of(state, data),
    pair: pair_of(state, data),
    bars,
    least: least_of(bars),
    spans,
    nearer: [spans[0] / spans[1], spans[1] / spans[2]],
    ruler: on_ruler(state, data),
    claims: data.claims.map((row) => ({ ours: row[3] })),
  };
}
