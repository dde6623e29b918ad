/* A state -> everything that is printed: reference.py, weighed.py and real.py, line by line. */
import { fmt } from "../kit/numbers.js";
import { asked, doing, short, why } from "./asked.js";
import { rank_ops } from "./schedules.js";
import { held, messages_of, simulate } from "./simulate.js";

/** @import { Data as SentData } from "../../.make/data_types/pipeline.d.ts" */
/** @import { Message, Op, Simulated, Span } from "./simulate.js" */

/** Whose time a reader sets. @typedef {"forward" | "input_grad" | "weight_grad" | "hop"} Part */

/**
 * Every key of STATE in reference.py.
 * @typedef {Record<Part, number> & {
 *   schedule: string, beside: string, pp: number, microbatches: number, chunks: number, overlap: number, cap: number,
 *   model: string, device: keyof SentData["devices"], tokens: number, link: "inside" | "outside", zoom: number,
 *   left: number, cursor: number, rank: number, op: number,
 * }} State
 */

/** @typedef {Omit<SentData, "start"> & { start: State }} Data */
/** A schedule, and what is known of it. @typedef {Data["schedules"][number]} Row */

/**
 * A schedule as it ran, without the cursor. An op of `ops` ends with its start and its end; a gap is a rank and the op
 * after it; `peak` is what each rank holds at most, in micro-batches.
 * @typedef {Simulated & {
 *   row: Pick<Row, "bubble" | "holds" | "factor">, v: number, span: number, idle: number[], work: number,
 *   bubble: number, formula: number, holds: boolean, gaps: [rank: number, op: number][], sent: Message[], ops: Op[][],
 *   peak: number[],
 * }} Run
 */

/** The keys whose numbers have limits. @typedef {Part | "pp" | "microbatches" | "chunks" | "overlap" | "cap" | "zoom"} Limited */
/** @typedef {ReturnType<typeof compute>} Now */

const PAIRED = "F&B + B − 3W";
/**
 * How the bubble grows with the ranks.
 * @param {Pick<Row, "factor">} row
 * @param {number} p
 * @returns {[written: string, counted: number]}
 */
const factor_of = ({ factor }, p) => {
  if (factor === "V-Half") return p % 2 ? ["3(p − 1)", 3 * p - 3] : ["(3p − 4)", 3 * p - 4];
  if (factor === "V-Min") return p % 3 ? ["(4p − 5)", 4 * p - 5] : ["(4p − 3)", 4 * p - 3];
  return [`(${factor})`, factor === "p − 1" ? p - 1 : p / 2 - 1];
};
/** @type {(row: Run["row"], p: number, m: number, v: number, units: number[]) => [idle: number, holds: boolean]} */
const closed_form = (row, p, m, v, [f, i, w, pair]) => {
  const each = /** @type {{ [bubble: string]: number }} */ ({
    F: f,
    "F + I + W": f + i + w,
    "F + I − W": f + i - w,
    [PAIRED]: pair + (i + w) - 3 * w,
  })[row.bubble];
  const holds = /** @type {{ [needed: string]: boolean }} */ ({
    "": true,
    "m ≥ p": m >= p,
    "m ≥ p, W ≤ F, W ≤ I": m >= p && w <= f && w <= i,
    "W ≤ F, W ≤ I": w <= f && w <= i,
    "m ≥ 2p, F = I = W": m >= 2 * p && f === i && i === w,
    "F = I, W ≤ F": f === i && w <= f,
  })[row.holds];
  return [(factor_of(row, p)[1] * each) / v, holds];
};

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

/** What stands beside each number of the bubble. @type {(state: State, run: Run) => { [name: string]: string }} */
const notes_of = (state, { row, v, holds, hop, idle, bubble, span }) => {
  const [p, m] = [state.pp, state.microbatches];
  const plain = holds && row.bubble === "F + I + W" && v === 1;
  const lacks = [row.holds, hop && "transfers that take no time"].filter(Boolean);
  const least = Math.min(...idle);
  const even = least === bubble;
  return {
    who: even ? "each rank" : "the rank that waits most",
    idle: `units of ${short(span)}${even ? "; the rest is work" : `; at least ${short(least)}`}`,
    whole: `${plain ? `= (p − 1)/(m + p − 1) = ${p - 1}/${m + p - 1}` : "= idle / (work + idle)"} · the zero-bubble papers`,
    ideal: `${plain ? `= (p − 1)/m = ${p - 1}/${m}` : "= idle / work"} · Megatron-LM, arXiv 2104.04473`,
    formula: `= ${factor_of(row, p)[0]}(${row.bubble})${v > 1 ? ` / ${v}` : ""}${holds ? " · equal to the simulation" : ` · not valid here, it needs ${lacks.join(", and ")}`}`,
  };
};

/** Seconds of a whole stage of a model, and of a message. @type {(state: State, data: Data) => Record<Part | "message_bytes", number>} */
const seconds_of = ({ model, device, tokens, link, pp }, data) => {
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
const times_of = (state, data) => {
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
const now_of = ({ lists, times, v }, at) => lists.map((ops, r) => held(ops, times[r], at) / v);

/** What a schedule holds at most on a rank. @type {(name: string, p: number, m: number, v: number) => number} */
const peak_of = /* @__PURE__ */ kept((name, p, m, v) => {
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
/** @param {State} state @param {Data} data */
const cap_of = (state, data) => {
  if (state.cap === 0) return null;
  const may = data.schedules.filter((row) => !fits(row, state));
  const peak = (/** @type {Row} */ row) =>
    peak_of(row.value, state.pp, state.microbatches, chunks_of({ ...state, schedule: row.value }, data));
  const named = (/** @type {Row} */ row) => `${row.label} (${short(peak(row))})`;
  const good = may.filter((row) => state.cap >= peak(row));
  const own = row_of(state, data);
  const over = peak(own) > state.cap;
  const least = may.reduce((a, b) => (peak(a) > peak(b) ? b : a));
  const others = good
    .filter((row) => row !== own)
    .map(named)
    .join(", ");
  const rest = others
    ? `${over ? "These fit" : "So do"}: ${others}.`
    : over
      ? `None fits: ${named(least)} needs least.`
      : "No other does.";
  return {
    over,
    good: good.map((row) => row.value),
    says: `${own.label} holds ${short(peak(own))} at most and ${over ? "does not fit" : "fits"}. ${rest}`,
  };
};

/** @param {State} state @param {Run} run @param {Run} other @param {number} at @param {Data} data */
const beside_of = (state, run, other, at, data) => {
  const [mine, theirs] = [row_of(state, data), row_of({ schedule: state.beside }, data)];
  const gap = other.span - run.span;
  const far = `${theirs.label} finishes ${short(Math.abs(gap))} units ${gap > 0 ? "after" : "before"} ${mine.label}, ${fmt.percent(Math.abs(gap) / run.span)} of its step.`;
  const [a, b] = [run, other].map(({ peak }) => Math.max(...peak));
  const says =
    `${gap ? far : `${theirs.label} and ${mine.label} finish at the same time.`} ${theirs.label}’s ranks hold at most ${short(b)} micro-batches, ${a === b ? "the same number." : `compared with ${short(a)}.`}` +
    (theirs.copies > mine.copies ? " It holds all parameters twice." : "");
  const { v: chunks, ops, span, bubble, peak } = other;
  return {
    label: theirs.label,
    chunks,
    ops,
    span,
    bubble,
    of_total: bubble / span,
    peak,
    now: now_of(other, at),
    says,
  };
};

/** @param {State} state @param {Data} data @param {Run} run @param {number[]} sent */
const real_of = (state, data, { span, bubble }, sent) => {
  const { forward, hop, message_bytes } = seconds_of(state, data);
  const unit_ms = 1000 * forward;
  return {
    unit_ms,
    hop_ms: 1000 * hop,
    message_bytes,
    step_ms: span * unit_ms,
    idle_ms: bubble * unit_ms,
    sent_bytes: Math.max(...sent) * message_bytes,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const run = ran(state, data);
  const { v, lists, span, work, bubble, idle, ops, peak, gaps, formula } = run;
  const other = state.beside === "none" ? null : ran({ ...state, schedule: state.beside }, data);
  const end = Math.max(span, other ? other.span : 0);
  const at = Math.min(Math.max(state.cursor, 0), end);
  const because = why(run, state.rank, state.op);
  const { says, links } = asked(run, state.rank, state.op);
  const sent = lists.map((_, r) => run.sent.filter((m) => m[1] === r).length);
  return {
    chunks: v,
    times: times_of(state, data),
    ops,
    span,
    end,
    work,
    idle,
    bubble,
    of_ideal: bubble / work,
    of_total: bubble / span,
    formula,
    formula_holds: run.holds,
    notes: notes_of(state, run),
    at,
    gaps: gaps.length,
    gap: gaps.findIndex(([r, k]) => r === state.rank && k === state.op) + 1,
    peak,
    now: now_of(run, at),
    doing: lists.map((_, r) => doing(run, r, at)),
    why: because,
    says: because ? because.sentence : says,
    links,
    sent,
    crossings: run.sent.length,
    fit: cap_of(state, data),
    other: other && beside_of(state, run, other, at, data),
    real: state.model === "none" ? null : real_of(state, data, run, sent),
  };
}

/** @type {Record<Limited, [low: number, high: number, what: string]>} */
const LIMITS = {
  pp: [2, 16, "ranks"],
  microbatches: [1, 64, "micro-batches"],
  chunks: [1, 4, "chunks"],
  forward: [0.25, 4, "The forward time"],
  input_grad: [0.25, 4, "The input-gradient time"],
  weight_grad: [0, 4, "The weight-gradient time"],
  hop: [0, 2, "The transfer time"],
  overlap: [0, 1, "The overlap"],
  cap: [0, 64, "The memory cap"],
  zoom: [0, 64, "The zoom"],
};

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  for (const key of /** @type {const} */ (["schedule", "beside"])) {
    if (row_of({ schedule: state[key] }, data) || (key === "beside" && state[key] === "none")) continue;
    return `The schedules here are ${data.schedules.map((s) => s.value).join(", ")}; there is no “${state[key]}”.`;
  }
  for (const [key, [low, high, what]] of /** @type {[Limited, (typeof LIMITS)[Limited]][]} */ (
    Object.entries(LIMITS)
  )) {
    const within = typeof state[key] === "number" && state[key] >= low && state[key] <= high;
    const whole = ["pp", "microbatches", "chunks"].includes(key);
    if (whole && !(within && Number.isInteger(state[key])))
      return `The number of ${what} is a whole number from ${low} to ${high}.`;
    if (!within) return `${what} goes from ${short(low)} to ${short(high)}.`;
  }
  const named = { model: ["none", ...Object.keys(data.models)], device: Object.keys(data.devices) };
  for (const [key, legal] of /** @type {[keyof State, (string | number)[]][]} */ (
    Object.entries({ ...named, ...data.offered })
  )) {
    if (!legal.includes(state[key])) return `${key} is one of ${legal.join(", ")}; “${state[key]}” is not.`;
  }
  if (
    !(
      /** @type {const} */ (["cursor", "left", "rank", "op"]).every(
        (key) =>
          typeof state[key] === "number" &&
          Math.abs(state[key]) < 1e9 &&
          (["cursor", "left"].includes(key) || Number.isInteger(state[key])),
      )
    )
  ) {
    return "The cursor is a time, rank and op are whole numbers.";
  }
  return (
    fits(row_of(state, data), state) ||
    (state.beside === "none" ? "" : fits(row_of({ schedule: state.beside }, data), state))
  );
}

/** @param {Row} row @param {State} state @returns {string} */
const fits = (row, { pp: p, microbatches: m, chunks }) => {
  if (row.chunks.length > 1 && !row.chunks.includes(chunks))
    return `${row.label} needs at least 2 chunks on each rank; with 1 there is nothing to interleave.`;
  if (row.rule === "rounds" && m % p) {
    const low = Math.floor(m / p) * p;
    return `${row.label} sends micro-batches in rounds of ${p}, one per rank: ${m} is not a multiple of ${p}. Take ${m > p ? `${low} or ${low + p}` : p} micro-batches.`;
  }
  if (row.rule === "both ends" && (p % 2 || m % 2)) {
    return `${row.label} feeds in half of the micro-batches at each end: ${p} ranks and ${m} micro-batches are not both even. Take ${p + (p % 2)} ranks and ${m + (m % 2)} micro-batches.`;
  }
  if (row.rule.startsWith("both") && 2 * p > m)
    return `${row.label} fills the pipeline from both ends: ${p} ranks need at least ${2 * p} micro-batches, not ${m}.`;
  return "";
};
