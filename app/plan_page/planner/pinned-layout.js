/* A layout <-> its words in the address of the one that it is pinned beside. */

import * as address from "./address.js";
import { WORDS } from "./address-words.js";
import * as elements from "./elements.js";
import * as inputLines from "./input-lines.js";
import * as session from "./session.js";

/** @import { Now } from "./types.d.ts" */

/** @typedef {{ now?: Now, why?: string }} Read */

const MOST_LETTERS = 600;

/** @type {{ found: ({ key: string } & Read) | null }} */
const state = { found: null }; // what was read last

/**
 * A layout as the address writes it: on:h200_sxm:1x8,tp:8.
 * @param {Now} now
 */
export const text = (now) =>
  [...new URLSearchParams(address.of(now.layout))]
    .map(([word, value]) => `${word}:${value.replace(/[,\s]/g, "")}`)
    .join(",");

/**
 * Its words -> the plan of it for your model, or what is wrong with it: {now} or {why}.
 * @param {string} text
 * @param {string} m
 * @returns {Read}
 */
export const read = (text, m) => {
  if (text.length > MOST_LETTERS) return { why: `A pinned layout has at most ${MOST_LETTERS} letters.` };
  const pairs = text.split(",").map((part) => [part.split(":")[0], part.split(":").slice(1).join(":")]);
  const known = WORDS.map(([word]) => word);
  const { chosen, wrong } = address.read_address(
    new URLSearchParams(pairs.filter(([word]) => known.includes(word))).toString(),
    elements.data,
  );
  const lost = [...pairs.map(([word]) => word).filter((word) => !known.includes(word)), ...wrong];
  if (lost.length)
    return {
      why: `Not read of the pinned layout: ${[...new Set(lost)].map((word) => word || "an empty word").join(", ")}.`,
    };
  const now = session.compute({ ...chosen, m });
  return now.trouble ? { why: `The pinned layout cannot be this model's: ${now.trouble.why}.` } : { now };
};
/**
 * @param {Now} now
 * @returns {Read}
 */
export const of = ({ chosen: { pin: text, m } }) => {
  if (!text) return {};
  const key = `${m} ${text}`;
  if (state.found?.key !== key) state.found = { key, ...read(text, m) };
  return state.found;
};

/**
 * What tells a layout from yours, in words.
 * @param {Now} other
 * @param {Now} now
 */
export const name = (other, now) => {
  const [theirs, mine] = [other, now].map(inputLines.folded);
  return [theirs.split, theirs.devices !== mine.devices && theirs.devices, theirs.job !== mine.job && theirs.job]
    .filter(Boolean)
    .join(", ");
};
