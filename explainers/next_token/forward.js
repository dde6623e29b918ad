/* Tokens -> logits: a llama in plain loops, with a cache that grows, and what every layer and head did on the way.
   Twin of forward.py. Other pages run it too: makeModel, makeSession, advance. */

/**
 * What of a llama's config.json is read here.
 * @typedef {{
 *   vocab_size: number, hidden_size: number, intermediate_size: number, num_hidden_layers: number,
 *   num_attention_heads: number, num_key_value_heads: number, head_dim: number, max_position_embeddings: number,
 *   rms_norm_eps: number, rope_theta: number,
 * }} Config
 */

/** A matrix by rows. @typedef {{ rows: number, columns: number, numbers: Float32Array }} Matrix */
/** Matrices by their names in transformers, and the config. @typedef {{ config: Config, tensors: { [name: string]: Matrix } }} Model */

/**
 * What one layer did with one token: `scores` and `weights` of each head over the tokens up to it, `mixed` the values
 * summed by the weights (heads one after another), `attended` and `out` the residual stream after attention and MLP.
 * @typedef {{
 *   q: Float64Array, k: Float64Array, v: Float64Array, scores: Float64Array[], weights: Float64Array[],
 *   mixed: Float64Array, attended: Float64Array, out: Float64Array,
 * }} Trace
 */

/** One token's way: its embedding, then a trace for each layer. @typedef {{ embedded: Float64Array, layers: Trace[] }} Step */
/** A text in work: its tokens and their ways, which are the cache. @typedef {{ model: Model, ids: number[], steps: Step[] }} Session */

/** The tensors of a llama with tied embeddings: [name, shape]. @param {Config} config @returns {[string, number[]][]} */
export const shapesOf = (config) => {
  const { hidden_size: wide, intermediate_size: inner, head_dim: head } = config;
  const [q, kv] = [config.num_attention_heads * head, config.num_key_value_heads * head];
  /** @type {[string, number[]][]} */
  const found = [["model.embed_tokens.weight", [config.vocab_size, wide]]];
  for (let layer = 0; config.num_hidden_layers > layer; layer++) {
    const at = `model.layers.${layer}.`;
    found.push(
      [`${at}input_layernorm.weight`, [wide]],
      [`${at}self_attn.q_proj.weight`, [q, wide]],
      [`${at}self_attn.k_proj.weight`, [kv, wide]],
      [`${at}self_attn.v_proj.weight`, [kv, wide]],
      [`${at}self_attn.o_proj.weight`, [wide, q]],
      [`${at}post_attention_layernorm.weight`, [wide]],
      [`${at}mlp.gate_proj.weight`, [inner, wide]],
      [`${at}mlp.up_proj.weight`, [inner, wide]],
      [`${at}mlp.down_proj.weight`, [wide, inner]],
    );
  }
  found.push(["model.norm.weight", [wide]]);
  return found;
};

/**
 * The model of a weights file: the scales of all rows in float32, then all numbers in int8.
 * @param {Config} config
 * @param {Uint8Array} bytes
 * @returns {Model}
 */
export const makeModel = (config, bytes) => {
  const sizes = shapesOf(config).map(([name, shape]) => ({
    name,
    rows: shape.length > 1 ? shape[0] : 1,
    columns: shape[shape.length - 1],
  }));
  const rows = sizes.reduce((sum, one) => sum + one.rows, 0);
  const count = sizes.reduce((sum, one) => sum + one.rows * one.columns, 0);
  if (bytes.length !== 4 * rows + count)
    throw new Error(`A weights file has ${bytes.length} bytes; ${4 * rows + count} were looked for.`);
  const scales = new DataView(bytes.buffer, bytes.byteOffset);
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + 4 * rows);
  let [row, at] = [0, 0];
  /** @type {{ [name: string]: Matrix }} */
  const tensors = {};
  for (const one of sizes) {
    const wide = new Float32Array(one.rows * one.columns);
    for (let r = 0; one.rows > r; r++) {
      const scale = scales.getFloat32(4 * row++, true);
      for (let c = 0; one.columns > c; c++) wide[r * one.columns + c] = numbers[at++] * scale;
    }
    tensors[one.name] = { rows: one.rows, columns: one.columns, numbers: wide };
  }
  return { config, tensors };
};

/** A matrix times a vector; its rows come in fours. @param {Matrix} matrix @param {Float64Array} x @returns {Float64Array} */
const product = ({ rows, columns, numbers }, x) => {
  const out = new Float64Array(rows);
  for (let r = 0; rows > r; r += 4) {
    let [a, b, c, d] = [0, 0, 0, 0]; // four sums keep the processor busier than one
    let at = r * columns;
    for (let i = 0; columns > i; i++, at++) {
      const y = x[i];
      a += numbers[at] * y;
      b += numbers[at + columns] * y;
      c += numbers[at + 2 * columns] * y;
      d += numbers[at + 3 * columns] * y;
    }
    out.set([a, b, c, d], r);
  }
  return out;
};

/** RMSNorm. @param {Float64Array} x @param {Matrix} weight @param {number} eps */
const rms = (x, weight, eps) => {
  const size = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length + eps);
  return x.map((v, i) => (v / size) * weight.numbers[i]);
};

/** Shares of some scores. @param {Float64Array} scores @returns {Float64Array} */
export const softmax = (scores) => {
  const most = scores.reduce((a, b) => Math.max(a, b));
  const raised = scores.map((v) => Math.exp(v - most));
  const sum = raised.reduce((a, b) => a + b);
  return raised.map((v) => v / sum);
};

/**
 * RoPE: number i of a head and number i + dim / 2 turn as a pair, by the position over theta^(2i / dim).
 * @param {Float64Array} x
 * @param {number} position
 * @param {number} dim
 * @param {number} theta
 */
const rotate = (x, position, dim, theta) => {
  const half = dim / 2;
  for (let i = 0; half > i; i++) {
    const turn = position * theta ** (-i / half);
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    for (let at = i; x.length > at; at += dim) {
      const [a, b] = [x[at], x[at + half]];
      x[at] = a * cos - b * sin;
      x[at + half] = b * cos + a * sin;
    }
  }
  return x;
};

/**
 * What each head of a token reads in the tokens up to it.
 * @param {Config} config
 * @param {Float64Array} q
 * @param {{ k: Float64Array, v: Float64Array }[]} past of this layer, the token itself last
 */
const attend = ({ head_dim: dim, num_attention_heads: heads, num_key_value_heads: shared }, q, past) => {
  const scores = /** @type {Float64Array[]} */ ([]);
  const weights = /** @type {Float64Array[]} */ ([]);
  const mixed = new Float64Array(heads * dim);
  for (let h = 0; heads > h; h++) {
    const own = Math.floor((h * shared) / heads) * dim; // where its key head begins
    const row = new Float64Array(past.length);
    for (let j = 0; past.length > j; j++) {
      let sum = 0;
      for (let d = 0; dim > d; d++) sum += q[h * dim + d] * past[j].k[own + d];
      row[j] = sum / Math.sqrt(dim);
    }
    const parts = softmax(row);
    for (let j = 0; past.length > j; j++)
      for (let d = 0; dim > d; d++) mixed[h * dim + d] += parts[j] * past[j].v[own + d];
    scores.push(row);
    weights.push(parts);
  }
  return { scores, weights, mixed };
};

/** @param {Float64Array} a @param {Float64Array} b */
const add = (a, b) => a.map((v, i) => v + b[i]);

/** One more token through all layers. @param {Session} session @param {number} id */
const step = ({ model: { config, tensors }, steps }, id) => {
  const { hidden_size: wide, rms_norm_eps: eps, rope_theta: theta, head_dim: dim } = config;
  const embedded = Float64Array.from(tensors["model.embed_tokens.weight"].numbers.subarray(id * wide, (id + 1) * wide));
  /** @type {Step} */
  const made = { embedded, layers: [] };
  let stream = embedded;
  for (let layer = 0; config.num_hidden_layers > layer; layer++) {
    /** @param {string} name */
    const own = (name) => tensors[`model.layers.${layer}.${name}.weight`];
    const x = rms(stream, own("input_layernorm"), eps);
    const q = rotate(product(own("self_attn.q_proj"), x), steps.length, dim, theta);
    const k = rotate(product(own("self_attn.k_proj"), x), steps.length, dim, theta);
    const v = product(own("self_attn.v_proj"), x);
    const read = attend(config, q, [...steps.map((one) => one.layers[layer]), { k, v }]);
    const attended = add(stream, product(own("self_attn.o_proj"), read.mixed));
    const y = rms(attended, own("post_attention_layernorm"), eps);
    const up = product(own("mlp.up_proj"), y);
    const inner = product(own("mlp.gate_proj"), y).map((g, i) => (g / (1 + Math.exp(-g))) * up[i]);
    stream = add(attended, product(own("mlp.down_proj"), inner));
    made.layers.push({ q, k, v, ...read, attended, out: stream });
  }
  return made;
};

/** @param {Model} model @returns {Session} */
export const makeSession = (model) => ({ model, ids: [], steps: [] });

/**
 * Brings a session to these tokens. What they begin with as before stays cached; returns how many were computed.
 * @param {Session} session
 * @param {number[]} ids
 */
export const advance = (session, ids) => {
  const differs = ids.findIndex((id, i) => session.ids[i] !== id);
  const same = differs >= 0 ? differs : ids.length;
  session.steps.length = session.ids.length = Math.min(same, session.ids.length);
  for (const id of ids.slice(same)) {
    session.steps.push(step(session, id));
    session.ids.push(id);
  }
  return ids.length - same;
};

/** The logits of a vector of the residual stream. @param {Model} model @param {Float64Array} vector */
export const logitsOf = ({ config, tensors }, vector) =>
  product(tensors["model.embed_tokens.weight"], rms(vector, tensors["model.norm.weight"], config.rms_norm_eps));

/** The logits after a token of the session. @param {Session} session @param {number} [at] the last where none is given */
export const logitsAt = ({ model, steps }, at = steps.length - 1) =>
  logitsOf(model, steps[at].layers[model.config.num_hidden_layers - 1].out);
