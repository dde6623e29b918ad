/* A state -> everything that is printed: reference.py, weighed.py and real.py, line by line. */
import { asked, doing, why } from "./asked.js";
import { beside_of, cap_of, notes_of } from "./judgement.js";
import { now_of, ran, seconds_of, times_of } from "./schedule_run.js";

/** @import { Data as SentData } from "../../.make/data_types/pipeline.d.ts" */
/** @import { Run } from "./schedule_run.js" */

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

/** The keys whose numbers have limits. @typedef {Part | "pp" | "microbatches" | "chunks" | "overlap" | "cap" | "zoom"} Limited */
/** @typedef {ReturnType<typeof compute>} Now */

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
