/* Where a state goes beyond the context length of the chosen model's config, and what is said there. */
import { gettext } from "./gettext.js";

/**
 * What goes up to how many tokens: `key` of a state is a context, `of` are the ends of the models' configs, in the order of
 * the models: rows, records, columns, or names.
 * @typedef {{
 *   config_ends?: { key: string, of: number[] }, names?: any, models: any,
 * }} Ending
 */

/** The slugs of an explainer's models. @param {Ending} data */
const slugsOf = ({ models, names = models }) =>
  models.slug ?? names.map((/** @type {any} */ one) => one.slug ?? one[0]);

/**
 * Where the config of the chosen model ends, in tokens, if the state goes beyond; else 0.
 * @param {{ [key: string]: any }} state
 * @param {unknown} data
 * @returns {number}
 */
export const configEnds = (state, data) => {
  const known = /** @type {Ending} */ (data);
  const ends = known?.config_ends;
  const most = ends?.of[slugsOf(known).indexOf(state.model)];
  return ends && most && state[ends.key] > most ? most : 0;
};

/** What is said where `config_ends` of a state is not 0. */
export const ended = () => gettext("Its context length is {config_ends:int} tokens.");
