/* A stream under the cursor -> what a decoder answers, where its heads look, what its state holds; null without weights. */
import { decoder_of, fetched, passed } from "./forward.js";
import { row_of } from "./mixers.js";
import { NAMES } from "./stream.js";
import { range_of, softmax } from "./vectors.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data } from "./compute.js" */
/** @import { Stream } from "./stream.js" */

const SHOWN = 5;

/** What a token passes on its road. @typedef {"embedding" | "mixer" | "mlp" | "logits"} Stage */

/**
 * What a decoder answers: `looks` are of heads and units, or how strongly each writes; `road` and `state` may be wanting
 * before its weights are here.
 * @typedef {{
 *   top: { name: string, share: number }[], truth: number, taken: string, of: number, answers: string[], right: number,
 *   asked: number, here: boolean, road?: { [stage in Stage]: number[] }, state?: number[][], looks: number[][],
 * }} Live
 */

/**
 * The likeliest token, or one by a number that the draw makes.
 * @param {Float64Array} shares
 * @param {number[]} order
 * @param {number} top
 * @param {number} draw
 * @returns {[taken: number, of: number]} how many there were to draw from
 */
const drawn_of = (shares, order, top, draw) => {
  const nucleus = [];
  let total = 0;
  for (const token of order) {
    nucleus.push(token);
    total += shares[token];
    if (total >= top - 1e-9) break;
  }
  if (!draw) return [order[0], nucleus.length];
  const point = ((((draw * 7919) % 1000) + 0.5) / 1000) * total;
  let at = 0;
  for (const token of nucleus) {
    at += shares[token];
    if (at > point) return [token, nucleus.length];
  }
  return [nucleus[nucleus.length - 1], nucleus.length];
};

/**
 * The decoder of a name, once its weights are here: sent along (a notebook), or fetched by the page.
 * @param {string} name
 * @param {Data} data
 */
export const decoder = (name, data) => {
  if (!fetched[name] && data.apart?.[name])
    fetched[name] = decoder_of(
      row_of(name, data),
      Uint8Array.from(atob(data.apart[name]), (c) => c.charCodeAt(0)),
    );
  return fetched[name];
};
/** @param {State} state @param {Data} data */
const is_first = (state, data) =>
  Object.entries(data.first).every(([key, value]) => state[/** @type {keyof State} */ (key)] === value);

/**
 * Of numbers by head and token those by head and unit: the sum of a look, the strongest write.
 * @param {(number[] | Float64Array)[]} rows
 * @param {(a: number, b: number) => number} of
 */
const by_unit = (rows, of) =>
  rows.map((row) => range_of(Math.ceil(row.length / 3)).map((i) => [...row.slice(3 * i, 3 * i + 3)].reduce(of)));

/** @param {State} state @param {Stream} stream @param {Data} data @returns {Live | null} */
export const live_of = (state, stream, data) => {
  const model = decoder(state.m, data);
  if (!model) return (is_first(state, data) && data.told[state.m]) || null;
  const { tokens, units } = stream;
  const asks = range_of(units.length).filter((i) => units[i].reads || i === state.u);
  const made = passed(
    model,
    tokens,
    asks.map((i) => 3 * i + 1),
    3 * state.u + 1,
  );
  const answers = units.map((one, i) => (one.reads ? made.best[asks.indexOf(i)] : -1));
  const truths = units.map((one) => NAMES.indexOf(String(one.value || one.word)));
  const right = answers.map((answer, i) => answer === truths[i]);
  const { road, looks = [], state: held, strengths = [] } = made.here;
  const shares = softmax(road.logits.map((v) => v / state.temp));
  const order = range_of(shares.length).sort((a, b) => shares[b] - shares[a] || a - b);
  const [taken, of] = drawn_of(shares, order, state.top, state.draw);
  return {
    top: order.slice(0, SHOWN).map((i) => ({ name: NAMES[i], share: shares[i] })),
    truth: shares[truths[state.u]],
    taken: NAMES[taken],
    of,
    answers: answers.map((answer) => (answer >= 0 ? NAMES[answer] : "")),
    right: right.filter(Boolean).length,
    asked: units.filter((one) => one.reads).length,
    here: right[state.u],
    road: { embedding: [...road.embedding], mixer: [...road.mixer], mlp: [...road.mlp], logits: [...road.logits] },
    ...(held
      ? { state: range_of(4).map((h) => [...held.subarray((h * held.length) / 4, ((h + 1) * held.length) / 4)]) }
      : {}),
    looks: held ? by_unit(strengths, (a, b) => Math.max(a, b)) : by_unit(looks, (a, b) => a + b),
  };
};
