/* The parts of the lab, built once and put together. */
import { bitWidth } from "../kit/codes.js";
import { makeButton, segmented, text_input } from "../kit/controls.js";
import { afterPaint, h, renderList, setAttrs } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, readState } from "../kit/model.js";
import { fill, put } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { parse } from "../kit/typed-numbers.js";
import { row } from "./bit_row.js";
import { compute } from "./compute.js";
import { grid } from "./grid.js";
import { binsLine, line } from "./line.js";
import { columns, rows } from "./tables.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { AfmModel } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

/** @typedef {ReturnType<typeof build>} View */

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

/** What buttons, keys and typing do to the state. @param {AfmModel<State, Data>} model @param {Data} data */
const actions = (model, data) => {
  const now = () => readState(model, ["format", "code", "typed"]);
  const format = () => data.formats[now().format];
  const shown = () => compute(now(), data);
  /** @param {number} code */
  const pick = (code) => commit(model, { code, typed: "" });
  /** @param {number} by */
  const step = (by) => {
    const size = 2 ** bitWidth(format());
    pick((shown().code + by + size) % size);
  };
  /** @param {string} text */
  const type = (text) => {
    const read = parse(text, format());
    if (read.code === undefined) commit(model, { code: data.code, typed: text });
    else pick(read.code);
  };
  /** @param {string} name */
  const change = (name) => {
    // the number stays when the format changes; bits typed as bits become their number
    const { value, hexfloat } = shown();
    const typed =
      now().typed && parse(now().typed, format()).code === undefined
        ? now().typed
        : value.length > 24 && hexfloat
          ? hexfloat
          : value;
    commit(model, { format: name, code: data.code, typed });
  };
  /** @param {number} bit */
  const flip = (bit) => {
    const { code } = shown();
    pick(code + (Math.floor(code / 2 ** bit) % 2 ? -1 : 1) * 2 ** bit);
  };
  return { format, pick, step, type, change, flip };
};

/** The tables of one number: in every format, by library, and under each rounding mode. */
const numberTables = () => ({
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
});

/** @param {HTMLElement} root @param {AfmModel<State, Data>} model @param {Data} data */
export const build = (root, model, data) => {
  const { format, pick, step, type, change, flip } = actions(model, data);
  const v = {
    later: afterPaint(),
    formats: segmented({
      label: "Format",
      options: Object.values(data.formats).map((row) => ({ value: row.name, label: row.label })),
      onInput: change,
    }),
    name: h("strong"),
    facts: h("p", { class: "cw-note" }),
    fields: row(flip, step),
    big: h("strong", { class: "big" }),
    code: h("span", { class: "cw-mono cw-muted" }),
    power: h("span", { class: "cw-mono" }),
    formula: h("p", { class: "cw-mono formula" }),
    beside: h("p", { class: "cw-note" }),
    typed: text_input({
      label: "nearest to",
      size: 14,
      allow: (text) => parse(text, format()).says || "",
      onInput: type,
    }),
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
    ...numberTables(),
  };
  layOut(root, v, step);
  return v;
};

/** @param {HTMLElement} root @param {View} v @param {(by: number) => void} step */
const layOut = (root, v, step) => {
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
};
