/* A schedule and its times -> its lanes, gaps and bubble, simulated; without the cursor. */
import { closed_form } from "./closed_form.js";
import { rank_ops } from "./schedules.js";
import { held, messages_of, simulate } from "./simulate.js";

/** @import { Data, Part, Row, State } from "./compute.js" */
/** @import { Message, Op, Simulated, Span } from "./simulate.js" */

/**
 * A schedule as it ran, without the cursor. An op of `ops` ends with its start and its end; a gap is a rank and the op
 * after it; `peak` is what each rank holds at most, in micro-batches.
 * @typedef {Simulated & {
 *   row: Pick<Row, "bubble" | "holds" | "factor">, v: number, span: number, idle: number[], work: number,
 *   bubble: number, formula: number, holds: boolean, gaps: [rank: number, op: number][], sent: Message[], ops: Op[][],
 *   peak: number[],
 * }} Run
 */

/**
 * Every gap in reading order.
 * @param {Op[][]} lists
 * @param {Span[][]} times
 */
const gaps_of = (lists, times) =>
  lists.flatMap((ops, rank) =>
    ops
      .map((_, k) => /** @type {[rank: number, op: number]} */ ([rank, k]))
      .filter(([, k]) => times[rank][k][0] > (k ? times[rank][k - 1][1] : 0)),
  );

/** @param {Pick<State, "schedule">} state @param {Data} data @returns {Row} */
export const row_of = (state, data) => /** @type {Row} */ (data.schedules.find((s) => s.value === state.schedule));
/** @param {State} state @param {Data} data */
export const chunks_of = (state, data) => {
  const own = row_of(state, data).chunks;
  return own.length === 1 ? own[0] : state.chunks;
};

/** Seconds of a whole stage of a model, and of a message. @type {(state: State, data: Data) => Record<Part | "message_bytes", number>} */
export const seconds_of = ({ model, device, tokens, link, pp }, data) => {
  const { weights, core: all, hidden } = data.models[model];
  const core = all[data.offered.tokens.indexOf(tokens)];
  const rate = pp * data.devices[device].peak;
  const message_bytes = tokens * hidden * 2;
  return {
    forward: (tokens * (weights + core)) / rate,
    input_grad: (tokens * (weights + 2 * core)) / rate,
    weight_grad: (tokens * weights) / rate,
    message_bytes,
    hop: message_bytes / data.devices[device][link],
  };
};
/** @type {Part[]} */
export const PARTS = ["forward", "input_grad", "weight_grad", "hop"];
/** @param {State} state @param {Data} data */
export const times_of = (state, data) => {
  if (state.model === "none")
    return /** @type {Record<Part, number>} */ (Object.fromEntries(PARTS.map((key) => [key, state[key]])));
  const found = seconds_of(state, data);
  return /** @type {Record<Part, number>} */ (
    Object.fromEntries(PARTS.map((key) => [key, found[key] / found.forward]))
  );
};

/**
 * The last few results of a function by its arguments: two schedules stand side by side, a cursor moves over both.
 * @template {unknown[]} Args
 * @template Value
 * @param {(...args: Args) => Value} make
 * @param {number} size
 * @returns {(...args: Args) => Value}
 */
const kept = (make, size) => {
  /** @type {Map<string, Value>} */
  const all = new Map();
  return (...args) => {
    const key = args.join();
    if (!all.has(key)) {
      if (all.size === size) all.delete(/** @type {string} */ (all.keys().next().value));
      all.set(key, make(...args));
    }
    return /** @type {Value} */ (all.get(key));
  };
};
/** @type {(schedule: string, p: number, m: number, v: number) => Op[][]} */
const lists_of = /* @__PURE__ */ kept(
  (schedule, p, m, v) => Array.from({ length: p }, (_, r) => rank_ops(schedule, p, m, v, r)),
  3,
);

/** A schedule and its times, without the cursor. @param {State} state @param {Data} data @returns {Run} */
export const ran = (state, data) => {
  const row = row_of(state, data);
  const own = times_of(state, data);
  return timeline(
    state.schedule,
    state.pp,
    state.microbatches,
    chunks_of(state, data),
    .../** @type {[number, number, number, number]} */ (PARTS.map((key) => own[key])),
    state.overlap,
    row.bubble,
    row.holds,
    row.factor,
  );
};
/**
 * @type {(
 *   name: string, p: number, m: number, v: number, f: number, i: number, w: number, hop: number, overlap: number,
 *   bubble: string, holds: string, factor: string,
 * ) => Run}
 */
const timeline = /* @__PURE__ */ kept((name, p, m, v, f, i, w, hop, overlap, bubble_of, holds_for, factor) => {
  const row = { bubble: bubble_of, holds: holds_for, factor };
  const pair = f + (i + w) - overlap * Math.min(f, i + w);
  const lists = lists_of(name, p, m, v);
  const [times, made] = simulate(lists, v, m, [f, i, w, pair], hop);
  const span = Math.max(...times.map((rank) => /** @type {Span} */ (rank.at(-1))[1]));
  const gained = f + (i + w) - pair;
  const busy = lists.map((ops) => m * (f + i + w) - (ops.filter((op) => op[0] === "X").length * gained) / v);
  const idle = busy.map((one) => span - one);
  const work = Math.min(...busy);
  const [formula, holds] = closed_form(row, p, m, v, [f, i, w, pair]);
  const run = /** @type {Run} */ ({
    row,
    lists,
    times,
    made,
    v,
    hop,
    span,
    idle,
    work,
    bubble: span - work,
    formula,
    holds: holds && hop === 0,
    gaps: gaps_of(lists, times),
  });
  run.sent = messages_of(run);
  run.ops = lists.map((ops, r) => ops.map((op, k) => [...op, ...times[r][k]]));
  run.peak = lists.map((ops, r) => held(ops, times[r]) / v);
  return run;
}, 3);
/** @param {Pick<Run, "lists" | "times" | "v">} run @param {number} at */
export const now_of = ({ lists, times, v }, at) => lists.map((ops, r) => held(ops, times[r], at) / v);

/** What a schedule holds at most on a rank. @type {(name: string, p: number, m: number, v: number) => number} */
export const peak_of = /* @__PURE__ */ kept((name, p, m, v) => {
  const ends = Array.from({ length: p }, (_, rank) => rank_ops(name, p, m, v, rank));
  return (
    Math.max(
      ...ends.map((ops) =>
        held(
          ops,
          ops.map(() => [0, 0]),
        ),
      ),
    ) / v
  );
}, 30);
