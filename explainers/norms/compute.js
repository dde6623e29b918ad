/* Twin of legal.py and reference.py: what is legal, what a model's name chooses, and everything the page prints. */
import { lazy, upto } from "../kit/arrays.js";
import { mixing_of } from "./mixing.js";
import { ceiling_of, drafted_of, scores_of } from "./small.js";
import { cost_of, run } from "./stack.js";

/** @import { Data } from "../../.make/data_types/norms.d.ts" */

/** @typedef {"none" | "heads" | "numbers"} Gate */

/**
 * Every key of STATE in reference.py.
 * @typedef {{
 *   model: string, norm: string, scale: number, layers: number, layer: number, qk: boolean, grown: number, head: number,
 *   cap: number, score: number, gate: Gate, parallel: boolean, drafts: number, accept: number, loops: number,
 *   borrow: number, own: boolean, streams: number, rounds: number,
 * }} State
 */

/**
 * A model: its row of data.models over what is usual, as models.py says.
 * @typedef {{
 *   slug: string, title: string, layers: number, per_token: number, norm: string, scale: number, qk: number, cap: number,
 *   logits_cap: number, gate: Gate, parallel: number, head: number, mtp: number, mtp_numbers: number, total: number,
 *   loops: number, sources: number[], full: number, table: number, streams: number, rounds: number, keeps: string,
 * }} Model
 */

/**
 * What a layer keeps: keys and values, an earlier layer's, a state alone, nothing.
 * @typedef {"kept" | "lent" | "state" | "none"} Kind
 */
/** @typedef {ReturnType<typeof compute>} Now */
/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

/** @typedef {readonly [low: number, high: number]} Range */
/** @type {{ [key: string]: Range }} */
const WHOLE = { layers: [1, 128], layer: [0, 255], drafts: [0, 7], loops: [1, 16], borrow: [0, 127] };
/** @type {{ [key: string]: Range }} */
const REAL = { scale: [0.01, 4], grown: [0.25, 16], cap: [0, 200], score: [0, 200], accept: [0.05, 0.99] };
const PASSES = 256;
/** @param {string} slug @param {Data} data @returns {Model | undefined} */
export const find = (slug, data) => {
  const row = data.models.find((one) => one[0] === slug);
  return (
    row &&
    /** @type {Model} */ ({
      ...data.usual,
      ...Object.fromEntries(data.columns.map((key, i) => [key, row[i]])),
      .../** @type {object} */ (row.at(-1)),
      title: row[1] || slug.split("/")[1].replaceAll("-", " "),
    })
  );
};

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!find(state.model, data)) return `No model here is called “${state.model}”; choose one from the list.`;
  for (const [key, [low, high]] of Object.entries({ ...WHOLE, ...REAL })) {
    const value = state[/** @type {keyof State} */ (key)];
    const right =
      typeof value === "number" && value >= low && high >= value && (!WHOLE[key] || Number.isInteger(value));
    if (!right) return `${key} is a ${WHOLE[key] ? "whole " : ""}number from ${low} to ${high}.`;
  }
  for (const key of /** @type {const} */ (["qk", "parallel", "own"]))
    if (state[key] !== true && state[key] !== false) return `${key} is on or off.`;
  for (const [key, values] of /** @type {[keyof State, unknown[]][]} */ (Object.entries(data.kinds)))
    if (!values.includes(state[key])) return `${key} is one of ${values.join(", ")}.`;
  const { layers, loops, borrow } = state;
  if (layers * loops > PASSES) return `Layers times loops are at most ${PASSES}.`;
  return borrow >= layers ? "At least one layer must store its own keys and values." : "";
}

/** @type {{ [letter: string]: Kind }} */
const LETTERS = { k: "kept", s: "state", "-": "none" };
/** @param {Model} row */
const lent_of = ({ sources }) => sources.filter((one) => one >= 0).length;
/** @param {number} value @param {number[]} values */
const nearest = (value, values) => values.filter((one) => value >= one).at(-1) ?? values[0];
/** @param {Model} row @param {Data} data */
export const switches = (row, data) => {
  const layers = Math.min(row.layers, 128);
  return {
    norm: row.norm,
    scale: Math.min(Math.max(row.scale, 0.01), 4),
    layers,
    qk: row.qk === 1,
    cap: row.cap || row.logits_cap,
    gate: row.gate,
    parallel: row.parallel === 1,
    ...(row.head && { head: nearest(row.head, data.kinds.head) }),
    drafts: Math.min(row.mtp, 7),
    loops: Math.min(row.loops, 16, Math.floor(PASSES / layers)),
    borrow: Math.min(lent_of(row), layers - 1),
    own: row.table > 0,
    streams: nearest(row.streams, data.kinds.streams),
    rounds: nearest(row.rounds || 20, data.kinds.rounds),
  };
};
/** @param {State} state @param {string[]} given @param {Data} data @returns {State} */
export function settle(state, given, data) {
  const row = find(state.model, data);
  if (!row || !given.includes("model")) return state;
  return {
    ...state,
    ...Object.fromEntries(Object.entries(switches(row, data)).filter(([key]) => !given.includes(key))),
  };
}

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const found = /** @type {Model} */ (find(state.model, data));
  const [total, table, mtp_numbers] = [found.total, found.table, found.mtp_numbers].map((millions) => millions * 1e6);
  const row = { ...found, total, table, mtp_numbers };
  const cost = cost_of(state);
  const plain = cost_of({
    layers: cost.passes,
    loops: 1,
    borrow: 0,
    gate: "none",
    own: false,
    parallel: false,
    norm: "pre",
  });
  /** @type {Kind[]} */
  const kinds = upto(row.layers).map((i) => (row.sources[i] >= 0 ? "lent" : LETTERS[row.keeps[i % row.keeps.length]]));
  const [keeping, lent, states, none] = ["kept", "lent", "state", "none"].map(
    (kind) => kinds.filter((one) => one === kind).length,
  );
  const each = row.per_token / row.loops;
  const known = {
    cost,
    plain,
    share: {
      weights: cost.weights / plain.weights,
      kept: cost.kept / plain.kept,
      meetings: cost.meetings / plain.meetings,
    },
    of: {
      ...row,
      kinds,
      keeping,
      lent,
      states,
      none,
      saved: 1 - 1 / row.full,
      table_share: row.table / (row.total || 1),
      mtp_share: row.mtp_numbers / (row.total + row.mtp_numbers || 1),
    },
    looped: {
      each,
      bytes: each * state.loops,
      times: (each * state.loops) / data.beside.per_token,
      runs: row.layers * state.loops,
      caches: keeping * state.loops,
      states: states * state.loops,
    },
    beside: data.beside,
    context: data.context,
    who: data.who,
    stands: data.who[state.norm],
  };
  const stack = lazy({}, { ran: () => run(state) });
  return lazy(known, {
    // a beat asks for the stack or for a score, seldom for both
    sizes: () => stack.ran.sizes,
    size: () => stack.ran.size,
    heard: () => stack.ran.heard,
    top: () => stack.ran.top,
    here: () => stack.ran.here,
    growth: () => stack.ran.size / stack.ran.sizes[0],
    scores: () => scores_of(state),
    ceiling: () => ceiling_of(state),
    drafted: () => drafted_of(state),
    mixing: () => mixing_of(state),
  });
}
