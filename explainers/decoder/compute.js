/* Twin of reference.py: a mixer and a stream -> what the decoder answers, where it looks, what it keeps. */
import { decoder_of, fetched, passed, range_of, softmax } from "./forward.js";

/** @import { Data as Sent, State } from "../../.make/data_types/decoder.d.ts" */

/**
 * A mixer, its sizes, what it keeps and what was measured of it: a row of data.mixers. Of `right` the shares of right
 * answers, of `cells` and `said` those by keys that live and by distance.
 * @typedef {{
 *   name: string, title: string, family: "softmax" | "state", role: string, heads: number, kv: number, d: number,
 *   rotated: number, latent: number, window: number, delta: boolean, gated: boolean, steps: boolean, resets: boolean,
 *   shapes: [name: string, shape: number[]][], trained: number, keeps: { row: number, fixed: number, conv: number }, numbers: number,
 *   bytes: number, digest: string, right: { [of: string]: number }, others: number[], stays: number[],
 *   cells: [right: number, asked: number][][], said: number[],
 * }} Mixer
 */

/**
 * A unit of a stream: what is right there, and what was said in place of it.
 * @typedef {{ word: "W" | "R" | "X", reads: boolean, key: string, value: number | string, said: number }} Unit
 */

/** @typedef {{ tokens: number[], units: Unit[] }} Stream */
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
 * @typedef {Omit<Sent, "mixers" | "told"> & { mixers: Mixer[], told: { [mixer: string]: Live } }} Data
 */

/** @typedef {ReturnType<typeof compute>} Now */
/**
 * What pictures are drawn from: a state, and over it what compute returns.
 * @typedef {Omit<State, keyof Now> & Now} Shown
 */

export const KEYS_ = "abcdefghijklmnopqrstuvwxyz@#%+=&";
export const [BYTES, SHOWN, VALUES, UNITS, MANY] = [2, 5, 32, 40, 1000];
const NAMES = ["W", "R", ...KEYS_, ...range_of(VALUES).map((i) => String(i + 1)), "∅", "X"]; // of tokens
const UNIT = /^(?:([a-z@#%+=&])(?:(~?)([1-9]\d?))?|!)$/;
const [NONE, RESET] = [66, 67];
/** @param {string} name @param {Data} data */
export const row_of = (name, data) => /** @type {Mixer} */ (data.mixers.find((one) => one.name === name));
/** @param {number} v @param {number} most */
const whole = (v, most) => Number.isInteger(v) && v >= 0 && most >= v;

/** @param {State} state @param {Data} data */
export function check(state, data) {
  if (!row_of(state.m, data)) return `No mixer here is called “${state.m}”; choose one from the list.`;
  const held = new Set();
  const parts = state.x.split(".");
  for (const part of parts) {
    const found = UNIT.exec(part);
    if (!found || Number(found[3] || 0) > VALUES)
      return `“${part}” is not an operation: a write is a key and a value up to ${VALUES}, like e12; a read is a key, like e, or a key and the answer fed after it, like e~9.`;
    if (part === "!" && !row_of(state.m, data).resets)
      return "“!” clears every key: only the mixers trained with resets support it.";
    if (part !== "!" && (found[2] || !found[3]) && !held.has(found[1]))
      return `${found[1]} is read before it is written.`;
    held.add(found[1]);
  }
  if (parts.length > UNITS) return `A stream has at most ${UNITS} operations.`;
  for (const [key, words, most] of /** @type {const} */ ([
    ["u", "The cursor must be", parts.length - 1],
    ["h", "A head must be", 3],
    ["draw", "A draw must be", 999],
  ])) {
    if (!whole(state[key], most)) return `${words} a whole number from 0 to ${most}.`;
  }
  if (!(state.temp >= 0.1 && 3 >= state.temp)) return "The temperature must be between 0.1 and 3.";
  if (!(state.top >= 0.05 && 1 >= state.top)) return "Top-p must be between 0.05 and 1.";
  return ["decode", "prefill"].includes(state.feed) ? "" : "Tokens are fed by decode or prefill.";
}

/**
 * A stream without a cursor is read at its end.
 * @param {State} state
 * @param {string[]} given
 */
export function settle(state, given) {
  return given.includes("x") && !given.includes("u") ? { ...state, u: state.x.split(".").length - 1 } : state;
}

/** @param {string} text @returns {Stream} */
const stream_of = (text) => {
  const tokens = [];
  /** @type {Unit[]} */
  const units = [];
  /** @type {{ [key: string]: number }} */
  let held = {};
  for (const part of text.split(".")) {
    const [, key, tilde, number] = /** @type {RegExpExecArray} */ (UNIT.exec(part));
    const [value, said] = tilde ? [0, Number(number)] : [Number(number || 0), 0];
    if (!key) {
      held = {};
      tokens.push(RESET, RESET, RESET);
      units.push({ word: "X", reads: false, key: "", value: "", said });
      continue;
    }
    if (value) held[key] = value;
    const right = held[key] || NAMES[NONE];
    tokens.push(value ? 0 : 1, NAMES.indexOf(key), NAMES.indexOf(String(said || right)));
    units.push({ word: value ? "W" : "R", reads: !value, key, value: right, said });
  }
  return { tokens, units };
};

/**
 * The read under the cursor: how far back its value stands, and how hard it is; 0 where a write is.
 * @param {Stream} stream
 * @param {number} u
 * @param {Data} data
 */
const here_of = (stream, u, data) => {
  const { key, value, reads, word } = stream.units[u];
  const own = range_of(u).filter(
    (i) => stream.units[i].key === key && [0, stream.units[i].value].includes(stream.units[i].said),
  );
  const since = stream.units.findLastIndex((one, i) => u >= i && one.word === "X");
  /** @param {number} i */
  const kept = (i) => i > since && stream.units[i].word === "W";
  const live = new Set(
    range_of(u + 1)
      .filter(kept)
      .map((i) => stream.units[i].key),
  ).size;
  const writes = own.filter((i) => stream.units[i].word === "W");
  /** @param {number} i */
  const back = (i) => 3 * (u - i) - 1;
  /** @param {number[][]} list @param {number} n */
  const within = (list, n) => list.findIndex(([from, to]) => n >= from && to >= n);
  const last = writes[writes.length - 1];
  const [written, said] = reads ? [back(last), back(own[own.length - 1])] : [0, 0];
  const empty = reads && !kept(last);
  return {
    token: 3 * u + 1,
    key: word === "X" ? word : key,
    truth: word === "X" ? word : String(value),
    reads,
    live,
    written,
    said,
    again: reads && writes.filter(kept).length > 1,
    empty,
    far: reads && !empty ? within(data.far, written) : -1,
    crowd: reads && !empty ? within(data.live, live) : -1,
  };
};

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
const live_of = (state, stream, data) => {
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

/** What is kept after so many tokens, convolutions aside. @param {Mixer} one @param {number} tokens */
export const kept_of = (one, tokens) => {
  const rows = one.keeps.row ? Math.min(tokens, one.window || tokens) : 0;
  const numbers = one.keeps.row * rows + one.keeps.fixed;
  return { rows, numbers, bytes: BYTES * numbers };
};

/**
 * A cache and a state whose heads are as wide as this mixer's: what a token adds, what is kept at any length.
 * @param {Mixer} one
 * @param {Data} data
 */
const meets_of = (one, data) => {
  const alike = [one, ...data.mixers.filter(({ d }) => d === one.d)];
  const [cache, held] = /** @type {const} */ (["row", "fixed"]).map(
    (key) => /** @type {Mixer} */ (alike.find(({ keeps }) => keeps[key])),
  );
  const [{ row }, { fixed }] = [cache.keeps, held.keeps];
  return { cache: cache.title, row, fixed, after: Math.ceil(fixed / row), many: MANY };
};

/** @param {State} state @param {Data} data */
export function compute(state, data) {
  const stream = stream_of(state.x);
  const one = row_of(state.m, data);
  const place = here_of(stream, state.u, data);
  const tokens = place.token + 1;
  const [right, asked] = Math.min(place.crowd, place.far) >= 0 ? one.cells[place.crowd][place.far] : [0, 0];
  const all = state.feed === "prefill";
  return {
    stream,
    tokens,
    here: { ...place, right, asked, share: right / Math.max(asked, 1) },
    model: {
      title: one.title,
      numbers: one.numbers,
      stays: one.stays,
      others: one.others,
      trained: one.trained,
      file: one.bytes,
      ...one.right,
    },
    kept: { ...kept_of(one, tokens), ...one.keeps },
    full: kept_of(data.mixers[0], tokens),
    meets: meets_of(one, data),
    fed: { steps: all ? 1 : tokens, rows: all ? tokens : 1 },
    heat: one.cells.map((row) => row.map(([r, n]) => (n ? (100 * r) / n : -1))),
    every: data.mixers
      .filter((row) => row.resets === one.resets)
      .map((row) => ({ title: row.title, all: row.right.all, bytes: kept_of(row, MANY).bytes })),
    thrice: Object.fromEntries(
      Object.entries(data.thrice).map(([name, row]) => [name, { low: Math.min(...row), high: Math.max(...row) }]),
    ),
    live: live_of(state, stream, data),
  };
}
