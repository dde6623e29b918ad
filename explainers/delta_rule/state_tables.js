/* The states in numbers: one rule's state, recall errors by key, and the last state step by step and in chunks. */
import { h, setText } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { print_bound } from "./parts.js";
import { row_names } from "./states.js";

/** @import { Format } from "../kit/numbers.js" */
/** @import { Data, Now, Rule, State } from "./compute.js" */

const numbers_table = () =>
  makeStack({
    caption: "The state in numbers",
    columns: [
      { key: "name", label: "row" },
      ...Array.from({ length: 8 }, (_, j) => ({ key: j, label: String(j), align: "right" })),
    ],
  });
/** @param {Data} data @returns {ReturnType<typeof makeStack<{ name: string, key: number, now: Now }>>} */
const errors_table = (data) =>
  makeStack({
    caption: "Recall error per key",
    columns: [
      { key: "name", label: "key" },
      ...data.rules.map((r) => ({
        label: r.label,
        align: "right",
        out: (/** @type {{ key: number }} */ { key }) => `rules.${r.name}.errors.${key}`,
        how: "percent 1",
      })),
    ],
  });
const forms_table = () =>
  makeStack({
    caption: "The last state, computed step by step and in chunks",
    columns: [
      { key: "rule", label: "first number of S" },
      { key: "steps", label: "step by step", class: "cw-mono" },
      { key: "chunks", label: "in chunks", class: "cw-mono" },
      { key: "apart", label: "largest difference", align: "right", class: "cw-mono" },
    ],
  });

/** @param {Data} data */
export const state_tables = (data) => {
  const [numbers, errors, forms] = [numbers_table(), errors_table(data), forms_table()];
  const numbers_title = h("summary", {});
  const counts = [h("b"), h("b")];
  const chunk_note = h(
    "p",
    { class: "cw-note" },
    "Number of writes: ",
    counts[0],
    "; number of chunks: ",
    counts[1],
    ". Both forms were computed on this page. The difference is the largest over all of S and all reads.",
  );
  /** @param {State} state @param {Now} out */
  const update = (state, out) => {
    const rule = /** @type {Rule} */ (data.rules.find((r) => r.name === state.rule));
    setText(numbers_title, `${rule.label} in numbers`);
    /** @type {(table: { el: Element }, row: number, column: number, path: string, how: Format, v: string) => void} */
    const bind = (table, row, column, path, how, v) =>
      print_bound(table.el.querySelectorAll("tbody tr")[row].children[column], path, how, v);
    const names = row_names(state, data);
    const S = out.rules[state.rule].state;
    numbers.update(S.map((_, i) => ({ name: names[i] })));
    S.forEach((row, i) =>
      row.forEach((v, j) => bind(numbers, i, j + 1, `rules.${rule.name}.state.${i}.${j}`, "fixed 4", fmt.fixed(v, 4))),
    );
    errors.update(out.targets.flatMap((target, key) => (target ? [{ name: data.letters[key], key, now: out }] : [])));
    forms.update(data.rules.map((r) => ({ rule: r.label })));
    data.rules.forEach((r, i) => {
      const one = out.rules[r.name];
      bind(forms, i, 1, `rules.${r.name}.last_state.0.0`, "fixed 6", fmt.fixed(one.last_state[0][0], 6));
      bind(forms, i, 2, `rules.${r.name}.chunked_state.0.0`, "fixed 6", fmt.fixed(one.chunked_state[0][0], 6));
      bind(forms, i, 3, `rules.${r.name}.agree`, "text", one.agree);
    });
    print_bound(counts[0], "writes", "int", fmt.int(out.writes));
    print_bound(counts[1], "chunks", "int", fmt.int(out.chunks));
  };
  return { details: h("details", {}, numbers_title, numbers.el, errors.el), forms: [chunk_note, forms.el], update };
};
