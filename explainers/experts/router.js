/* Twin of router.py: logits of 4,096 tokens, choices, and a bias that levels the load. */
import { upto } from "../kit/arrays.js";
import { normal } from "./draw.js";

export const [TOKENS, BATCH, NODES, SPREAD] = [4096, 512, 8, 1.3];
const [LIKED, WALL, FRESH] = [2 ** 20 + 18, 2 ** 21, TOKENS];
/** @param {number} x */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/**
 * The last few results of a function of plain arguments.
 * @template {(string | number)[]} Given
 * @template Made
 * @param {(...given: Given) => Made} fn
 * @returns {(...given: Given) => Made}
 */
export const remembered = (fn, most = 3) => {
  /** @type {Map<string, Made>} */
  const known = new Map();
  return (...given) => {
    const key = given.join();
    if (!known.has(key)) {
      if (known.size >= most) known.delete(/** @type {string} */ (known.keys().next().value));
      known.set(key, fn(...given));
    }
    return /** @type {Made} */ (known.get(key));
  };
};

/** @param {Float64Array} drawn @param {number} experts @param {number} skew */
const leaning = (drawn, experts, skew) => {
  const [liked, made] = [normal(LIKED, 1, experts), new Float64Array(drawn.length)];
  for (let t = 0; t !== made.length; t += experts)
    for (let e = 0; e !== experts; e += 1) made[t + e] = skew * liked[e] + SPREAD * drawn[t + e];
  return made;
};
/** @param {number} experts */
const drawn = /* @__PURE__ */ remembered((/** @type {number} */ experts) => normal(0, TOKENS, experts), 1);
/* Of all tokens in one pass: logits, scores, and how probable each expert is on average. */
export const router_of = /* @__PURE__ */ remembered(
  /** @param {number} experts @param {number} skew */ (experts, skew) => {
    const logits = leaning(drawn(experts), experts, skew);
    const [scores, odds, probable] = [
      new Float64Array(logits.length),
      new Float64Array(experts),
      new Float64Array(experts),
    ];
    for (let t = 0; t !== logits.length; t += experts) {
      let whole = 0;
      for (let e = 0; e !== experts; e += 1) {
        const against = Math.exp(-logits[t + e]);
        scores[t + e] = 1 / (1 + against);
        odds[e] = 1 / against;
        whole += odds[e];
      }
      for (let e = 0; e !== experts; e += 1) probable[e] += odds[e] / whole;
    }
    return { logits, scores, probable: probable.map((all) => all / TOKENS) };
  },
);

/**
 * What each group counts as: its two best together.
 * @param {ArrayLike<number>} ranked
 * @param {number} at
 * @param {number} experts
 * @param {number} groups
 */
export const marks_of = (ranked, at, experts, groups) => {
  const size = experts / groups;
  const marks = [];
  for (let g = 0; g !== groups; g += 1) {
    let first = -Infinity;
    let second = -Infinity;
    for (let i = at + g * size; i !== at + (g + 1) * size; i += 1) {
      const v = ranked[i];
      if (v > first) {
        second = first;
        first = v;
      } else if (v > second) second = v;
    }
    marks.push(size > 1 ? second + first : first);
  }
  return marks;
};
/** @param {ArrayLike<number>} values @param {number} k */
export const largest = (values, k) =>
  upto(values.length)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, k);

/**
 * rows x k experts, the largest first, of equals the first.
 * @param {Float64Array} given
 * @param {number} experts
 * @param {number} k
 * @param {number} kept
 * @param {Float64Array | null} [bias] is added for the choice alone
 */
export const chosen = (given, experts, k, kept, bias, groups = NODES) => {
  const rows = given.length / experts;
  const [choice, best, ranked] = [new Int32Array(rows * k), new Float64Array(k), new Float64Array(experts)];
  const size = experts / groups;
  for (let row = 0; row !== rows; row += 1) {
    for (let e = 0; e !== experts; e += 1) ranked[e] = given[row * experts + e] + (bias ? bias[e] : 0);
    if (groups > kept) {
      const marks = marks_of(ranked, 0, experts, groups);
      for (let out = kept; out !== groups; out += 1) {
        let least = 0;
        for (let g = 1; g !== groups; g += 1) if (marks[least] >= marks[g]) least = g;
        marks[least] = Infinity;
        ranked.fill(-Infinity, least * size, (least + 1) * size);
      }
    }
    best.fill(-Infinity);
    for (let e = 0; e !== experts; e += 1) {
      const v = ranked[e];
      if (!(v > best[k - 1])) continue;
      let at = k - 1;
      while (at > 0 && v > best[at - 1]) {
        best[at] = best[at - 1];
        choice[row * k + at] = choice[row * k + at - 1];
        at -= 1;
      }
      best[at] = v;
      choice[row * k + at] = e;
    }
  }
  return choice;
};
/** @param {Int32Array} choice @param {number} experts */
export const counted = (choice, experts) => {
  const found = new Int32Array(experts);
  for (const e of choice) found[e] += 1;
  return found;
};

/* Choices of all tokens without a limit or a bias; a bias of nothing but zeros is none. */
export const unlimited = /* @__PURE__ */ remembered(
  /** @param {number} experts @param {number} k @param {number} skew */ (experts, k, skew) =>
    chosen(router_of(experts, skew).scores, experts, k, NODES),
);

const single = /* @__PURE__ */ new Float32Array(1);
const single_bits = /* @__PURE__ */ new Uint32Array(single.buffer);
/** @param {number} x */
const bf16 = (x) => {
  single[0] = x;
  single_bits[0] = (single_bits[0] + 0x7fff + ((single_bits[0] >>> 16) & 1)) & 0xffff0000;
  return single[0];
};
/* Tokens whose choice is another one once logits are rounded. Rounding keeps their order but for what becomes equal, of which
   the first are chosen: so only what becomes equal to the last of the chosen, and stands before one of those, comes in. */
export const flips = /* @__PURE__ */ remembered(
  /** @param {number} experts @param {number} k @param {number} skew */ (experts, k, skew) => {
    const [{ logits }, choice] = [router_of(experts, skew), unlimited(experts, k, skew)];
    let differ = 0;
    for (let t = 0; t !== TOKENS; t += 1) {
      const last = logits[t * experts + choice[t * k + k - 1]];
      const [edge, room] = [bf16(last), Math.abs(last) / 64 + 1e-30];
      let until = -1; // the last one of the chosen that becomes equal
      for (let i = t * k; i !== t * k + k; i += 1)
        if (choice[i] > until && bf16(logits[t * experts + choice[i]]) === edge) until = choice[i];
      for (let e = 0; e < until; e += 1) {
        const x = logits[t * experts + e];
        if (Math.abs(x - last) > room || bf16(x) !== edge) continue;
        if (!choice.subarray(t * k, t * k + k).includes(e)) {
          differ += 1;
          break;
        }
      }
    }
    return differ;
  },
  8,
);

/* All biases so far of a walk, and on to the one that is asked for. */
/** @type {(...given: number[]) => Float64Array[]} */
const walk = /* @__PURE__ */ remembered((experts) => [new Float64Array(experts)], 8);
/**
 * @param {number} experts
 * @param {number} k
 * @param {number} kept
 * @param {number} skew
 * @param {number} step
 * @param {number} updates
 */
export const balance = (experts, k, kept, skew, step, updates) => {
  const walked = walk(experts, k, kept, skew, step);
  while (updates >= walked.length) {
    const last = /** @type {Float64Array} */ (walked.at(-1));
    const fresh = leaning(normal(FRESH + BATCH * (walked.length - 1), BATCH, experts), experts, skew).map(sigmoid);
    const got = counted(chosen(fresh, experts, k, kept, last), experts);
    walked.push(last.map((b, e) => b + step * Math.sign((BATCH * k) / experts - got[e])));
  }
  return walked[updates];
};

export const wall_of = /* @__PURE__ */ remembered(
  /** @param {number} layers @param {number} experts @param {number} k @param {number} groups @param {number} kept */ (
    layers,
    experts,
    k,
    groups,
    kept,
  ) => {
    const all = chosen(normal(WALL, layers, experts).map(sigmoid), experts, k, kept, null, groups);
    return upto(layers).map((i) => [...all.subarray(i * k, i * k + k)]);
  },
  8,
);
