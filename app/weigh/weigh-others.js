// Every drawn model but the page's own: {slug: [title, growth sheet]}, fetched once, and found by what somebody types.

/** @import { TitledSheet } from "../site/types.d.ts" */

/** @type {{ [slug: string]: TitledSheet }} */
export const others = {};
/** @type {Promise<void> | null} */
let asked = null;

/**
 * @param {string} address
 * @param {string} own
 */
export function everyone(address, own) {
  asked ??= fetch(address)
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .then((found) => {
      for (const [slug, one] of Object.entries(found)) if (slug !== own) others[slug] ??= one;
      document
        .getElementById("weigh-models")
        ?.replaceChildren(
          ...Object.values(others).map(([title]) => Object.assign(document.createElement("option"), { value: title })),
        );
    })
    .catch((why) => {
      asked = null;
      throw why;
    });
  return asked;
}

/**
 * The slug that a text means: a whole title or slug, or (loose) the beginning or a part of one.
 * @param {string} typed
 * @param {boolean} loose
 * @returns {string | undefined}
 */
export function named(typed, loose) {
  const text = typed.trim().toLowerCase();
  /** @param {(name: string) => boolean} test */
  const is = (test) =>
    Object.keys(others).find((slug) => test(others[slug][0].toLowerCase()) || test(slug.toLowerCase()));
  return text
    ? (is((name) => name === text) ??
        (loose ? (is((name) => name.startsWith(text)) ?? is((name) => name.includes(text))) : undefined))
    : undefined;
}
