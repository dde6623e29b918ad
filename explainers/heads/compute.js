/* Twin of reference.py: a model, a stop and a number of ranks -> heads, bytes, weights, copies and the sentences. */
import {
  atContext,
  BYTES,
  inAll,
  layersOf,
  legalRanks,
  mla,
  numbersKept,
  ownStop,
  resolve,
  spreadTiles,
  stopAt,
  stopsOf,
  variant,
  weightsKv,
} from "./counting.js";
import { toy } from "./toy.js";
import {
  checkHeads,
  checkRanks,
  formula,
  keepsWords,
  readsWords,
  spread,
  whole,
  widthWords,
  wordsOf,
} from "./words.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */
/** @import { Model, Shape } from "./counting.js" */

/** @typedef {ReturnType<typeof compute>} Now */

/**
 * @param {string[]} names
 * @param {unknown[]} values
 * @returns {{ [name: string]: unknown }}
 */
const zip = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]]));

/**
 * @param {Pick<State, "model">} state
 * @param {Data} data
 * @returns {Model | null}
 */
export const find = (state, data) => {
  const row = data.models.find((r) => r[0] === state.model);
  if (!row) return null;
  const model = /** @type {Omit<Model, "shapes"> & { shapes: unknown[][] }} */ (zip(data.columns, row));
  return { ...model, shapes: model.shapes.map((one) => /** @type {Shape} */ (zip(data.shape, one))) };
};

/**
 * @param {State} state
 * @param {Data} data
 * @returns {string}
 */
export function check(state, data) {
  const model = find(state, data);
  if (!model) return `No model here is called “${state.model}”; choose one from the list.`;
  const last = model.shapes.length - 1;
  if (!whole(state.shape, 0, last))
    return `${model.title} has ${last + 1} kinds of attention; legal here: 0 to ${last}.`;
  const shape = model.shapes[state.shape];
  return checkHeads(state, shape) || checkRanks(state.tp, shape.heads, resolve(state, shape));
}

/**
 * What a link does not set moves to the nearest legal value, so that ?model=X is enough.
 * @param {State} state
 * @param {string[]} given
 * @param {Data} data
 * @returns {State}
 */
export function settle(state, given, data) {
  const model = find(state, data);
  if (!model) return state;
  /**
   * @param {keyof State} key
   * @param {number} value
   * @returns {number}
   */
  const keep = (key, value) => (given.includes(key) ? Number(state[key]) : value);
  const shape = keep("shape", Math.min(state.shape, model.shapes.length - 1));
  const one = model.shapes[shape];
  if (!one) return state;
  const kv = resolve(state, one);
  return {
    ...state,
    shape,
    head: keep("head", Math.min(state.head, one.heads - 1)),
    tp: keep(
      "tp",
      legalRanks(one.heads, kv)
        .filter((t) => t <= state.tp)
        .pop() ?? state.tp,
    ),
  };
}

/**
 * @param {State} state
 * @param {Data} data
 */
export function compute(state, data) {
  const model = /** @type {Model} */ (find(state, data));
  const shape = model.shapes[state.shape];
  const kv = resolve(state, shape);
  const deep = layersOf(shape) * model.loops;
  const perToken = numbersKept(shape, kv) * BYTES * deep;
  const tiles = spreadTiles(shape, kv, state.tp, perToken);
  return {
    title: model.title,
    width_in: model.width_in,
    heads: shape.heads,
    layers: deep,
    pairs: kv * deep,
    width: widthWords(shape, kv),
    kv,
    own: ownStop(shape),
    variant: variant(kv, shape.heads),
    group: Math.floor((state.head * kv) / shape.heads),
    reads: readsWords(state.head, kv, shape.heads),
    keeps: keepsWords(shape, kv),
    stops: stopsOf(shape, kv).map((n) => stopAt(shape, n, deep, kv)),
    bytes_per_token: perToken,
    formula: formula(shape, kv, model.loops),
    times_less: numbersKept(shape, shape.heads) / numbersKept(shape, kv),
    holds_bytes: atContext(shape, kv, state.context, model.loops),
    in_all_bytes: inAll(model, state, kv),
    weights: weightsKv(shape, kv, model.width_in),
    words: wordsOf(model, shape, state, kv),
    tp: { ...tiles, words: spread(tiles.query_heads, kv, state.tp, tiles.copies) },
    mla: mla(shape),
    toy: toy(state.rope, data.toy),
  };
}
