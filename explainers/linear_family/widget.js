/* The lab: one stream written by ten rules, a row each; the formula of one with this token's numbers; what states cost. */
import { announce, h, makeRoot, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt, put, withState } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { halves_view } from "./charts.js";
import { check, compute } from "./compute.js";
import { makeControls } from "./controls.js";
import { writeFormula } from "./formula.js";
import { rows_view, stream_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/linear-family.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Cost } from "./compute.js" */
/** @import { Shown } from "./view.js" */

export { check, compute } from "./compute.js";

/** @type {(keyof State)[]} */
const KEYS = [
  "task",
  "keys",
  "seed",
  "step",
  "decay",
  "shut",
  "beta",
  "input",
  "head",
  "pause",
  "rule",
  "sort",
  "layer",
  "model",
];
/** @type {{ [word: string]: [path: string, how: string] }} */
const HOLES = {
  alpha: ["chosen.low", "num 3"],
  alphas: ["chosen.alphas", "each num 2"],
  beta: ["chosen.write", "num 3"],
  write: ["chosen.write", "num 3"],
};

const costs_table = () =>
  makeStack({
    caption: "Catalogued models: bytes of one layer’s state, and of one attention layer per token",
    columns: [
      { key: "title", label: "model" },
      { key: "rule", label: "rule" },
      {
        label: "layers",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `costs.${row.i}.layers`,
        how: "int",
      },
      {
        label: "state",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `costs.${row.i}.state`,
        how: "bytes MB 2",
      },
      {
        label: "attention, B per token",
        align: "right",
        out: (/** @type {{ i: number }} */ row) => `costs.${row.i}.token`,
        how: "int",
      },
      { label: "larger from", align: "right", out: (/** @type {{ i: number }} */ row) => `costs.${row.i}.text` },
    ],
  });

/** The formula of the chosen rule, and the same with this token's numbers. @param {Data} data */
const formula_view = (data) => {
  const [name, symbols, numbers, source] = [
    h("h3"),
    h("div", { class: "math" }),
    h("div", { class: "math" }),
    h("p", { class: "cw-note" }),
  ];
  for (const one of [symbols, numbers]) one.tabIndex = 0;
  const el = h("div", { class: "cw-linear-family-formula", "aria-live": "off" }, name, symbols, numbers, source);
  /** @param {Shown} now */
  const update = (now) => {
    const rule = /** @type {Data["rules"][number]} */ (data.rules.find((one) => one.name === now.rule));
    fill(name, now.now ? "{chosen.label:text}, token {now:int}" : "{chosen.label:text}, before the first token", now);
    writeFormula(symbols, rule.formula, now);
    writeFormula(numbers, rule.step, now, HOLES);
    put(source, "source", "text", now);
  };
  return { el, update };
};

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);
/** @param {Cost} cost */
const costWords = ({ token }) =>
  token
    ? "{cost.layers:int} of {cost.of:int} layers of {cost.title:text} are {cost.rule:text}, with {cost.state:bytes MB 2} each; {cost.attention:int} hold {cost.token:int} B per token, more than a state from {cost.crossing:int} tokens on."
    : "{cost.layers:int} of {cost.of:int} layers of {cost.title:text} are {cost.rule:text}, with {cost.state:bytes MB 2} each; there are no attention layers.";

/** @typedef {ReturnType<typeof build_lab>} Lab */

/** The controls, drawings and sentences. @param {AfmModel<State, Data>} model @param {Data} data */
const build_lab = (model, data) => ({
  controls: makeControls(model, data),
  stream: stream_view(),
  formula: formula_view(data),
  halves: halves_view(),
  costs: costs_table(),
  rows: rows_view(data, { columns: [{ label: "error", means: true }], onRule: (rule) => commit(model, { rule }) }),
  told: h("p"),
  many: h("p", { class: "cw-note" }),
  cost: h("p"),
});

/** @param {Node[]} kids */
const row = (...kids) => h("div", { class: "cw-row" }, kids);
/** What stands on the page, from top to bottom. @param {Lab} lab @param {Element} transport */
const page_order = ({ controls, stream, formula, halves, costs, rows, told, many, cost }, transport) => [
  row(controls.task.el, controls.keys.el),
  row(controls.decay.el, controls.shut.el, controls.beta.el),
  row(controls.input.el, controls.head.el, controls.pause.el, controls.seed.el),
  h("div", { class: "cw-linear-family-run" }, transport),
  stream.el,
  told,
  controls.sort.el,
  h("div", { class: "cw-linear-family-table" }, rows.el),
  makeLegend([
    { class: "pos", label: "positive" },
    { class: "neg", label: "negative" },
    { class: "bar", label: "what the token leaves of each channel" },
  ]),
  many,
  formula.el,
  section("Half-lives of fixed decays", "one dot a head", controls.layer.el, halves.el),
  section(
    "What a state costs",
    "bytes of one layer, one sequence",
    controls.model.el,
    cost,
    h("details", {}, h("summary", { text: "All models of the catalogue" }), costs.el),
  ),
];

/**
 * What stays the same while the stream plays: sentences, half-lives and costs.
 * @param {Lab} lab
 * @param {Data} data
 * @param {Shown} now
 */
const show_rest = ({ halves, costs, told, many, cost }, data, now) => {
  setText(told, data.tasks.find((one) => one.name === now.task)?.words);
  fill(
    many,
    "Error: mean over the keys that count, of this stream; below it the mean at the end of {streams:int} streams, with its {level:percent 0} interval.",
    now,
  );
  halves.update(now, false);
  fill(cost, costWords(now.cost), now);
  costs.update(now.costs.map((one, i) => ({ ...one, i, now })));
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "linear-family");
    const data = readData(model);
    const lab = build_lab(model, data);
    /** @param {number} step */
    const draw = (step) => {
      const state = { ...readState(model, KEYS), step: Math.floor(step) };
      const now = /** @type {Shown} */ (withState(state, compute(state, data)));
      lab.stream.update(now);
      lab.rows.update(now, true);
      lab.formula.update(now);
      return now;
    };
    const transport = makeTransport({
      label: "Step through the stream",
      length: 0,
      rate: 2,
      format: (t) => `token ${Math.floor(t)}`,
      print: (node, t) => fill(node, "token {now:int}", { now: Math.floor(t) }),
      onFrame: draw,
      onStop: (t) => commit(model, { step: Math.round(t) }),
    });
    root.append(...page_order(lab, transport.el));
    /** @param {State} state */
    const update = (state) => {
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(lab.controls)))
        control.set(state[key]);
      if (!transport.playing()) {
        const now = draw(state.step);
        transport.length(now.length);
        transport.set(now.now);
        show_rest(lab, data, now);
        announce(
          root,
          `token ${now.now}: ${now.rules.map((one) => `${one.label} ${fmt.percent(one.error)}`).join(", ")}`,
        );
      }
    };
    const leave = live(model, { root, keys: KEYS, check, update });
    return () => {
      transport.stop();
      leave();
    };
  },
};
