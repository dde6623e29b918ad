/* The decoder itself: a weights file -> tables and matrices; tokens -> what each read is answered, looks, states.
   One layer, so what a token brings (its query, key and value before the convolutions) is a row of a table of 66 (68 with resets).
   A decoder remembers its last stream (`memo`): keys and values by token, answers by read, states before every 24th token. */
/** @import { Mixer } from "./compute.js" */

/** @typedef {Float64Array} Numbers */
/** What a token leaves for later ones. @typedef {[keys: Numbers, values: Numbers]} Entry */
/** What stays of a head's state, and how strongly a token writes. @typedef {[stays: number, strength: number]} Gates */
/** Weights by name, and the rows of a table by token. @typedef {{ [name: string]: Numbers }} Weights */
/** @typedef {{ [name: string]: Numbers[] }} Tables */
/** What a token found, and where each head looked for it. @typedef {{ out: Numbers, looks?: Numbers[] }} Found */
/** A state on its way through a stream: before token `done`. @typedef {{ done: number, state: Numbers }} Run */
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

const [TAPS, EPS, THETA, EACH] = [4, 1e-6, 1e5, 24];
/** Decoders by name, for all who share this module. @type {{ [name: string]: Decoder }} */
export const fetched = {};
/** @param {number} n */
export const range_of = (n) => Array.from({ length: n }, (_, i) => i);
/** @param {number[]} shape */
const size_of = (shape) => shape.reduce((a, b) => a * b, 1);

/**
 * Rows of int8, then a bfloat16 scale for each row: as stored.py packs them.
 * @param {Uint8Array} bytes
 * @param {Mixer["shapes"]} shapes
 */
const unpacked = (bytes, shapes) => {
  const rows = shapes.map(([, shape]) => (shape.length === 1 ? 1 : shape[0]));
  const count = shapes.reduce((sum, [, shape]) => sum + size_of(shape), 0);
  const scale = new Float32Array(1);
  const bits = new Uint32Array(scale.buffer);
  /** @type {Weights} */
  const found = {};
  let [at, row] = [0, 0];
  shapes.forEach(([name, shape], i) => {
    const wide = size_of(shape) / rows[i];
    const made = new Float64Array(size_of(shape));
    for (let r = 0; r < rows[i]; r += 1, row += 1) {
      const place = count + 2 * row;
      bits[0] = (bytes[place] | (bytes[place + 1] << 8)) << 16;
      for (let c = 0; c < wide; c += 1, at += 1) made[r * wide + c] = ((bytes[at] << 24) >> 24) * scale[0];
    }
    found[name] = made;
  });
  return found;
};

/** @param {Numbers} matrix @param {Numbers} x */
const times = (matrix, x, out = new Float64Array(matrix.length / x.length)) => {
  const n = x.length;
  for (let r = 0, at = 0; r < out.length; r += 1) {
    let sum = 0;
    for (let c = 0; c < n; c += 1, at += 1) sum += matrix[at] * x[c];
    out[r] = sum;
  }
  return out;
};
/** @param {Numbers} x @param {Numbers} weight */
const rms = (x, weight) => {
  let sum = 0;
  for (const v of x) sum += v * v;
  const by = 1 / Math.sqrt(sum / x.length + EPS);
  return x.map((v, i) => v * by * weight[i]);
};
/** @param {number} x */
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
/** @param {number} x */
const sigmoid = (x) => 0.5 * (1 + Math.tanh(x / 2));
/** @param {number} x */
const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
/** @param {Numbers} x */
export const softmax = (x) => {
  const top = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const e = x.map((v) => Math.exp(v - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((v) => v / sum);
};

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

/**
 * Each channel over its last four tokens.
 * @param {Numbers[]} table
 * @param {Numbers} taps
 * @param {number[]} tokens
 * @param {number} t
 */
const convolved = (table, taps, tokens, t) => {
  const out = new Float64Array(table[0].length);
  const rows = range_of(Math.min(TAPS, t + 1)).map((back) => table[tokens[t - back]]);
  for (let c = 0; c < out.length; c += 1) {
    let sum = 0;
    for (let back = 0; back < rows.length; back += 1) sum += taps[c * TAPS + TAPS - 1 - back] * rows[back][c];
    out[c] = sum;
  }
  return out;
};

/**
 * Pairs of each head's numbers, halves apart, turned by the position.
 * @param {Numbers} x
 * @param {number} heads
 * @param {number} from the first of them in each head
 * @param {number} dims how many turn
 * @param {number} t
 */
const turned = (x, heads, from, dims, t) => {
  const [wide, half] = [x.length / heads, dims / 2];
  for (let i = 0; i < half; i += 1) {
    const angle = t * THETA ** (-i / half);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    for (let a = from + i; a < x.length; a += wide) {
      const [one, other] = [x[a], x[a + half]];
      x[a] = one * cos - other * sin;
      x[a + half] = other * cos + one * sin;
    }
  }
  return x;
};

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
const looked = (model, tokens, t) => {
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

/* States: what every token writes, in order. */

/** Each head's numbers over their length. @param {Numbers} x @param {number} heads */
const length_one = (x, heads) => {
  const wide = x.length / heads;
  for (let h = 0; h < heads; h += 1) {
    let sum = EPS;
    for (let i = h * wide; i < h * wide + wide; i += 1) sum += x[i] * x[i];
    for (let i = h * wide; i < h * wide + wide; i += 1) x[i] /= Math.sqrt(sum);
  }
  return x;
};
/**
 * As the token says, whatever stands before it.
 * @param {Pick<Decoder, "one" | "w" | "tables">} model
 * @param {number} token
 * @param {number} h
 * @returns {Gates}
 */
const gates_of = ({ one, w, tables }, token, h) => {
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
const state_at = (model, tokens, t, run = /** @type {Run} */ ({ done: -1 })) => {
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
const remembered = (model, tokens, t, run) => {
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
