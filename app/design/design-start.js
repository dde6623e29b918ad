// A model of the catalogue that a design starts from: by the name a reader typed, and its config as a file of the site.

import { Stopped } from "../your_model/python.js";

/**
 * The model whose name or slug is just this, else the first that has it inside.
 * @param {string} typed in lower case
 * @param {Iterable<HTMLOptionElement>} options
 */
export function modelCalled(typed, options) {
  const rows = [...options];
  return (
    rows.find(({ value, dataset }) => value.toLowerCase() === typed || dataset.slug?.toLowerCase() === typed) ??
    rows.find(({ value, dataset }) => `${value} ${dataset.slug}`.toLowerCase().includes(typed))
  );
}

/**
 * @param {string} starts the address of their folder
 * @param {string} name a slug
 * @returns {Promise<any>} its slug, title and config
 */
export async function startOf(starts, name) {
  const address = `${starts}${name.split("/").map(encodeURIComponent).join("/")}.json`;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok)
    throw new Stopped(`No drawn model here is called “${name.slice(0, 80)}”. Choose one under “Other model”.`);
  return answer.json();
}
