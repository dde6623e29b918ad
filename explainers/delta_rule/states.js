/* The five states side by side, and what a key reads back under each. */
import { h, s, setAttrs, setText, uid } from "../kit/dom.js";
import { format_number, matrix_view, print_percent, strip_view } from "./parts.js";
import { read_state } from "./writes.js";

/** @import { Data, Found, State, Traced } from "./compute.js" */
/** @import { Matrix } from "./writes.js" */

/** @param {Matrix[]} states @param {number} t @returns {Matrix} */
const between_states = (states, t) => {
  // a state on its way from one step to the next
  const low = Math.floor(t);
  const part = t - low;
  if (!part || low + 1 >= states.length) return states[Math.min(low, states.length - 1)];
  return states[low].map((row, i) => row.map((x, j) => x + part * (states[low + 1][i][j] - x)));
};

/** @param {Data} data @param {(rule: string) => void} onRule */
export const rule_cards = (data, onRule) => {
  const name = uid("rule");
  const cards = data.rules.map((rule) => {
    const input = h("input", { type: "radio", name, on: { change: () => onRule(rule.name) } });
    const matrix = matrix_view();
    const [error, meter] = [h("strong", { class: "cw-mono" }), s("rect", { height: 6 })];
    const alpha = h("span", { class: "cw-note" });
    const el = h(
      "label",
      { class: "cw-delta-rule-card" },
      h("span", { class: "cw-delta-rule-name" }, input, h("strong", { text: rule.label })),
      h("span", { class: "cw-delta-rule-formula", text: rule.formula }),
      matrix.el,
      h("span", { class: "cw-delta-rule-error" }, h("span", { text: "recall error" }), error),
      s("svg", { class: "cw-delta-rule-meter", width: "100%", height: 6, "aria-hidden": "true" }, meter),
      alpha,
    );
    return { rule, el, input, matrix, error, meter, alpha };
  });
  /** @type {(traced: Traced, state: State, t: number) => void} */
  const update = (traced, state, t) => {
    const drawn = cards.map((c) => between_states(traced.found[c.rule.name].states, t));
    const most = Math.max(1, ...drawn.flat(2).map(Math.abs));
    const letters = row_names(state, data);
    cards.forEach((card, k) => {
      const { history } = traced.found[card.rule.name];
      const low = Math.floor(t);
      const error = history[low] + (t - low) * (history[Math.min(low + 1, history.length - 1)] - history[low]);
      setAttrs(card.input, { checked: state.rule === card.rule.name });
      card.el.classList.toggle("on", state.rule === card.rule.name);
      card.matrix.update(
        drawn[k],
        most,
        `State of ${card.rule.label} after ${low} writes, largest number ${format_number(Math.max(...drawn[k].flat().map(Math.abs)))}`,
        letters,
      );
      print_percent(card.error, `rules.${card.rule.name}.error`, error);
      setAttrs(card.meter, { width: `${Number(Math.min(100, 100 * error).toFixed(3))}%` });
      setText(
        card.alpha,
        /** @type {{ [decay: string]: string }} */ ({
          none: "no decay",
          scalar: "α per write",
          channel: state.channels.length ? "α per write and row" : "α per write and row; all rows alike",
        })[card.rule.decay],
      );
    });
  };
  return {
    el: h(
      "div",
      { class: "cw-delta-rule-cards", role: "group", "aria-label": "Rule whose numbers are shown" },
      cards.map((c) => c.el),
    ),
    update,
  };
};

/** What one rule reads, and how far off that is. @param {{ name: string, label: string }} rule */
const read_row = (rule) => {
  const strip = strip_view();
  const error = h("b");
  const [note, after] = [h("span"), h("span")];
  const el = h(
    "div",
    { class: "cw-delta-rule-read" },
    h("span", { text: rule.label }),
    strip.el,
    h("span", { class: "cw-mono" }, note, error, after),
  );
  return { rule, strip, error, note, after, el };
};

/** @param {Data} data @param {string[]} [only] names of rules; without them all, and attention */
export const recall = (data, only) => {
  const extra = only ? [] : [{ name: "attention", label: "Softmax attention" }];
  const rows = [
    { name: "", label: "should read" },
    ...data.rules.filter((r) => !only || only.includes(r.name)),
    ...extra,
  ].map(read_row);
  /** @type {(traced: Traced, state: State, t: number) => void} */
  const update = (traced, state, t) => {
    const at = Math.floor(t);
    const q = state.query;
    const target = traced.targets[at][q];
    const one = (/** @type {string} */ name) => (name === "attention" ? traced.attention : traced.found[name]);
    const reads = rows
      .slice(1)
      .map(({ rule }) =>
        (rule.name === "attention"
          ? one(rule.name).reads[at][q]
          : read_state(between_states(/** @type {Found} */ (one(rule.name)).states, t), traced.all[q])
        ).map((x) => (1e-6 > Math.abs(x) ? 0 : x)),
      );
    const most = Math.max(1, ...reads.flat().map(Math.abs));
    rows.forEach((row, k) => {
      const values = k ? reads[k - 1] : target || [];
      const path = row.rule.name === "attention" ? "attention" : `rules.${row.rule.name}`;
      row.strip.update(
        values,
        most,
        `${row.rule.label}: ${values.map((v) => format_number(v, 2)).join(", ") || "nothing yet"}`,
        k ? `${path}.recall.${q}` : `targets.${q}`,
      );
      const error = k ? one(row.rule.name).errors[at][q] : null;
      setText(row.note, k || target ? "" : "not written yet");
      if (error === null) setAttrs(row.error, { "data-out": false, text: "" });
      else print_percent(row.error, `${path}.errors.${q}`, error);
      setText(row.after, error === null ? "" : " off");
    });
  };
  return {
    el: h(
      "div",
      { class: "cw-delta-rule-reads" },
      rows.map((r) => r.el),
    ),
    update,
  };
};
/** @param {State} state @param {Data} data @returns {string} */
export const row_names = (state, data) =>
  state.overlap === 0 && state.seed === 0 ? data.letters.slice(0, 8) : "01234567";
