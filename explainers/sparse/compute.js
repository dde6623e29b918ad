/* Twin of reference.py: a text, a budget and a length -> what each method reads, keeps and misses, and what it costs. */
import { upto } from "../kit/arrays.js";
import { means, mix, READS, scoresOf, softmax } from "./methods.js";
import { dot, TOKENS, textOf } from "./texts.js";

/** @import { Data, State } from "../../.make/data_types/sparse.d.ts" */
/** @import { Rows, Text } from "./texts.js" */
/** @typedef {ReturnType<typeof compute>} Now */
/** @typedef {Omit<State, keyof Now> & Now} Shown */
/** One method on the text. @typedef {ReturnType<typeof rowOf>} Row */

export const [BUDGETS, BLOCKS, WINDOWS] = [
  [16, 32, 64],
  [4, 8, 16],
  [8, 16, 32],
];
const [MUCH, MOST, INDEX, FIXED] = [0.9, 2 ** 20, 0, 2];

/** @param {State} state @param {Data} data */
export function check(state, data) {
  for (const [key, allowed] of /** @type {const} */ ([
    ["text", data.texts.map(({ value }) => value)],
    ["method", data.methods.map((one) => one.key)],
  ]))
    if (!allowed.includes(state[key])) return `The ${key} is one of ${allowed.join(", ")}.`;
  for (const [key, low, high] of /** @type {const} */ ([
    ["seed", 1, 99],
    ["needle", 1, 119],
    ["tokens", 1, MOST],
  ]))
    if (!Number.isInteger(state[key]) || low > state[key] || state[key] > high)
      return `The ${key} is a whole number from ${low} to ${high}.`;
  for (const [key, sizes] of /** @type {const} */ ([
    ["budget", BUDGETS],
    ["block", BLOCKS],
    ["window", WINDOWS],
  ]))
    if (!sizes.includes(state[key])) return `The ${key} is one of ${sizes.join(", ")}.`;
  if (typeof state.gated !== "boolean") return "A switch is true or false.";
  return data.models.some(({ slug }) => slug === state.model)
    ? ""
    : "The model is one of the catalogue’s that read sparsely.";
}

/** @param {number[]} values */
const total = (values) => values.reduce((a, b) => a + b, 0);
/** @param {number[]} values */
const mean = (values) => (values.length ? total(values) / values.length : 0);

/** @param {Data["methods"][number]} method @param {State} state @param {Text} text @param {Rows} exact */
const rowOf = ({ key, label }, state, text, exact) => {
  const { weights, single, reads, scored } = READS[key](text, state);
  const [wanted, made] = [mix(exact, text.v).flat(), mix(weights, text.v).flat()];
  const off = made.map((one, i) => one - wanted[i]);
  /** @param {(head: number, j: number) => boolean} which */
  const mass = (which) => exact.map((row, head) => total(row.filter((_, j) => which(head, j))));
  const heads = mass((head, j) => single[head][j]);
  return {
    key,
    label,
    reads,
    scored,
    heads,
    mass: mean(heads),
    blended: mean(mass((head, j) => !single[head][j] && weights[head][j] > 0)),
    needle: mean(text.needles.map((place, head) => weights[head][place])),
    finders: text.needles.filter((place, head) => single[head][place]).length,
    error: Math.sqrt(dot(off, off) / dot(wanted, wanted)),
    cells: upto(TOKENS).map((j) => {
      const many = single.filter((row) => row[j]).length;
      return many || (weights.some((row) => row[j] > 0) ? -1 : 0);
    }),
  };
};

/** @param {number[]} row how many of its largest weights hold MUCH */
const holding = (row) => {
  let [sum, count] = [0, 1];
  for (const one of [...row].sort((a, b) => b - a)) {
    sum += one;
    if (MUCH > sum) count++;
  }
  return count;
};

/** @param {State} state @param {Text} text */
const rankOf = ({ block }, { q, k, needles }) => {
  if (!needles.length) return 0;
  const found = means(k, block).map((key) => dot(q[0], key));
  return 1 + found.filter((one) => one > found[Math.floor(needles[0] / block)]).length;
};

/** @param {Data} data @param {number} tokens */
const published = ({ methods }, tokens) =>
  methods
    .filter(({ parts }) => parts.length)
    .map(({ label, setting, scores, parts }) => {
      const read = total(parts.map(([every, cap]) => Math.min(Math.floor(tokens / every), cap || Infinity)));
      return { label, setting, scored: scores ? Math.floor(tokens / scores) : 0, read, share: read / tokens };
    });

/** @param {Data["models"][number]} model @param {number} tokens */
const costOf = ({ title, layers, rows, flop }, tokens) => {
  let [kept, reads, index, dense] = [0, 0, 0, 0];
  for (const [kind, size, every, cap, top, lent] of rows) {
    const many = kind === FIXED ? 1 : Math.min(Math.floor(tokens / every), cap || Infinity);
    const read = size * Math.min(many, top || Infinity);
    kept += lent ? 0 : size * many;
    reads += read;
    if (kind === INDEX) index += read;
    else dense += size * many;
  }
  const work = [0, 0];
  for (const [kind, each, every, cap] of flop)
    work[kind] += each * Math.min(Math.floor(tokens / every), cap || Infinity);
  return {
    title,
    layers,
    kept,
    reads,
    index,
    dense,
    index_share: index / reads,
    saves: dense / reads,
    look_gflop: work[0] / 1e9,
    read_gflop: work[1] / 1e9,
    both_gflop: (work[0] + work[1]) / 1e9,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const text = textOf(state, data);
  const exact = scoresOf(text).map(softmax);
  const rows = data.methods.map((one) => rowOf(one, state, text, exact));
  const costs = data.models.map((one) => costOf(one, state.tokens));
  const held = exact.map(holding);
  const chosen = data.methods.findIndex(({ key }) => key === state.method);
  return {
    count: TOKENS,
    heads: exact.length,
    weights: upto(TOKENS).map((j) => mean(exact.map((row) => row[j]))),
    needles: text.needles,
    on_needle: mean(text.needles.map((place, head) => exact[head][place])),
    much: MUCH,
    held,
    holding: Math.max(...held),
    rank: rankOf(state, text),
    blocks: TOKENS / state.block,
    rows,
    says: data.methods[chosen].says,
    source: data.methods[chosen].source,
    chosen: rows[chosen],
    of: /** @type {{ [key: string]: Row }} */ (Object.fromEntries(rows.map((row) => [row.key, row]))),
    published: published(data, state.tokens),
    models: costs,
    cost: costs[data.models.findIndex(({ slug }) => slug === state.model)],
  };
}
