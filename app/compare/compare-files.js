// The files of compared models, each read once: the site's, and those of pasted configs, which the live app makes.
import { asker, isPasted, knows } from "./compare-ask.js";
import { modelOf } from "./compare-names.js";
import { root } from "./compare-page.js";

/** @import { ComparedModel, ListedModel } from "../site/types.d.ts" */

const files = new URL(/** @type {string} */ (root.dataset.files), location.href);
export const server = asker(root.dataset.ask && new URL(root.dataset.ask, location.href));
/** @type {ListedModel[]} */
export let models = [];
/** @type {Map<string, ListedModel>} */
export let bySlug = new Map();
/** @type {Map<string, Promise<ComparedModel>>} */
const held = new Map();

/** @param {string} path */
const fetched = async (path) => {
  const answer = await fetch(new URL(path, files)).catch(() => null);
  if (!answer?.ok) throw new Error(`The site's file ${path} could not be read: ${answer?.status ?? "no answer"}.`);
  return answer.json();
};
/** @param {string} slug */
export function file(slug) {
  if (!held.has(slug)) held.set(slug, isPasted(slug) ? server.file(slug).then(listed) : fetched(`${slug}.json`));
  const found = /** @type {Promise<ComparedModel>} */ (held.get(slug));
  found.catch(() => held.delete(slug));
  return found;
}
/** @param {ComparedModel} one */
export const hold = (one) => held.set(one.slug, Promise.resolve(one));
/** @param {ComparedModel} one */
export function listed(one) {
  bySlug.set(one.slug, [one.slug, one.title, "pasted", "", true]);
  return one;
}

/** The models that can be chosen, beside those that were pasted meanwhile. */
export async function listModels() {
  models = /** @type {ListedModel[]} */ (await fetched("models.json"));
  bySlug = new Map([...models.map((row) => /** @type {[string, ListedModel]} */ ([row[0], row])), ...bySlug]);
}

/** @param {string} typed */
export const meant = (typed) => modelOf(typed, models, (slug) => server.live && knows(slug));
/**
 * The models that an address names, each once, and what is wrong with the rest.
 * @param {string[]} named
 * @returns {[slugs: string[], wrong: string[]]}
 */
export function eachMeant(named) {
  /** @type {string[]} */
  const slugs = [],
    /** @type {string[]} */
    wrong = [];
  for (const slug of named) {
    const [found, words] = meant(slug);
    if (!found) wrong.push(words);
    else if (slugs.includes(found))
      wrong.push(`${bySlug.get(found)?.[1]} was named twice; a model is not compared with itself.`);
    else slugs.push(found);
  }
  return [slugs, wrong];
}
/**
 * A model to put beside those that are shown: a near one, else any that is drawn.
 * @param {ComparedModel[]} shown
 * @param {string[]} slugs
 */
export const another = (shown, slugs) =>
  shown.flatMap((model) => model.near).find((slug) => bySlug.get(slug)?.[4] && !slugs.includes(slug)) ??
  models.find(([slug, , , , drawn]) => drawn && !slugs.includes(slug))?.[0] ??
  "";
