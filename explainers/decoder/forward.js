/* The decoder itself: a weights file -> tables and matrices; tokens -> what each read is answered, looks, states.
   One layer, so what a token brings (its query, key and value before the convolutions) is a row of a table of 66 (68 with resets).
   A decoder remembers its last stream (`memo`): keys and values by token, answers by read, states before every 24th token. */
import { looked } from "./attention.js";
import { gates_of, remembered, state_at } from "./recurrence.js";
import { EACH, gelu, range_of, rms, TAPS, times } from "./vectors.js";
import { unpacked } from "./weights_file.js";

/** @import { Entry } from "./attention.js" */
/** @import { Mixer } from "./mixers.js" */
/** @import { Gates, Run } from "./recurrence.js" */
/** @import { Numbers } from "./vectors.js" */
/** @import { Weights } from "./weights_file.js" */

/** @typedef {{ [name: string]: Numbers[] }} Tables */
/** What a token found, and where each head looked for it. @typedef {{ out: Numbers, looks?: Numbers[] }} Found */
/**
 * From a token to the logits after it.
 * @typedef {{ embedding: Numbers, mixer: Numbers, mlp: Numbers, logits: Numbers }} Road
 */
/** @typedef {{ looks?: Numbers[], road: Road, best: number }} Answer */

/**
 * A decoder, and what it remembers of its last stream.
 * @typedef {{
 *   one: Mixer, w: Weights, embed: Numbers[], tables: Tables, gates: Gates[][],
 *   memo: { tokens: number[], rows: (Entry | Numbers | undefined)[], found: Answer[], states: Numbers[] },
 * }} Decoder
 */
/** Decoders by name, for all who share this module. @type {{ [name: string]: Decoder }} */
export const fetched = {};

/** @param {Mixer} one @param {Uint8Array} bytes @returns {Decoder} */
export const decoder_of = (one, bytes) => {
  const w = unpacked(bytes, one.shapes);
  const embed = range_of(one.shapes[0][1][0]).map((token) => w["embed.weight"].subarray(48 * token, 48 * token + 48));
  const read = embed.map((row) => rms(row, w["mixer_norm.weight"]));
  const tables = Object.fromEntries(
    ["q_proj", "k_proj", "v_proj", "kv_a", "b_proj", "a_proj", "dt_proj"]
      .filter((name) => w[`${name}.weight`])
      .map((name) => [name, read.map((x) => times(w[`${name}.weight`], x))]),
  );
  const memo = { tokens: [], rows: [], found: [], states: [] };
  return {
    one,
    w,
    embed,
    tables,
    memo,
    gates: embed.map((_, token) =>
      range_of(one.family === "state" ? one.heads : 0).map((h) => gates_of({ one, w, tables }, token, h)),
    ),
  };
};

/**
 * What of the last stream still holds for this one: all up to the first difference, and keys and values wherever the same
 * four tokens end at the same place.
 * @param {Decoder} model
 * @param {number[]} tokens
 */
const begun = ({ memo }, tokens) => {
  const old = memo.tokens;
  if (old === tokens) return;
  let same = 0;
  while (tokens.length > same && old[same] === tokens[same]) same += 1;
  memo.rows = tokens.map((_, t) =>
    range_of(Math.min(TAPS, t + 1)).every((back) => old[t - back] === tokens[t - back]) ? memo.rows[t] : undefined,
  );
  memo.found.length = Math.min(memo.found.length, same);
  memo.states.length = Math.min(memo.states.length, Math.floor(same / EACH) + 1);
  memo.tokens = tokens;
};

/* States: what every token writes, in order. */

/**
 * From what a token found to the logits after it.
 * @param {Decoder} model
 * @param {number} token
 * @param {Numbers} out
 */
const onwards = ({ w, embed }, token, out) => {
  const embedding = embed[token];
  const found = times(w["o_proj.weight"], rms(out, w["out_norm.weight"]));
  const mixer = embedding.map((v, i) => v + found[i]);
  const inner = times(w["up_proj.weight"], rms(mixer, w["mlp_norm.weight"])).map(gelu);
  const down = times(w["down_proj.weight"], inner);
  const mlp = mixer.map((v, i) => v + down[i]);
  const logits = times(w["embed.weight"], rms(mlp, w["final_norm.weight"]));
  return { road: { embedding, mixer, mlp, logits }, best: logits.indexOf(Math.max(...logits)) };
};

/**
 * The decoder over a stream: at each token that is asked for, in order, where it leads; of the one under the cursor also what
 * it looks at, or what the state holds and how strongly each token wrote.
 * @param {Decoder} model
 * @param {number[]} tokens
 * @param {number[]} asked
 * @param {number} cursor
 */
export const passed = (model, tokens, asked, cursor) => {
  const { memo, one, gates } = model;
  begun(model, tokens);
  const run = /** @type {Run} */ ({ done: -1 });
  for (const t of asked) {
    if (memo.found[t]) continue;
    const { out, looks } = one.family === "softmax" ? looked(model, tokens, t) : remembered(model, tokens, t, run);
    memo.found[t] = { looks, ...onwards(model, tokens[t], out) };
  }
  const here = memo.found[cursor];
  /** @type {{ state?: Numbers, strengths?: number[][] }} */
  const held = here.looks
    ? {}
    : {
        state: state_at(model, tokens, cursor),
        strengths: range_of(one.heads).map((h) => range_of(cursor + 1).map((t) => gates[tokens[t]][h][1])),
      };
  return { best: asked.map((t) => memo.found[t].best), here: { ...here, ...held } };
};
