/* The lab: one number under every mode and every cast, many draws of it, every remainder, and sums. */
import { segmented, select, slider, text_input } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, withState } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { draws_view, errors_view, sums_view } from "./charts.js";
import { check, compute, MODES } from "./compute.js";
import { formatsOf } from "./sums.js";
import { modes_view, paths_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/rounding.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["format", "typed", "mode", "cut", "draws", "seed", "terms", "n", "sum", "how", "chunk"];
const MODE_NAMES = ["to even", "half away", "toward zero", "up", "down", "stochastic"];
/** @type {[value: string, label: string][]} */
const TERM_NAMES = [
  ["ones", "ones"],
  ["products", "FP8 products, positive"],
  ["signed", "FP8 products, both signs"],
];
/** @type {[value: string, label: string][]} */
const WAYS = [
  ["plain", "plain"],
  ["stochastic", "stochastic rounding"],
  ["chunks", "chunks, promoted to FP32"],
  ["kahan", "Kahan"],
];
/** @param {[value: string, label: string][]} rows */
const options = (rows) => rows.map(([value, label]) => ({ value, label }));

/** @param {AfmModel<State, Data>} model @param {Data} data */
const makeControls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  const formats = Object.values(data.formats).map((f) => ({ value: f.name, label: f.label }));
  /** @param {string} text */
  const allow = (text) => check({ ...DEFAULTS, format: model.get("format"), typed: text }, data);
  return {
    typed: text_input({ label: "number", size: 18, allow, onInput: go("typed") }),
    format: select({ label: "format", options: formats, onInput: go("format") }),
    draws: segmented({ label: "draws", options: data.draws, onInput: go("draws") }),
    seed: slider({ label: "seed", min: 1, max: 99, onInput: go("seed") }),
    mode: select({
      label: "mode",
      options: MODES.map((value, i) => ({ value, label: MODE_NAMES[i] })),
      onInput: go("mode"),
    }),
    cut: slider({ label: "bits dropped", min: 1, max: 8, onInput: go("cut") }),
    terms: select({ label: "terms", options: options(TERM_NAMES), onInput: go("terms") }),
    n: segmented({ label: "number of terms", options: data.lengths, onInput: go("n") }),
    sum: segmented({
      label: "accumulator",
      options: data.accumulators.map((value) => ({ value, label: formatsOf(data)[value].label })),
      onInput: go("sum"),
    }),
    how: select({ label: "adding", options: options(WAYS), onInput: go("how") }),
    chunk: segmented({ label: "terms in a chunk", options: data.chunks, onInput: go("chunk") }),
  };
};
/** What is legal beside the text that is being typed. @type {State} */
const DEFAULTS = {
  format: "float8_e4m3fn",
  typed: "1",
  mode: "even",
  cut: 4,
  draws: 1024,
  seed: 1,
  terms: "ones",
  n: 4096,
  sum: "bfloat16",
  how: "plain",
  chunk: 128,
};

const modes_table = () =>
  makeTable({
    caption: "What each way of rounding keeps",
    columns: [
      { key: "mode", label: "rounding" },
      { label: "keeps", out: (/** @type {{ i: number }} */ row) => `modes.${row.i}.keeps` },
      { label: "error", out: (/** @type {{ i: number }} */ row) => `modes.${row.i}.error` },
      { label: "where", out: (/** @type {{ i: number }} */ row) => `modes.${row.i}.where` },
    ],
  });
const sums_table = () =>
  makeTable({
    caption: "The same terms added plainly in each accumulator",
    columns: [
      { key: "label", label: "accumulator" },
      {
        label: "total",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `sums.plain.${row.i}.total`,
        how: "signed 0",
      },
      {
        label: "error",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `sums.plain.${row.i}.error`,
        how: "percent 2",
      },
      {
        label: "last change at term",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `sums.plain.${row.i}.moved`,
        how: "int",
      },
    ],
  });
/** @param {{ between: boolean }} now */
const meant = ({ between }) =>
  between
    ? "Mean {drawn.mean:num 5} ± {drawn.half:num 2}, off by {drawn.bias:num 2}. Rounding to nearest is off by {drawn.nearest:num 2} every time."
    : "";
/** @param {State} state */
const summed = ({ how }) =>
  how === "stochastic"
    ? "Exact sum {sums.exact:signed 0}. Sixteen stochastic sums have the mean {sums.chosen.mean:signed 0} ± {sums.chosen.half:signed 0}; the one drawn ends at {sums.chosen.total:signed 0}."
    : "Exact sum {sums.exact:signed 0}. The chosen sum ends at {sums.chosen.total:signed 0}, an error of {sums.chosen.error:percent 2} of all terms’ sizes, and last changes at term {sums.chosen.moved:int}.";

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "rounding");
    const data = readData(model);
    const made = makeControls(model, data);
    const [modes, paths, errors] = [modes_view(), paths_view(), errors_view()];
    const [draws, sums, rows, totals] = [draws_view(), sums_view(), modes_table(), sums_table()];
    const [agree, mean, off, total] = [h("p"), h("p"), h("p"), h("p")];
    root.append(
      h("div", { class: "cw-row" }, made.typed.el, made.format.el),
      ...modes.el,
      rows.el,
      section("What do libraries make of it?", "each cast as it runs", ...paths.el, agree),
      section(
        "Stochastic rounding",
        "many draws of one number",
        h("div", { class: "cw-row" }, made.draws.el, made.seed.el),
        ...draws.el,
        mean,
      ),
      section(
        "Every remainder",
        "the error in steps",
        h("div", { class: "cw-row" }, made.mode.el, made.cut.el),
        ...errors.el,
        off,
      ),
      section(
        "What happens to a sum?",
        "rounded after every addition",
        h("div", { class: "cw-row" }, made.terms.el, made.n.el, made.sum.el, made.how.el, made.chunk.el),
        ...sums.el,
        total,
        totals.el,
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = withState(state, compute(state, data));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      made.chunk.el.hidden = state.how !== "chunks";
      for (const view of [modes, paths, draws, errors, sums]) view.update(/** @type {Now & State} */ (now), false);
      rows.el.hidden = !now.modes.length;
      rows.update(now.modes.map((row, i) => ({ ...row, i, now })));
      totals.update(now.sums.plain.map((row, i) => ({ ...row, i, now })));
      fill(agree, "{number:text} in {label:text}: {agree:text}", now);
      fill(mean, meant(now), now);
      fill(off, "Mean error of the numbers drawn: {errors.mean:signed 4} steps.", now);
      fill(total, summed(state), now);
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
