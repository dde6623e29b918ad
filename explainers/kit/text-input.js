/* A line of text, or a number: what is typed is checked, and called out only where it is legal. */
import { control, enabling } from "./control.js";
import { h, setAttrs } from "./dom.js";
import { fmt } from "./numbers.js";

/** @import { InputControl } from "./control.js" */

/** The field that has the focus. @type {HTMLInputElement | null} */
let typing = null;

/**
 * A line of text. `allow` returns the sentence that says what is legal, or "". A value that is set while the reader types
 * does not replace what they are typing.
 * @param {{
 *   label: string,
 *   value?: string | number,
 *   allow?: (text: string) => string,
 *   onInput: (text: string) => unknown,
 *   size?: number,
 *   mode?: string,
 * }} given
 * @returns {InputControl<string | number>}
 */
export const text_input = ({ label, value = "", allow, onInput, size = 12, mode = "text" }) => {
  const input = h("input", {
    type: "text",
    size,
    inputmode: mode,
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": label,
  });
  const made = control("text", { label }, input);
  /** @param {string | null} [sentence] */
  const error = (sentence) => {
    made.error(sentence);
    setAttrs(input, { "aria-invalid": sentence ? "true" : false });
  };
  let mine = false; // what is set now answers what was typed; any other value, as after Back, comes from elsewhere
  let answered = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const offer = () => {
    const sentence = allow ? allow(input.value.trim()) : "";
    error(sentence);
    if (sentence) return;
    mine = true;
    onInput(input.value.trim());
    clearTimeout(timer);
    timer = setTimeout(() => {
      mine = false;
    }, 250); // some are drawn a frame later
  };
  input.addEventListener("input", offer);
  /** @param {string | number} v */
  const set = (v) => {
    if (mine) answered = String(v);
    if (typing === input && String(v) === answered) return;
    answered = String(v);
    if (input.value !== String(v)) input.value = String(v);
    error("");
  };
  input.addEventListener("focus", () => {
    typing = input;
    answered = input.value;
  });
  input.addEventListener("blur", () => {
    typing = null;
  });
  set(value);
  return { el: made.el, input, set, error, enable: enabling(input) };
};

/**
 * A number, or one of the words in `also` ("NaN"). A comma groups thousands and nothing else: 1,5 is no number here, and
 * the error says how to write it.
 * @template {string} [Word=never]
 * @param {{
 *   label: string,
 *   value?: number | string,
 *   min?: number,
 *   max?: number,
 *   integer?: boolean,
 *   also?: readonly Word[],
 *   allow?: (value: number | Word) => string,
 *   onInput: (value: number | Word) => unknown,
 *   unit?: string,
 *   size?: number,
 * }} given
 * @returns {InputControl<string | number>}
 */
export const number = ({
  label,
  value,
  min = -Infinity,
  max = Infinity,
  integer = false,
  also = [],
  allow,
  onInput,
  unit,
  size = 8,
}) => {
  /** @param {number} v */
  const group = (v) => fmt.group(String(v));
  const range = Number.isFinite(max)
    ? ` from ${group(min)} to ${group(max)}`
    : min === -Infinity
      ? ""
      : ` of at least ${group(min)}`;
  /** @param {string} text */
  const read = (text) =>
    also.find((word) => word.toLowerCase() === text.toLowerCase()) ??
    (text === "" ? NaN : Number(/^[-+]?\d{1,3}(,\d{3})+(?![\d,])/.test(text) ? text.replace(/,/g, "") : text));
  /** @param {string} text */
  const legal = (text) => {
    const v = read(text);
    if (typeof v === "number" && (!Number.isFinite(v) || v < min || v > max || (integer && !Number.isInteger(v)))) {
      const point = /^[-+]?\d+,\d+$/.test(text) && !integer ? ` Write ${text.replace(",", ".")}, with a point.` : "";
      return `${label}: a ${integer ? "whole number" : "number"}${range}${also.map((word) => `, or ${word}`).join("")}.${point}`;
    }
    return allow ? allow(v) : "";
  };
  const made = text_input({
    label,
    value,
    size,
    mode: integer ? "numeric" : "decimal",
    allow: legal,
    onInput: (t) => onInput(read(t)),
  });
  if (unit) made.input.after(h("span", { class: "cw-unit", text: unit }));
  return made;
};
