/* Controls: a description (a label, what is legal, what to call) -> { el, set, error, enable }. onInput is called with legal
   values only. Also buttons, headings, tables and legends. */
import { h, renderList, setAttrs, setText, uid } from "./dom.js";
import { fill, fmt, put } from "./numbers.js";

/** @import { AttrValue, Kid } from "./dom.js" */

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

/**
 * A column of a table. It prints `row[key]`, by `format` if there is one, or is bound: the value at the path `out(row)` of
 * `row.now`, in the format `how`. `mark` gives the cell a data-mark.
 * @template Row
 * @typedef {{
 *   key?: string | number,
 *   label?: string,
 *   align?: string,
 *   class?: string,
 *   format?: (value: any, row: Row) => unknown,
 *   out?: (row: Row) => string,
 *   how?: string,
 *   mark?: (value: any, row: Row) => AttrValue,
 * }} Column
 */

/** Where a control explains what it refuses. */
const errorBeside = () => {
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
const enabling = (input) => (/** @type {boolean} */ on) => setAttrs(input, { disabled: !on });

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
 * Shows a state: sets every control to the value of its key.
 * @template {object} State
 * @param {{ [Key in keyof State]?: Control<State[Key]> }} controls by key of the state
 * @param {State} state
 */
export const setControls = (controls, state) => {
  for (const [key, control] of Object.entries(controls)) control.set(state[/** @type {keyof State} */ (key)]);
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

/**
 * A table that scrolls sideways where it has to. A row may have a `class`; rows of bound columns carry `now`.
 * @template {object} [Row={ [key: string]: any }]
 * @param {{ caption: string, columns: readonly Column<Row>[], rows?: readonly Row[] }} given
 * @returns {{ el: HTMLDivElement, update(rows: readonly Row[]): void }}
 */
export const makeTable = ({ caption, columns, rows = [] }) => {
  const head = h(
    "tr",
    {},
    columns.map((c) =>
      h(c.label ? "th" : "td", {
        scope: c.label ? "col" : false,
        class: c.align === "right" && "cw-right",
        text: c.label ?? "",
      }),
    ),
  );
  const body = h("tbody");
  const el = h(
    "div",
    { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "cw-table" }, h("caption", { text: caption }), h("thead", {}, head), body),
  );
  /** @type {(c: Column<Row>, i: number) => HTMLTableCellElement} */
  const cell = (c, i) =>
    h(i === 0 ? "th" : "td", {
      scope: i === 0 ? "row" : false,
      class: [c.align === "right" && "cw-right", c.class].filter(Boolean).join(" ") || false,
    });
  /** @type {(td: Element, c: Column<Row>, row: Row) => void} */
  const fillCell = (td, c, row) => {
    const values = /** @type {{ [key: string]: any }} */ (row);
    const value = values[c.key ?? ""];
    if (c.out) put(td, c.out(row), c.how, values.now);
    else setText(td, c.format ? c.format(value, row) : (value ?? ""));
    if (c.mark) setAttrs(td, { "data-mark": c.mark(c.out ? td.textContent : value, row) || false });
  };
  /** @param {readonly Row[]} now */
  const update = (now) =>
    renderList(
      body,
      now,
      () => h("tr", {}, columns.map(cell)),
      (tr, row) => {
        setAttrs(tr, { class: /** @type {{ class?: AttrValue }} */ (row).class || false });
        columns.forEach((c, i) => {
          fillCell(tr.children[i], c, row);
        });
      },
    );
  update(rows);
  return { el, update };
};

/**
 * Numbers with their labels, as a list: each row is a label and a template.
 * @param {string} name a class
 * @param {readonly (readonly [label: string, template: string])[]} rows
 */
export const makeResults = (name, rows) => {
  const values = rows.map(() => h("dd"));
  const el = h(
    "dl",
    { class: name },
    rows.map(([label], i) => h("div", {}, h("dt", { text: label }), values[i])),
  );
  /** @param {object} now */
  const update = (now) => {
    for (const [i, [, template]] of rows.entries()) fill(values[i], template, now);
  };
  return { el, update };
};

/**
 * A heading with a muted note.
 * @param {string} title
 */
export const heading = (title, note = "") =>
  h("h2", { class: "cw-heading" }, h("span", { text: title }), " ", h("small", { text: note }));

/**
 * What the colours mean: a swatch of each class and its words.
 * @param {readonly { class: string, label: Kid }[]} items
 */
export const makeLegend = (items) =>
  h(
    "ul",
    { class: "cw-legend" },
    items.map((i) => h("li", {}, h("i", { class: i.class, "aria-hidden": "true" }), i.label)),
  );
