/* A state -> everything printed: reference.compute and zero.py, key by key. */

import { range } from "./arithmetic.js";
import { ladder_of, memory_of } from "./memory.js";
import { zero_of } from "./optimizer.js";
import { kv_of, run_layer } from "./run.js";
import { known_model, legal_ranks, sizes_of } from "./shapes.js";
import { HEAD, HIDDEN } from "./whole.js";
import { holds, moments_of, tiny } from "./words.js";

/** @import { Data, State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Model } from "./shapes.js" */

/** Bytes of a meeting: the message, what the log counts, what the formula says. */
/** @typedef {{ message: number, counted: number, formula: number }} Sent */
/** @typedef {ReturnType<typeof compute>} Now */
/** What pictures are drawn from: a state, and over it what compute returns. @typedef {Omit<State, keyof Now> & Now} Shown */

/* What a rank sends at each meeting of a layer and in a pass: reference.meetings_of, words.sent. */
/** @param {Model} model @param {ReturnType<typeof run_layer>} run @param {number} t @param {number} s */
const sent_of = (model, run, t, s) => {
  const heads = model.full ? model.heads + model.kv_heads : 0;
  /**
   * @param {string} what
   * @param {number} numbers
   * @param {number} executed
   * @param {number} turns
   */
  const met = (what, numbers, executed, turns) => {
    const message = s * numbers * 2;
    const counted = run.log.reduce((sum, row) => sum + (row[0] === what ? row[6] : 0), 0) * message;
    return {
      message,
      counted: counted ? counted / (t * run.tokens * executed * 8) : 0,
      formula: (turns * (t - 1) * message) / t,
    };
  };
  const [norm, attention, mlp] = [
    met("norm", heads * model.head_dim, heads * HEAD, 1),
    met("attention", model.parallel ? 0 : model.hidden, HIDDEN, 2),
    met("mlp", model.hidden, HIDDEN, 2),
  ];
  /** @param {(key: keyof Sent) => number} make @returns {Sent} */
  const each = (make) => ({ message: make("message"), counted: make("counted"), formula: make("formula") });
  const layer = each((key) => norm[key] + attention[key] + mlp[key]);
  const [first, second] = model.meets;
  return { norm, attention, mlp, layer, pass: each((key) => first * (layer[key] - mlp[key]) + second * mlp[key]) };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const model = known_model(state, data);
  const { tp: t, sequence: s, sequence_parallel: sp } = state;
  const run = run_layer(
    model.heads,
    model.kv_heads,
    t,
    sp,
    model.gated,
    model.parallel,
    model.full,
    model.after,
    model.expert,
    model.latent[1] ? (model.latent[0] > 0 ? 2 : 1) : 0,
  );
  const message = s * model.hidden * 2;
  const kept = {
    kv_held: range(t).map((r) => kv_of(r, t, model.kv_heads)),
    kv_copies: Math.max(1, Math.floor(t / model.kv_heads)),
  };
  const sizes = sizes_of(model);
  return {
    legal: legal_ranks(model),
    away: run.away,
    largest: run.largest,
    log: run.log,
    tokens: run.tokens,
    message_bytes: message,
    formula_bytes: (2 * (t - 1) * message) / t,
    ...kept,
    stream: [sp ? s / t : s, model.hidden],
    memory: memory_of(model, t, sp, s),
    zero: zero_of(state, model, data),
    sizes,
    copy: { head: HEAD, hidden: HIDDEN, mlp: 2 * model.heads },
    at: { words: `${state.step + 1} of 10` },
    moments: moments_of(model, sp, data),
    differ: run.away.map(tiny),
    differ_most: tiny(Math.max(...run.away)),
    holds: holds(model, kept, t, state.rank),
    ladder: ladder_of(model, sp, s),
    sent: sent_of(model, run, t, s),
  };
}
