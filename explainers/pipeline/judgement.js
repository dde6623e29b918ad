/* A schedule beside another and under a memory cap, in words. */
import { fmt } from "../kit/numbers.js";
import { short } from "./asked.js";
import { factor_of } from "./closed_form.js";
import { fits } from "./legal.js";
import { chunks_of, now_of, peak_of, row_of } from "./schedule_run.js";

/** @import { Data, Row, State } from "./compute.js" */
/** @import { Run } from "./schedule_run.js" */

/** What stands beside each number of the bubble. @type {(state: State, run: Run) => { [name: string]: string }} */
export const notes_of = (state, { row, v, holds, hop, idle, bubble, span }) => {
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
/** @param {State} state @param {Data} data */
export const cap_of = (state, data) => {
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
export const beside_of = (state, run, other, at, data) => {
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
