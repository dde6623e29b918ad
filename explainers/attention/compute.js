/* Twin of reference.py: a sentence, a head and a token -> scores, weights and what the head returns. */
import { bytesOf } from "../kit/apart.js";
import { upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { running } from "../next_token/load.js";
import { FIRST } from "../next_token/tokens.js";
import { allVectors, modelOf } from "./load.js";

/** @import { Data, State } from "../../.make/data_types/attention.d.ts" */

/** @import { Step } from "../next_token/forward.js" */

/** One layer's vectors of a sentence, token after token. @typedef {{ q: Float64Array, k: Float64Array, v: Float64Array }} Vectors */
/** The token that is attended to most. @typedef {{ at: number, name: string, weight: number }} Best */
/**
 * One key of a look: `dot` is q·k, `score` the same after the scale, `seen` false where the mask hides it.
 * @typedef {{
 *   name: string, dot: number, score: number, weight: number, seen: boolean, key: number[], value: number[],
 * }} Row
 */
/**
 * One token's query against every key, and the values summed by the weights.
 * @typedef {{
 *   at: number, name: string, shared: number, query: number[], rows: Row[], best: Best, counting: number, read: number[],
 * }} Look
 */
/** A head's mean weights. @typedef {{ head: number, best: Best, previous: number, first: number, same: number }} Head */
/** @typedef {ReturnType<typeof compute>} Now */
/** What pictures are drawn from. @typedef {Omit<State, keyof Now> & Now} Shown */
/** The same once the vectors are here. @typedef {Shown & { look: Look, grids: number[][][], heads: Head[] }} Answered */

const [FEW, MOST, LONGEST] = [0.01, 16, 1000];
/** @param {unknown} value @param {number} low @param {number} high */
const isInteger = (value, low, high) => Number.isInteger(value) && Number(value) >= low && high >= Number(value);

/** @param {State} state @param {Data} data */
export function check(state, data) {
  const { config, texts } = data;
  for (const [key, most, named] of /** @type {const} */ ([
    ["text", texts.length - 1, "A sentence"],
    ["layer", config.num_hidden_layers - 1, "A layer"],
    ["head", config.num_attention_heads - 1, "A head"],
  ]))
    if (!isInteger(state[key], 0, most)) return `${named} is a whole number from 0 to ${most}.`;
  if (state.own.length > LONGEST)
    return `A text of your own has at most ${fmt.int(LONGEST)} characters here; its first ${MOST - 1} tokens are shown after <s>.`;
  const last = (state.own ? MOST : texts[state.text].names.length) - 1;
  if (!isInteger(state.at, -1, last))
    return `A token of this sentence is a whole number from -1 (the last) to ${last}.`;
  return [state.scaled, state.masked].every((one) => typeof one === "boolean") ? "" : "A switch is true or false.";
}

/** Numbers of a sentence's layer. @param {number} count tokens @param {Data} data */
const sizeOf = (count, { config }) =>
  count * config.head_dim * (config.num_attention_heads + 2 * config.num_key_value_heads);

/** The tokens that are shown, and how many are left out. @typedef {{ ids: number[], names: string[], cut: number }} Sentence */

/**
 * The sentence, or a text of one's own and its steps through the model; null while that is not here.
 * @param {State} state
 * @param {Data} data
 * @returns {(Sentence & { steps: Step[] | null }) | null}
 */
const sentenceOf = (state, data) => {
  if (!state.own) return { ...data.texts[state.text], cut: 0, steps: null };
  if (typed?.own === state.own) return typed.sentence;
  const model = running(modelOf(data));
  if (!model) return null;
  const all = model.encode(state.own);
  const { ids, steps } = model.run(all.slice(0, MOST - 1));
  typed = { own: state.own, sentence: { ids, names: ids.map(model.name), cut: all.length + 1 - ids.length, steps } };
  return typed.sentence;
};
/** The text that was run last. @type {{ own: string, sentence: Sentence & { steps: Step[] } } | null} */
let typed = null;

/** @param {Step[]} steps @param {number} layer @returns {Vectors} */
const joined = (steps, layer) => {
  /** @param {"q" | "k" | "v"} key */
  const all = (key) => Float64Array.from(steps.flatMap((step) => list(step.layers[layer][key])));
  return { q: all("q"), k: all("k"), v: all("v") };
};

/** The vectors of a sentence's layer, or null while they are not here. @param {State} state @param {Data} data @returns {Vectors | null} */
const vectorsOf = (state, data) => {
  const { config, texts, first } = data;
  const count = texts[state.text].names.length;
  const all = allVectors(data);
  let [bytes, at] = [all, 0];
  if (state.text === first.text && state.layer === first.layer) bytes = bytesOf(first.numbers);
  else
    for (let text = 0; state.text >= text; text++)
      at += 2 * sizeOf(texts[text].names.length, data) * (text === state.text ? state.layer : config.num_hidden_layers);
  if (!bytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const step = texts[state.text].steps[state.layer];
  const numbers = Float64Array.from(upto(sizeOf(count, data)), (i) => view.getInt16(at + 2 * i, true) * step);
  const [wide, narrow] = [config.num_attention_heads, config.num_key_value_heads].map(
    (n) => n * count * config.head_dim,
  );
  return { q: numbers.subarray(0, wide), k: numbers.subarray(wide, wide + narrow), v: numbers.subarray(wide + narrow) };
};

/** @param {number[]} scores */
const softmax = (scores) => {
  const most = Math.max(...scores);
  const raised = scores.map((one) => Math.exp(one - most));
  const sum = raised.reduce((a, b) => a + b);
  return raised.map((one) => one / sum);
};

/** @param {ArrayLike<number>} numbers */
const list = (numbers) => Array.from(numbers);
/** @param {number} head @param {Data} data */
const sharedOf = (head, { config }) => Math.floor((head * config.num_key_value_heads) / config.num_attention_heads);

/**
 * Dot products and weights of one head.
 * @param {State} state
 * @param {number} head
 * @param {Vectors} held
 * @param {number} count tokens
 * @param {Data} data
 */
const headOf = (state, head, held, count, data) => {
  const { head_dim: dim, num_attention_heads: heads, num_key_value_heads: keys } = data.config;
  const shared = sharedOf(head, data);
  const dots = upto(count).map((i) =>
    upto(count).map((j) => {
      let sum = 0;
      for (let d = 0; dim > d; d++) sum += held.q[(i * heads + head) * dim + d] * held.k[(j * keys + shared) * dim + d];
      return sum;
    }),
  );
  const root = state.scaled ? Math.sqrt(dim) : 1;
  const weights = dots.map((row, i) =>
    softmax(row.map((dot, j) => (state.masked && j > i ? Number.NEGATIVE_INFINITY : dot / root))),
  );
  return { dots, weights };
};

/** @param {number[]} row @param {string[]} names @returns {Best} */
const bestOf = (row, names) => {
  const at = row.indexOf(Math.max(...row));
  return { at, name: names[at], weight: row[at] };
};
/** @param {number[]} values */
const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0);

/**
 * @param {number} head
 * @param {number[][]} weights
 * @param {number[]} ids
 * @param {number} at
 * @param {string[]} names
 * @returns {Head}
 */
const summary = (head, weights, ids, at, names) => {
  const from = upto(ids.length).slice(2);
  const again = from.filter((i) => ids.slice(1, i).includes(ids[i]));
  return {
    head,
    best: bestOf(weights[at], names),
    previous: mean(from.map((i) => weights[i][i - 1])),
    first: mean(from.map((i) => weights[i][0])),
    same: mean(
      again.map((i) => weights[i].reduce((sum, one, j) => sum + (j && i > j && ids[j] === ids[i] ? one : 0), 0)),
    ),
  };
};

/**
 * @param {State} state
 * @param {string[]} names
 * @param {Vectors} held
 * @param {Data} data
 * @param {ReturnType<typeof headOf>} made
 * @returns {Look}
 */
const lookOf = (state, names, held, data, { dots, weights }) => {
  const { head_dim: dim, num_attention_heads: heads, num_key_value_heads: keys } = data.config;
  const at = state.at >= 0 && names.length > state.at ? state.at : names.length - 1;
  const shared = sharedOf(state.head, data);
  /** @param {Float64Array} of @param {number} j @param {number} many @param {number} head */
  const one = (of, j, many, head) => list(of.subarray((j * many + head) * dim, (j * many + head + 1) * dim));
  const values = names.map((_, j) => one(held.v, j, keys, shared));
  const rows = names.map((name, j) => ({
    name,
    dot: dots[at][j],
    score: dots[at][j] / (state.scaled ? Math.sqrt(dim) : 1),
    weight: weights[at][j],
    seen: !state.masked || at >= j,
    key: one(held.k, j, keys, shared),
    value: values[j],
  }));
  return {
    at,
    name: names[at],
    shared,
    query: one(held.q, at, heads, state.head),
    rows,
    best: bestOf(weights[at], names),
    counting: weights[at].filter((weight) => weight >= FEW).length,
    read: upto(dim).map((d) => values.reduce((sum, value, j) => sum + weights[at][j] * value[d], 0)),
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const found = sentenceOf(state, data);
  const { ids, names, cut } = found ?? { ids: [FIRST], names: ["<s>"], cut: 0 };
  const count = names.length;
  const held = found?.steps ? joined(found.steps, state.layer) : found && vectorsOf(state, data);
  const made = held && upto(data.config.num_attention_heads).map((head) => headOf(state, head, held, count, data));
  const look = held && made && lookOf(state, names, held, data, made[state.head]);
  return {
    tokens: names.map((name, i) => ({ id: ids[i], name })),
    count,
    cut,
    pairs: { all: count * count, computed: state.masked ? (count * (count + 1)) / 2 : count * count },
    model: data.config,
    few: FEW,
    look,
    grids: made?.map(({ weights }) => weights) ?? null,
    heads: made && look && made.map(({ weights }, head) => summary(head, weights, ids, look.at, names)),
  };
}
