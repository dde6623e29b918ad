/* Twin of ruler.py: a kind of layer and a length -> which tokens back from now are read, scored and kept, at three scales. */
import { hash32, upto } from "../kit/arrays.js";
import { EVERY, entries_of, FIXED, KIND, LENT, read_of, TOP } from "./counting.js";

/** @import { Row } from "./counting.js" */

/** Tokens back from now: from, to, and how many stand in a cell. @typedef {number[]} Run */

/**
 * What is read, scored and kept, and which entries are chosen: what stands before them, the tokens of each, places.
 * @typedef {{ read: Run[], scored: Run[], kept: Run[], chosen: [rest: number, cell: number, places: number[]] | null }} Parts
 */

/**
 * A bar of the ruler: of the chosen, one in `one_in` is a tick, `wide` times as wide as it is.
 * @typedef {{
 *   read: Run[], scored: Run[], kept: Run[], ticks: number[], cell: number, one_in: number, wide: number, seen: number,
 * }} Bar
 */

export const [MOST_TICKS, TICK, UNITS, SPREAD, CELL] = [112, 2, 1000, 8, 3];
/** @param {number} tokens */
export const spans_of = (tokens) => [tokens, Math.min(tokens, 8192), Math.min(tokens, 256)];

/** @type {Map<string, number[]>} */
const known_picks = new Map();
/** @param {number} entries @param {number} count */
const picks = (entries, count) => {
  const key = `${entries} ${count}`;
  if (!known_picks.has(key)) {
    if (known_picks.size > 30) known_picks.clear();
    const places = upto(count)
      .map((j) => (j + SPREAD * (hash32(j + 1) / 2 ** 32)) / (count + SPREAD))
      .sort((a, b) => a - b);
    let last = -1;
    known_picks.set(
      key,
      places.map(
        (x, j) =>
          (last = Math.min(entries - count + j, Math.max(last + 1, Math.floor(entries * x * x * Math.sqrt(x))))),
      ),
    );
  }
  return /** @type {number[]} */ (known_picks.get(key));
};

/** @param {Row[]} rows @param {number} tokens */
const parts_of = (rows, tokens) => {
  /** @type {Parts} */
  const found = { read: [], scored: [], kept: [], chosen: null };
  for (const row of rows.filter((one) => !one[FIXED])) {
    const [every, count] = [row[EVERY], entries_of(row, tokens)];
    const rest = tokens % every;
    const run = [rest, rest + count * every, every];
    if (!row[LENT]) found.kept.push(run);
    if (row[KIND] === "index") found.scored.push(run);
    else if (row[TOP] > 0 && count > row[TOP]) found.chosen = [rest, every, picks(count, row[TOP])];
    else found.read.push([rest, rest + read_of(row, tokens) * every, every]);
  }
  return found;
};
/** @param {Run[]} runs @param {number} span */
const clipped = (runs, span) =>
  runs.filter(([low, high]) => span > low && high > low).map(([low, high, cell]) => [low, Math.min(high, span), cell]);
/** @param {Parts} found @param {number} span @returns {Bar} */
const bar_of = (found, span) => {
  /** @type {Bar} */
  const made = {
    read: clipped(found.read, span),
    scored: clipped(found.scored, span),
    kept: clipped(found.kept, span),
    ticks: [],
    cell: 1,
    one_in: 1,
    wide: 1,
    seen: 0,
  };
  if (!found.chosen) return made;
  const [rest, cell, places] = found.chosen;
  const inside = places.map((place) => rest + cell * place).filter((at) => span > at);
  const thin = Math.max(Math.ceil(inside.length / MOST_TICKS), 1);
  return {
    ...made,
    ticks: inside.filter((_, i) => i % thin === 0),
    cell,
    one_in: thin,
    wide: Math.max(1, (span * TICK) / UNITS / cell),
    seen: inside.length,
  };
};
/** @param {Row[]} rows @param {number} tokens */
export const bars_of = (rows, tokens) => {
  const found = parts_of(rows, tokens);
  return spans_of(tokens).map((span) => bar_of(found, span));
};
