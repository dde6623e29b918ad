/* Controls: a description (a label, what is legal, what to call) -> { el, set, error, enable }. onInput is called with legal
   values only. Every kind of control that a beat may have is an export, and buttons. */
import { control, enabling, errorBeside, toOptions } from "./control.js";
import { h, setAttrs, setText, uid } from "./dom.js";

/** @import { Control, InputControl, Option } from "./control.js" */

export { number, text_input } from "./text-input.js";

/**
 * A range of numbers, or of named stops (`ticks`).
 * @param {{
 *   label: string,
 *   min: number,
 *   max: number,
 *   step?: number,
 *   value?: number,
 *   format?: (value: number) => string,
 *   ticks?: readonly { value: number, label: string | number }[],
 *   onInput: (value: number) => unknown,
 * }} given
 * @returns {InputControl<number>}
 */
export const slider = ({ label, min, max, step = 1, value = min, format = String, ticks = [], onInput }) => {
  const input = h("input", { type: "range", min, max, step, "aria-label": label });
  const out = h("output", { class: "cw-mono" });
  const marks = h("span", { class: "cw-ticks", "aria-hidden": "true" });
  /** @param {number} v */
  const show = (v) => {
    setAttrs(input, {
      value: String(v),
      "aria-valuetext": format(v),
      style: { "--at": `${max > min ? (100 * (v - min)) / (max - min) : 0}%` },
    });
    setText(out, format(v));
    for (const [i, mark] of [...marks.children].entries()) mark.classList.toggle("on", ticks[i].value === v);
  };
  for (const t of ticks) {
    const at = max > min ? (t.value - min) / (max - min) : 0;
    marks.append(h("span", { text: t.label, style: { "--at": `${100 * at}%` } }));
  }
  input.addEventListener("input", () => {
    show(Number(input.value));
    onInput(Number(input.value));
  });
  const made = control(
    "slider",
    { label },
    h("span", { class: "cw-track" }, input, ticks.length ? marks : null),
    ticks.length ? null : out,
  );
  show(value);
  return { ...made, input, set: show, enable: enabling(input) };
};

/**
 * A slider over a few named stops: MHA 64 … MLA.
 * @template T
 * @param {{
 *   label: string,
 *   options: readonly (T | Option<T>)[],
 *   value?: T,
 *   onInput: (value: T) => unknown,
 * }} given
 * @returns {InputControl<T>}
 */
export const choices = ({ label, options, value, onInput }) => {
  const all = toOptions(options);
  /** @param {T | undefined} v */
  const index = (v) =>
    Math.max(
      0,
      all.findIndex((o) => o.value === v),
    );
  const ticks = all.map((o, i) => ({ value: i, label: o.label }));
  const made = slider({
    label,
    min: 0,
    max: all.length - 1,
    value: index(value),
    ticks,
    format: (i) => String(all[i].label),
    onInput: (i) => onInput(all[i].value),
  });
  return { ...made, set: (v) => made.set(index(v)) };
};

/**
 * A list that unfolds; options with the same `group` stand together.
 * @template T
 * @param {{
 *   label: string,
 *   options: readonly (T | Option<T>)[],
 *   value?: T,
 *   onInput: (value: T) => unknown,
 * }} given
 * @returns {Control<T> & { input: HTMLSelectElement }}
 */
export const select = ({ label, options, value, onInput }) => {
  const input = h("select", { "aria-label": label });
  const all = toOptions(options);
  /** @type {Map<string, HTMLOptGroupElement>} */
  const groups = new Map();
  for (const o of all) {
    if (o.group && !groups.has(o.group)) groups.set(o.group, input.appendChild(h("optgroup", { label: o.group })));
    (groups.get(o.group || "") || input).append(h("option", { value: String(o.value), text: o.label }));
  }
  const values = new Map(all.map((o) => [String(o.value), o.value]));
  input.addEventListener("change", () => onInput(/** @type {T} */ (values.get(input.value))));
  /** @param {T} v */
  const set = (v) => setAttrs(input, { value: String(v) });
  if (value !== undefined) set(value);
  return { ...control("select", { label }, input), input, set, enable: enabling(input) };
};

/**
 * Radio buttons as pills. `enable(on, value)` turns one of them on or off.
 * @template T
 * @param {{
 *   label: string,
 *   options: readonly (T | Option<T>)[],
 *   value?: T,
 *   onInput: (value: T) => unknown,
 * }} given
 * @returns {Control<T> & { enable(on: boolean, value?: T): unknown }}
 */
export const segmented = ({ label, options, value, onInput }) => {
  const group = uid("radio");
  const inputs = toOptions(options).map((o) => ({
    ...o,
    input: h("input", { type: "radio", name: group, value: String(o.value) }),
  }));
  const pills = inputs.map((o) => {
    o.input.addEventListener("change", () => onInput(o.value));
    return h("label", { class: "cw-pill", title: o.title || false }, o.input, h("span", { text: o.label }));
  });
  const { error, says } = errorBeside();
  const el = h(
    "fieldset",
    { class: "cw-control cw-segmented" },
    h("legend", { class: "cw-label", text: label }),
    h("span", { class: "cw-pills" }, ...pills),
    says,
  );
  /** @param {T | undefined} v */
  const set = (v) => {
    for (const o of inputs) setAttrs(o.input, { checked: o.value === v });
  };
  /** @type {(on: boolean, v?: T) => void} */
  const enable = (on, v) => {
    for (const o of inputs) if (v === undefined || v === o.value) setAttrs(o.input, { disabled: !on });
  };
  set(value);
  return { el, set, enable, error };
};

/**
 * A checkbox.
 * @param {{ label: string, value?: boolean, onInput: (on: boolean) => unknown }} given
 * @returns {InputControl<unknown>} whatever is set counts as true or false
 */
export const toggle = ({ label, value = false, onInput }) => {
  const input = h("input", { type: "checkbox" });
  input.addEventListener("change", () => onInput(input.checked));
  const { error, says } = errorBeside();
  const el = h("div", { class: "cw-control cw-toggle" }, h("label", {}, input, h("span", { text: label })), says);
  /** @param {unknown} v */
  const set = (v) => setAttrs(input, { checked: Boolean(v) });
  set(value);
  return { el, input, set, enable: enabling(input), error };
};
/**
 * A button. `label` is read out, `text` is seen; one of them is enough. `set` changes the text.
 * @param {{ label?: string, text?: string, onClick: (event: PointerEvent) => void }} given
 * @returns {Control<string> & { el: HTMLButtonElement }}
 */
export const makeButton = ({ label, text, onClick }) => {
  const el = h("button", {
    type: "button",
    class: "cw-button",
    "aria-label": label || false,
    text: text || label,
    on: { click: onClick },
  });
  return { el, set: (t) => setText(el, t), enable: (on) => setAttrs(el, { disabled: !on }), error: () => {} };
};
