/* Twin of rules.py, streams.py and gates.py: a task and sliders -> the stream, each rule's gates, its state and reads. */
import { hash32, upto } from "../kit/arrays.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */

/** @typedef {number[][]} Matrix */
/** @typedef {Data["rules"][number]} Rule */
/** @typedef {Data["tasks"][number]} Task */
/** Of one token, over the channels of the key. @typedef {{ alpha: number[], erase: number, write: number }} Gate */
/** Eight keys, and of each token its key and value. @typedef {{ each: Matrix, k: Matrix, v: Matrix }} Vectors */
/** What is kept of the past: S, and mLSTM's n. @typedef {{ matrix: Matrix, norm: number[] }} Memory */

export const D = 8;
const SEPARATOR = -1;
const HEADS = 8;
const LEAST_RATE = 1e-3;
const LEAST_STEP = 1e-4;
const RWKV_LEAST = Math.exp(-Math.exp(-0.5));

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
};
const zeros = () => upto(D).map(() => 0);

/* ---------------------------------------------------------------- the stream */
/** @param {Task} task @param {number} pause */
export const tokens = (task, pause) => [
  ...task.first,
  ...(task.separated ? upto(pause).map(() => SEPARATOR) : []),
  ...task.then,
];
/** @param {number} start @param {number} many */
const fractions = (start, many) => upto(many).map((i) => hash32(start + i) / 2 ** 31 - 1);
/** @param {string} kind @param {number} seed @returns {Matrix} */
const keysOf = (kind, seed) => {
  if (kind === "axes") return upto(D).map((i) => upto(D).map((j) => Number(i === j)));
  const drawn = fractions(4096 * seed, D * D);
  return upto(D).map((i) => {
    const row = drawn.slice(D * i, D * i + D);
    const size = Math.sqrt(dot(row, row));
    return row.map((x) => x / size);
  });
};
/** @param {Task} task @param {number} pause @param {string} kind @param {number} seed @returns {Vectors} */
export const vectors = (task, pause, kind, seed) => {
  const each = keysOf(kind, seed);
  const written = tokens(task, pause);
  const signs = fractions(4096 * seed + 1024, D * written.length).map((x) => (x < 0 ? -1 : 1));
  return {
    each,
    k: written.map((key) => (key === SEPARATOR ? zeros() : each[key])),
    v: written.map((key, t) => (key === SEPARATOR ? zeros() : signs.slice(D * t, D * t + D))),
  };
};
/** What each key should read after some tokens. @param {Task} task @param {number} pause @param {Matrix} v @param {number} step */
export const targets = (task, pause, v, step) => {
  /** @type {(number[] | null)[]} */
  let found = upto(D).map(() => null);
  for (const [t, key] of tokens(task, pause).slice(0, step).entries()) {
    if (key === SEPARATOR) found = found.map((one, i) => (task.dropped.includes(i) ? zeros() : one));
    else found[key] = v[t];
  }
  return found;
};
/** @param {number[]} reads @param {number[]} target */
export const recallError = (reads, target) =>
  Math.sqrt(reads.reduce((sum, x, j) => sum + (x - target[j]) ** 2, 0)) / Math.sqrt(D);

/* ---------------------------------------------------------------- gates */
/** @param {number} head */
export const retnet = (head) => 1 - 2 ** (-4 - head);
/** @param {number} head @param {number} heads @param {number} layer @param {number} layers */
export const lightningSlope = (head, heads, layer, layers) =>
  2 ** ((-8 * head) / heads) * (1 - layer / (layers - 1 + 1e-5) + 1e-5);
/** [alpha, step]. @param {State} state @param {boolean} separator */
const mamba = ({ decay, shut }, separator) => {
  const rate = Math.max(-Math.log(Math.max(decay, LEAST_STEP)), LEAST_RATE);
  const step = separator ? Math.max(1, -Math.log(Math.max(shut, LEAST_STEP)) / rate) : 1;
  return [Math.exp(-step * rate), step];
};
/** What is left of each channel. @param {Rule} rule @param {State} state @param {Task} task @param {boolean} separator */
const alphaOf = (rule, state, task, separator) => {
  /** @param {number} one */
  const alike = (one) => upto(D).map(() => one);
  if (rule.gate === "none") return alike(1);
  if (rule.gate === "fixed")
    return alike(rule.name === "retnet" ? retnet(state.head) : Math.exp(-lightningSlope(state.head, HEADS, 0, 80)));
  if (rule.name === "mamba2") return alike(mamba(state, separator)[0]);
  const closed = Math.min(state.decay, state.shut);
  if (rule.gate === "head") return alike(separator ? closed : state.decay);
  const found = upto(D).map((c) => (separator && task.dropped.includes(c) ? closed : state.decay));
  return rule.name === "rwkv7" ? found.map((a) => Math.max(a, RWKV_LEAST)) : found;
};
/** @param {Rule} rule @param {State} state @param {boolean} separator @param {boolean} again */
const writeOf = (rule, state, separator, again) => {
  if (rule.erase) return state.beta;
  if (rule.name === "mamba2") return mamba(state, separator)[1];
  return rule.name === "mlstm" && again ? Math.exp(state.input) : 1;
};
/** Of every token. @param {Rule} rule @param {State} state @param {Task} task @returns {Gate[]} */
export const gatesOf = (rule, state, task) =>
  tokens(task, state.pause).map((key, t) => {
    const separator = key === SEPARATOR;
    const write = writeOf(rule, state, separator, t >= task.first.length);
    return { alpha: alphaOf(rule, state, task, separator), erase: rule.erase ? write : 0, write };
  });

/* ---------------------------------------------------------------- the recurrence */
/** What a key retrieves, without mLSTM's division. @param {Matrix} matrix @param {number[]} q */
const retrieve = (matrix, q) => {
  const out = zeros();
  for (let i = 0; i < D; i += 1) if (q[i]) for (let j = 0; j < D; j += 1) out[j] += q[i] * matrix[i][j];
  return out;
};
/** One token. @param {Rule} rule @param {Memory} memory @param {number[]} k @param {number[]} v @param {Gate} gate @returns {Memory} */
const advance = (rule, { matrix, norm }, k, v, { alpha, erase, write }) => {
  const faded = matrix.map((row, i) => row.map((x) => alpha[i] * x));
  const read = erase ? retrieve(rule.erase === "decayed" ? faded : matrix, k) : zeros();
  return {
    matrix: faded.map((row, i) => {
      const [less, more] = [erase * k[i], write * k[i]];
      return row.map((x, j) => x - less * read[j] + more * v[j]);
    }),
    norm: norm.map((n, i) => alpha[i] * n + write * k[i]),
  };
};
/** What a query retrieves. @param {Rule} rule @param {Memory} memory @param {number[]} q */
export const read = (rule, { matrix, norm }, q) => {
  const out = retrieve(matrix, q);
  if (rule.name !== "mlstm") return out;
  const size = Math.max(Math.abs(dot(norm, q)), 1);
  return out.map((x) => x / size);
};
/** After some tokens. @param {Rule} rule @param {Vectors} vectors @param {Gate[]} gates @param {number} step @returns {Memory} */
export const run = (rule, { k, v }, gates, step) => {
  /** @type {Memory} */
  let memory = { matrix: upto(D).map(zeros), norm: zeros() };
  for (let t = 0; t < step; t += 1) memory = advance(rule, memory, k[t], v[t], gates[t]);
  return memory;
};
