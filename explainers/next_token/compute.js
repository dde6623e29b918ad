/* Twin of reference.py: a text, a head and a way of sampling -> its tokens, what the head reads, the next token, the cache.
   Before the weights are here only the first text is answered, from what Python stored of it. */
import { lazy, upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { lensOf } from "./lens.js";
import { running } from "./load.js";
import { runOf } from "./run.js";
import { cutOf, numberOf, pickOf, sharesOf } from "./sampling.js";

/** @import { Data as Sent, State } from "../../.make/data_types/next-token.d.ts" */
/** @import { Lens } from "./lens.js" */
/** @import { Pieces, Run, Token } from "./run.js" */

/** What a head reads of a token. @typedef {{ name: string, score: number, weight: number, key: number[], value: number[] }} Read */
/**
 * What one head of one token reads; `query` and `read` are the first numbers of its query and of the sum of values.
 * @typedef {{
 *   at: number, name: string, shared: number, query: number[], rows: Read[],
 *   best: { at: number, name: string, weight: number }, read: number[],
 * }} Look
 */
/** A candidate. @typedef {{ id: number, name: string, logit: number, plain: number, share: number, kept: number, cut: string }} Candidate */
/**
 * The candidates, how many top-k (`by_k`) and top-p leave, the share these hold, and what is taken.
 * @typedef {{
 *   rows: Candidate[], by_k: number, kept: number, held: number, u: number,
 *   taken: Token & { share: number, rank: number, from: number },
 * }} Next
 */
/**
 * What replacing a token changed: tokens that stay cached, those that are computed anew, the best candidate at temperature 1.
 * @typedef {{ same: number, anew: number, was: { name: string, share: number }, now: { name: string, share: number } }} Edit
 */
/**
 * @typedef {Omit<Sent, "first"> & { first: Omit<Sent["first"], "looks" | "pieces" | "lens"> & {
 *   looks: { of: number[], look: Look }[], pieces: Pieces[], lens: Lens,
 * } }} Data
 */
/** @typedef {ReturnType<typeof compute>} Now */
/** What pictures are drawn from. @typedef {Omit<State, keyof Now> & Now} Shown */
/** The same once the model has answered. @typedef {Shown & { next: Next, tokens: (Token & Pieces)[] }} Answered */

const [SHOWN, NUMBERS, LONGEST, DRAWS, BYTES] = [10, 3, 20000, 999, 2];

/** @param {unknown} value @param {number} low @param {number} high */
const isInteger = (value, low, high) => Number.isInteger(value) && Number(value) >= low && high >= Number(value);

/** @param {State} state @param {Data} data */
export function check(state, data) {
  const { config } = data;
  if (Math.max(state.text.length, state.before.length) > LONGEST)
    return `A text has at most ${fmt.int(LONGEST)} characters here; the model sees the last 127 tokens of it.`;
  for (const [key, most, named] of /** @type {const} */ ([
    ["layer", config.num_hidden_layers - 1, "A layer"],
    ["head", config.num_attention_heads - 1, "A head"],
    ["top_k", config.vocab_size, "Top-k"],
    ["draw", DRAWS, "A draw"],
  ]))
    if (!isInteger(state[key], 0, most)) return `${named} is a whole number from 0 to ${fmt.int(most)}.`;
  if (!isInteger(state.at, -1, config.max_position_embeddings - 1))
    return `A token is a whole number from -1 (the last) to ${config.max_position_embeddings - 1}.`;
  if (!(state.temperature >= 0.1 && 3 >= state.temperature)) return "The temperature is a number from 0.1 to 3.";
  return state.top_p >= 0.05 && 1 >= state.top_p ? "" : "Top-p is a number from 0.05 to 1.";
}

/** @param {State} state @param {Run} run @returns {Next} */
const nextOf = (state, { logits, order, name, ids, dropped }) => {
  const [plain, shares] = [1, state.temperature].map((t) => sharesOf(logits, order, t));
  const [byK, kept] = cutOf(shares, state.top_k, state.top_p);
  const held = shares.subarray(0, kept).reduce((a, b) => a + b, 0);
  const left = shares.subarray(0, kept).map((share) => share / held);
  const u = state.draw ? numberOf(state.draw, ids.length + dropped) : 0;
  const taken = state.draw ? pickOf(left, u) : 0;
  const rows = upto(SHOWN).map((i) => ({
    id: order[i],
    name: name(order[i]),
    logit: logits[order[i]],
    plain: plain[i],
    share: shares[i],
    kept: kept > i ? left[i] : 0,
    cut: kept > i ? "" : byK > i ? "top-p" : "top-k",
  }));
  const from = left.subarray(0, taken).reduce((a, b) => a + b, 0);
  const chosen = { id: order[taken], name: name(order[taken]), share: left[taken], rank: taken + 1, from };
  return { rows, by_k: byK, kept, held, u, taken: chosen };
};

/** The token that is opened. @param {number} at @param {number} count */
const placeOf = (at, count) => (at >= 0 && count > at ? at : count - 1);

/** @param {State} state @param {Run} run @param {Data} data @returns {Look | null} */
const lookOf = (state, run, { config, first }) => {
  const at = placeOf(state.at, run.ids.length);
  const { steps } = run;
  if (!steps)
    return (
      first.looks.find(({ of, look }) => of[0] === state.layer && of[1] === state.head && look.at === at)?.look ?? null
    );
  const own = steps[at].layers[state.layer];
  const shared = Math.floor((state.head * config.num_key_value_heads) / config.num_attention_heads);
  /** @param {Float64Array} vector @param {number} head */
  const few = (vector, head) => [...vector.slice(head * config.head_dim, head * config.head_dim + NUMBERS)];
  const rows = upto(at + 1).map((j) => ({
    name: run.name(run.ids[j]),
    score: own.scores[state.head][j],
    weight: own.weights[state.head][j],
    key: few(steps[j].layers[state.layer].k, shared),
    value: few(steps[j].layers[state.layer].v, shared),
  }));
  const best = rows.reduce((most, row, j) => (row.weight > rows[most].weight ? j : most), 0);
  return {
    at,
    name: run.name(run.ids[at]),
    shared,
    query: few(own.q, state.head),
    rows,
    best: { at: best, name: rows[best].name, weight: rows[best].weight },
    read: few(own.mixed, state.head),
  };
};

/** @param {State} state @param {Run} run @param {Data} data @returns {Lens | null} */
const seenAt = (state, { ids, name, steps }, data) => {
  const at = placeOf(state.at, ids.length);
  const here = running(data);
  if (steps && here) return lensOf(steps[at], at, name(ids[at]), here.logits, name);
  return data.first.lens.at === at ? data.first.lens : null;
};

/** @param {State} state @param {Run} run @param {Next} next @param {Data} data @returns {Edit | null} */
const editOf = (state, { ids }, next, data) => {
  const old = state.before ? runOf(state.before, data) : null;
  if (!old) return null;
  const differs = ids.findIndex((id, i) => old.ids[i] !== id);
  const same = 0 > differs ? ids.length : differs;
  const [was, now] = [nextOf(state, old), next].map(({ rows: [best] }) => ({ name: best.name, share: best.plain }));
  return { same, anew: ids.length - same, was, now };
};

/** What the KV cache holds after so many tokens. @param {number} count @param {Data} data */
const cacheOf = (count, { config }) => {
  const numbers = 2 * config.num_key_value_heads * config.head_dim;
  const each = numbers * BYTES * config.num_hidden_layers;
  const most = each * config.max_position_embeddings;
  return { tokens: count, per_layer: numbers, per_token: each, bytes: each * count, most };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const run = runOf(state.text, data);
  const count = run ? run.ids.length : 0;
  const next = lazy({}, { made: () => run && nextOf(state, run) });
  const known = {
    count,
    dropped: run ? run.dropped : 0,
    letters: [...state.text].length,
    cache: cacheOf(count, data),
    model: data.facts,
  };
  return lazy(known, {
    tokens: () => run?.ids.map((id) => ({ id, name: run.name(id), ...run.pieces(id) })) ?? null,
    next: () => next.made,
    look: () => run && lookOf(state, run, data),
    lens: () => run && seenAt(state, run, data),
    edit: () => run && next.made && editOf(state, run, next.made, data),
  });
}
