/* A state -> the sentence that says what is legal, or "" where it is. */
import { D } from "./writes.js";

/** @import { Data, State } from "./compute.js" */

/** @param {unknown} v @param {number} low @param {number} high */
const between = (v, low, high) => typeof v === "number" && Number.isFinite(v) && v >= low && v <= high;
/** @param {unknown} v @param {number} low @param {number} high */
const whole = (v, low, high) => between(v, low, high) && Number.isInteger(v);
/** @param {State} state @param {Data} data @returns {string} */
export function check(state, data) {
  const { writes } = state;
  const count = writes.length / 2;
  const last = whole(state.seed, 1, 999) ? 23 : 7;
  const letter = data.letters[last];
  if (writes.length % 2 || count > data.most)
    return `The writes are pairs of a key and a value, at most ${data.most} of them.`;
  if (!whole(state.seed, 0, 999))
    return "The seed is 0 for eight keys, or a whole number up to 999 for 24 random ones.";
  if (!writes.every((n, i) => whole(n, 0, i % 2 ? 255 : last)))
    return `A key is a number from 0 (A) to ${last} (${letter}), a value one from 0 to 255.`;
  for (const name of /** @type {const} */ (["step", "border"]))
    if (!whole(state[name], 0, count)) return `The ${name} is a whole number from 0 to ${count}, the number of writes.`;
  for (const [name, low, high] of /** @type {const} */ ([
    ["overlap", 0, 0.9],
    ["beta", 0, 2],
    ["decay", 0, 1],
  ])) {
    if (!between(state[name], low, high)) return `${name} is a number from ${low} to ${high}.`;
  }
  return check_gates(state, data, count) || check_choices(state, data, last, letter);
}
/** @param {State} state @param {Data} data @param {number} count */
const check_gates = ({ gates, channels }, data, count) => {
  const odd =
    gates.length % 2 || gates.length > 2 * data.most || !gates.every((n, i) => i % 2 || whole(n, 0, data.most - 1));
  if (odd) return `The gates are pairs of a write, counted from 0, and its α; there are ${count} writes.`;
  if (![...gates.filter((_, i) => i % 2), ...channels].every((a) => between(a, 0, 1)))
    return "An α is a number from 0 (forget all) to 1 (keep all).";
  return [0, D].includes(channels.length) ? "" : `KDA has ${D} channels: give an α for each, or none.`;
};
/** @param {State} state @param {Data} data @param {number} last @param {string} letter */
const check_choices = ({ wanted, chunk, rule, query }, data, last, letter) => {
  if (!wanted.every((n) => whole(n, 0, last)) || wanted.length > new Set(wanted).size)
    return `The keys wanted are different numbers from 0 (A) to ${last} (${letter}).`;
  const chunks = data.chunks;
  if (!chunks.includes(chunk)) return `A chunk has ${chunks.slice(0, -1).join(", ")} or ${chunks.at(-1)} writes.`;
  const names = data.rules.map((r) => r.name);
  if (!names.includes(rule)) return `There is no rule “${rule}”. There are: ${names.join(", ")}.`;
  return whole(query, 0, last) ? "" : `The key to read is a number from 0 (A) to ${last} (${letter}).`;
};
