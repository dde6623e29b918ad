/* A model -> both halves of its layer as matrices cut by rank: x, columns, what stays sharded, rows, partial sums, the ring. */
import { range } from "./arithmetic.js";

/** @import { Model } from "./shapes.js" */
/** @import { Shown } from "./compute.js" */

/** One matrix and how it is cut: by "columns" or "rows", a "copy", one "partial" sheet per rank, or "copies" of heads. */
/** @typedef {{ kind: string, w: number, h: number, copies?: number, apart?: number }} Block */

/**
 * A rectangle of a matrix, and the rank that has it (-1: all).
 * @typedef {{ x: number, y: number, w: number, h: number, rank: number, sheet?: boolean }} Piece
 */

/**
 * Matrices under one name, one above the other where `over` is set.
 * @typedef {{ step: number, blocks: Block[], name: string, note: string[], over?: boolean, sign?: "", ring?: "" }} Matrices
 */

/** @typedef {{ step: number, sign: string, ring?: "", blocks?: undefined }} Sign */

/** @typedef {{ step: number, ring: string, sign?: "", blocks?: undefined }} Ring */

/** What stands on a line. @typedef {Matrices | Sign | Ring} Item */

/** @param {number} t @param {number} size */
const spread = (t, size) => (t > 1 ? Math.max(26 * size, 2.5 * (t - 1)) : 0);

/* One matrix: [part(rank) rectangles], cut along columns, rows or tokens, or a copy, or one sheet per rank. */
/** @param {Block} block @param {number} t @returns {Piece[]} */
export const sheets = ({ kind, w, h, copies = 1, apart = 0 }, t) => {
  const all = range(t);
  if (kind === "copy") return [{ x: 0, y: 0, w, h, rank: -1 }];
  if (kind === "columns") return all.map((r) => ({ x: (w * r) / t, y: 0, w: w / t, h, rank: r }));
  if (kind === "rows") return all.map((r) => ({ x: 0, y: (h * r) / t, w, h: h / t, rank: r }));
  if (kind === "partial")
    return all.map((r) => ({
      x: (r * apart) / Math.max(t - 1, 1),
      y: (r * apart) / Math.max(t - 1, 1),
      w,
      h,
      rank: r,
      sheet: true,
    }));
  const heads = t / copies; // KV heads that ran out: one layer of copies behind the other
  return range(copies)
    .reverse()
    .flatMap((c) =>
      range(heads).map((g) => ({
        x: (w * g) / heads + 4 * c,
        y: 4 * (copies - 1 - c),
        w: w / heads,
        h,
        rank: g * copies + c,
        sheet: true,
      })),
    );
};

/**
 * What a half is drawn by: ranks, whether they share tokens, the hidden size, pixels of a number, how large all is.
 * @typedef {{ t: number, sp: number | boolean, h: number, a: number, size: number }} Half
 */

/** No rank's piece is thinner than 3 px. @param {number} px @param {number} t */
const cut = (px, t) => Math.max(px, 3 * t);
const TOKENS = "{sequence:int} × {sizes.hidden:int}";

/** The residual stream. @param {Half} half @param {string} name @param {number} step @returns {Item} */
const stream = ({ t, sp, h, a, size }, name, step) => ({
  blocks: [{ kind: sp ? "rows" : "copy", w: h * a, h: sp ? cut(50 * size, t) : 50 * size }],
  name,
  note: [TOKENS, sp ? "by token" : "a copy each"],
  step,
});

/**
 * What a half ends with: a partial sum of each rank and, where they meet, the ring that adds them up.
 * @param {Half} half
 * @param {string} name
 * @param {number} step
 * @param {boolean} meets
 * @returns {Item[]}
 */
const end = (half, name, step, meets) => {
  const { t, sp, h, a, size } = half;
  return [
    { sign: "→", step: step - 1 },
    {
      blocks: [{ kind: "partial", w: h * a * 0.8, h: 40 * size, apart: spread(t, size) }],
      name: `{tp} partial ${name}`,
      note: [TOKENS, "each"],
      step: step - 1,
    },
    ...(meets ? [{ ring: sp ? "reduce-scatter" : "all-reduce", step }, stream(half, name, step)] : []),
  ];
};

/**
 * Queries, keys and values: at once, or from a latent, which is made whole on each rank.
 * @param {Model} model
 * @param {Shown} now
 * @param {Half} half
 * @returns {Item[]}
 */
const projections = ({ latent: [q_rank, latent] }, { kv_copies: copies, sizes }, { t, h, a }) => {
  const q = cut(sizes.q * a, t);
  if (!latent) {
    const w = Math.max(sizes.kv * a, 12, (3.5 * t) / copies);
    const k = { kind: copies > 1 ? "copies" : "columns", w, h: h * a, copies };
    return [
      {
        blocks: [{ kind: "columns", w: q, h: h * a }, k, k],
        name: "q  k  v",
        note: ["{sizes.hidden:int} × {sizes.q:int}", "k, v {sizes.hidden:int} × {sizes.kv:int}"],
        step: 1,
      },
    ];
  }
  return [
    {
      blocks: [q_rank, sizes.down].filter(Boolean).map((w) => ({ kind: "copy", w: Math.max(w * a, 4), h: h * a })),
      name: q_rank ? "q_a  kv_a" : "kv_a",
      note: ["kv_a {sizes.hidden:int} × {sizes.down:int}", "whole on each"],
      step: 1,
    },
    { sign: "·", step: 1 },
    {
      blocks: [
        { kind: "columns", w: q, h: Math.max(sizes.from * a, 5) },
        { kind: "columns", w: cut(sizes.kv * a, t), h: Math.max(latent * a, 5) },
      ],
      name: q_rank ? "q_b  kv_b" : "q  kv_b",
      note: ["{sizes.from:int} × {sizes.q:int}", "kv_b {sizes.latent:int} × {sizes.kv:int}"],
      step: 1,
    },
  ];
};

/** @param {Model} model @param {Shown} now @param {Half} half @returns {Item[][]} */
const attention = (model, now, half) => {
  const { t, sp, h, a, size } = half;
  const out = cut(now.sizes.o * a, t);
  return [
    [
      stream(half, "x", 0),
      ...(sp ? [{ ring: "all-gather", step: 0 }] : []),
      { sign: "·", step: 1 },
      ...projections(model, now, half),
    ],
    [
      model.full ? { ring: "all-gather", step: 2 } : { sign: "→", step: 2 },
      {
        blocks: [{ kind: "columns", w: out, h: 50 * size }],
        name: "heads",
        note: ["{sizes.heads} of {sizes.head_dim}", "stay sharded"],
        step: 2,
      },
      { sign: "·", step: 3 },
      {
        blocks: [{ kind: "rows", w: h * a, h: out }],
        name: "o",
        note: ["{sizes.o:int} × {sizes.hidden:int}", "by row"],
        step: 3,
      },
    ],
    end(half, "y", 4, !model.parallel),
  ];
};

/** @param {Model} model @param {Shown} now @param {Half} half @returns {Item[][]} */
const mlp = (model, now, half) => {
  const { t, sp, h, a, size } = half;
  const wide = cut(model.mlp * a, t);
  const up = { kind: "columns", w: wide, h: h * a };
  return [
    [
      stream(half, model.parallel ? "x" : "y", 5),
      ...(sp && model.parallel !== 1 ? [{ ring: "all-gather", step: 5 }] : []),
      { sign: "·", step: 6 },
      {
        blocks: model.gated ? [up, up] : [up],
        over: model.gated === 1 && up.w > up.h,
        name: model.gated ? "gate, up" : "up",
        note: ["{sizes.hidden:int} × {sizes.mlp:int}", model.expert ? "one expert, by column" : "by column"],
        step: 6,
      },
    ],
    [
      { sign: "→", step: 7 },
      {
        blocks: [{ kind: "columns", w: wide, h: 50 * size }],
        name: now.moments[7][0],
        note: ["{sequence:int} × {sizes.mlp:int}", "stays sharded"],
        step: 7,
      },
      { sign: "·", step: 8 },
      {
        blocks: [{ kind: "rows", w: h * a, h: wide }],
        name: "down",
        note: ["{sizes.mlp:int} × {sizes.hidden:int}", "by row"],
        step: 8,
      },
    ],
    end(half, "z", 9, true),
  ];
};

/* Both halves as groups of items that stay on one line: what is drawn, from which step on, its words. */
/** @param {Model} model @param {Shown} now @param {number} size @returns {Item[][][]} */
export const halves_of = (model, now, size) => {
  const { tp: t, sequence_parallel: sp } = now;
  const { hidden: h, mlp: f } = model;
  /** @param {number} a @returns {Half} */
  const half = (a) => ({ t, sp, h, a: size * Math.min(110 / h, a), size });
  return [attention(model, now, half(110 / now.sizes.q)), mlp(model, now, half(150 / f))];
};
