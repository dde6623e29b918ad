/* Twin of reference.py: a text, a drafter and a temperature -> the steps of speculative decoding, one place opened, and what
   they are worth. Before the weights are here only the stored runs are answered. */
import { upto } from "../kit/arrays.js";
import { fmt } from "../kit/numbers.js";
import { FIRST } from "../next_token/tokens.js";
import { running } from "./load.js";
import { lookOf } from "./places.js";
import { acceptance, addedBy, draftByLookup, draftWith, expectedOf, residual, speedupOf, write } from "./speculate.js";

/** @import { Data as Sent, State } from "../../.make/data_types/speculative.d.ts" */
/** @import { Look } from "./places.js" */
/** @import { Step } from "./speculate.js" */
/** @import { Running } from "./load.js" */

/** A token. @typedef {{ id: number, name: string }} Token */
/** A draft: what both models give it, its number, and what became of it. @typedef {Token & { p: number, q: number, accept: number, u: number, verdict: string }} Draft */
/**
 * A step: its drafts, and the token after those that are accepted.
 * @typedef {{
 *   start: number, drafts: Draft[], kept: number,
 *   last: Token & { p: number, share: number, u: number, kind: string }, yield: number,
 * }} StepRow
 */
/** What a run counted. @typedef {{ steps: number, tokens: number, per_step: number, drafted: number, tried: number, unchecked: number, accepted: number, rate: number }} Totals */
/** @typedef {{ prompt: string[], dropped: number, steps: StepRow[], totals: Totals }} Run */
/** @typedef {Omit<Sent, "known"> & { known: { of: Partial<State>, run: Run, looks: { at: number[], look: Look }[] }[] }} Data */
/** @typedef {ReturnType<typeof compute>} Now */
/** What pictures are drawn from. @typedef {Omit<State, keyof Now> & Now} Shown */
/** The same once there is a run. @typedef {Shown & Run} Answered */

const [PROMPT, JUMP, WRITTEN] = [64, 16, 24];
const [MOST, DRAWS, LONGEST] = [8, 999, 2000];
const BATCHES = upto(11).map((power) => 2 ** power);

/** @param {unknown} value @param {number} low @param {number} high */
const isInteger = (value, low, high) => Number.isInteger(value) && Number(value) >= low && high >= Number(value);

/** @param {State} state */
export function check(state) {
  if (state.text.length > LONGEST)
    return `Shorten the text to ${fmt.int(LONGEST)} characters. The model reads its last ${PROMPT - JUMP} to ${PROMPT - 1} tokens; the run below is of the earlier text.`;
  if (!["model", "lookup"].includes(state.drafter)) return "A drafter is model or lookup.";
  if (![0, 0.5, 1, 1.5].includes(state.temperature)) return "The temperature is 0, 0.5, 1 or 1.5.";
  for (const [key, least, most, named] of /** @type {const} */ ([
    ["k", 1, MOST, "The number of drafts"],
    ["draw", 1, DRAWS, "A draw"],
    ["step", 0, WRITTEN - 1, "A step"],
    ["place", 0, MOST - 1, "A place"],
    ["batch", 1, BATCHES[BATCHES.length - 1], "A batch"],
  ]))
    if (!isInteger(state[key], least, most)) return `${named} is a whole number from ${least} to ${fmt.int(most)}.`;
  return state.cost >= 0 && 1 >= state.cost ? "" : "The cost of a draft is a number from 0 to 1.";
}

/** @param {Step} step @param {(id: number) => string} name @returns {StepRow} */
const rowOf = (step, name) => {
  const { drafts, q, p, kept, last } = step;
  const rejected = kept < drafts.length;
  const from = rejected ? residual(p[kept], q[kept]) : p[kept];
  return {
    start: step.start,
    drafts: drafts.map((id, i) => ({
      id,
      name: name(id),
      p: p[i][id],
      q: q[i][id],
      accept: acceptance(p[i][id], q[i][id]),
      u: step.numbers[i],
      verdict: kept > i ? "accepted" : i === kept ? "rejected" : "discarded",
    })),
    kept,
    last: {
      id: last,
      name: name(last),
      p: p[kept][last],
      share: from[last],
      u: step.number,
      kind: rejected ? "correction" : drafts.length ? "bonus" : "no draft",
    },
    yield: kept + 1,
  };
};

/** @param {Step[]} steps @returns {Totals} */
const totalsOf = (steps) => {
  /** @param {(step: Step) => number} of */
  const sum = (of) => steps.reduce((all, step) => all + of(step), 0);
  const [tokens, accepted] = [sum((step) => addedBy(step).length), sum(({ kept }) => kept)];
  const tried = sum(({ kept, drafts }) => Math.min(kept + 1, drafts.length));
  return {
    steps: steps.length,
    tokens,
    per_step: tokens / steps.length,
    drafted: sum(({ drafts }) => drafts.length),
    tried,
    unchecked: sum(({ drafts }) => drafts.length) - tried,
    accepted,
    rate: tried ? accepted / tried : 0,
  };
};

/** A run that was made here, and the look at one of its places. @typedef {{ run: Run, look: (at: number, place: number) => Look | null }} Made */
/** The last runs, newest last: who goes back to a setting does not wait again. @type {Map<string, Made>} */
const recent = new Map();
const KEPT = 4; // the probabilities of a run take up to 7 MB

/** @param {State} state @param {Data} data @param {Running} here @returns {Made} */
const makeRun = (state, data, { target, session, logits }) => {
  const all = target.encode(state.text);
  const dropped = Math.ceil(Math.max(0, all.length - PROMPT + 1) / JUMP) * JUMP;
  const ids = [FIRST, ...all.slice(dropped)];
  const propose =
    state.drafter === "model"
      ? draftWith((seen, from) => logits(session, seen, from))
      : draftByLookup(data.target.config.vocab_size);
  const steps = write((seen, from) => logits(target.session, seen, from), propose, ids, WRITTEN, state);
  return {
    run: {
      prompt: ids.map(target.name),
      dropped,
      steps: steps.map((step) => rowOf(step, target.name)),
      totals: totalsOf(steps),
    },
    look: (at, place) => lookOf(steps[at], place, target.name),
  };
};

/** @param {State} state @param {Data} data @returns {Made | null} */
const runOf = (state, data) => {
  const here = running(data);
  const key = JSON.stringify([Boolean(here), state.text, state.drafter, state.k, state.temperature, state.draw]);
  let made = recent.get(key) ?? null;
  if (made) return made;
  if (here) made = makeRun(state, data, here);
  else {
    const known = data.known.find(({ of }) =>
      Object.entries(of).every(([name, value]) => state[/** @type {keyof State} */ (name)] === value),
    );
    if (known)
      made = {
        run: known.run,
        look: (at, place) => known.looks.find((one) => one.at[0] === at && one.at[1] === place)?.look ?? null,
      };
  }
  if (made) recent.set(key, made);
  if (recent.size > KEPT) recent.delete([...recent.keys()][0]);
  return made;
};

/**
 * What was measured on held-out text with this drafter and temperature: `alpha` is the share of steps whose first draft is
 * accepted, `rate` that of the drafts that were checked, both at one draft; `empty` is the share of steps that have no draft.
 * @param {Pick<State, "drafter" | "temperature">} state
 * @param {Data} data
 */
export const measuredOf = (state, data) => {
  const rows = data.measured.filter(
    ({ drafter, temperature }) => drafter === state.drafter && temperature === state.temperature,
  );
  const { accepted, steps, tried } = rows[0];
  const alpha = accepted / steps;
  return {
    alpha,
    checked: tried,
    rate: accepted / tried,
    empty: 1 - tried / steps,
    rows: rows.map(({ k, steps, tokens }) => {
      const expected = expectedOf(alpha, k);
      const formula = state.drafter === "model" && k > 1 ? expected : "–"; // fitted at one draft; not for prompt lookup
      return { k, steps, per_step: tokens / steps, expected, formula };
    }),
  };
};

/** Tokens a step and the speed-up by the formulas. @param {State} state @param {number} alpha @param {number} ridge */
const worthOf = (state, alpha, ridge) => {
  const cost = state.drafter === "model" ? state.cost : 0;
  /** @param {number} k @param {number} batch */
  const speed = (k, batch) => speedupOf(alpha, k, cost, batch, ridge);
  const rows = upto(MOST).map((i) => ({
    k: i + 1,
    expected: expectedOf(alpha, i + 1),
    speedup: speed(i + 1, state.batch),
  }));
  const slower = upto(BATCHES[BATCHES.length - 1]).find((i) => 1 >= speed(state.k, i + 1));
  return {
    cost,
    now: rows[state.k - 1],
    alone: speedupOf(alpha, state.k, cost),
    rows,
    best: rows.reduce((most, row) => (row.speedup > most.speedup ? row : most)),
    sizes: BATCHES.map((batch) => ({ batch, speedup: speed(state.k, batch) })),
    slower: slower === undefined ? 0 : slower + 1,
    each: state.k + 1,
    full: Math.ceil(ridge / (state.k + 1)),
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const made = runOf(state, data);
  const measured = measuredOf(state, data);
  const at = made ? Math.min(state.step, made.run.steps.length - 1) : 0;
  const place = made ? Math.min(state.place, Math.max(made.run.steps[at].drafts.length - 1, 0)) : 0;
  return {
    prompt: made?.run.prompt ?? null,
    dropped: made ? made.run.dropped : 0,
    steps: made?.run.steps ?? null,
    at,
    look: made?.look(at, place) ?? null,
    totals: made?.run.totals ?? null,
    measured,
    worth: worthOf(state, measured.alpha, data.facts.ridge),
    facts: data.facts,
  };
}
