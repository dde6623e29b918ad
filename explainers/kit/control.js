/* What every control is made of: a label, the sentence of an error, turning it on or off; a state shown in many at once. */
import { h, setAttrs, setText } from "./dom.js";

/** @import { Kid } from "./dom.js" */

/**
 * A control: `set` shows a value without calling onInput, `error` says a sentence beside it ("" takes it away), `enable`
 * turns it on or off.
 * @template T
 * @typedef {{
 *   el: HTMLElement,
 *   set(value: T): unknown,
 *   error(sentence?: string | null): unknown,
 *   enable(on: boolean): unknown,
 * }} Control
 */

/**
 * A control of one input.
 * @template T
 * @typedef {Control<T> & { input: HTMLInputElement }} InputControl
 */

/**
 * One of several values to choose from, and how it is shown.
 * @template T
 * @typedef {{ value: T, label: string | number, group?: string, title?: string }} Option
 */

/** Where a control explains what it refuses. */
export const errorBeside = () => {
  const says = h("span", { class: "cw-error", role: "alert" });
  return { says, error: (/** @type {string | null | undefined} */ sentence) => setText(says, sentence || "") };
};

/**
 * What controls with one label have in common: the label, a place for hints, the sentence of an error.
 * @param {string} kind the class is cw-control-kind
 * @param {{ label: string, hint?: Kid }} words
 * @param {...Kid} inner
 */
export const control = (kind, { label, hint }, ...inner) => {
  const { error, says } = errorBeside();
  const name = h("span", { class: "cw-label", text: label });
  const el = h("div", { class: `cw-control cw-control-${kind}` }, h("label", {}, name, ...inner), hint || null, says);
  return { el, error };
};

/**
 * Values become options with themselves as labels.
 * @template T
 * @param {readonly (T | Option<T>)[]} options
 */
export const toOptions = (options) =>
  options.map((o) =>
    typeof o === "object" ? /** @type {Option<T>} */ (o) : /** @type {Option<T>} */ ({ value: o, label: String(o) }),
  );

/**
 * What turns an input on or off.
 * @param {HTMLInputElement | HTMLSelectElement} input
 */
export const enabling = (input) => (/** @type {boolean} */ on) => setAttrs(input, { disabled: !on });

/**
 * Shows a state: sets every control to the value of its key.
 * @template {object} State
 * @param {{ [Key in keyof State]?: Control<State[Key]> }} controls by key of the state
 * @param {State} state
 */
export const setControls = (controls, state) => {
  for (const [key, control] of Object.entries(controls)) control.set(state[/** @type {keyof State} */ (key)]);
};
