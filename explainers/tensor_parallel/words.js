/* The sentences of a layer: its ten steps, what a rank holds, how far the ranks are off: words.py. */
import { fmt } from "../kit/numbers.js";
import { range } from "./arithmetic.js";

/** @import { Data } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Shown } from "./compute.js" */
/** @import { Model } from "./shapes.js" */

/** @param {number} x */
export const tiny = (x) => {
  if (x === 0) return "0";
  const [m, e] = x.toExponential(1).split("e");
  return `${m} · 10${fmt.sup(Number(e))}`;
};

/* The ten steps: [name, what happens]. */
/** @param {Model} model @param {boolean} sp @param {Data} data */
export const moments_of = (model, sp, data) =>
  data.steps.map(([name, says, parallel, plain], k) => {
    if (model.parallel && k === 4) return data.beside;
    if (model.parallel && k === 5) return data.steps[0].slice(0, 2);
    if (sp && k % 5 === 0)
      return [
        parallel,
        `every rank ${model.after ? "has its tokens" : "normalises its tokens"}, then gathers those of all ranks`,
      ];
    if (sp && k % 5 === 4)
      return [parallel, `the partial sums are added; every rank keeps its own tokens of ${k === 4 ? "y" : "z"}`];
    const [, , own, happens] =
      data.own.find(([kind, at]) => at.includes(k) && String(model[/** @type {keyof Model} */ (kind)]) > "0") || []; // a latent is numbers, or none
    return [own || (!model.gated && plain ? plain : name), happens || says];
  });

/* What every rank holds, or the selected one. */
/** @param {Model} model @param {{ kv_held: number[][], kv_copies: number }} out @param {number} t @param {number} r */
export const holds = (model, out, t, r) => {
  const { heads, kv_heads: kv, mlp, expert, latent, also } = model;
  const some = kv === 1 ? "head" : "heads";
  const wide = also.length
    ? ` In other layers ranks share ${also.map((n) => fmt.int(n)).join(" and ")} in the same way.`
    : "";
  if (0 > r || r >= t) {
    const copied =
      out.kv_copies > 1 ? ` ${t} ranks share ${kv} KV ${some}: each is stored on ${out.kv_copies} ranks.` : "";
    return `Every rank holds ${heads / t} of ${heads} query heads, ${latent[1] ? "the whole latents" : `${out.kv_held[0].length} of ${kv} KV ${some}`} and ${fmt.int(mlp / t)} of ${fmt.int(mlp)} ${expert ? "columns of each expert" : "MLP columns"}.${copied}${wide}`;
  }
  /** @param {number} a @param {number} b */
  const span = (a, b) => (a === b ? fmt.int(a) : `${fmt.int(a)} to ${fmt.int(b)}`);
  const held = out.kv_held[r];
  const twins = range(t).filter((o) => o !== r && out.kv_copies > 1 && out.kv_held[o][0] === held[0]);
  const own = `KV ${held.length > 1 ? "heads" : "head"} ${span(held[0], held[held.length - 1])}${twins.length ? ` (also on rank ${twins.join(", ")})` : ""}`;
  return `Rank ${r} holds query heads ${span((r * heads) / t, ((r + 1) * heads) / t - 1)}, ${latent[1] ? "the whole latents" : own}, columns ${span((r * mlp) / t, ((r + 1) * mlp) / t - 1)} of ${model.gated ? "gate and up" : "up"}, the same rows of down.${wide}`;
};

/* The label of a layer's drawing. */
/** @param {Model} row @param {Shown} now @param {boolean} [hush] */
export const layer_words = (row, now, hush) => {
  const ends = now.sequence_parallel ? "reduce-scatter and all-gather" : "an all-reduce";
  const meets = hush
    ? ""
    : `; ${ends} after ${row.parallel ? "both" : "each"}: every rank sends ${fmt.kib(now.formula_bytes)} of ${fmt.kib(now.message_bytes)}`;
  return `${row.title}, one layer on ${now.tp} ${now.tp === 1 ? "rank" : "ranks"}. Attention is sharded by heads and rows of o, the MLP by columns and rows of down${meets}.`;
};
