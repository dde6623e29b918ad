/* A stream as it is typed -> its tokens and units, and the read under the cursor. */

import { range_of } from "./vectors.js";

/** @import { Data } from "./compute.js" */

/**
 * A unit of a stream: what is right there, and what was said in place of it.
 * @typedef {{ word: "W" | "R" | "X", reads: boolean, key: string, value: number | string, said: number }} Unit
 */

/** @typedef {{ tokens: number[], units: Unit[] }} Stream */

export const [VALUES, UNITS] = [32, 40];
export const KEYS_ = "abcdefghijklmnopqrstuvwxyz@#%+=&";
export const NAMES = ["W", "R", ...KEYS_, ...range_of(VALUES).map((i) => String(i + 1)), "∅", "X"]; // of tokens
export const UNIT = /^(?:([a-z@#%+=&])(?:(~?)([1-9]\d?))?|!)$/;
const [NONE, RESET] = [66, 67];

/** @param {string} text @returns {Stream} */
export const stream_of = (text) => {
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
export const here_of = (stream, u, data) => {
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
