/* Twin of reference.py: a model, a stop and a number of ranks -> heads, bytes, weights, copies and the sentences. */
import { gettext } from "../kit/gettext.js";
import { fmt } from "../kit/numbers.js";

/** @import { Data, State } from "../../.make/data_types/heads.d.ts" */

/**
 * So many layers, the tokens that they keep (0: all), and whether they start afresh there.
 * @typedef {[layers: number, seen: number, chunk: number]} Window
 */

/**
 * A kind of attention of a model: data.shape's columns by name.
 * @typedef {{
 *   heads: number, kv: number, k: number, v: number, latent: number, rank: number, rope: number, turned: number,
 *   k_eq_v: number, bias: number, windows: Window[],
 * }} Shape
 */

/**
 * A model: data.columns by name; what it keeps beside attention's keys and values in bytes.
 * @typedef {{
 *   slug: string, title: string, width_in: number, loops: number, state_bytes: number, beside_bytes: number,
 *   index_bytes: number, shapes: Shape[],
 * }} Model
 */

/**
 * A latent's widths: of itself, of the key with RoPE, of a head's key without, of its value.
 * @typedef {{ rank: number, rope: number, nope: number, v: number, turned: boolean }} Latent
 */

/** @typedef {ReturnType<typeof compute>} Now */

const BYTES = 2;
export const RANKS = 64;
/**
 * @param {number} v
 * @param {number} low
 * @param {number} high
 */
const whole = (v, low, high) => Number.isInteger(v) && v >= low && v <= high;
/**
 * @param {string[]} names
 * @param {unknown[]} values
 * @returns {{ [name: string]: unknown }}
 */
const zip = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]]));
/** @param {number[]} list */
const sum = (list) => list.reduce((a, b) => a + b, 0);
/**
 * @param {Pick<State, "model">} state
 * @param {Data} data
 * @returns {Model | null}
 */
export const find = (state, data) => {
  const row = data.models.find((r) => r[0] === state.model);
  if (!row) return null;
  const model = /** @type {Omit<Model, "shapes"> & { shapes: unknown[][] }} */ (zip(data.columns, row));
  return { ...model, shapes: model.shapes.map((one) => /** @type {Shape} */ (zip(data.shape, one))) };
};

/**
 * @param {Shape} shape
 * @returns {Latent}
 */
const latentOf = (shape) =>
  shape.latent
    ? { rank: shape.rank, rope: shape.rope, nope: shape.k, v: shape.v, turned: Boolean(shape.turned) }
    : { rank: 4 * shape.v, rope: Math.floor(shape.v / 2), nope: shape.v, v: shape.v, turned: true };
/**
 * @param {Shape} shape
 * @returns {number}
 */
export const ownStop = (shape) => (shape.latent ? 0 : shape.kv);
/**
 * @param {Pick<State, "kv">} state
 * @param {Shape} shape
 * @returns {number}
 */
export const resolve = (state, shape) => (state.kv === -1 ? ownStop(shape) : state.kv);

/**
 * @param {Shape} shape
 * @param {number} chosen
 */
const stopsOf = (shape, chosen) => {
  const found = new Set([1, ownStop(shape) || 1, chosen || 1]);
  for (let n = shape.heads; n > 1; n = n % 2 ? 1 : n / 2) found.add(n);
  return [...found].sort((a, b) => b - a).concat(0);
};

/**
 * @param {number} heads
 * @param {number} kv 0 is a latent
 * @returns {number[]}
 */
export const legalRanks = (heads, kv) =>
  Array.from({ length: RANKS }, (_, i) => i + 1).filter(
    (t) => heads % t === 0 && (kv === 0 || kv % t === 0 || t % kv === 0),
  );

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
const checkHeads = (state, shape) => {
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
 * @param {State} state
 * @param {Data} data
 * @returns {string}
 */
export function check(state, data) {
  const model = find(state, data);
  if (!model) return `No model here is called “${state.model}”; choose one from the list.`;
  const last = model.shapes.length - 1;
  if (!whole(state.shape, 0, last))
    return `${model.title} has ${last + 1} kinds of attention; legal here: 0 to ${last}.`;
  const shape = model.shapes[state.shape];
  return checkHeads(state, shape) || checkRanks(state.tp, shape.heads, resolve(state, shape));
}

/**
 * What a link does not set moves to the nearest legal value, so that ?model=X is enough.
 * @param {State} state
 * @param {string[]} given
 * @param {Data} data
 * @returns {State}
 */
export function settle(state, given, data) {
  const model = find(state, data);
  if (!model) return state;
  /**
   * @param {keyof State} key
   * @param {number} value
   * @returns {number}
   */
  const keep = (key, value) => (given.includes(key) ? Number(state[key]) : value);
  const shape = keep("shape", Math.min(state.shape, model.shapes.length - 1));
  const one = model.shapes[shape];
  if (!one) return state;
  const kv = resolve(state, one);
  return {
    ...state,
    shape,
    head: keep("head", Math.min(state.head, one.heads - 1)),
    tp: keep(
      "tp",
      legalRanks(one.heads, kv)
        .filter((t) => t <= state.tp)
        .pop() ?? state.tp,
    ),
  };
}

/**
 * @param {Shape} shape
 * @param {number} kv
 */
const numbersKept = (shape, kv) => {
  const one = latentOf(shape);
  return kv === 0 ? one.rank + one.rope : kv * (shape.k + shape.v);
};

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} hidden
 */
const weightsKv = (shape, kv, hidden) => {
  if (kv === 0) {
    const one = latentOf(shape);
    return hidden * (one.rank + one.rope) + one.rank + one.rank * shape.heads * (one.nope + one.v);
  }
  const k = kv * shape.k;
  const v = shape.k_eq_v ? 0 : kv * shape.v;
  return hidden * (k + v) + (shape.bias > 0 ? k : 0) + (shape.bias > 1 ? v : 0);
};

/** @param {Shape} shape */
const layersOf = (shape) => sum(shape.windows.map(([n]) => n));
/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} context
 * @param {number} loops
 */
const atContext = (shape, kv, context, loops) =>
  numbersKept(shape, kv) *
  BYTES *
  loops *
  sum(shape.windows.map(([n, seen]) => n * (seen ? Math.min(context, seen) : context)));
/**
 * @param {Model} model
 * @param {State} state
 * @param {number} kv
 */
const inAll = (model, state, kv) =>
  model.state_bytes +
  model.beside_bytes +
  model.index_bytes * state.context +
  sum(
    model.shapes.map((shape, i) =>
      atContext(shape, i === state.shape ? kv : ownStop(shape), state.context, model.loops),
    ),
  );

/**
 * @param {number} kv
 * @param {number} heads
 */
const variant = (kv, heads) => (kv === 0 ? "MLA" : kv === 1 ? "MQA" : kv === heads ? "MHA" : "GQA");
/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} deep layers, all loops
 * @param {number} chosen
 */
const stopAt = (shape, kv, deep, chosen) => {
  const name = variant(kv, shape.heads);
  const kept = numbersKept(shape, kv);
  return {
    kv,
    label: name === "GQA" ? `GQA ${kv}` : name,
    tick: name === "MLA" ? "MLA" : name === "GQA" ? String(kv) : `${name} ${kv}`,
    bytes: kept * BYTES * deep,
    own: kv === ownStop(shape),
    on: kv === chosen,
  };
};

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} loops
 */
const formula = (shape, kv, loops) => {
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
const widthWords = (shape, kv) => (kv === 0 ? `${latentOf(shape).nope} + ${latentOf(shape).rope}` : String(shape.k));
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
const keepsWords = (shape, kv) =>
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
const wordsOf = (model, shape, state, kv) => {
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
const spread = (queryHeads, kv, tp, copies) => {
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

/**
 * @param {Shape} shape
 * @param {number} kv
 * @param {number} tp
 * @param {number} perToken bytes
 */
const parallel = (shape, kv, tp, perToken) => {
  const distinct = Math.max(kv, 1);
  const copies = Math.max(1, Math.floor(tp / distinct));
  const held = Math.max(1, Math.floor(distinct / tp));
  const tiles = Array.from({ length: tp }, (_, r) =>
    Array.from({ length: held }, (_unused, i) => Math.floor((r * distinct) / tp) + i),
  );
  const perRank = (perToken / distinct) * held;
  return {
    legal: legalRanks(shape.heads, kv),
    query_heads: shape.heads / tp,
    tiles,
    copy: tiles.map((_, r) => r % copies > 0),
    copies,
    waste: (perRank * tp) / perToken,
    bytes_per_rank: perRank,
    bytes_all: perRank * tp,
    words: spread(shape.heads / tp, kv, tp, copies),
  };
};

/** @param {Shape} shape */
const mla = (shape) => {
  const one = latentOf(shape);
  const heads = shape.heads;
  const grown = heads * (one.nope + one.rope + one.v);
  const rebuild = 2 * one.rank * heads * (one.nope + one.v);
  return {
    heads,
    ...one,
    ways: [
      {
        way: "absorbed",
        numbers: one.rank + one.rope,
        flops: 2 * heads * (2 * one.rank + one.rope),
        step_flops: rebuild,
      },
      { way: "expanded, rebuilt each step", numbers: one.rank + one.rope, flops: 2 * grown + rebuild, step_flops: 0 },
      { way: "expanded, cached", numbers: grown, flops: 2 * grown, step_flops: rebuild },
    ],
  };
};

/**
 * Twin of toy.py: four cached tokens, scored from rebuilt keys and from the latents.
 * @param {string} where
 * @param {Data["toy"]} numbers
 */
const toy = (where, numbers) => {
  const { latents, w_uk: up, q } = numbers;
  const last = latents.length - 1;
  /**
   * @param {number[]} a
   * @param {number[]} b
   */
  const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
  /**
   * @param {number[]} pair
   * @param {number} at radians
   */
  const turn = ([a, b], at) => [a * Math.cos(at) - b * Math.sin(at), b * Math.cos(at) + a * Math.sin(at)];
  /** @param {number[]} vector */
  const fold = (vector) => latents[0].map((_, r) => sum(up.map((row, i) => row[r] * vector[i])));
  /** @param {number[]} c */
  const key = (c) => up.map((row) => dot(row, c));
  const apart = numbers.k_rope.map((k, j) => dot(turn(numbers.q_rope, last), turn(k, j)));
  const is = where === "apart";
  const expanded = latents.map((c, j) => (is ? dot(q, key(c)) + apart[j] : dot(turn(q, last), turn(key(c), j))));
  const absorbed = latents.map((c, j) => dot(fold(q), c) + (is ? apart[j] : 0));
  const error = absorbed.map((a, j) => a - expanded[j]);
  return {
    expanded,
    absorbed,
    error,
    needed: latents.map((_, j) => fold(turn(q, is ? 0 : last - j))),
    agree: error.every((e) => Math.abs(e) < 1e-9),
  };
};

/**
 * @param {State} state
 * @param {Data} data
 */
export function compute(state, data) {
  const model = /** @type {Model} */ (find(state, data));
  const shape = model.shapes[state.shape];
  const kv = resolve(state, shape);
  const deep = layersOf(shape) * model.loops;
  const perToken = numbersKept(shape, kv) * BYTES * deep;
  return {
    title: model.title,
    width_in: model.width_in,
    heads: shape.heads,
    layers: deep,
    pairs: kv * deep,
    width: widthWords(shape, kv),
    kv,
    own: ownStop(shape),
    variant: variant(kv, shape.heads),
    group: Math.floor((state.head * kv) / shape.heads),
    reads: readsWords(state.head, kv, shape.heads),
    keeps: keepsWords(shape, kv),
    stops: stopsOf(shape, kv).map((n) => stopAt(shape, n, deep, kv)),
    bytes_per_token: perToken,
    formula: formula(shape, kv, model.loops),
    times_less: numbersKept(shape, shape.heads) / numbersKept(shape, kv),
    holds_bytes: atContext(shape, kv, state.context, model.loops),
    in_all_bytes: inAll(model, state, kv),
    weights: weightsKv(shape, kv, model.width_in),
    words: wordsOf(model, shape, state, kv),
    tp: parallel(shape, kv, state.tp, perToken),
    mla: mla(shape),
    toy: toy(state.rope, data.toy),
  };
}
