/* The unsharded layer: its weights, and what becomes of its tokens: whole.py, sum for sum. */
import { add, columns, grid, made_numbers, matmul, range, rms_norm, silu, softmax } from "./arithmetic.js";

/** @import { Matrix } from "./arithmetic.js" */

/** A span of columns or rows: [from, to]. @typedef {[from: number, to: number]} Span */
/**
 * What a layer is: its heads, and switches that are 0 or 1; latent is 2 if queries have one too.
 * @typedef {{ heads: number, kv_heads: number, gated: number, parallel: number, full: number, after: number, expert:
 * number, latent: number }} Form
 */
/** Rows, columns and how far numbers reach. @typedef {[rows: number, cols: number, scale?: number]} Size */
/** @typedef {ReturnType<typeof layer_weights>} Weights */
/** The tensors of the unsharded layer. @typedef {ReturnType<typeof unsharded>} Whole */
export const [HIDDEN, HEAD, LATENT] = [32, 2, 8];

/** @param {Matrix} q @param {Matrix} k @param {Matrix} v @param {number[]} groups */
export const attend = (q, k, v, groups) => {
  const out = grid(q.length, q[0].length, () => 0);
  groups.forEach((g, j) => {
    const keys = columns(k, HEAD * g, HEAD * g + HEAD);
    const scores = matmul(
      columns(q, HEAD * j, HEAD * j + HEAD),
      range(HEAD).map((c) => keys.map((row) => row[c])),
    );
    const values = columns(v, HEAD * g, HEAD * g + HEAD);
    scores.forEach((row, i) => {
      const p = softmax(row.slice(0, i + 1).map((x) => x / Math.sqrt(HEAD)));
      out[i].set(matmul([p], values.slice(0, i + 1))[0], HEAD * j);
    });
  });
  return out;
};

/** The layer's matrices at the size that runs. @param {Form} form */
const matrices_of = ({ heads, kv_heads: kv, latent }) => {
  const [wide, both] = [HEAD * heads, HEAD * kv];
  /** @type {number[][]} */
  const sizes = [
    [latent === 2 ? LATENT : HIDDEN, wide],
    [HIDDEN, both],
    [HIDDEN, both],
    [wide, HIDDEN, 0.25],
    [HIDDEN, wide],
    [HIDDEN, wide],
    [wide, HIDDEN, 0.25],
    [],
    [HIDDEN, 2],
    [HIDDEN, LATENT],
    [HIDDEN, LATENT + 1],
    [LATENT, 3 * kv],
  ];
  return sizes.map((size, i) => made_numbers(i + 1, .../** @type {Size} */ (size)));
};

/* The layer's matrices, and what is done with some columns of them: whole.Weights. */
/** @param {Form} form */
export const layer_weights = (form) => {
  const { gated, after, expert, latent } = form;
  const [q, k, v, o, gate, up, down, , router, q_a, kv_a, kv_b] = matrices_of(form);
  /** @param {Matrix} x @param {Span} mine */
  const queries = (x, mine) => matmul(latent === 2 ? rms_norm(matmul(x, q_a)) : x, columns(q, ...mine));
  /** @param {Matrix} x @param {Span} mine @returns {[keys: Matrix, values: Matrix]} */
  const keys_and_values = (x, mine) => {
    if (!latent) return [matmul(x, columns(k, ...mine)), matmul(x, columns(v, ...mine))];
    const kept = matmul(x, kv_a);
    const out = matmul(
      rms_norm(columns(kept, 0, LATENT)),
      columns(kv_b, .../** @type {Span} */ (mine.map((place) => (3 * place) / 2))),
    );
    /** @param {(row: Float64Array, place: number, odd: number, own: Float64Array) => number} at */
    const taken = (at) =>
      out.map((row, i) =>
        Float64Array.from({ length: (2 * row.length) / 3 }, (_, j) => at(row, 3 * (j >> 1), j % 2, kept[i])),
      );
    return [
      taken((row, place, odd, own) => (odd ? own[LATENT] : row[place])),
      taken((row, place, odd) => row[place + 1 + odd]),
    ];
  };
  /** @param {Matrix} x @param {Span} mine @param {Matrix} ups @returns {Matrix} */
  const activate = (x, mine, ups) => {
    const gates = gated && matmul(x, columns(gate, ...mine));
    const weights =
      expert &&
      matmul(x, router)
        .map((row) => softmax(row))
        .map((row) => row.map((w) => (w === Math.max(...row) ? w : 0)));
    return ups.map((row, i) =>
      row.map(
        (u, j) =>
          (gated ? silu(/** @type {Matrix} */ (gates)[i][j]) * u : silu(u)) *
          (expert ? /** @type {Matrix} */ (weights)[i][j % 2] : 1),
      ),
    );
  };
  return {
    form,
    up,
    o,
    down,
    queries,
    keys_and_values,
    activate,
    entered: after ? (/** @type {Matrix} */ x) => x : rms_norm,
    /** @param {Matrix} x @param {Matrix} half */
    added: (x, half) => add(x, after ? rms_norm(half) : half),
  };
};

/** @param {Matrix} x @param {Weights} w */
export const unsharded = (x, w) => {
  const { heads, kv_heads: kv, parallel, full } = w.form;
  const n1 = w.entered(x);
  const q = w.queries(n1, [0, HEAD * heads]);
  const [k, v] = w.keys_and_values(n1, [0, HEAD * kv]);
  const a = attend(
    full ? rms_norm(q) : q,
    full ? rms_norm(k) : k,
    v,
    range(heads).map((j) => Math.floor((j * kv) / heads)),
  );
  const out = matmul(a, w.o);
  const y = w.added(x, out);
  const n2 = parallel ? n1 : w.entered(y);
  const up = matmul(n2, w.up);
  const h = w.activate(n2, [0, HEAD * heads], up);
  const down = matmul(h, w.down);
  const added = parallel ? add(out, down) : down;
  return { n1, q, a, "y added": out, y, n2, up, h, "z added": added, z: w.added(parallel ? x : y, added) };
};
