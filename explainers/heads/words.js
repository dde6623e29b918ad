/* Twin of words.py: counts -> the sentences: what is legal, how a stop is computed, who holds copies. */
import { gettext } from "../kit/gettext.js";
import { fmt } from "../kit/numbers.js";
import { atContext, BYTES, inAll, latentOf, layersOf, legalRanks, numbersKept, ownStop, RANKS } from "./counting.js";

/** @import { State } from "../../.make/data_types/heads.d.ts" */
/** @import { Model, Shape, Window } from "./counting.js" */

/**
 * @param {number} v
 * @param {number} low
 * @param {number} high
 */
export const whole = (v, low, high) => Number.isInteger(v) && v >= low && v <= high;

/**
 * @param {number} tp
 * @param {number} heads
 * @param {number} kv
 * @returns {string}
 */
export const checkRanks = (tp, heads, kv) => {
  const legal = legalRanks(heads, kv);
  const list = legal.join(", ");
  if (legal.includes(tp)) return "";
  if (!whole(tp, 1, RANKS))
    return `Tensor parallel takes a whole number of ranks from 1 to ${RANKS}; legal here: ${list}.`;
  if (heads % tp) return `${tp} ranks cannot share ${heads} query heads evenly; legal here: ${list}.`;
  return `${tp} ranks can neither split ${kv} key/value heads evenly nor hold whole copies of them; legal here: ${list}.`;
};

/**
 * @param {State} state
 * @param {Shape} shape
 */
export const checkHeads = (state, shape) => {
  const heads = shape.heads;
  if (![-1, 0, ownStop(shape)].includes(state.kv) && !(whole(state.kv, 1, heads) && heads % state.kv === 0)) {
    const legal = Array.from({ length: heads }, (_, i) => heads - i).filter((n) => heads % n === 0);
    return `Each key/value head must serve equally many of ${heads} query heads; legal here: ${legal.join(", ")}, or 0 for MLA.`;
  }
  if (!whole(state.head, 0, heads - 1)) return `This model has ${heads} query heads: a head from 0 to ${heads - 1}.`;
  if (!whole(state.context, 1, 2 ** 24)) return "The context is a whole number of tokens from 1 to 16,777,216.";
  for (const [key, legal] of /** @type {[key: "path" | "rope", legal: string[]][]} */ ([
    ["path", ["expanded", "absorbed"]],
    ["rope", ["apart", "inside"]],
  ])) {
    if (!legal.includes(state[key])) return `${key} is one of ${legal.join(" and ")}.`;
  }
  return "";
};

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} loops
 */
export const formula = (shape, kv, loops) => {
  const tail = [
    "",
    `${BYTES} B`,
    gettext("{layers} layers", { layers: layersOf(shape) }),
    ...(loops > 1 ? [gettext("{loops} loops", { loops })] : []),
  ].join(" × ");
  const one = latentOf(shape);
  if (kv === 0) return `(${one.rank} + ${one.rope})${tail}`;
  const heads = kv > 1 ? gettext("{kv} heads", { kv }) : gettext("1 head");
  return shape.k === shape.v ? `2 × ${heads} × ${shape.k}${tail}` : `${heads} × (${shape.k} + ${shape.v})${tail}`;
};

/**
 * @param {Shape} shape
 * @param {number} kv
 */
export const widthWords = (shape, kv) =>
  kv === 0 ? `${latentOf(shape).nope} + ${latentOf(shape).rope}` : String(shape.k);

/**
 * @param {number} head
 * @param {number} kv
 * @param {number} heads
 * @returns {string}
 */
export const readsWords = (head, kv, heads) =>
  kv
    ? gettext("head {head} reads group {group}", { head, group: Math.floor((head * kv) / heads) })
    : gettext("head {head} reads the latent", { head });

/** @param {number} kv */
const headsWords = (kv) => (kv === 1 ? gettext("1 key/value head") : gettext("{kv} key/value heads", { kv }));

/**
 * @param {Shape} shape
 * @param {number} kv
 */
export const keepsWords = (shape, kv) =>
  kv
    ? headsWords(kv)
    : gettext("one latent of {rank} + {rope} numbers", { rank: latentOf(shape).rank, rope: latentOf(shape).rope });

/**
 * @param {string} title
 * @param {Shape} shape
 * @param {number} kv
 */
const made = (title, shape, kv) => {
  const own = ownStop(shape);
  const one = latentOf(shape);
  if (kv === own) return gettext("This is how {title} is built.", { title });
  if (own === 0) {
    return gettext(
      "Hypothetical: {title} caches a latent. Here its heads are plain ones of {nope} + {v} numbers (qk_nope_head_dim and v_head_dim): RoPE would rotate the key itself, so the separate {rope} are not needed.",
      { title, nope: one.nope, v: one.v, rope: one.rope },
    );
  }
  const has = { title, own: headsWords(own) };
  if (kv === 0) {
    return gettext(
      "Hypothetical: {title} has {own}. Here one latent of 4 × {v} = {rank} numbers and a RoPE key of {v} / 2 = {rope} replace them, in DeepSeek-V2’s proportions.",
      { ...has, v: one.v, rank: one.rank, rope: one.rope },
    );
  }
  return gettext("Hypothetical: {title} has {own}. Here it has {kv}, with the same layers, query heads and widths.", {
    ...has,
    kv,
  });
};

/**
 * @param {Shape} shape
 * @param {number} kv
 */
const share = (shape, kv) => {
  const heads = shape.heads;
  if (kv === heads) return gettext("the maximum: every query head has its own keys and values.");
  if (kv === 0)
    return gettext("{times} times less than {heads} plain key/value heads would need.", {
      times: fmt.fixed(numbersKept(shape, heads) / numbersKept(shape, 0), 1),
      heads,
    });
  const part = heads / kv;
  return heads % kv === 0 ? gettext("1/{part} of what {heads} key/value heads would need.", { part, heads }) : "";
};

/**
 * @param {Window} window
 * @param {number} of
 */
const looksBack = ([n, seen, chunk], of) =>
  `${n === of ? `All ${n} of these layers` : `${n} of these ${of} layers`} ${chunk ? "attend within chunks of" : "keep only the last"} ${fmt.int(seen)} tokens.`;

/**
 * @param {Model} model
 * @param {State} state
 * @param {number} total
 * @param {number} held
 */
const restWords = (model, state, total, held) => {
  const [index, beside] = [model.index_bytes * state.context, model.beside_bytes];
  const parts = /** @type {[who: string, bytes: number][]} */ ([
    ["the indexer’s keys in these layers", index],
    ["the fixed states in these layers", beside],
    ["its other layers", total - held - index - beside],
  ]).filter((p) => p[1]);
  if (!parts.length) return "";
  const text = parts.map(([who, size], i) => `${who} ${i ? "" : "add "}${fmt.bytes(size)}`).join(", ");
  return `${text[0].toUpperCase()}${text.slice(1)}: ${fmt.bytes(total)} in all.`;
};

/**
 * @param {Model} model
 * @param {Shape} shape
 * @param {State} state
 * @param {number} kv
 */
export const wordsOf = (model, shape, state, kv) => {
  const held = atContext(shape, kv, state.context, model.loops);
  return {
    made: made(model.title, shape, kv),
    share: share(shape, kv),
    windows: shape.windows
      .filter((w) => w[1])
      .map((w) => looksBack(w, layersOf(shape)))
      .join(" "),
    rest: restWords(model, state, inAll(model, state, kv), held),
  };
};

/**
 * @param {number} queryHeads
 * @param {number} kv
 * @param {number} tp
 * @param {number} copies
 */
export const spread = (queryHeads, kv, tp, copies) => {
  const each = queryHeads === 1 ? gettext("1 query head") : gettext("{heads} query heads", { heads: queryHeads });
  if (tp === 1) return gettext("One rank holds all {each} and their whole cache.", { each });
  if (kv === 0)
    return gettext("Each rank has {each}, and all of them need the whole latent: {tp} ranks hold {tp} copies of it.", {
      each,
      tp,
    });
  if (copies === 1)
    return gettext("Each rank has {each} and {part} of the {kv} key/value heads. Nothing is copied.", {
      each,
      part: kv / tp,
      kv,
    });
  return gettext("{heads} for {tp} ranks: each is stored {copies} times, so {share} of the cache is copies.", {
    heads: headsWords(kv),
    tp,
    copies,
    share: fmt.percent(1 - kv / tp),
  });
};
