/* Softmax mixers: a token's query over the keys and values kept of the tokens before it. */
import { convolved, rms, softmax, times, turned } from "./vectors.js";

/** @import { Decoder, Found } from "./forward.js" */
/** @import { Numbers } from "./vectors.js" */

/** What a token leaves for later ones. @typedef {[keys: Numbers, values: Numbers]} Entry */

/** Of softmax mixers a token's query. @param {Decoder} model @param {number[]} tokens @param {number} t */
const query_of = ({ one: { heads, d, rotated: r, latent }, w, tables }, tokens, t) =>
  turned(convolved(tables.q_proj, w["q_conv.weight"], tokens, t), heads, latent ? d : 0, r, t);
/** A token's keys and values. @param {Decoder} model @param {number[]} tokens @param {number} t @returns {Entry} */
const row_at = ({ one, w, tables }, tokens, t) => {
  const { heads, kv, d, rotated: r, latent: c } = one;
  if (!c)
    return [turned(convolved(tables.k_proj, w["k_conv.weight"], tokens, t), kv, 0, r, t), tables.v_proj[tokens[t]]];
  const down = convolved(tables.kv_a, w["kv_conv.weight"], tokens, t);
  const key = turned(down.slice(c), 1, 0, r, t);
  const up = times(w["kv_b.weight"], rms(down.slice(0, c), w["kv_norm.weight"]));
  const [k, v] = [new Float64Array(heads * (d + r)), new Float64Array(heads * d)];
  for (let h = 0; h < heads; h += 1) {
    k.set(up.subarray(2 * h * d, 2 * h * d + d), h * (d + r));
    k.set(key, h * (d + r) + d);
    v.set(up.subarray(2 * h * d + d, 2 * h * d + 2 * d), h * d);
  }
  return [k, v];
};
/** @param {Decoder} model @param {number[]} tokens @param {number} t @returns {Found} */
export const looked = (model, tokens, t) => {
  const {
    memo,
    one: { heads, kv, d, window, latent, rotated },
  } = model;
  const [wide, shared] = latent ? [d + rotated, 1] : [d, heads / kv];
  const [q, out] = [query_of(model, tokens, t), new Float64Array(heads * d)];
  const looks = [];
  const first = window ? Math.max(0, t + 1 - window) : 0;
  const kept = /** @type {Entry[]} */ (memo.rows);
  for (let s = first; s <= t; s += 1) kept[s] ||= row_at(model, tokens, s);
  for (let h = 0; h < heads; h += 1) {
    const group = Math.floor(h / shared);
    const scores = new Float64Array(t + 1).fill(-Infinity);
    for (let s = first; s <= t; s += 1) {
      const k = kept[s][0];
      let sum = 0;
      for (let i = 0; i < wide; i += 1) sum += q[h * wide + i] * k[group * wide + i];
      scores[s] = sum / Math.sqrt(wide);
    }
    const share = softmax(scores);
    for (let s = first; s <= t; s += 1)
      for (let i = 0; i < d; i += 1) out[h * d + i] += share[s] * kept[s][1][group * d + i];
    looks.push(share);
  }
  return { out, looks };
};
