/* Mixers with a state: what every token writes into it, in order, and what a token reads from it. */
import { convolved, EACH, length_one, sigmoid, softplus } from "./vectors.js";

/** @import { Decoder, Found } from "./forward.js" */
/** @import { Numbers } from "./vectors.js" */

/** What stays of a head's state, and how strongly a token writes. @typedef {[stays: number, strength: number]} Gates */
/** A state on its way through a stream: before token `done`. @typedef {{ done: number, state: Numbers }} Run */
/**
 * As the token says, whatever stands before it.
 * @param {Pick<Decoder, "one" | "w" | "tables">} model
 * @param {number} token
 * @param {number} h
 * @returns {Gates}
 */
export const gates_of = ({ one, w, tables }, token, h) => {
  if (one.steps) {
    const step = softplus(tables.dt_proj[token][h] + w.dt_bias[h]);
    return [Math.exp(-Math.exp(w.A_log[h]) * step), step];
  }
  const stays = one.gated ? Math.exp(-Math.exp(w.A_log[h]) * softplus(tables.a_proj[token][h] + w.dt_bias[h])) : 1;
  return [stays, one.delta ? sigmoid(tables.b_proj[token][h] + w["b_proj.bias"][h]) : 1];
};
/** @param {Decoder} model @param {Numbers} state @param {number[]} tokens @param {number} t */
const written = ({ one: { heads, d, delta }, w, tables, gates, memo }, state, tokens, t) => {
  const kept = /** @type {Numbers[]} */ (memo.rows);
  const k = (kept[t] ||= length_one(convolved(tables.k_proj, w["k_conv.weight"], tokens, t), heads));
  const v = tables.v_proj[tokens[t]];
  for (let h = 0; h < heads; h += 1) {
    const [stays, strength] = gates[tokens[t]][h];
    const at = h * d * d;
    for (let j = 0; j < d; j += 1) {
      let held = 0;
      for (let i = 0; i < d; i += 1) held += k[h * d + i] * (state[at + i * d + j] *= stays);
      const by = strength * (delta ? v[h * d + j] - held : v[h * d + j]);
      for (let i = 0; i < d; i += 1) state[at + i * d + j] += k[h * d + i] * by;
    }
  }
};
/**
 * The state after a token, from the last one that is kept; `run` goes on where it stands, if that is nearer.
 * @param {Decoder} model
 * @param {number[]} tokens
 * @param {number} t
 * @param {Run} run
 */
export const state_at = (model, tokens, t, run = /** @type {Run} */ ({ done: -1 })) => {
  const {
    memo: { states },
    one: { heads, d },
  } = model;
  states[0] ||= new Float64Array(heads * d * d);
  const near = Math.min(states.length - 1, Math.floor(t / EACH));
  if (run.done > t + 1 || near * EACH > run.done)
    Object.assign(run, { done: near * EACH, state: states[near].slice() });
  for (; run.done <= t; run.done += 1) {
    if (run.done % EACH === 0) states[run.done / EACH] ||= run.state.slice();
    written(model, run.state, tokens, run.done);
  }
  return run.state;
};
/** @param {Decoder} model @param {number[]} tokens @param {number} t @param {Run} run @returns {Found} */
export const remembered = (model, tokens, t, run) => {
  const {
    w,
    tables,
    one: { heads, d, delta },
  } = model;
  const state = state_at(model, tokens, t, run);
  const q = length_one(convolved(tables.q_proj, w["q_conv.weight"], tokens, t), heads);
  const [out, by] = [new Float64Array(heads * d), delta ? 1 / Math.sqrt(d) : 1];
  for (let h = 0; h < heads; h += 1)
    for (let i = 0; i < d; i += 1)
      for (let j = 0; j < d; j += 1) out[h * d + j] += q[h * d + i] * by * state[(h * d + i) * d + j];
  return { out };
};
