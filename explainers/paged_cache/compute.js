/* A workload, a cache and a scheduler's settings -> every step of the engine, counted: the twin of reference.py. */
import { hash32, upto } from "../kit/arrays.js";
import { Engine } from "./engine.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { Request } from "./engine.js" */

const MIB = 1 << 20;
const NONE = -1;
const COUNT = 12; // requests of a workload drawn from a seed
const OWN = 40; // the most tokens of its own prompt, and of its answer
const MOST_MOVES = 12;

/** @param {unknown} value @param {number[]} ends */
const whole = (value, [low, high]) => Number.isInteger(value) && Number(value) >= low && high >= Number(value);

/** The sentence that says what is legal, or "". @param {State} state @param {Data} data */
export const check = (state, data) => {
  const chosen = {
    workload: [...Object.keys(data.workloads), "seeded", "own"],
    block_size: data.sizes,
    dtype: Object.keys(data.bytes_per_token),
    allocation: ["paged", "max", "exact"],
    batching: ["continuous", "whole", "static"],
  };
  for (const [key, known] of Object.entries(chosen))
    if (!(/** @type {unknown[]} */ (known).includes(state[/** @type {keyof State} */ (key)])))
      return `${key} is one of ${known.join(", ")}.`;
  for (const [key, [low, high]] of Object.entries(data.ranges))
    if (!whole(state[/** @type {keyof State} */ (key)], [low, high]))
      return `${key} is a whole number from ${low} to ${high}.`;
  if (typeof state.prefix_caching !== "boolean") return "prefix_caching is true or false.";
  if (state.batching === "whole" && state.max_num_batched_tokens < data.limit)
    return `Without chunked prefill, max_num_batched_tokens is at least max_model_len, ${data.limit}.`;
  return check_own(state.own) || check_moves(state.moves, data);
};
/** @param {unknown} moves @param {Data} data */
const check_moves = (moves, data) => {
  const legal =
    Array.isArray(moves) &&
    moves.length % 2 === 0 &&
    2 * MOST_MOVES >= moves.length &&
    moves.every((one, i) => whole(one, i % 2 ? data.ranges.request : data.ranges.step));
  return legal ? "" : `moves is a list of at most ${MOST_MOVES} pairs: a step, and the number of a request.`;
};

/** Twelve requests from a seed: a third of them continue an earlier one. @param {number} seed */
const drawn_rows = (seed) => {
  /** @param {number} column @param {number} i */
  const at = (column, i) => hash32(i + COUNT * column + 64 * COUNT * seed);
  /** @type {number[][]} */
  const rows = [];
  for (const i of upto(COUNT)) {
    const pick = at(3, i);
    let parent = i && pick % 3 === 0 ? (pick / 3) % i : NONE;
    if (parent !== NONE && rows[parent][3] !== NONE) parent = NONE;
    rows.push([at(0, i) % (parent === NONE ? 24 : 8), 1 + (at(1, i) % OWN), 1 + (at(2, i) % OWN), parent]);
  }
  return rows;
};
/** The rows of "0 40 30, 5 100 20"; [] where it says something else. @param {unknown} text */
const typed_rows = (text) => {
  const found = String(text)
    .split(",")
    .map((part) => /^ *([0-9]{1,3}) +([0-9]{1,3}) +([0-9]{1,3}) *$/.exec(part));
  const rows = found.flatMap((one) => (one ? [[...one.slice(1).map(Number), NONE]] : []));
  const legal = rows.every(([at, prompt, answer]) => prompt && answer && 160 >= prompt + answer && 200 >= at);
  return legal && rows.length === found.length && COUNT >= rows.length ? rows : [];
};
/** @param {unknown} text */
export const check_own = (text) =>
  typeof text === "string" && typed_rows(text).length
    ? ""
    : `Type up to ${COUNT} requests, as “0 40 30, 5 100 20”: arrival, prompt and answer, at most 160 tokens together.`;

/** @param {State} state @param {Data} data @returns {number[][]} */
export const rowsOf = (state, data) =>
  state.workload === "own"
    ? typed_rows(state.own)
    : state.workload === "seeded"
      ? drawn_rows(state.seed)
      : data.workloads[/** @type {keyof Data["workloads"]} */ (state.workload)].rows;

/** How many tokens each block in use holds. @param {Engine} engine */
const filled = (engine) => {
  /** @type {number[]} */
  const fill = Array(engine.pool.refs.length).fill(0);
  for (const one of engine.running)
    for (const [place, block] of one.table.entries()) {
      const held = Math.min(engine.size, Math.max(0, one.computed - place * engine.size));
      fill[block] = Math.max(fill[block], held);
    }
  return fill;
};
/** @param {number[]} values */
const sum = (values) => values.reduce((all, one) => all + one, 0);
/** @param {Engine} engine */
const kept = ({ pool }) => pool.free.filter((block) => pool.keys[block]).length;

/** A step as it is drawn: a cell per block, [who holds it, how many read it, tokens]; the queues; the tables.
 * @param {Engine} engine @param {number[]} fill */
const drawn = (engine, fill) => {
  const { pool, size } = engine;
  /** @type {number[]} */
  const owner = Array(fill.length).fill(NONE);
  for (const one of [...engine.running].reverse()) for (const block of one.table) owner[block] = one.number;
  return {
    step: engine.now,
    used: pool.refs.filter(Boolean).length,
    tokens: sum(fill),
    cached: kept(engine),
    shared: pool.refs.filter((refs) => refs > 1).length,
    scheduled: engine.given.max_num_batched_tokens - engine.tokens,
    cells: fill.map((held, i) => [owner[i], pool.refs[i], pool.refs[i] ? held : pool.keys[i] ? size : 0]),
    running: engine.running.map((one) => one.number),
    waiting: engine.waiting.map((one) => one.number),
    tables: engine.all.map((one) => (engine.running.includes(one) ? [...one.table] : [])),
    computed: engine.all.map((one) => one.computed),
    next: pool.free.slice(0, 4),
  };
};
/** @param {Engine} engine @param {number} step */
const run = (engine, step) => {
  /** @type {number[][]} */
  const timeline = [];
  /** @type {any} */
  let at = {};
  while (!engine.over()) {
    const ended = engine.step();
    const fill = filled(engine);
    timeline.push([
      engine.pool.refs.filter(Boolean).length,
      sum(fill),
      kept(engine),
      engine.given.max_num_batched_tokens - engine.tokens,
      engine.running.length,
      engine.waiting.length,
    ]);
    const last = engine.all.every((one) => one.done || ended.includes(one));
    if (engine.now === step || (last && step > engine.now)) at = drawn(engine, fill);
    engine.finish(ended);
  }
  return { timeline, at: /** @type {ReturnType<typeof drawn>} */ (at) };
};
/** @param {Request} one */
const about = (one) => ({
  prompt: one.prompt,
  answer: one.answer,
  arrival: one.arrival,
  first: one.first,
  done: one.done,
  waits: one.first - one.arrival,
  hits: one.hits,
  lane: one.lane,
});
/** @param {Engine} engine @param {number[][]} timeline @param {number} blocks */
const summed = (engine, timeline, blocks) => {
  const [used, tokens, , scheduled, running] = upto(6).map((i) => sum(timeline.map((row) => row[i])));
  const held = used * engine.size;
  /** @param {number} i */
  const most = (i) => Math.max(...timeline.map((row) => row[i]));
  return {
    preemptions: engine.preemptions,
    repeated: engine.repeated,
    evictions: engine.pool.evictions,
    hits: sum(engine.all.map((one) => one.hits)),
    scheduled,
    peak: most(0),
    peak_tokens: most(1),
    largest: most(3),
    most_running: most(4),
    held_share: tokens / held,
    filled_share: tokens / (timeline.length * blocks * engine.size),
    empty: (held - tokens) / running,
    entries: used / running,
    first_mean: sum(engine.all.map((one) => one.first - one.arrival)) / engine.all.length,
  };
};
/** What utilization leaves on a whole GPU beside the weights. @param {State} state @param {Data} data @param {number} per_block */
const real = (state, data, per_block) => {
  const left = Math.floor((data.device_bytes * state.utilization) / 100) - data.weights_bytes;
  const blocks = Math.floor(left / per_block);
  const { title, device_bytes } = data;
  return { title, device_bytes, left_bytes: left, blocks, tokens: blocks * state.block_size };
};

/** @param {State} state @param {Data} data */
export const compute = (state, data) => {
  const per_token = data.bytes_per_token[/** @type {keyof Data["bytes_per_token"]} */ (state.dtype)];
  const per_block = per_token * state.block_size;
  const blocks = Math.floor((state.memory * MIB) / per_block);
  const engine = new Engine(rowsOf(state, data), state, blocks, data.limit);
  const { timeline, at } = run(engine, state.step);
  return {
    bytes_per_token: per_token,
    bytes_per_block: per_block,
    blocks,
    capacity: blocks * state.block_size,
    end: timeline.length,
    at,
    timeline,
    rows: engine.all.map(about),
    sums: summed(engine, timeline, blocks),
    real: real(state, data, per_block),
  };
};

/** @typedef {ReturnType<typeof compute>} Now */
