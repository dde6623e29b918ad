// The live page's questions: a pasted config's file, and what each difference of any pair costs. Pasted text stays in this
// tab (and goes to the server that reads it); on a site of files alone there is nobody to ask.

/** @import { ComparedModel, CountedPair } from "../site/types.d.ts" */

const KEPT = "compare-";
/**
 * @param {string} slug
 * @returns {boolean}
 */
export const isPasted = (slug) => slug.startsWith("local:");
/** @param {string} slug */
const kept = (slug) => {
  try {
    return sessionStorage.getItem(KEPT + slug) ?? "";
  } catch {
    return held.get(slug) ?? "";
  }
};
/** @type {Map<string, string>} */
const held = new Map();
/**
 * @param {string} slug
 * @returns {boolean}
 */
export const knows = (slug) => Boolean(kept(slug) || held.get(slug));
/** @param {string} slug */
const text = (slug) => held.get(slug) || kept(slug);
/**
 * @param {string} slug
 * @param {string} config
 */
function keep(slug, config) {
  held.set(slug, config);
  try {
    sessionStorage.setItem(KEPT + slug, config);
  } catch {
    /* a private window, or too much: for as long as the page is open */
  }
}

/** @param {URL | "" | undefined} address where the live page asks; nothing on a site of files */
export function asker(address) {
  /**
   * @param {({ config: string } | { slug: string })[]} models
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ files: ComparedModel[], pair: CountedPair }>}
   */
  const ask = async (models, signal) => {
    let answer;
    /** @type {{ files: ComparedModel[], pair: CountedPair, sentence?: string }} */
    let found;
    try {
      answer = await fetch(/** @type {URL} */ (address), {
        method: "POST",
        signal,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ models }),
      });
      found = await answer.json();
    } catch (error) {
      if (/** @type {Error} */ (error).name === "AbortError") throw error;
      throw new Error("The server could not be asked.");
    }
    if (!answer.ok) throw new Error(found.sentence ?? `The server answered ${answer.status}.`);
    return found;
  };
  /** @param {string} slug */
  const named = (slug) => (isPasted(slug) ? { config: text(slug) } : { slug });
  return {
    live: Boolean(address),
    /**
     * The file of a config, which is known by its slug from then on.
     * @param {string} config
     */
    paste: async (config) => {
      const {
        files: [file],
      } = await ask([{ config }]);
      keep(file.slug, config);
      return file;
    },
    /** @param {string} slug */
    file: async (slug) => {
      const {
        files: [file],
      } = await ask([named(slug)]);
      return file;
    },
    /**
     * @param {string} a
     * @param {string} b
     * @param {AbortSignal} signal
     */
    pair: async (a, b, signal) => (await ask([named(a), named(b)], signal)).pair,
  };
}
