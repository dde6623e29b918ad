/* One draft's place -> both models' probabilities there, and what the rule makes of them: exactly, and counted.
   Twin of places.py. */
import { hash32, upto } from "../kit/arrays.js";
import { ACCEPT, acceptance, DRAFT, LAST, residual } from "./speculate.js";

/** @import { Step } from "./speculate.js" */
/** @import { Token } from "./compute.js" */

/** A token at one place; `left` is the residual's share. @typedef {Token & { p: number, q: number, both: number, left: number, out: number, naive: number, counted: number }} LookRow */
/** One place. @typedef {{ place: number, rows: LookRow[], drafted: number | null, alpha: number, rejected: number, naive_off: number }} Look */

const [SHOWN, SAMPLES, SAMPLED] = [8, 2000, 2 ** 30];

/** @param {Float64Array} values */
const sumOf = (values) => values.reduce((a, b) => a + b, 0);

/** The ends of some shares, laid one after another. @param {Float64Array} shares */
const endsOf = (shares) => {
  const all = sumOf(shares);
  let sum = 0;
  return shares.map((share) => (sum += share / all));
};
/** Which share a number falls on. @param {Float64Array} ends @param {number} u */
const fallsOn = (ends, u) => {
  let [low, high] = [0, ends.length - 1];
  while (high > low) {
    const middle = (low + high) >> 1;
    if (ends[middle] > u) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The rule applied 2,000 times at one place: how often each token comes out. @param {Float64Array} p @param {Float64Array | null} q @param {Float64Array} left */
const sample = (p, q, left) => {
  /** @type {Map<number, number>} */
  const counts = new Map();
  const [drafts, corrections] = [q && endsOf(q), endsOf(q ? left : p)];
  for (let i = 0; SAMPLES > i; i++) {
    /** @param {number} what */
    const number = (what) => hash32(SAMPLED + 3 * i + what) / 2 ** 32;
    let id = drafts ? fallsOn(drafts, number(DRAFT)) : -1;
    if (!q || number(ACCEPT) >= acceptance(p[id], q[id])) id = fallsOn(corrections, number(LAST));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
};

/** @param {Step} step @param {number} place @param {(id: number) => string} name @returns {Look} */
export const lookOf = (step, place, name) => {
  const p = step.p[place];
  const own = step.drafts.length ? step.q[place] : null;
  const q = own ?? new Float64Array(p.length);
  const left = residual(p, q);
  const both = p.map((share, i) => Math.min(share, q[i]));
  const alpha = sumOf(both);
  const large = p.map((share, i) => Math.max(share, q[i]));
  const order = upto(p.length).sort((a, b) => large[b] - large[a] || a - b);
  order.length = SHOWN;
  const drafted = step.drafts.length ? step.drafts[place] : null;
  if (drafted !== null && !order.includes(drafted)) order[SHOWN - 1] = drafted;
  const counts = sample(p, own, left);
  const rows = order.map((id) => ({
    id,
    name: name(id),
    p: p[id],
    q: q[id],
    both: both[id],
    left: left[id],
    out: both[id] + (1 - alpha) * left[id],
    naive: both[id] + (1 - alpha) * p[id],
    counted: (counts.get(id) ?? 0) / SAMPLES,
  }));
  return {
    place,
    rows,
    drafted: drafted === null ? null : order.indexOf(drafted),
    alpha,
    rejected: 1 - alpha,
    naive_off: sumOf(p.map((share, i) => Math.abs((1 - alpha) * share + both[i] - share))) / 2,
  };
};
