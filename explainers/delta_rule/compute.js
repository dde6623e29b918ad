/* Five update rules over a list of writes -> what every key reads after each, how far off, and both forms compared: reference.py. */
import { furthest, latest, mean, quiet, recall_errors } from "./recall.js";
import { alpha_of, attend, chunked, recurrent } from "./rules.js";
import { D, gates_of, keys_of, pairs_of, read_state, value_of } from "./writes.js";

/** @import { Data as SentData, State as SentState } from "../../.make/data_types/delta-rule.d.ts" */
/** @import { Errors, Targets } from "./recall.js" */
/** @import { Gates, Matrix, Pair } from "./writes.js" */

/**
 * Three lists of numbers are empty at first, where no type can be read off them.
 * @typedef {Omit<SentState, "gates" | "channels" | "wanted"> & {
 *   gates: number[], channels: number[], wanted: number[],
 * }} State
 */

/**
 * The part of the state that a button loads.
 * @typedef {Pick<State, "writes" | "step" | "seed" | "border" | "wanted" | "gates" | "channels" | "query">} Tape
 */

/** @typedef {Omit<SentData, "tapes"> & { tapes: Record<keyof SentData["tapes"], Tape> }} Data */
/** @typedef {Data["rules"][number]} Rule */

/**
 * What every key reads after each write, how far off it is, and the mean over those wanted.
 * @typedef {{ reads: Matrix[], errors: Errors[], history: number[] }} Told
 */

/**
 * A rule's states after each write, the last one computed in chunks, and the largest difference between both forms.
 * @typedef {Told & { states: Matrix[], last: Matrix, apart: number }} Found
 */

/**
 * All that does not depend on the step.
 * @typedef {{
 *   pairs: Pair[], all: Matrix, gates: Gates, targets: Targets[], found: { [rule: string]: Found }, attention: Told,
 *   axis: number[],
 * }} Traced
 */

/**
 * A step under a rule, or under attention: `kept` is the mean error of what is to be read, `old` of what is to be gone.
 * @typedef {{
 *   recall: Matrix, errors: Errors, error: number, history: number[], kept: number, old: number,
 * }} Scored
 */

/** @typedef {Scored & { state: Matrix, last_state: Matrix, chunked_state: Matrix, apart: number, agree: string }} RuleNow */
/** @typedef {ReturnType<typeof compute>} Now */

/** @param {State} state @param {Data} data @returns {Traced} */
export const trace = (state, data) => {
  // everything that does not depend on the step
  const pairs = pairs_of(state.writes);
  const all = keys_of(state);
  const [k, v] = [pairs.map(([key]) => all[key]), pairs.map(([, bits]) => value_of(bits))];
  const gates = gates_of(state, pairs.length);
  const targets = Array.from({ length: pairs.length + 1 }, (_, t) => latest(pairs, t, state.border, all.length));
  /** @param {Errors} row */
  const wanted = (row) => row.filter((_, key) => !state.wanted.length || state.wanted.includes(key));
  /** @param {Matrix[]} reads @returns {Told} */
  const told = (reads) => {
    const errors = reads.map((row, t) => recall_errors(row, targets[t]));
    return { reads, errors, history: errors.map((row) => mean(wanted(row))) };
  };
  const found = Object.fromEntries(
    data.rules.map((rule) => {
      const alpha = alpha_of(rule, gates);
      const { states, outputs } = recurrent(rule, k, v, alpha, state.beta);
      const { last, outputs: again } = chunked(rule, k, v, alpha, state.beta, state.chunk);
      const reads = states.map((S) => all.map((key) => read_state(S, key)));
      return [
        rule.name,
        {
          ...told(reads),
          states,
          last,
          apart: Math.max(furthest(/** @type {Matrix} */ (states.at(-1)), last), furthest(outputs, again)),
        },
      ];
    }),
  );
  const attention = told(targets.map((_, t) => attend(all, k.slice(0, t), v.slice(0, t), data.sharp)));
  const most = Math.max(1, ...attention.history, ...Object.values(found).flatMap((one) => one.history));
  return { pairs, all, gates, targets, found, attention, axis: [0, most / 2, most] };
};

/** @param {Told} told @param {Targets[]} targets @param {number} t @returns {Scored} */
const scored = ({ reads, errors, history }, targets, t) => {
  const of = (/** @type {boolean} */ some) =>
    mean(errors[t].filter((_, key) => targets[t][key] && targets[t][key].some((x) => x !== 0) === some));
  return {
    recall: quiet(reads[t], 1e-6),
    errors: errors[t],
    error: history[t],
    history,
    kept: of(true),
    old: of(false),
  };
};
/** @param {State} state @param {Data} data @param {Traced} traced */
export const step_of = (state, data, traced) => {
  const { pairs, all, gates, targets, found, attention, axis } = traced;
  const t = Math.min(state.step, pairs.length); // a curve asks for steps that a shorter tape does not have
  /** @type {[name: string, rule: RuleNow][]} */
  const rules = Object.entries(found).map(([name, one]) => [
    name,
    {
      ...scored(one, targets, t),
      state: quiet(one.states[t]),
      last_state: quiet(/** @type {Matrix} */ (one.states.at(-1))),
      chunked_state: quiet(one.last),
      apart: one.apart,
      agree: 1e-12 > one.apart ? "below 10⁻¹²" : "above 10⁻¹²",
    },
  ]);
  return {
    keys: all,
    gates: gates.scalar,
    channels: gates.channels,
    targets: targets[t],
    writes: pairs.length,
    chunks: Math.ceil(pairs.length / state.chunk),
    left: pairs.slice(0, t).map((_, i) => gates.scalar.slice(i + 1, t).reduce((a, b) => a * b, 1)),
    rules: Object.fromEntries(rules),
    attention: { ...scored(attention, targets, t), numbers: 2 * D * t },
    axis,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  return step_of(state, data, trace(state, data));
}
