/* Twin of reference.py: a task, gates and a step -> states, what keys read back, means over streams, half-lives, bytes. */
import { lazy, upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { gatesOf, lightningSlope, read, recallError, retnet, run, targets, tokens, vectors } from "./recurrence.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */
/** @import { Matrix, Rule, Task, Vectors } from "./recurrence.js" */

/** What beats and lab are drawn from. @typedef {ReturnType<typeof compute>} Now */
/** One rule of it. @typedef {ReturnType<typeof rowOf>} Row */
/** A model's bytes. @typedef {ReturnType<typeof costOf>} Cost */

const STREAMS = 64;
const [LEVEL, Z95] = [0.95, 1.96];
const NOISE = 1e-10;

/** @param {unknown} value @param {number} low @param {number} high */
const isBetween = (value, low, high) => typeof value === "number" && value >= low && high >= value;
/** @type {[key: "seed" | "step" | "head" | "pause", low: number, high: number][]} */
const WHOLE = [
  ["seed", 1, 99],
  ["step", 0, 20],
  ["head", 1, 8],
  ["pause", 1, 8],
];
/** @type {[key: "decay" | "shut" | "beta" | "input", high: number][]} */
const REAL = [
  ["decay", 1],
  ["shut", 1],
  ["beta", 1],
  ["input", 5],
];

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  /** @type {[key: "task" | "keys" | "rule" | "sort", allowed: string[]][]} */
  const choices = [
    ["task", data.tasks.map((one) => one.name)],
    ["keys", ["axes", "random"]],
    ["rule", data.rules.map((one) => one.name)],
    ["sort", ["paper", "error", "mean"]],
  ];
  for (const [key, allowed] of choices)
    if (!allowed.includes(state[key])) return `The ${key} is one of ${allowed.join(", ")}.`;
  for (const [key, low, high] of WHOLE)
    if (!isBetween(state[key], low, high) || !Number.isInteger(state[key]))
      return `The ${key} is a whole number from ${low} to ${high}.`;
  for (const [key, high] of REAL)
    if (!isBetween(state[key], 0, high)) return `The ${key} is a number from 0 to ${high}.`;
  if (!data.layers.includes(state.layer)) return `The layer is one of ${data.layers.join(", ")}.`;
  if (!data.models.some(([slug]) => slug === state.model))
    return "The model is one of the catalogue’s that have such a layer.";
  return "";
}

/** @param {number} x */
const quiet = (x) => (Math.abs(x) < NOISE ? 0 : x);
/** @param {number} x */
const small = (x) => (x > NOISE ? x : 0);
/* ---------------------------------------------------------------- many streams */
/** @typedef {{ made: Vectors, wanted: (number[] | null)[] }} Stream */
/** @type {Map<string, Stream[]>} */
const known = new Map();
/** Seeds 1 to 64. @param {Task} task @param {State} state */
const allStreams = (task, { pause, keys }) => {
  const name = `${task.name} ${pause} ${keys}`;
  const made =
    known.get(name) ??
    upto(STREAMS).map((i) => {
      const one = vectors(task, pause, keys, i + 1);
      return { made: one, wanted: targets(task, pause, one.v, one.v.length) };
    });
  if (known.size > 16) known.clear();
  known.set(name, made);
  return made;
};
/** [mean, half its 95 % interval] of the error at the end. @param {Rule} rule @param {State} state @param {Task} task */
const means = (rule, state, task) => {
  const gates = gatesOf(rule, state, task);
  const errors = allStreams(task, state).map(({ made, wanted }) => {
    const memory = run(rule, made, gates, gates.length);
    const each = made.each.map((key, i) => recallError(read(rule, memory, key), wanted[i] ?? []));
    return each.reduce((sum, e) => sum + e, 0) / each.length;
  });
  const mean = errors.reduce((sum, e) => sum + e, 0) / STREAMS;
  const spread = Math.sqrt(errors.reduce((sum, e) => sum + (e - mean) ** 2, 0) / (STREAMS - 1));
  return [small(mean), small((Z95 * spread) / Math.sqrt(STREAMS))];
};

/* ---------------------------------------------------------------- one stream */
/** @param {Rule} rule @param {State} state @param {Task} task @param {{ step: number, made: Vectors, wanted: (number[] | null)[] }} given */
const rowOf = (rule, state, task, { step, made, wanted }) => {
  const gates = gatesOf(rule, state, task);
  const memory = run(rule, made, gates, step);
  const errors = wanted.map((target, i) => (target ? small(recallError(read(rule, memory, made.each[i]), target)) : 0));
  const counted = errors.filter((_, i) => wanted[i]);
  const { alpha, write } = gates[Math.max(step - 1, 0)];
  /** @type {number[]} */
  let pair;
  const measured = () => {
    pair ??= means(rule, state, task);
    return pair;
  };
  return lazy(
    {
      name: rule.name,
      label: rule.label,
      state: memory.matrix.map((row) => row.map(quiet)),
      reads: read(rule, memory, made.each[0]).map(quiet),
      alphas: alpha,
      low: Math.min(...alpha),
      high: Math.max(...alpha),
      write,
      errors,
      error: counted.length ? small(counted.reduce((sum, e) => sum + e, 0) / counted.length) : 0,
    },
    { mean: () => measured()[0], half: () => measured()[1] },
  );
};
/** @param {Row[]} rows @param {string} sort */
const orderOf = (rows, sort) => {
  /** @param {number} i */
  const size = (i) => Math.floor(rows[i][/** @type {"error" | "mean"} */ (sort)] * 1e6 + 0.5);
  const places = rows.map((_, i) => i);
  return sort === "paper" ? places : places.sort((a, b) => size(a) - size(b));
};

/** @param {number} layer @param {Data["lightning"]} lightning */
const halvesOf = (layer, { title, heads, layers }) => {
  const slow = upto(8).map((i) => Math.LN2 / -Math.log(retnet(i + 1)));
  const fading = upto(heads).map((i) => Math.LN2 / lightningSlope(i + 1, heads, layer, layers));
  return {
    title,
    retnet: slow,
    lightning: fading,
    retnet_ends: [slow[0], slow[7]],
    lightning_ends: [fading[0], fading[heads - 1]],
  };
};
/** @param {Data["models"][number]} one @param {Data} data */
const costOf = ([slug, title, rule, layers, of, state, token, attention], data) => {
  const crossing = token ? Math.floor(state / token) + 1 : 0;
  return {
    slug,
    title,
    rule: data.rules.find(({ name }) => name === rule)?.label ?? "",
    layers,
    of,
    state,
    token,
    attention,
    crossing,
    text: token ? fmt.int(crossing) : "no attention",
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const task = /** @type {Task} */ (data.tasks.find((one) => one.name === state.task));
  const stream = tokens(task, state.pause);
  const step = Math.min(state.step, stream.length);
  const made = vectors(task, state.pause, state.keys, state.seed);
  const wanted = targets(task, state.pause, made.v, step);
  const rules = data.rules.map((rule) => rowOf(rule, state, task, { step, made, wanted }));
  return lazy(
    {
      stream: stream.map((key) => data.letters[key] ?? "–"),
      now: step,
      length: stream.length,
      keys_read: wanted.map((one) => one && (one.some(Boolean) ? "value" : "zeros")),
      target: wanted[0] ?? [],
      rules,
      streams: STREAMS,
      level: LEVEL,
      source: data.rules.find((one) => one.name === state.rule)?.source ?? "",
      chosen: rules[data.rules.findIndex((one) => one.name === state.rule)],
    },
    {
      order: () => orderOf(rules, state.sort),
      halves: () => halvesOf(state.layer, data.lightning),
      costs: () => data.models.map((one) => costOf(one, data)),
      cost: () =>
        costOf(/** @type {Data["models"][number]} */ (data.models.find(([slug]) => slug === state.model)), data),
    },
  );
}
