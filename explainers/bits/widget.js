/* The page itself: built once, then only attributes and texts change. */

import { bitWidth, parse, Q, stored, value } from "../kit/codes.js";
import { makeButton, segmented, text_input } from "../kit/controls.js";
import { afterPaint, announce, h, makeRoot, onWidth, renderList, setAttrs, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, put, valueAt } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { check, compute } from "./compute.js";
import { grid, gridNote } from "./grid.js";
import { binsLine, line } from "./line.js";

export { check, compute, settle } from "./compute.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Column } from "../kit/table.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */
/** @import { Field } from "./describe.js" */
/** @import { Steps } from "./grid.js" */
/** @import { Format, Real } from "../kit/codes.js" */

/** A row of a table: the i-th of a list of compute's. @typedef {{ i: number, now: Now, class: string }} Item */
/** The bits of a field, as they are drawn. @typedef {{ field: string, bits: HTMLElement[] }} Group */
/** @typedef {ReturnType<typeof build>} View */

/** @param {(bit: number) => void} onToggle @param {(by: number) => void} onStep */
export const row = (onToggle, onStep) => {
  const el = h("div", { class: "fields", role: "group", "aria-label": "The bits; arrow up and down step the code" });
  /** @type {Format | null} */
  let format = null;
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @param {Format} f @param {Field[]} fields */
  const build = (f, fields) => {
    /** @type {Group[]} */
    const groups = [];
    buttons = fields.map((b) => {
      const button = h("button", {
        type: "button",
        class: "bit",
        "data-still": true,
        on: { click: () => onToggle(b.bit) },
      });
      if (!groups.length || /** @type {Group} */ (groups.at(-1)).field !== b.field)
        groups.push({ field: b.field, bits: [] });
      /** @type {Group} */ (groups.at(-1)).bits.push(
        h("span", { class: "slot" }, button, h("small", { "aria-hidden": "true" })),
      );
      return button;
    });
    el.replaceChildren(
      ...groups.map((g) =>
        h(
          "div",
          { class: `field ${g.field}` },
          h("b", { "aria-hidden": "true" }),
          h("div", { class: "slots" }, g.bits),
        ),
      ),
    );
    setAttrs(el, { "data-wide": fields.length > 16 ? "2" : fields.length > 9 ? "1" : false });
  };
  /** @param {Format} f @param {Now} o @param {boolean} [inert] */
  const update = (f, o, inert) => {
    if (f !== format) build((format = f), o.fields);
    o.fields.forEach((b, i) => {
      put(
        setAttrs(buttons[i], { class: b.on ? "bit on" : "bit", "aria-label": b.says, disabled: Boolean(inert) }),
        `fields.${i}.on`,
        "text",
        o,
      );
      put(/** @type {Element} */ (buttons[i].nextSibling), `fields.${i}.under`, "text", o);
    });
    for (const group of el.children) {
      const name = group.className.split(" ")[1];
      fill(/** @type {Element} */ (group.firstChild), name === "sign" ? "sign" : `${name} {groups.${name}}`, o);
    }
  };
  el.addEventListener("keydown", (e) => {
    const at = buttons.indexOf(/** @type {HTMLElement} */ (e.target));
    const move = /** @type {Steps} */ ({ ArrowLeft: -1, ArrowRight: 1 })[e.key];
    const step = /** @type {Steps} */ ({ ArrowUp: 1, ArrowDown: -1 })[e.key];
    if (!move && !step) return;
    e.preventDefault();
    if (step) onStep(step);
    else buttons[at + move]?.focus();
  });
  return { el, update };
};
/* Kept, guard and sticky as small boxes. */
export const cutBoxes = () => {
  const line = h("p", { class: "cw-mono cw-muted" });
  const boxes = h("span", { class: "boxes", "aria-hidden": "true" });
  const el = h(
    "div",
    { class: "cut" },
    line,
    h("p", { class: "kept" }, boxes, h("span", { class: "cw-note", text: "kept · guard · sticky" })),
  );
  /** @param {Now} o */
  const update = (o) => {
    const all = o.typed.keeps.boxes;
    el.hidden = !all.length;
    fill(line, "{typed.keeps.line} keeps", o);
    renderList(
      boxes,
      all,
      () => h("i"),
      (node, [kind], i) => put(setAttrs(node, { class: kind }), `typed.keeps.boxes.${i}.1`, "text", o),
    );
  };
  return { el, update };
};

/* Columns of a table whose rows are {i, now}: every cell is a value of compute. */
/**
 * @param {"everywhere" | "policies" | "modes"} list
 * @param {string[]} keys
 * @param {{ [key: string]: string }} labels
 * @param {string[]} [right]
 * @returns {Column<Item>[]}
 */
export const columns = (list, keys, labels, right = []) =>
  keys.map((key) => ({
    out: (row) => `${list}.${row.i}.${key}`,
    label: labels[key] || key,
    align: right.includes(key) ? "right" : "",
    class: ["source", "where", "path"].includes(key)
      ? "cw-note"
      : ["label", "bits", "library", "mode"].includes(key)
        ? ""
        : "cw-mono",
    mark: /** @type {Column<Item>["mark"]} */ (
      list === "policies" &&
        ((text) => /** @type {{ [text: string]: string }} */ ({ NaN: "nan", inf: "inf", max: "max" })[text])
    ),
  }));
/**
 * @template {"everywhere" | "policies" | "modes"} List
 * @param {Now} o
 * @param {List} list
 * @param {(row: Now[List][number]) => string | false} css
 * @returns {Item[]}
 */
export const items = (o, list, css) => o[list].map((row, i) => ({ i, now: o, class: css(row) || "" }));

/** @param {[path: string, label: string][]} entries */
export const rows = (entries) => {
  const cells = entries.map(
    ([key, label]) =>
      /** @type {[path: string, dt: HTMLElement, dd: HTMLElement]} */ ([
        key,
        h("dt", { text: label }),
        h("dd", { class: "cw-mono" }),
      ]),
  );
  return {
    el: h(
      "dl",
      {},
      cells.map(([, dt, dd]) => [dt, dd]),
    ),
    /** @param {Now} o */
    update: (o) =>
      cells.forEach(([path, , dd]) => setAttrs(put(dd, path, "text", o), { title: valueAt(o, path) || false })),
  };
};

export const CODE = "{hex} · code {code:int} · {kind}";

/** @param {HTMLElement} root @param {AfmModel<State, Data>} model @param {Data} data */
export const build = (root, model, data) => {
  const now = () => readState(model, ["format", "code", "typed"]);
  const f = () => data.formats[now().format];
  const shown = () => compute(now(), data);
  /** @param {number} code */
  const pick = (code) => commit(model, { code, typed: "" });
  /** @param {number} by */
  const step = (by) => {
    const size = 2 ** bitWidth(f());
    pick((shown().code + by + size) % size);
  };
  /** @param {string} text */
  const type = (text) => {
    const read = parse(text, f());
    if (read.code === undefined) commit(model, { code: data.code, typed: text });
    else pick(read.code);
  };
  /** @param {string} format */
  const change = (format) => {
    // the number stays when the format changes; bits typed as bits become their number
    const { value, hexfloat } = shown();
    const typed =
      now().typed && parse(now().typed, f()).code === undefined
        ? now().typed
        : value.length > 24 && hexfloat
          ? hexfloat
          : value;
    commit(model, { format, code: data.code, typed });
  };
  const v = {
    later: afterPaint(),
    formats: segmented({
      label: "Format",
      options: Object.values(data.formats).map((row) => ({ value: row.name, label: row.label })),
      onInput: change,
    }),
    name: h("strong"),
    facts: h("p", { class: "cw-note" }),
    fields: row((bit) => {
      const { code } = shown();
      pick(code + (Math.floor(code / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit);
    }, step),
    big: h("strong", { class: "big" }),
    code: h("span", { class: "cw-mono cw-muted" }),
    power: h("span", { class: "cw-mono" }),
    formula: h("p", { class: "cw-mono formula" }),
    beside: h("p", { class: "cw-note" }),
    typed: text_input({ label: "nearest to", size: 14, allow: (text) => parse(text, f()).says || "", onInput: type }),
    given: h("p", { class: "becomes given" }),
    becomes: h("p", { class: "becomes" }),
    cut: cutBoxes(),
    why: h("p", { class: "why" }),
    full: rows([
      ["typed.exact", "you typed"],
      ["typed.stored", "stored value, in full"],
      ["hexfloat", "as hexfloat"],
      ["typed.error", "error"],
      ["typed.error_ulp", "error in steps (ulp)"],
    ]),
    line: line(),
    lineHead: heading("Every value of the format"),
    bins: binsLine(),
    binHead: heading("Which numbers round to which value"),
    binWords: h("p", { class: "cw-note" }),
    grid: grid({ onPick: pick }),
    gridHead: heading("All codes"),
    every: makeStack({
      caption: "The same number in every format, closest first",
      columns: columns("everywhere", ["label", "bits", "code", "stored", "error", "relative"], { label: "format" }, [
        "bits",
        "stored",
        "error",
        "relative",
      ]),
    }),
    policies: makeStack({
      caption: "What overflow, infinity and NaN become, by library",
      columns: columns("policies", ["library", "path", "becomes", "over", "inf", "nan", "source"], {
        becomes: "your number",
        over: "too large",
        inf: "infinity",
        nan: "NaN",
      }),
    }),
    policyHead: heading("What a cast returns"),
    modes: makeStack({
      caption: "This number under each rounding mode",
      columns: columns("modes", ["mode", "keeps", "error", "where"], { mode: "rounding" }, ["error"]),
    }),
    modeHead: heading("Other rounding modes"),
  };
  const stepper = h(
    "p",
    { class: "stepper" },
    makeButton({ label: "Previous code", text: "◀", onClick: () => step(-1) }).el,
    v.code,
    makeButton({ label: "Next code", text: "▶", onClick: () => step(1) }).el,
  );
  setAttrs(v.lineHead, { "data-below": true });
  setAttrs(v.gridHead, { "data-omit": true });
  root.append(
    v.formats.el,
    h("p", { class: "name" }, v.name),
    v.facts,
    h(
      "div",
      { class: "panes" },
      h("div", { class: "left" }, v.fields.el, stepper),
      h("div", { class: "middle" }, h("p", {}, v.big, " ", v.power), v.formula, v.beside),
      h(
        "div",
        { class: "nearest" },
        h("div", { class: "ask" }, v.typed.el, v.given, v.becomes),
        v.cut.el,
        v.why,
        v.full.el,
      ),
    ),
    v.lineHead,
    v.line.el,
    v.binHead,
    v.bins.el,
    v.binWords,
    v.gridHead,
    h("div", { class: "cw-scroll", "data-omit": true }, v.grid.el),
    setAttrs(
      makeLegend([
        { class: "sub", label: "zero and subnormal" },
        { class: "number-cell", label: "stronger = larger" },
        { class: "inf", label: "infinity" },
        { class: "nan", label: "NaN" },
      ]),
      { "data-omit": true },
    ),
    heading("The same number in every format", "closest first"),
    v.every.el,
    v.policyHead,
    v.policies.el,
    h("p", {
      class: "cw-note",
      text: "The conversion path and the overflow rule belong to the library, not to the format.",
    }),
    v.modeHead,
    v.modes.el,
  );
  return v;
};

/** @param {HTMLElement} root @param {View} v @param {State} state @param {Data} data @param {number} px */
export const paint = (root, v, state, data, px) => {
  const f = data.formats[state.format];
  const o = compute(state, data);
  const t = o.typed;
  /** @param {HTMLElement} head @param {string} template */
  const note = (head, template) => fill(/** @type {Element} */ (head.lastChild), template, o);
  v.formats.set(state.format);
  put(v.name, "format.label", "text", o);
  fill(v.facts, "{format.line}. {format.words}", o);
  v.fields.update(f, o);
  setAttrs(put(v.big, "short", "text", o), { title: o.value });
  fill(v.code, CODE, o);
  put(v.power, "scientific", "text", o);
  put(v.formula, "formula", "text", o);
  fill(
    v.beside,
    o.spacing
      ? `next up ${o.up ? "{up}" : "none"} · next down ${o.down ? "{down}" : "none"} · spacing {spacing}`
      : "not a finite number: no neighbours",
    o,
  );
  v.typed.set(state.typed || (o.value.length > 24 ? o.hexfloat || o.short : o.value));
  put(v.given, "typed.label", "text", o);
  fill(
    v.becomes,
    `→ {short}${t.error === "" ? "" : t.error === "0" ? ", exact" : `, error {typed.${t.relative ? "relative" : "error"}}`}`,
    o,
  );
  v.cut.update(o);
  put(v.why, "typed.why", "text", o);
  v.full.update(o);
  note(
    v.lineHead,
    `{format.count:int} numbers between {format.ends.0} and {format.ends.1}, {format.below_one:int} of them smaller than 1 in magnitude${bitWidth(f) > 8 ? "; one tick per power of two" : ""}`,
  );
  v.line.update(f, o, px);
  v.bins.el.toggleAttribute("hidden", !o.bins.length);
  if (o.bins.length) v.bins.update(f, o, asked(f, state, o.code), px);
  put(v.binWords, "bin_words", "text", o);
  announce(root, `${f.label} ${o.hex}: ${o.short}, ${o.kind}`);
  const below = () => {
    setText(/** @type {Element} */ (v.gridHead.firstChild), bitWidth(f) > 8 ? "Codes around it" : "All codes");
    note(v.gridHead, gridNote(f));
    v.grid.update(f, o);
    v.every.update(items(o, "everywhere", (row) => row.format === f.name && "here"));
    note(v.policyHead, "{agree}");
    v.policies.update(items(o, "policies", (row) => row.differs && "differs"));
    v.modeHead.hidden = v.modes.el.hidden = !o.modes.length;
    v.modes.update(items(o, "modes", () => ""));
  };
  if (v.grid.el.kitKeys)
    below(); // a walk by arrow keys: the focus moves with the code
  else v.later(below);
};
/** @param {Format} f @param {State} state @param {number} code @returns {number} */
export const asked = (f, state, code) => {
  // where on the line; NaN where it is not on it
  const x = state.typed.trim() ? /** @type {Real} */ (parse(state.typed, f).x) : stored(f, code);
  return x.kind === "finite" ? Q.odd(value(x)) : NaN;
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "bits");
    const v = build(root, model, readData(model));
    /** @type {[state: State, data: Data] | null} */
    let last = null;
    let px = 0;
    const stop = onWidth(root, (now) => {
      px = now;
      if (last) paint(root, v, ...last, px);
    });
    const cleanup = live(model, {
      root,
      keys: ["format", "code", "typed"],
      check,
      update: (...args) => {
        last = args;
        paint(root, v, ...args, px || 900);
      },
    });
    return () => {
      stop();
      cleanup();
    };
  },
};
