/* Twin of reference.py, stack.py and claims.py: a mask, a stack and a context -> who sees whom, who can know, bytes. */
import { configEnds } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";

/** @import { Data, State } from "../../.make/data_types/masks.d.ts" */

/**
 * What a layer keeps: bytes of an entry, tokens to an entry, at most so many entries (0: all), and whether it is a fixed state.
 * @typedef {[size: number, every: number, cap: number, fixed: number]} Kept
 */

/** A kind of layer of a stack. @typedef {[mark: string, span: number, sink: number, nope: number, kept: Kept[]]} Kind */

/**
 * A model: data.columns by name; in `stack` each layer is a letter, the place of its kind in `kinds`.
 * @typedef {{ slug: string, title: string, loops: number, kinds: Kind[], stack: string }} Model
 */

/** From and to, both included. @typedef {[from: number, to: number]} Span */
/** A row of a mask: 1 where the query sees the key. @typedef {Uint8Array} Row */
/** @typedef {ReturnType<typeof compute>} Now */
/** @typedef {ReturnType<typeof seen>} Mask */
/** @typedef {ReturnType<typeof stackOf>} Stack */

export const TOKENS = 48;
const KINDS = ["causal", "window", "chunked"];
export const DEPTH = 12;
export const LONGEST = 2 ** 22;
const BACK = [1, 16, 256, 4096, 65536, 1048576];
export const CURVE = /* @__PURE__ */ Array.from({ length: 13 }, (_, i) => 2 ** (i + 8));
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** @param {unknown} v @param {number} low @param {number} high */
const whole = (v, low, high) => Number.isInteger(v) && Number(v) >= low && Number(v) <= high;
/** @param {number} n */
export const int = (n) => fmt.int(n);
/** @param {Iterable<number>} list */
const sum = (list) => [...list].reduce((a, b) => a + b, 0);
/** @param {number} n @param {string} word */
export const plural = (n, word) => `${int(n)} ${word}${n === 1 ? "" : "s"}`;
/** @param {Span[]} list */
export const spansWords = (list) => list.map(([a, b]) => (a === b ? `${a}` : `${a} to ${b}`)).join(", ");

/** @param {string} slug @param {Data} data */
export const find = (slug, data) => {
  const row = data.models.find((r) => r[0] === slug);
  return row ? /** @type {Model} */ (Object.fromEntries(data.columns.map((name, i) => [name, row[i]]))) : null;
};

/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  if (!KINDS.includes(state.kind)) return `A mask is one of ${KINDS.join(", ")}.`;
  for (const [key, low, high, what] of /** @type {[keyof State, number, number, string][]} */ ([
    ["span", 1, TOKENS, "The window or chunk"],
    ["first", 0, 8, "First tokens kept"],
    ["depth", 1, DEPTH, "The number of layers"],
    ["query", 0, TOKENS - 1, "The query"],
  ])) {
    if (!whole(state[key], low, high)) return `${what} is a whole number from ${low} to ${high}.`;
  }
  if (typeof state.logit !== "number" || !(state.logit >= -8 && state.logit <= 8))
    return "The sink's logit is a number from -8 to 8.";
  const model = find(state.model, data);
  if (!model) return `No model here is called “${state.model}”; choose one from the list.`;
  const last = model.stack.length - 1;
  if (!whole(state.layer, 0, last)) return `${model.title} has ${last + 1} layers: a layer from 0 to ${last}.`;
  if (!whole(state.context, 1, LONGEST)) return `The context is a whole number of tokens from 1 to ${int(LONGEST)}.`;
  return "";
}

/* ---------------------------------------------------------------- one mask */
/** @param {string} kind @param {number} span @param {number} token The first key of its window or chunk. */
const startOf = (kind, span, token) =>
  kind === "window" ? Math.max(0, token - span + 1) : kind === "chunked" ? Math.floor(token / span) * span : 0;

/** @param {State} state */
const maskOf = (state) =>
  Array.from({ length: TOKENS }, (_, query) => {
    const from = startOf(state.kind, state.span, query);
    return Uint8Array.from({ length: TOKENS }, (_unused, key) =>
      key <= query && (key >= from || state.first > key) ? 1 : 0,
    );
  });

/**
 * Boolean propagation: after each further layer a position knows what the positions it sees knew before.
 * @param {Row[]} mask
 * @param {number} depth
 */
const knownAfter = (mask, depth) => {
  let reach = mask;
  for (let layer = 1; depth > layer; layer += 1) {
    const before = reach;
    reach = mask.map((row, query) => {
      const known = before[query].slice();
      for (let key = 0; query >= key; key += 1) {
        if (row[key]) for (let old = 0; key >= old; old += 1) known[old] |= before[key][old];
      }
      return known;
    });
  }
  return reach;
};

/** @param {Row} row */
const ranges = (row) => {
  /** @type {Span[]} */
  const found = [];
  row.forEach((on, i) => {
    if (on && !row[i - 1]) found.push([i, i]);
    else if (on) found[found.length - 1][1] = i;
  });
  return found;
};

/**
 * @param {{ [key in "causal" | "pairs" | "share" | "weight" | "lost" | "known"]: number } & { known_ranges: Span[] }} mask
 * @param {State} state
 */
const moreWords = (mask, state) => {
  const lost = state.sink
    ? `, and ${fmt.percent(mask.lost)} goes to the sink, which has no key, no value and no cache`
    : "";
  return [
    state.depth > 1
      ? `After ${state.depth} layers with this mask, the query can know about ${plural(mask.known, "token")}: ${spansWords(mask.known_ranges)}.`
      : "",
    `This mask computes ${int(mask.pairs)} of ${int(mask.causal)} causal pairs, ${fmt.percent(mask.share)}.`,
    `With equal scores, each key gets a weight of ${fmt.percent(mask.weight)}${lost}.`,
  ];
};
/** @param {State} state */
export const seen = (state) => {
  const mask = maskOf(state);
  const known = knownAfter(mask, state.depth);
  const keys = sum(mask[state.query]);
  const weight = state.sink ? 1 / (keys + Math.exp(state.logit)) : 1 / keys;
  const pairs = sum(mask.map(sum));
  const causal = (TOKENS * (TOKENS + 1)) / 2;
  const found = {
    starts: mask.map((_, t) => startOf(state.kind, state.span, t)),
    keys,
    ranges: ranges(mask[state.query]),
    known: sum(known[state.query]),
    known_ranges: ranges(known[state.query]),
    known_from: known.map(ranges),
    weight,
    lost: state.sink ? 1 - keys * weight : 0,
    pairs,
    causal,
    share: pairs / causal,
  };
  const row = `Query ${state.query} sees ${plural(keys, "key")}: ${spansWords(found.ranges)}.`;
  return { ...found, at: `query ${state.query}`, row, more: moreWords(found, state) };
};

/* ---------------------------------------------------------------- a real stack */
/** @param {Model} model @param {number} layer */
const kindOf = (model, layer) => model.kinds[LETTERS.indexOf(model.stack[layer])];
/** @param {Model} model */
const marksOf = (model) => [...model.stack].map((_, i) => kindOf(model, i)[0]).join("");
/** @param {Model} model @returns {[layers: number, kind: Kind][]} */
const counted = (model) =>
  model.kinds.map((kind, i) => [[...model.stack].filter((c) => c === LETTERS[i]).length, kind]);

/** @param {string} letter @param {number} span @param {number} token The first token that a layer of this mark sees. */
const reachStart = (letter, span, token) => {
  if (letter === "W" || letter === "K") return Math.max(0, token - span + 1);
  return letter === "C" ? Math.floor(token / span) * span : letter === "N" ? token : 0;
};
/** @param {Model} model @param {number} token The first token that each layer can know about. */
export const firstKnown = (model, token) =>
  Array.from({ length: model.stack.length }, (_, depth) => {
    let at = token;
    for (let layer = depth; layer >= 0; layer -= 1) {
      const [letter, span] = kindOf(model, layer);
      at = reachStart(letter, span, at);
    }
    return at;
  });

/**
 * What a layer would keep if it kept every token: no window or chunk, no fixed state, nothing compressed.
 * @param {Model} model
 * @param {Kind} kind
 * @returns {Kept[]}
 */
const allKept = (model, kind) => {
  if (kind[0] === "L") return (model.kinds.find((one) => one[0] === "F" && one[4].length) || kind)[4];
  const capped = kind[4].filter(([, , cap]) => cap);
  return capped.length ? capped.map(([size, every, , fixed]) => [size, every, 0, fixed]) : kind[4];
};
/** @param {Model} model @param {Kind} kind @param {boolean} everything */
const keptOf = (model, kind, everything) => (everything ? allKept(model, kind) : kind[4]);
/** @param {Kept[]} kept @param {number} context */
const keptBytes = (kept, context) =>
  sum(
    kept.map(([size, every, cap, fixed]) => {
      const entries = Math.floor(context / every);
      return fixed ? size : size * (cap ? Math.min(entries, cap) : entries);
    }),
  );
/** @param {Model} model @param {number} context @param {boolean} everything The bytes of its whole cache. */
export const inAll = (model, context, everything) =>
  model.loops * sum(counted(model).map(([n, kind]) => n * keptBytes(keptOf(model, kind, everything), context)));
/** @param {Model} model @param {boolean} everything Bytes for each further token. */
const growing = (model, everything) =>
  model.loops *
  sum(
    counted(model).map(([n, kind]) =>
      sum(
        keptOf(model, kind, everything)
          .filter(([, , cap, fixed]) => !fixed && !cap)
          .map(([size, every]) => (n * size) / every),
      ),
    ),
  );

/** @param {Data} data @param {Kind} kind */
const kindName = (data, [letter, span, , nope]) => {
  /** @type {{ [letter: string]: string }[]} */
  const [spans, marks] = [data.spans, data.marks];
  return (spans[letter] ? `${spans[letter]} ${int(span)}` : marks[letter]) + (nope ? " without RoPE" : "");
};
/** @param {Model} model @param {Data} data */
const mixOf = (model, data) => {
  /** @type {Map<string, { n: number, kind: Kind }>} */
  const counts = new Map();
  for (const [n, kind] of counted(model)) {
    const key = [kind[0], kind[1], kind[3]].join();
    counts.set(key, { n: n + (counts.get(key)?.n || 0), kind });
  }
  /** @param {{ kind: Kind }} one */
  const rank = ({ kind }) => [..."CWKLSHFN"].indexOf(kind[0]);
  const ordered = [...counts.values()].sort(
    (a, b) => rank(a) - rank(b) || a.kind[1] - b.kind[1] || a.kind[3] - b.kind[3],
  );
  return ordered.map(({ n, kind }) => `${n} × ${kindName(data, kind)}`).join(", ");
};

/** @param {number} n */
const sinksWords = (n) => (n ? `${n} of its layers ${n === 1 ? "has" : "have"} a learned sink in every head.` : "");
/** @param {Model} model */
const comparedWords = (model) => {
  const states = sum(counted(model).map(([n, kind]) => (kind[0] === "L" && allKept(model, kind) !== kind[4] ? n : 0)));
  if (states)
    return `In this comparison ${states > 1 ? `its ${states} layers with a state of fixed size keep` : "its layer with a state of fixed size keeps"} what a full layer keeps.`;
  const compressed = model.kinds.some((kind) => kind[4].some(([, every]) => every > 1));
  return compressed ? "In this comparison nothing is compressed: each layer keeps one vector for each token." : "";
};
/** @param {number} ratio */
export const savesWords = (ratio) => (ratio > 1 ? fmt.times(ratio, 1) : "nothing");

/** @param {Model} model @param {State} state @param {Data} data */
export const stackOf = (model, state, data) => {
  const token = state.context - 1;
  const first = firstKnown(model, token);
  const at = first[state.layer];
  const far = at ? `${plural(token - at + 1, "token")}, none before token ${int(at)}` : "every token from the first on";
  const everywhere = first.indexOf(0);
  const [bytes, full] = [inAll(model, state.context, false), inAll(model, state.context, true)];
  return {
    title: model.title,
    marks: marksOf(model),
    mix: mixOf(model, data),
    sinks: sinksWords(sum(first.map((_, i) => kindOf(model, i)[2]))),
    compared: comparedWords(model),
    back: BACK.filter((t) => state.context >= t),
    sees: first.map((_, i) => reachStart(kindOf(model, i)[0], kindOf(model, i)[1], token)),
    first,
    knows: `Layer ${state.layer} (${kindName(data, kindOf(model, state.layer))}): at token ${int(token)}, it can know about ${far}.`,
    verdict:
      everywhere === -1
        ? `No layer of ${model.title} can know about token 0 from here: the stack is not deep enough.`
        : `From layer ${everywhere} (${kindName(data, kindOf(model, everywhere))}) on, every layer can know about token 0.`,
    tokens_hold: `${plural(state.context, "token")} ${state.context === 1 ? "takes" : "take"}`,
    bytes,
    bytes_full: full,
    ratio: bytes ? full / bytes : 1,
    growing: growing(model, false),
    growing_full: growing(model, true),
    curve: CURVE.map((t) => inAll(model, t, false)),
    curve_full: CURVE.map((t) => inAll(model, t, true)),
  };
};

/** @param {Model} model @param {number} context @param {Data} data */
const rowOf = (model, context, data) => {
  const [bytes, full] = [inAll(model, context, false), inAll(model, context, true)];
  return {
    slug: model.slug,
    title: model.title,
    marks: marksOf(model),
    mix: mixOf(model, data),
    growing: growing(model, false),
    bytes,
    saves: savesWords(bytes ? full / bytes : 1),
  };
};

/* ---------------------------------------------------------------- published claims */
/** @param {Data["claims"][number]} claim @param {number} context */
const claimOf = (claim, context) => {
  const { full, windows, full_bytes: each, window_bytes: near, all_bytes: all } = claim;
  const held = Math.min(context, claim.window);
  const kept = full * each * context + windows * near * held;
  const same = all || each === near;
  const total = (all ? (full + windows) * all : full * each + windows * near) * context;
  const [ratio, limit] = [total / kept, total / context / (full * each)];
  return {
    kept,
    whole: total,
    ratio,
    limit,
    who: claim.model + (claim.claim ? ` “${claim.claim}”` : ""),
    way: claim.way,
    one_in: `1/${fmt.fixed(ratio, 2)}`,
    towards: `1/${fmt.fixed(limit, 2)}`,
    words: claim.claim
      ? `“${claim.claim}” counts layers: ${full} of ${full + windows} are full, 1/${fmt.fixed(limit, 2)}. At ${plural(context, "token")}, the ${windows} windows of ${claim.window} tokens change this to 1/${fmt.fixed(ratio, 2)}.`
      : "",
    kept_words: `${full} × ${int(each)} × ${int(context)} + ${windows} × ${int(near)} × ${int(held)}`,
    whole_words: same
      ? `${full + windows} × ${int(all || each)} × ${int(context)}`
      : `(${full} × ${int(each)} + ${windows} × ${int(near)}) × ${int(context)}`,
  };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const model = /** @param {string} slug */ (slug) => /** @type {Model} */ (find(slug, data));
  return {
    mask: seen(state),
    stack: stackOf(model(state.model), state, data),
    table: data.listed.map((slug) => ({
      ...rowOf(model(slug), state.context, data),
      past: configEnds({ ...state, model: slug }, data),
    })),
    claims: data.claims.map((claim) => claimOf(claim, state.context)),
  };
}
