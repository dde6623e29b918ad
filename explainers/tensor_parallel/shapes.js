/* A model of the list -> its sizes, and the numbers of ranks that divide it: shapes.py. */
import { range } from "./arithmetic.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */

/** What only some rows say: widths of other MLPs, ranks of a latent, how often attention and MLPs end in a pass. */
/** @typedef {{ also?: number[], latent?: number[], meets?: number[] }} More */
/** A cache: bytes for each token, the most tokens of it (0: all), its heads (0: a latent). */
/** @typedef {[size: number, cap: number, heads: number]} Cache */
/**
 * A model as data has it, in the order of shapes.COLUMNS.
 * @typedef {[slug: string, title: string | 0, hidden: number, heads: number, kv_heads: number, head_dim: number, mlp: number, kind:
 * number, layers: number, cut: number, kv: number[][] | 0, whole: number, grows: [size: number, cap: number, heads?: number][] |
 * 0, more?: More]} Row
 */
/** @typedef {NonNullable<ReturnType<typeof model_of>>} Model */

/* A row with all that it leaves out: shapes.expanded. */
/** @param {Row} row */
export const title_of = ([slug, title]) =>
  title || slug.replace(/^.*\/|-(Instruct|it|hf|Base|PT|Preview|v1)$/g, "").replaceAll("-", " ");
/** @param {Data} data */
export const rows_of = (data) => /** @type {Row[]} */ (/** @type {unknown} */ (data.models));
/** @param {State} state @param {Data} data */
export const model_of = (state, data) => {
  const row = rows_of(data).find(([slug]) => slug === state.model);
  if (!row) return null;
  const [, , hidden, heads, kv_heads, head_dim, mlp, kind, layers, cut, kv, whole, grows, more = {}] = row;
  const [gated, expert, parallel, full, after, bias, norm, cut_in, whole_in, other, plus] = range(11).map(
    (place) => (kind >> place) & 1,
  );
  const { latent: [q_rank = 0, rank = 0, rope = 0] = [] } = more;
  const norms =
    (norm ? 2 * head_dim : 0) +
    (full ? (heads + kv_heads) * head_dim : 0) +
    hidden * (q_rank + rank + rope) +
    q_rank +
    rank;
  return {
    title: title_of(row),
    hidden,
    heads,
    kv_heads,
    head_dim,
    mlp,
    layers,
    gated,
    expert,
    parallel,
    full,
    after,
    other,
    plus,
    latent: /** @type {number[]} */ ([]),
    also: /** @type {number[]} */ ([]),
    meets: [layers, layers],
    ...more,
    cut: cut * (cut_in ? hidden : 1) + layers * hidden * (2 * heads * head_dim + (gated ? 3 : 2) * mlp),
    whole: whole * (whole_in ? hidden : 1) + (2 * layers + 1) * hidden + layers * norms,
    kv: kv || (rank ? [] : [[2 * layers * kv_heads * head_dim * (hidden + bias), kv_heads]]),
    grows: /** @type {[number, number, number?][]} */ (
      grows || (rank ? [[2 * layers * (rank + rope), 0, 0]] : [[layers, 0]])
    ).map(
      /** @returns {Cache} */ ([size, cap, own]) =>
        own === undefined ? [4 * kv_heads * head_dim * size, cap, kv_heads] : [size, cap, own],
    ),
  };
};
/** The model of a state that is legal. @param {State} state @param {Data} data */
export const known_model = (state, data) => /** @type {Model} */ (model_of(state, data));
/** @param {Model} model @param {number} t */
export const uneven_kv = (model, t) =>
  [model.kv_heads, ...model.kv.map((one) => one[1])].find((kv) => kv % t && t % kv);
/** @param {Model} model */
export const legal_ranks = (model) =>
  range(17)
    .slice(1)
    .filter((t) => ![model.heads, model.mlp, ...model.also].some((number) => number % t) && !uneven_kv(model, t));
/** @param {Model} model */
export const sizes_of = ({
  title,
  hidden,
  heads,
  kv_heads,
  head_dim: d,
  mlp,
  layers,
  latent: [q_rank, rank = 0, rope = 0, value = d],
}) => ({
  title,
  hidden,
  heads,
  kv_heads,
  head_dim: d,
  mlp,
  layers,
  q: heads * d,
  kv: rank ? heads * (d - rope + value) : kv_heads * d,
  o: heads * value,
  from: q_rank || hidden,
  latent: rank,
  down: rank + rope,
});
