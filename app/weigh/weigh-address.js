// What is chosen on a model's page <-> its address; words of other parts of the page stay.

/** @import { Choices, MostChosen, WeighState } from "../site/types.d.ts" */

/**
 * @param {string | null} text
 * @param {number} most
 * @returns {number | undefined}
 */
export const whole = (text, most) =>
  /^\d{1,7}$/.test(text ?? "") && Number(text) >= 1 && Number(text) <= most ? Number(text) : undefined;

/**
 * 200,000 is two hundred thousand; 200k is 200 × 1,024, as contexts are named.
 * @type {{ [letter: string]: number }}
 */
const SIZES = { k: 2 ** 10, m: 2 ** 20 };
/**
 * @param {string} text
 * @param {number} [most]
 * @returns {number | undefined}
 */
export function tokens(text, most = SIZES.m) {
  const found = /^(\d+(?:\.\d+)?)([km]?)$/.exec(
    text
      .trim()
      .toLowerCase()
      .replace(/[, _’']|tokens?$/g, ""),
  );
  return found ? whole(String(Math.round(Number(found[1]) * (SIZES[found[2]] || 1))), most) : undefined;
}

/** @param {number} n */
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
/**
 * What is typed: how it is read, and what is said where it cannot be.
 * @param {MostChosen} most
 * @returns {{ [key: string]: [read: (text: string) => number | undefined, sentence: string] }}
 */
export const sentences = ([longest, batches, gpus]) => ({
  ctx: [
    (text) => tokens(text, longest),
    `A context is a whole number of tokens from 1 to ${grouped(longest)}; 200k means 204,800.`,
  ],
  batch: [
    (text) => whole(text.trim(), batches),
    `A batch is a whole number of sequences from 1 to ${grouped(batches)}.`,
  ],
  gpus: [(text) => whole(text.trim(), gpus), `A number of GPUs is a whole number from 1 to ${grouped(gpus)}.`],
});

/** What an address may name that is not typed, in words. */
const NAMED = { kv: "cache format", job: "phase (prefill or decode)", gpu: "device", vs: "model to compare with" };
/**
 * What an address asks for and this page cannot show.
 * @param {string} text
 * @param {string} noun
 */
export const noSuch = (text, noun) => `“${text.slice(0, 60)}” in the address is no ${noun} of this page.`;

/**
 * @template {Partial<WeighState>} State
 * @param {Choices} data
 * @param {State} usual what an address leaves out
 */
export function addressed(data, usual) {
  const [longest, batches, gpus, many] = data.most;
  /** @type {{ [key: string]: (text: string) => unknown }} */
  const READ = {
    ctx: (text) => tokens(text, longest),
    batch: (text) => whole(text, batches),
    gpus: (text) => whole(text, gpus),
    kv: (text) => (data.formats.includes(text) ? text : undefined),
    job: (text) => (text === "prefill" || text === "decode" ? text : undefined),
    gpu: (text) => (Object.hasOwn(data.devices, text) ? text : undefined),
    vs: (text) =>
      [...new Set(text.split(",").filter((slug) => slug !== data.slug && Object.hasOwn(data.others, slug)))].slice(
        0,
        many,
      ),
  };
  const keys = /** @type {(keyof WeighState & keyof State)[]} */ (Object.keys(READ));
  const without = () => {
    const found = new URLSearchParams(location.search);
    for (const key of keys) found.delete(key);
    return found;
  };
  /** @param {State} state */
  const moved = (state) => keys.filter((key) => String(state[key]) !== String(usual[key]));
  const typed = sentences(data.most);
  /** @param {string} key @param {string} text what of it is not understood */
  const unread = (key, text) =>
    key === "vs"
      ? text.split(",").filter((slug) => slug && slug !== data.slug && !Object.hasOwn(data.others, slug))
      : READ[key](text) === undefined
        ? [text]
        : [];
  return {
    /**
     * A sentence for each word of an address that is not understood, and so not shown.
     * @param {URLSearchParams} found
     */
    refused: (found) =>
      keys
        .filter((key) => key in usual && found.has(key))
        .flatMap((key) =>
          unread(key, found.get(key) ?? "").map(
            (text) => typed[key]?.[1] ?? noSuch(text, NAMED[/** @type {keyof typeof NAMED} */ (key)]),
          ),
        )
        .join(" "),
    /**
     * @param {URLSearchParams} found
     * @returns {State}
     */
    read: (found) =>
      /** @type {State} */ (
        Object.fromEntries(
          keys.map((key) => [key, (found.has(key) ? READ[key](found.get(key) ?? "") : undefined) ?? usual[key]]),
        )
      ),
    /** @param {State} state */
    query: (state) => moved(state).length > 0,
    /** @param {State} state */
    address: (state) => {
      const found = without();
      for (const key of moved(state)) found.set(key, String(state[key]));
      const text = found.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
      return `${location.pathname}${text && `?${text}`}${location.hash}`;
    },
  };
}
