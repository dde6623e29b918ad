/* A state -> the sentence that says what is legal, or "" where it is. */
import { short } from "./asked.js";
import { row_of } from "./schedule_run.js";

/** @import { Data, Limited, Row, State } from "./compute.js" */

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
export const fits = (row, { pp: p, microbatches: m, chunks }) => {
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
