/* Rules as rows that run: the state as a heat map, the gate of this token, what keys read back. */
import { upto } from "../kit/arrays.js";
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText, uid } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */
/** @import { Now, Row } from "./compute.js" */

/** What is drawn: compute's result with the state. @typedef {Now & Omit<State, keyof Now>} Shown */
/** A column of errors: of one key, or of all. @typedef {{ label: string, key?: number, means?: boolean }} Column */

const CELL = 9;

/** A heat map of a state: rows are channels of the key; negative numbers have the second colour. */
const matrix_view = () => {
  const cells = upto(64).map((i) =>
    s("rect", { x: CELL * (i % 8), y: CELL * Math.floor(i / 8), width: CELL - 1, height: CELL - 1 }),
  );
  const frame = s("rect", { class: "frame", x: -1.5, y: -1.5, width: 8 * CELL + 2, height: 8 * CELL + 2, rx: 2 });
  const el = s("svg", {
    class: "cw-linear-family-state",
    viewBox: `-2 -2 ${8 * CELL + 3} ${8 * CELL + 3}`,
    role: "img",
  });
  el.append(frame, ...cells);
  /** @param {Row} row @param {number} most */
  const update = ({ state, label }, most) => {
    for (const [i, v] of state.flat().entries())
      setAttrs(cells[i], { class: v < 0 ? "neg" : "pos", "fill-opacity": Number((Math.abs(v) / most).toFixed(3)) });
    const largest = fmt.num(Math.max(...state.flat().map(Math.abs)), 2);
    setAttrs(el, { "aria-label": `State of ${label}, largest number ${largest}` });
  };
  return { el, update };
};
/** The share of each channel that a token leaves. */
const gate_view = () => {
  const bars = upto(8).map((i) => s("rect", { x: pct(i / 8), width: pct(0.1) }));
  const el = s("svg", { class: "cw-linear-family-gate", width: 64, height: 18, "aria-hidden": "true" });
  el.append(s("line", { x1: 0, x2: "100%", y1: 17.5, y2: 17.5 }), ...bars);
  /** @param {number[]} alphas */
  const update = (alphas) => {
    for (const [i, a] of alphas.entries())
      setAttrs(bars[i], { y: Number((17 - 16 * a).toFixed(2)), height: Number((16 * a).toFixed(2)) });
  };
  return { el, update };
};
/** @type {{ [name: string]: (at: string, row: Row) => string }} */
const GATES = {
  linear: () => "no gate",
  retnet: (at) => `γ {${at}.low:num 3}`,
  lightning: (at) => `e⁻ˢ {${at}.low:num 3}`,
  mamba2: (at) => `α {${at}.low:num 3}, Δ {${at}.write:num 3}`,
  mlstm: (at) => `f {${at}.low:num 3}, i {${at}.write:num 3}`,
  gla: (at, row) => `α ${ends(at, row)}`,
  deltanet: (at) => `β {${at}.write:num 3}`,
  gdn: (at) => `α {${at}.low:num 3}, β {${at}.write:num 3}`,
  kda: (at, row) => `α ${ends(at, row)}, β {${at}.write:num 3}`,
  rwkv7: (at, row) => `w ${ends(at, row)}, a {${at}.write:num 3}`,
};
/** @param {string} at @param {Row} row */
const ends = (at, { low, high }) => (low === high ? `{${at}.low:num 3}` : `{${at}.low:num 3} to {${at}.high:num 3}`);

/** @param {Column} column */
const error_view = ({ key, means }) => {
  const [words, bar, mean] = [h("b"), s("rect", { height: 6 }), h("span", { class: "cw-linear-family-mean" })];
  const svg = s("svg", { class: "cw-linear-family-error", width: "100%", height: 6, "aria-hidden": "true" }, bar);
  const el = h("td", {}, words, svg, means && mean);
  /** @param {string} at @param {Row} row @param {Shown} now */
  const update = (at, row, now) => {
    const error = key === undefined ? row.error : row.errors[key];
    put(words, key === undefined ? `${at}.error` : `${at}.errors.${key}`, "percent 0", now);
    if (key !== undefined && !now.keys_read[key]) setAttrs(words, { "data-out": false, text: "not written" });
    setAttrs(bar, { width: pct(Math.min(1, error)) });
    if (means) fill(mean, `{${at}.mean:percent 0} ± {${at}.half:percent 1}`, now);
  };
  return { el, update };
};

/**
 * @param {Data} data
 * @param {{ only?: string[], columns: Column[], onRule?: (name: string) => void }} given
 */
export const rows_view = (data, { only, columns, onRule }) => {
  const group = uid("rule");
  /** @param {Data["rules"][number]} rule */
  const make = (rule) => {
    const radio = h("input", { type: "radio", name: group, on: { change: () => onRule?.(rule.name) } });
    const [matrix, gate, words, errors] = [matrix_view(), gate_view(), h("span"), columns.map(error_view)];
    const name = onRule ? h("label", {}, radio, h("span", { text: rule.label })) : h("span", { text: rule.label });
    const el = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, matrix.el),
      h("td", { class: "gate" }, rule.gate === "none" ? null : gate.el, words),
      errors.map((one) => one.el),
    );
    return { rule, el, radio, matrix, gate, words, errors };
  };
  const made = data.rules.map((rule) => (!only || only.includes(rule.name) ? make(rule) : null));
  const heads = ["rule", "state", "gate", ...columns.map((one) => one.label)];
  const body = h("tbody");
  const el = h(
    "table",
    { class: "cw-linear-family-rows" },
    h("caption", { text: "Each rule’s state, its gate at this token, and its recall error" }),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text) => h("th", { scope: "col", text })),
      ),
    ),
    body,
  );
  /** @param {Shown} now @param {boolean} [sorted] */
  const update = (now, sorted) => {
    const order = (sorted ? now.order : upto(data.rules.length)).filter((i) => made[i]);
    const most = Math.max(1, ...order.flatMap((i) => now.rules[i].state.flat().map(Math.abs)));
    renderList(
      body,
      order,
      (i) => /** @type {{ el: HTMLElement }} */ (made[i]).el,
      null,
      (i) => i,
    );
    for (const i of order) {
      const [one, row, at] = [/** @type {ReturnType<typeof make>} */ (made[i]), now.rules[i], `rules.${i}`];
      setAttrs(one.radio, { checked: now.rule === row.name });
      one.matrix.update(row, most);
      one.gate.update(row.alphas);
      fill(one.words, GATES[row.name](at, row), now);
      for (const error of one.errors) error.update(at, row, now);
    }
  };
  return { el, update };
};

/** The tokens of the stream, the newest marked. */
export const stream_view = () => {
  const list = h("ol", { class: "cw-linear-family-stream", "aria-label": "Tokens of the stream" });
  /** @param {Shown} now */
  const update = (now) =>
    renderList(
      list,
      now.stream,
      () => h("li"),
      (li, letter, i) => {
        setText(li, letter);
        const place = i < now.now - 1 ? "past" : i === now.now - 1 ? "on" : "";
        setAttrs(li, { class: place || false, title: letter === "–" ? "separator" : `writes key ${letter}` });
      },
    );
  return { el: list, update };
};

/** What key A should read, and what it reads under some rules: eight numbers each. @param {Data} data @param {string[]} only */
export const reads_view = (data, only) => {
  const rows = [
    { label: "A’s newest value", at: "target" },
    ...data.rules.flatMap(({ name, label }, i) => (only.includes(name) ? [{ label, at: `rules.${i}.reads` }] : [])),
  ];
  const made = rows.map(({ label, at }) => {
    const cells = upto(8).map(() => h("td"));
    return { at, cells, el: h("tr", {}, h("th", { scope: "row", text: label }), cells) };
  });
  const el = h(
    "table",
    { class: "cw-linear-family-reads" },
    h("caption", { text: "What key A reads, number by number" }),
    h(
      "tbody",
      {},
      made.map((one) => one.el),
    ),
  );
  /** @param {Shown} now */
  const update = (now) => {
    for (const { at, cells } of made)
      for (const [j, cell] of cells.entries())
        if (now.target.length) put(cell, `${at}.${j}`, "num 2", now);
        else setAttrs(cell, { "data-out": false, text: "" });
  };
  return { el, update };
};
