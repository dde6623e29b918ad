/* Two models and a text -> steps of speculative decoding: drafts, which of them are kept, and the token after them.
   The rule: a draft x drawn from q is kept with probability min(1, p(x)/q(x)); instead of the first that is not, a token is
   drawn from max(0, p - q), scaled to one. Twin of speculate.py. */
import { upto } from "../kit/arrays.js";
import { softmax } from "../next_token/forward.js";
import { numberOf, pickOf } from "../next_token/sampling.js";

/**
 * The logits after each of some tokens, from `from` on.
 * @typedef {(ids: number[], from: number) => Float64Array[]} Logits
 */
/** How a run is drawn. @typedef {{ k: number, temperature: number, draw: number }} Way */
/** Drafts, and the shares that each was drawn from. @typedef {{ drafts: number[], q: Float64Array[] }} Drafted */
/** @typedef {(ids: number[], way: Way) => Drafted} Drafter */
/**
 * One step: `p` has the target's probabilities at each draft's place and at the one after, `numbers` decide on the drafts,
 * `kept` of them are accepted, and `number` draws the token after them, `last`.
 * @typedef {Drafted & { start: number, p: Float64Array[], numbers: number[], kept: number, last: number, number: number }} Step
 */

export const [DRAFT, ACCEPT, LAST] = [0, 1, 2]; // what a random number is for
const MOST_MATCH = 2; // tokens that prompt lookup compares

/** The probabilities that are drawn from; at temperature 0 all for the best token. @param {Float64Array} logits @param {number} temperature */
const sharesOf = (logits, temperature) => {
  if (temperature) return softmax(logits.map((logit) => logit / temperature));
  const best = logits.reduce((at, logit, i) => (logit > logits[at] ? i : at), 0);
  return logits.map((_, i) => (i === best ? 1 : 0));
};

/** @param {Way} way @param {number} position @param {number} what */
const randomOf = ({ draw }, position, what) => numberOf(draw, 4 * position + what);

/** With what probability a draft is kept. @param {number} p @param {number} q */
export const acceptance = (p, q) => Math.min(1, p / q);

/** What a rejected draft is replaced from; p itself where the two are equal. @param {Float64Array} p @param {Float64Array} q */
export const residual = (p, q) => {
  const left = p.map((share, i) => Math.max(0, share - q[i]));
  const sum = left.reduce((a, b) => a + b, 0);
  return sum > 0 ? left.map((one) => one / sum) : p;
};

/** A small model that drafts one token after another. @param {Logits} logits @returns {Drafter} */
export const draftWith = (logits) => (ids, way) => {
  /** @type {Drafted} */
  const made = { drafts: [], q: [] };
  for (let i = 0; way.k > i; i++) {
    const seen = [...ids, ...made.drafts];
    const shares = sharesOf(logits(seen, seen.length - 1)[0], way.temperature);
    made.q.push(shares);
    made.drafts.push(pickOf(shares, randomOf(way, seen.length, DRAFT)));
  }
  return made;
};

/**
 * Prompt lookup: where the last two tokens (else the last one) stood before, the tokens that followed there.
 * @param {number[]} ids
 * @param {number} k
 */
const lookUp = (ids, k) => {
  for (let many = MOST_MATCH; many; many--)
    for (let at = ids.length - many - 1; at >= 0; at--)
      if (upto(many).every((i) => ids[at + i] === ids[ids.length - many + i]))
        return ids.slice(at + many, at + many + k);
  return [];
};

/** Drafts that cost no model; q is 1 for each. @param {number} vocabulary @returns {Drafter} */
export const draftByLookup =
  (vocabulary) =>
  (ids, { k }) => {
    const drafts = lookUp(ids, k);
    return { drafts, q: drafts.map((id) => new Float64Array(vocabulary).fill(1, id, id + 1)) };
  };

/** One step after some tokens. @param {Logits} target @param {Drafter} propose @param {number[]} ids @param {Way} way @returns {Step} */
const takeStep = (target, propose, ids, way) => {
  const { drafts, q } = propose(ids, way);
  const p = target([...ids, ...drafts], ids.length - 1).map((logits) => sharesOf(logits, way.temperature));
  const numbers = drafts.map((_, i) => randomOf(way, ids.length + i, ACCEPT));
  const failed = drafts.findIndex((id, i) => numbers[i] >= acceptance(p[i][id], q[i][id]));
  const kept = 0 > failed ? drafts.length : failed;
  const number = randomOf(way, ids.length + kept, LAST);
  const last = pickOf(kept < drafts.length ? residual(p[kept], q[kept]) : p[kept], number);
  return { start: ids.length, drafts, q, p, numbers, kept, last, number };
};

/** What a step adds to the text. @param {Step} step */
export const addedBy = ({ drafts, kept, last }) => [...drafts.slice(0, kept), last];

/**
 * Steps until at least so many tokens are written.
 * @param {Logits} target
 * @param {Drafter} propose
 * @param {number[]} ids
 * @param {number} many
 * @param {Way} way
 */
export const write = (target, propose, ids, many, way) => {
  /** @type {Step[]} */
  const steps = [];
  const seen = [...ids];
  while (ids.length + many > seen.length) {
    steps.push(takeStep(target, propose, seen, way));
    seen.push(...addedBy(steps[steps.length - 1]));
  }
  return steps;
};

// ---------------------------------------------------------------- the formulas

/** Tokens a step if each draft is accepted with the same probability. @param {number} alpha @param {number} k */
export const expectedOf = (alpha, k) => (alpha === 1 ? k + 1 : (1 - alpha ** (k + 1)) / (1 - alpha));

/**
 * How much faster than a token a pass; `cost` is a pass of the drafter over one of the target, and a pass over n tokens
 * takes as long as reading the weights, or from `ridge` tokens on as long as the products.
 * @param {number} alpha
 * @param {number} k
 * @param {number} cost
 * @param {number} [batch]
 * @param {number} [ridge]
 */
export const speedupOf = (alpha, k, cost, batch = 1, ridge = Infinity) => {
  const time = (/** @type {number} */ tokens) => Math.max(1, tokens / ridge);
  return (expectedOf(alpha, k) * time(batch)) / (time(batch * (k + 1)) + k * cost * time(batch));
};
