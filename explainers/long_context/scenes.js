/* What single beats are about: a hybrid, Gemma 4’s windows, V3.2’s indexer, V4-Pro beside V3.2: scenes.py. */
import { CAP, counted, LETTERS, layer_of, layers_of, summed, total, work_of } from "./counting.js";
import { find, GEMMA, MILLION, MOST, PRO, V32 } from "./models.js";

/** @import { Data, State } from "../../.make/data_types/long-context.d.ts" */
/** @import { Kind, Row } from "./counting.js" */
/** @import { Model } from "./models.js" */

/** @param {Model} model @param {Data} data */
export const mix_of = (model, data, batch = 1) => {
  const kinds = layers_of(model, data, MOST, "bf16");
  const [fixed, slope] = [summed(kinds, "keeps") - summed(kinds, "growing"), summed(kinds, "slope")];
  /** @param {(kind: Kind) => unknown} wanted */
  const count = (wanted) => total(kinds.filter(wanted).map((kind) => kind.count));
  return {
    title: model.title,
    layers: model.stack.length,
    states: count((k) => k.keeps > k.growing),
    caches: count((k) => k.growing),
    rest: count((k) => !k.keeps),
    fixed: fixed * batch,
    slope: slope * batch,
    million: slope * MILLION * batch,
    tokens: slope ? Math.ceil(fixed / slope) : 0,
  };
};

/** @param {State} state @param {Data} data */
export const gemma_of = ({ window, tokens }, data) => {
  const model = /** @type {Model} */ (find(GEMMA, data));
  const found = { full: 0, windows: 0, layers: 0 };
  model.kinds.forEach(([name, ...places], i) => {
    const [count, is_full] = [counted(model, LETTERS[i]), data.names[name][2]];
    const rows = places.map(
      (place) => /** @type {Row} */ (data.rows[place].map((value, at) => (!is_full && at === CAP ? window : value))),
    );
    found[is_full ? "full" : "windows"] += count * layer_of(rows, 1, tokens, "bf16").keeps;
    if (is_full) found.layers += count;
  });
  const both = found.full + found.windows;
  return {
    title: model.title,
    layers: model.stack.length,
    full_layers: found.layers,
    windows: model.stack.length - found.layers,
    full: found.full,
    total: both,
    share: found.full / both,
  };
};

/** @param {State} state @param {Data} data */
export const indexer_of = ({ topk, tokens }, data) => {
  const model = /** @type {Model} */ (find(V32, data));
  const layers = model.stack.length;
  const [look, each] = [0, 1].map(
    (which) => /** @type {number[]} */ (model.reads.find(([kind]) => kind === which))[1] / layers,
  );
  const read = Math.min(topk || tokens, tokens);
  return {
    entries: tokens,
    read,
    share: read / tokens,
    look_gflop: (look * tokens) / 1e9,
    read_gflop: (each * read) / 1e9,
    all_gflop: (each * tokens) / 1e9,
    times: (look * tokens) / (each * read),
    keys: 128,
    layers,
  };
};

/** @param {string} slug @param {string} storage @param {number} tokens @param {Data} data */
const of_pair = (slug, storage, tokens, data) => {
  const model = /** @type {Model} */ (find(slug, data));
  const [past, fixed, kinds] = [
    total(work_of(model, tokens)),
    model.weights + model.states,
    layers_of(model, data, tokens, storage),
  ];
  return {
    title: model.title,
    bytes: summed(kinds, "keeps"),
    fixed_gflop: fixed / 1e9,
    past_gflop: past / 1e9,
    gflop: (fixed + past) / 1e9,
    slopes: kinds
      .map((kind) => kind.slope)
      .filter(Boolean)
      .sort((a, b) => a - b),
  };
};
/** @param {State} state @param {Data} data */
export const pair_of = ({ tokens }, data) => {
  const [before, after] = [of_pair(V32, "packed", tokens, data), of_pair(PRO, "mixed", tokens, data)];
  return { old: before, new: after, share: after.bytes / before.bytes, flop_share: after.gflop / before.gflop };
};
