/* One mask over 48 tokens -> who attends to whom, and who can know of whom after some layers: reference.py. */
import { fmt } from "../kit/numbers.js";
import { int, plural, spansWords, sum } from "./words.js";

/** @import { State } from "../../.make/data_types/masks.d.ts" */

/** From and to, both included. @typedef {[from: number, to: number]} Span */
/** A row of a mask: 1 where the query sees the key. @typedef {Uint8Array} Row */
/** @typedef {ReturnType<typeof seen>} Mask */

export const TOKENS = 48;
export const KINDS = ["causal", "window", "chunked"];
export const DEPTH = 12;

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
