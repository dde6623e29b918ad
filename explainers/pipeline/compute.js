/* A state -> everything that is printed: reference.py, weighed.py and real.py, line by line. */
import { fmt } from "../kit/numbers.js";
import { asked, doing, short, why } from "./asked.js";
import { rank_ops } from "./schedules.js";
import { held, messages_of, simulate } from "./simulate.js";

const PAIRED = "F&B + B − 3W";
/* How the bubble grows with the ranks: [written, counted]. */
const factor_of = ({ factor }, p) => {
  if (factor === "V-Half") return p % 2 ? ["3(p − 1)", 3 * p - 3] : ["(3p − 4)", 3 * p - 4];
  if (factor === "V-Min") return p % 3 ? ["(4p − 5)", 4 * p - 5] : ["(4p − 3)", 4 * p - 3];
  return [`(${factor})`, factor === "p − 1" ? p - 1 : p / 2 - 1];
};
const closed_form = (row, p, m, v, [f, i, w, pair]) => {
  const each = { F: f, "F + I + W": f + i + w, "F + I − W": f + i - w, [PAIRED]: pair + (i + w) - 3 * w }[row.bubble];
  const holds = {
    "": true,
    "m ≥ p": m >= p,
    "m ≥ p, W ≤ F, W ≤ I": m >= p && w <= f && w <= i,
    "W ≤ F, W ≤ I": w <= f && w <= i,
    "m ≥ 2p, F = I = W": m >= 2 * p && f === i && i === w,
    "F = I, W ≤ F": f === i && w <= f,
  }[row.holds];
  return [(factor_of(row, p)[1] * each) / v, holds];
};

/* Every gap in reading order: [rank, op after it]. */
const gaps_of = (lists, times) =>
  lists.flatMap((ops, rank) =>
    ops.map((_, k) => [rank, k]).filter(([, k]) => times[rank][k][0] > (k ? times[rank][k - 1][1] : 0)),
  );

export const row_of = (state, data) => data.schedules.find((s) => s.value === state.schedule);
export const chunks_of = (state, data) => {
  const own = row_of(state, data).chunks;
  return own.length === 1 ? own[0] : state.chunks;
};

/* What stands beside each number of the bubble. */
const notes_of = (state, { row, v, holds, hop, idle, bubble, span }) => {
  const [p, m] = [state.pp, state.microbatches];
  const plain = holds && row.bubble === "F + I + W" && v === 1;
  const lacks = [row.holds, hop && "transfers that take no time"].filter(Boolean);
  const least = Math.min(...idle);
  const even = least === bubble;
  return {
    who: even ? "each rank" : "the rank that waits most",
    idle: `units of ${short(span)}${even ? ", the rest is work" : `; at least ${short(least)}`}`,
    whole: `${plain ? `= (p − 1)/(m + p − 1) = ${p - 1}/${m + p - 1}` : "= idle / (work + idle)"} · the zero-bubble papers`,
    ideal: `${plain ? `= (p − 1)/m = ${p - 1}/${m}` : "= idle / work"} · Megatron-LM, arXiv 2104.04473`,
    formula: `= ${factor_of(row, p)[0]}(${row.bubble})${v > 1 ? ` / ${v}` : ""}${holds ? " · equal to the simulation" : ` · not valid here, it needs ${lacks.join(", and ")}`}`,
  };
};

/* Seconds of a whole stage of a model, and of a message. */
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
export const PARTS = ["forward", "input_grad", "weight_grad", "hop"];
const times_of = (state, data) => {
  if (state.model === "none") return Object.fromEntries(PARTS.map((key) => [key, state[key]]));
  const found = seconds_of(state, data);
  return Object.fromEntries(PARTS.map((key) => [key, found[key] / found.forward]));
};

/* The last few results of a function by its arguments: two schedules stand side by side, a cursor moves over both. */
const kept = (make, size) => {
  const all = new Map();
  return (...args) => {
    const key = args.join();
    if (!all.has(key)) {
      if (all.size === size) all.delete(all.keys().next().value);
      all.set(key, make(...args));
    }
    return all.get(key);
  };
};
const lists_of = /* @__PURE__ */ kept(
  (schedule, p, m, v) => Array.from({ length: p }, (_, r) => rank_ops(schedule, p, m, v, r)),
  3,
);

/* A schedule and its times, without the cursor. */
export const ran = (state, data) => {
  const row = row_of(state, data);
  const own = times_of(state, data);
  return timeline(
    state.schedule,
    state.pp,
    state.microbatches,
    chunks_of(state, data),
    ...PARTS.map((key) => own[key]),
    state.overlap,
    row.bubble,
    row.holds,
    row.factor,
  );
};
const timeline = /* @__PURE__ */ kept((name, p, m, v, f, i, w, hop, overlap, bubble_of, holds_for, factor) => {
  const row = { bubble: bubble_of, holds: holds_for, factor };
  const pair = f + (i + w) - overlap * Math.min(f, i + w);
  const lists = lists_of(name, p, m, v);
  const [times, made] = simulate(lists, v, m, [f, i, w, pair], hop);
  const span = Math.max(...times.map((rank) => rank.at(-1)[1]));
  const gained = f + (i + w) - pair;
  const busy = lists.map((ops) => m * (f + i + w) - (ops.filter((op) => op[0] === "X").length * gained) / v);
  const idle = busy.map((one) => span - one);
  const work = Math.min(...busy);
  const [formula, holds] = closed_form(row, p, m, v, [f, i, w, pair]);
  const run = {
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
  };
  run.sent = messages_of(run);
  run.ops = lists.map((ops, r) => ops.map((op, k) => [...op, ...times[r][k]]));
  run.peak = lists.map((ops, r) => held(ops, times[r]) / v);
  return run;
}, 3);
const now_of = ({ lists, times, v }, at) => lists.map((ops, r) => held(ops, times[r], at) / v);

/* What a cap lets pass. */
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
const cap_of = (state, data) => {
  if (state.cap === 0) return null;
  const may = data.schedules.filter((row) => !fits(row, state));
  const peak = (row) =>
    peak_of(row.value, state.pp, state.microbatches, chunks_of({ ...state, schedule: row.value }, data));
  const named = (row) => `${row.label} (${short(peak(row))})`;
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

const beside_of = (state, run, other, at, data) => {
  const [mine, theirs] = [row_of(state, data), row_of({ schedule: state.beside }, data)];
  const gap = other.span - run.span;
  const far = `${theirs.label} is done ${short(Math.abs(gap))} units ${gap > 0 ? "after" : "before"} ${mine.label}, ${fmt.percent(Math.abs(gap) / run.span)} of its step.`;
  const [a, b] = [run, other].map(({ peak }) => Math.max(...peak));
  const says =
    `${gap ? far : `${theirs.label} and ${mine.label} are done at the same time.`} Its fullest rank holds ${short(b)} micro-batches at most, ${a === b ? "as many." : `against ${short(a)}.`}` +
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

export function check(state, data) {
  for (const key of ["schedule", "beside"]) {
    if (row_of({ schedule: state[key] }, data) || (key === "beside" && state[key] === "none")) continue;
    return `The schedules here are ${data.schedules.map((s) => s.value).join(", ")}; there is no “${state[key]}”.`;
  }
  for (const [key, [low, high, what]] of Object.entries(LIMITS)) {
    const within = typeof state[key] === "number" && state[key] >= low && state[key] <= high;
    const whole = ["pp", "microbatches", "chunks"].includes(key);
    if (whole && !(within && Number.isInteger(state[key])))
      return `A whole number of ${what} from ${low} to ${high} is drawn here.`;
    if (!within) return `${what} goes from ${short(low)} to ${short(high)}.`;
  }
  const named = { model: ["none", ...Object.keys(data.models)], device: Object.keys(data.devices) };
  for (const [key, legal] of Object.entries({ ...named, ...data.offered })) {
    if (!legal.includes(state[key])) return `${key} is one of ${legal.join(", ")}; “${state[key]}” is not.`;
  }
  if (
    !["cursor", "left", "rank", "op"].every(
      (key) =>
        typeof state[key] === "number" &&
        Math.abs(state[key]) < 1e9 &&
        (["cursor", "left"].includes(key) || Number.isInteger(state[key])),
    )
  ) {
    return "The cursor is a time, rank and op are whole numbers.";
  }
  return (
    fits(row_of(state, data), state) ||
    (state.beside === "none" ? "" : fits(row_of({ schedule: state.beside }, data), state))
  );
}

const fits = (row, { pp: p, microbatches: m, chunks }) => {
  if (row.chunks.length > 1 && !row.chunks.includes(chunks))
    return `${row.label} needs at least 2 chunks on each rank; with 1 there is nothing to interleave.`;
  if (row.rule === "rounds" && m % p) {
    const low = Math.floor(m / p) * p;
    return `${row.label} sends micro-batches in rounds of ${p}, one per rank: ${m} is not a multiple of ${p}. Take ${m > p ? `${low} or ${low + p}` : p} micro-batches.`;
  }
  if (row.rule === "both ends" && (p % 2 || m % 2)) {
    return `${row.label} lets half of the micro-batches in at either end: ${p} ranks and ${m} micro-batches are not both even. Take ${p + (p % 2)} ranks and ${m + (m % 2)} micro-batches.`;
  }
  if (row.rule.startsWith("both") && 2 * p > m)
    return `${row.label} fills the pipeline from both ends: ${p} ranks need at least ${2 * p} micro-batches, not ${m}.`;
  return "";
};
