/* The model: a host's key-value store (the page's own, Panel, a notebook) -> the state and the data of an explainer.
   A widget reads them here, commits changes here and redraws when one comes, from wherever it comes. */

import { explainError, h } from "./dom.js";
import { gettext } from "./gettext.js";
import { fill } from "./numbers.js";

/**
 * A host's model, as AFM has it: what every widget is given. `State` and `Data` are the explainer's own, of
 * .make/types/<name>.d.ts. Read it with readState and readData, which make plain objects of what Panel sends.
 * @template State, Data
 * @typedef {{
 *   get<K extends keyof State>(key: K): State[K],
 *   get(key: "data"): Data,
 *   set<K extends keyof State>(key: K, value: State[K]): void,
 *   save_changes(): void,
 *   on(event: string, listener: () => void): void,
 *   off(event: string, listener: () => void): void,
 * }} AfmModel
 */

/**
 * The default export of an explainer's widget.js:
 *
 *     export default {
 *       render({ model, el }) {
 *         const root = makeRoot(el, "heads");
 *         const view = build(root, readData(model)); // builds the DOM once
 *         return live(model, { root, keys: KEYS, check, update: (state, data) => view.update(compute(state, data)) });
 *       },
 *     };
 *
 * @template State, Data
 * @typedef {{
 *   initialize?(given: { model: AfmModel<State, Data> }): (() => void) | void,
 *   render(given: { model: AfmModel<State, Data>, el: HTMLElement }): (() => void) | void,
 * }} Widget
 */

/**
 * The sentence that says what is legal, or "".
 * @template State, Data
 * @typedef {(state: State, data: Data) => string} Check
 */

/**
 * Holds the values of some changes to their types in State; a key that State has not is an error. What a computed key
 * (`{ [key]: value }`) holds is not checked.
 * @template State, Changed
 * @typedef {{ [K in keyof Changed]: string extends K ? unknown : K extends keyof State ? State[K] : never }} Fits
 */

/**
 * Some keys of a state with new values: what functions that pass changes on to commit, an offer or onSet take.
 * @template State
 * @typedef {Partial<State> | { [key: string]: State[keyof State] }} Changes
 */

/**
 * What makes the onInput of a control from its key: `go("tp")`, where
 * `const go = (key) => (value) => commit(model, { [key]: value })`.
 * @template State
 * @typedef {<Key extends keyof State>(key: Key) => (value: State[Key]) => void} Setter
 */

/**
 * Whatever says a sentence beside itself: every control does.
 * @typedef {{ error(sentence: string): unknown }} Refusing
 */

/**
 * Maps, as Panel sends them, become plain objects, however deep they are.
 * @param {unknown} v
 * @returns {unknown}
 */
export const toPlain = (v) => {
  if (v instanceof Map) return Object.fromEntries([...v].map(([k, x]) => [k, toPlain(x)]));
  if (Array.isArray(v)) return v.map(toPlain);
  return v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, toPlain(x)])) : v;
};

/**
 * The constants that Python sends, plain objects whatever the host.
 * @template Data
 * @param {AfmModel<any, Data>} model
 * @returns {Data}
 */
export const readData = (model) => {
  const data = /** @type {unknown} */ (model.get("data"));
  return /** @type {Data} */ (typeof data === "string" ? JSON.parse(data) : toPlain(data));
};

/**
 * The state, plain objects whatever the host.
 * @template State
 * @param {AfmModel<State, any>} model
 * @param {readonly string[]} keys every key of it
 * @returns {State}
 */
export const readState = (model, keys) =>
  /** @type {State} */ (Object.fromEntries(keys.map((k) => [k, toPlain(model.get(/** @type {keyof State} */ (k)))])));

/**
 * Sets what differs, then saves it: one change for the host, whatever the number of keys.
 * @template State
 * @template {object} Changed
 * @param {AfmModel<State, any>} model
 * @param {Changed & Fits<State, Changed>} changes
 */
export const commit = (model, changes) => {
  const given = /** @type {[keyof State, State[keyof State]][]} */ (Object.entries(changes));
  /** @type {(a: unknown, b: unknown) => boolean} */
  const same = (a, b) => Object.is(a, b) || (typeof a === "object" && JSON.stringify(toPlain(a)) === JSON.stringify(b));
  const moved = given.filter(([k, v]) => !same(model.get(k), v));
  for (const [k, v] of moved) model.set(k, v);
  if (moved.length) model.save_changes();
};

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

const ABOVE = ".cw-live, .cw-error, .cw-row"; // what a root begins with

/**
 * Says below the controls where a context goes beyond the config of the chosen model.
 * @param {Element} root
 * @param {unknown} data
 */
const endMark = (root, data) => {
  /** @type {HTMLElement | null} */
  let note = null;
  return (/** @type {{ [key: string]: any }} */ state) => {
    const ends = configEnds(state, data);
    if (!ends) return note?.remove();
    note ??= h("p", { class: "cw-note" });
    if (!note.isConnected) root.insertBefore(note, [...root.children].find((one) => !one.matches(ABOVE)) ?? null);
    fill(note, ended(), { config_ends: ends });
  };
};

/**
 * Redraws on every change: one listener for each key, one update for each burst (a microtask). A state that `check`
 * refuses shows its sentence, and the last good state stays drawn.
 * @template State, Data
 * @param {AfmModel<State, Data>} model
 * @param {{
 *   root: HTMLElement,
 *   keys: readonly string[],
 *   check?: Check<State, Data>,
 *   update: (state: State, data: Data) => void,
 * }} widget
 * @returns {() => void} stops it and removes the root
 */
export const live = (model, { root, keys, check, update }) => {
  const data = readData(model);
  let waiting = false;
  let gone = false;
  const mark = endMark(root, data);
  const run = () => {
    waiting = false;
    if (gone) return;
    const state = readState(model, keys);
    const sentence = check ? check(state, data) : "";
    explainError(root, sentence);
    if (sentence) return;
    update(state, data);
    mark(/** @type {{ [key: string]: any }} */ (state));
  };
  const later = () => {
    if (!waiting) queueMicrotask(run);
    waiting = true;
  };
  for (const key of keys) model.on(`change:${key}`, later);
  run();
  return () => {
    gone = true;
    for (const key of keys) model.off(`change:${key}`, later);
    root.remove();
  };
};

/**
 * What makeOffer makes: commits changes that `check` allows and returns true; else says why beside the control.
 * @template State
 * @typedef {<Changed extends object>(control: Refusing, changes: Changed & Fits<State, Changed>) => boolean} Offer
 */

/**
 * Commits only what check() allows; what it refuses is explained beside the control that asked, and the state stays.
 * @template State, Data
 * @param {AfmModel<State, Data>} model
 * @param {{ keys: readonly string[], data: Data, check: Check<State, Data> }} explainer
 * @returns {Offer<State>}
 */
export const makeOffer = (model, { keys, data, check }) => {
  /** @type {Refusing | null} */
  let refused = null;
  return (control, changes) => {
    const sentence = check({ ...readState(model, keys), ...changes }, data);
    if (refused && refused !== control) refused.error("");
    refused = sentence ? control : null;
    control.error(sentence);
    if (!sentence) commit(model, changes);
    return !sentence;
  };
};
