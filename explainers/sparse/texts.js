/* Twin of texts.py: a text and a seed -> the last token's queries, and keys, values and index keys of all tokens. */
import { hash32, upto } from "../kit/arrays.js";

/** @import { Data, State } from "../../.make/data_types/sparse.d.ts" */
/** A row of numbers of a head or a token each. @typedef {number[][]} Rows */
/** What attention starts from; `needles` has the token that each head looks for. @typedef {{ q: Rows, k: Rows, v: Rows, index_q: Rows, index_k: Rows, needles: number[] }} Text */

export const [TOKENS, DIMS, HEADS, INDEX_DIMS] = [128, 32, 4, 8];
const [SHARP, NEIGHBOURS] = [2, 16];
const REAL = "real";
/** What stands for a stored number, from the lowest level to the highest. */
const SIGNS = /* @__PURE__ */ upto(92)
  .map((i) => String.fromCharCode(35 + i))
  .filter((sign) => !"&<\\".includes(sign))
  .join("");

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);
/** @param {number} seed @param {number} kind @param {number} rows @param {number} columns @returns {Rows} */
const noise = (seed, kind, rows, columns) =>
  upto(rows).map((i) => upto(columns).map((j) => hash32(i * columns + j + (8 * seed + kind) * 65536) / 2 ** 31 - 1));
/** @param {number[]} row */
const unit = (row) => {
  const length = Math.sqrt(dot(row, row));
  return row.map((one) => one / length);
};
/** Places of the values, the largest first. @param {number[]} values */
export const order = (values) => upto(values.length).sort((a, b) => values[b] - values[a] || a - b);

/** @param {number} seed @param {boolean} own */
const directions = (seed, own) => {
  const drawn = noise(seed, 0, HEADS + 1, DIMS).map((row) =>
    unit(row.map((one, d) => (INDEX_DIMS > d ? 2 * one : one))),
  );
  const topic = drawn[HEADS];
  return {
    topic,
    looks: drawn.slice(0, HEADS).map((row) => unit(row.map((one, d) => one + (own ? 0 : 3) * topic[d]))),
  };
};

/** @param {Data["made"][number]} one @param {number} seed @param {number} needle @returns {Text} */
const made = (one, seed, needle) => {
  const { topic, looks } = directions(seed, one.own);
  const q = looks.map((row) => row.map((x) => x * SHARP * Math.sqrt(DIMS)));
  const k = noise(seed, 1, TOKENS, DIMS).map((row) => row.map((x) => x * one.noise));
  /** @param {(place: number) => number} score @param {number[]} towards */
  const add = (score, towards) => {
    k.forEach((row, place) => {
      const share = score(place) / SHARP;
      if (share) for (let d = 0; DIMS > d; d++) row[d] += share * towards[d];
    });
  };
  add((place) => 2 * Math.exp((place - TOKENS + 1) / 8), topic);
  add((place) => (place ? 0 : 4), topic);
  const related = order(noise(seed, 2, TOKENS, 1).map(([x]) => x)).slice(0, 6);
  if (one.related) add((place) => (related.includes(place) ? one.related : 0), topic);
  /** @param {number} place */
  const blockOf = (place) => Math.floor(place / NEIGHBOURS);
  if (one.around) add((place) => (blockOf(place) === blockOf(needle) && place !== needle ? one.around : 0), topic);
  const needles = one.needle ? upto(HEADS).map((head) => (needle + (one.own ? 29 * head : 0)) % TOKENS) : [];
  needles.slice(0, one.own ? HEADS : 1).forEach((at, head) => {
    let towards = one.own ? looks[head] : topic;
    if (one.blind) {
      k[at].fill(0, 0, INDEX_DIMS);
      const rest = towards.map((x, d) => (INDEX_DIMS > d ? 0 : x));
      towards = rest.map((x) => x / dot(rest, rest));
    }
    add((place) => (place === at ? one.needle : 0), towards);
  });
  /** @param {number[]} row */
  const seen = (row) => row.slice(0, INDEX_DIMS);
  return { q, k, v: noise(seed, 3, TOKENS, DIMS), index_q: q.map(seen), index_k: k.map(seen), needles };
};

/** @param {Data["stored"]} held @returns {Text} */
const real = ({ numbers, steps, heads }) => {
  const values = [...numbers].map((sign) => SIGNS.indexOf(sign) - (SIGNS.length - 1) / 2);
  let at = 0;
  const [q, k, v, index_q, index_k] = [
    [heads, DIMS],
    [TOKENS, DIMS],
    [TOKENS, DIMS],
    [heads, INDEX_DIMS],
    [TOKENS, INDEX_DIMS],
  ].map(([rows, columns], part) => {
    const found = upto(rows).map((i) => upto(columns).map((j) => values[at + i * columns + j] * steps[part]));
    at += rows * columns;
    return found;
  });
  return { q, k, v, index_q, index_k, needles: [] };
};

/** @param {State} state @param {Data} data */
export const textOf = ({ text, seed, needle }, data) =>
  text === REAL
    ? real(data.stored)
    : made(/** @type {Data["made"][number]} */ (data.made.find(({ name }) => name === text)), seed, needle);
