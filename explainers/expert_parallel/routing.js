/* Twin of routing.py: a seeded tiny router, and the model's own rule for choosing experts. */
import { hash32, upto } from "../kit/arrays.js";

/** @import { State } from "../../.make/data_types/expert-parallel.d.ts" */

/** How logits become scores; "" leaves them. @typedef {"" | "sigmoid" | "sqrtsoftplus" | "softmax"} Scoring */

/**
 * A model: the columns of data.models by name.
 * @typedef {{
 *   slug: string, title: string, experts: number, k: number, groups: number, kept: number, group_score: string,
 *   scoring: Scoring, bias: number, width: number, layers: number,
 * }} Row
 */

/** So many groups, how many of them stay, and whether a group counts as its two best. @typedef {{ groups: number, kept: number, two: boolean }} Rule */
/** What the choice of experts depends on. @typedef {Pick<Row, "experts" | "k" | "scoring"> & Pick<State, "kind" | "skew"> & Rule} Asked */
/** The scores of a token, and the experts that each token chooses. @typedef {{ scores: (token: number) => Float64Array, choice: number[][] }} Routed */

/**
 * Numbers in a list or in a typed array.
 * @typedef {{
 *   map(fn: (v: number) => number): Numbers,
 *   reduce(fn: (a: number, b: number) => number, from?: number): number,
 * }} Numbers
 */

export const [TOKENS, UNIT, GROUPS, PER_NODE] = [512, 2 ** 15, 8, 8];

/** @param {number} experts @param {string} kind @param {number} skew */
const loved = (experts, kind, skew) => {
  const order = upto(experts)
    .map((e) => [hash32(e + 99991), e])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const more = new Float64Array(experts);
  order.forEach(([, e], rank) => {
    more[e] = Math.floor(skew * (kind === "power" ? -Math.log(rank + 1) : rank ? 0 : 4) * UNIT + 0.5);
  });
  return more;
};
/** @param {Row} row @param {number} limit @returns {Rule} */
export const rule_of = (row, limit) => {
  if (!limit) return { groups: row.groups, kept: row.kept, two: row.group_score === "top2" };
  if (row.groups > 1) return { groups: row.groups, kept: limit, two: row.group_score === "top2" };
  return { groups: GROUPS, kept: limit, two: true };
};

/**
 * The last few results of a function of one JSON-plain value.
 * @template Key, Value
 * @param {(key: Key) => Value} fn
 * @returns {(key: Key) => Value}
 */
export const remembered = (fn) => {
  /** @type {Map<string, Value>} */
  const known = new Map();
  return (key) => {
    const text = JSON.stringify(key);
    if (!known.has(text)) {
      if (known.size > 5) known.delete(/** @type {string} */ (known.keys().next().value));
      known.set(text, fn(key));
    }
    return /** @type {Value} */ (known.get(text));
  };
};

/** @type {Record<Scoring, (x: Numbers) => Numbers>} */
const SCORED = {
  "": (x) => x,
  sigmoid: (x) => x.map((v) => 1 / (1 + Math.exp(-v))),
  sqrtsoftplus: (x) => x.map((v) => Math.sqrt(Math.log1p(Math.exp(-Math.abs(v))) + Math.max(v, 0))),
  softmax: (x) => {
    const top = x.reduce((a, b) => Math.max(a, b));
    const e = x.map((v) => Math.exp(v - top));
    const sum = e.reduce((a, b) => a + b);
    return e.map((v) => v / sum);
  },
};
/** @type {(experts: number) => Float64Array} */
const drawn_bits = /* @__PURE__ */ remembered((experts) => {
  const bits = new Float64Array(TOKENS * experts);
  for (const token of upto(TOKENS)) {
    const seed = hash32(token + 1000);
    for (let e = 0; e !== experts; e += 1) {
      const one = hash32(seed + 7919 * e);
      bits[token * experts + e] = (one & 0xffff) + (one >>> 16) - 65535;
    }
  }
  return bits;
});

/**
 * The largest of an array that `open` lets take part, largest first; of equals the first.
 * @param {ArrayLike<number>} values
 * @param {number} k
 * @param {(i: number) => boolean} [open]
 */
const largest = (values, k, open = () => true) => {
  /** @type {number[]} */
  const best = [];
  for (let i = 0; i !== values.length; i += 1) {
    if (best.length === k && !(values[i] > values[best[k - 1]])) continue;
    if (!open(i)) continue;
    let at = best.length;
    while (at > 0 && values[i] > values[best[at - 1]]) at -= 1;
    best.splice(at, 0, i);
    if (best.length > k) best.pop();
  }
  return best;
};
/**
 * What each group counts as, and which stay; `curve` makes scores of its best, where numbers are none yet.
 * @param {Float64Array} numbers
 * @param {Rule} rule
 * @param {(x: Numbers) => Numbers} [curve]
 * @returns {{ marks: number[], kept: number[] }}
 */
export const grouped = (numbers, { groups, kept, two }, curve = SCORED[""]) => {
  if (groups === 1) return { marks: [], kept: [] };
  const size = numbers.length / groups;
  const marks = upto(groups).map((g) => {
    const part = numbers.subarray(g * size, g * size + size);
    return curve(
      largest(part, two ? 2 : 1)
        .reverse()
        .map((i) => part[i]),
    ).reduce((sum, score) => sum + score, 0);
  });
  return { marks, kept: largest(marks, kept).sort((a, b) => a - b) };
};

/** scores(token), and the choice of every token, the best first. @type {(asked: Asked) => Routed} */
const routed = /* @__PURE__ */ remembered(({ experts, k, scoring, groups, kept, two, kind, skew }) => {
  const [bits, more] = [drawn_bits(experts), loved(experts, kind, skew)];
  const logits = (/** @type {number} */ token) => more.map((m, e) => (bits[token * experts + e] + m) / UNIT);
  const scores = (/** @type {number} */ token) => /** @type {Float64Array} */ (SCORED[scoring](logits(token)));
  const [size, whole] = [experts / groups, scoring === "softmax"]; // every other curve takes number by number; all keep the order
  const choice = upto(TOKENS).map((token) => {
    const now = whole && groups > 1 ? scores(token) : logits(token);
    const stay = grouped(now, { groups, kept, two }, whole ? SCORED[""] : SCORED[scoring]).kept;
    return largest(now, k, groups > 1 ? (e) => stay.includes(Math.floor(e / size)) : undefined);
  });
  return { scores, choice };
});
/** @param {Row} row @param {Pick<State, "kind" | "skew">} popularity @param {number} limit */
export const route = (row, { kind, skew }, limit) => {
  const { experts, k, scoring } = row;
  return routed({ experts, k, scoring, ...rule_of(row, limit), kind, skew });
};
