/* Twin of counting.py: an attention shape and a stop on the slider -> numbers kept, weights, bytes, ranks. */

/** @import { State } from "../../.make/data_types/heads.d.ts" */

/**
 * So many layers, the tokens that they keep (0: all), and whether they start afresh there.
 * @typedef {[layers: number, seen: number, chunk: number]} Window
 */

/**
 * A kind of attention of a model: data.shape's columns by name.
 * @typedef {{
 *   heads: number, kv: number, k: number, v: number, latent: number, rank: number, rope: number, turned: number,
 *   k_eq_v: number, bias: number, windows: Window[],
 * }} Shape
 */

/**
 * A model: data.columns by name; what it keeps beside attention's keys and values in bytes.
 * @typedef {{
 *   slug: string, title: string, width_in: number, loops: number, state_bytes: number, beside_bytes: number,
 *   index_bytes: number, shapes: Shape[],
 * }} Model
 */

/**
 * A latent's widths: of itself, of the key with RoPE, of a head's key without, of its value.
 * @typedef {{ rank: number, rope: number, nope: number, v: number, turned: boolean }} Latent
 */

export const BYTES = 2;

export const RANKS = 64;

/** @param {number[]} list */
export const sum = (list) => list.reduce((a, b) => a + b, 0);

/**
 * @param {Shape} shape
 * @returns {Latent}
 */
export const latentOf = (shape) =>
  shape.latent
    ? { rank: shape.rank, rope: shape.rope, nope: shape.k, v: shape.v, turned: Boolean(shape.turned) }
    : { rank: 4 * shape.v, rope: Math.floor(shape.v / 2), nope: shape.v, v: shape.v, turned: true };

/**
 * @param {Shape} shape
 * @returns {number}
 */
export const ownStop = (shape) => (shape.latent ? 0 : shape.kv);

/**
 * @param {Pick<State, "kv">} state
 * @param {Shape} shape
 * @returns {number}
 */
export const resolve = (state, shape) => (state.kv === -1 ? ownStop(shape) : state.kv);

/**
 * @param {Shape} shape
 * @param {number} chosen
 */
export const stopsOf = (shape, chosen) => {
  const found = new Set([1, ownStop(shape) || 1, chosen || 1]);
  for (let n = shape.heads; n > 1; n = n % 2 ? 1 : n / 2) found.add(n);
  return [...found].sort((a, b) => b - a).concat(0);
};

/**
 * @param {number} heads
 * @param {number} kv 0 is a latent
 * @returns {number[]}
 */
export const legalRanks = (heads, kv) =>
  Array.from({ length: RANKS }, (_, i) => i + 1).filter(
    (t) => heads % t === 0 && (kv === 0 || kv % t === 0 || t % kv === 0),
  );

/**
 * @param {Shape} shape
 * @param {number} kv
 */
export const numbersKept = (shape, kv) => {
  const one = latentOf(shape);
  return kv === 0 ? one.rank + one.rope : kv * (shape.k + shape.v);
};

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} hidden
 */
export const weightsKv = (shape, kv, hidden) => {
  if (kv === 0) {
    const one = latentOf(shape);
    return hidden * (one.rank + one.rope) + one.rank + one.rank * shape.heads * (one.nope + one.v);
  }
  const k = kv * shape.k;
  const v = shape.k_eq_v ? 0 : kv * shape.v;
  return hidden * (k + v) + (shape.bias > 0 ? k : 0) + (shape.bias > 1 ? v : 0);
};

/** @param {Shape} shape */
export const layersOf = (shape) => sum(shape.windows.map(([n]) => n));

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} context
 * @param {number} loops
 */
export const atContext = (shape, kv, context, loops) =>
  numbersKept(shape, kv) *
  BYTES *
  loops *
  sum(shape.windows.map(([n, seen]) => n * (seen ? Math.min(context, seen) : context)));

/**
 * @param {Model} model
 * @param {State} state
 * @param {number} kv
 */
export const inAll = (model, state, kv) =>
  model.state_bytes +
  model.beside_bytes +
  model.index_bytes * state.context +
  sum(
    model.shapes.map((shape, i) =>
      atContext(shape, i === state.shape ? kv : ownStop(shape), state.context, model.loops),
    ),
  );

/**
 * @param {number} kv
 * @param {number} heads
 */
export const variant = (kv, heads) => (kv === 0 ? "MLA" : kv === 1 ? "MQA" : kv === heads ? "MHA" : "GQA");

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} deep layers, all loops
 * @param {number} chosen
 */
export const stopAt = (shape, kv, deep, chosen) => {
  const name = variant(kv, shape.heads);
  const kept = numbersKept(shape, kv);
  return {
    kv,
    label: name === "GQA" ? `GQA ${kv}` : name,
    tick: name === "MLA" ? "MLA" : name === "GQA" ? String(kv) : `${name} ${kv}`,
    bytes: kept * BYTES * deep,
    own: kv === ownStop(shape),
    on: kv === chosen,
  };
};

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} tp
 * @param {number} perToken bytes
 */
export const spreadTiles = (shape, kv, tp, perToken) => {
  const distinct = Math.max(kv, 1);
  const copies = Math.max(1, Math.floor(tp / distinct));
  const held = Math.max(1, Math.floor(distinct / tp));
  const tiles = Array.from({ length: tp }, (_, r) =>
    Array.from({ length: held }, (_unused, i) => Math.floor((r * distinct) / tp) + i),
  );
  const perRank = (perToken / distinct) * held;
  return {
    legal: legalRanks(shape.heads, kv),
    query_heads: shape.heads / tp,
    tiles,
    copy: tiles.map((_, r) => r % copies > 0),
    copies,
    waste: (perRank * tp) / perToken,
    bytes_per_rank: perRank,
    bytes_all: perRank * tp,
  };
};

/** @param {Shape} shape */
export const mla = (shape) => {
  const one = latentOf(shape);
  const heads = shape.heads;
  const grown = heads * (one.nope + one.rope + one.v);
  const rebuild = 2 * one.rank * heads * (one.nope + one.v);
  return {
    heads,
    ...one,
    ways: [
      {
        way: "absorbed",
        numbers: one.rank + one.rope,
        flops: 2 * heads * (2 * one.rank + one.rope),
        step_flops: rebuild,
      },
      { way: "expanded, rebuilt each step", numbers: one.rank + one.rope, flops: 2 * grown + rebuild, step_flops: 0 },
      { way: "expanded, cached", numbers: grown, flops: 2 * grown, step_flops: rebuild },
    ],
  };
};
