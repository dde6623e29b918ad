/* Page order: what is written, the five states, what a key reads back, errors over time, steps against chunks. */
import { segmented } from "../kit/controls.js";
import { afterPaint, announce, h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { onWidth, widthOf } from "../kit/width.js";
import { step_of, trace } from "./compute.js";
import { history_view } from "./history.js";
import { check } from "./legal.js";
import { rule_sliders, scored_controls } from "./rule_controls.js";
import { state_tables } from "./state_tables.js";
import { recall, rule_cards } from "./states.js";
import { tape, with_gate } from "./tape.js";
import { show_keys, write_controls } from "./write_controls.js";

/** @import { Kid } from "../kit/dom.js" */
/** @import { Changes, Widget } from "../kit/model.js" */
/** @import { Format } from "../kit/numbers.js" */
/** @import { Data, Now, Rule, State, Traced } from "./compute.js" */

export { compute } from "./compute.js";
export { check } from "./legal.js";

/** @type {(keyof State)[]} */
const KEYS = [
  "writes",
  "step",
  "seed",
  "overlap",
  "beta",
  "decay",
  "gates",
  "channels",
  "border",
  "wanted",
  "chunk",
  "query",
  "rule",
];

/** @typedef {ReturnType<typeof build_lab>} Lab */

/**
 * The controls and drawings; the transport comes later, since it plays them.
 * @param {Data} data
 * @param {() => State} get
 * @param {(changes: Changes<State>) => void} set
 * @param {(step: number) => void} go_to
 */
const build_lab = (data, get, set, go_to) => ({
  sliders: rule_sliders(set),
  written: write_controls(data, get, set),
  roll: tape(data, go_to, (i, a) => set({ gates: with_gate(get(), i, a) })),
  scored: scored_controls(data, get, set),
  cards: rule_cards(data, (rule) => set({ rule })),
  query: segmented({
    label: "Read with key",
    options: [...data.letters].map((label, value) => ({ value, label })),
    onInput: (v) => set({ query: v }),
  }),
  reads: recall(data),
  plot: history_view(data),
  tables: state_tables(data),
  chunk: segmented({ label: "Writes per chunk", options: data.chunks, onInput: (v) => set({ chunk: v }) }),
});

/** @type {(title: string, note: string, ...kids: Kid[]) => HTMLElement} */
const section = (title, note, ...kids) => h("section", { class: "cw-section" }, heading(title, note), kids);

/** What stands on the page, from top to bottom. @param {Lab} lab @param {Element} transport */
const page_order = ({ sliders, written, roll, scored, cards, query, reads, plot, tables, chunk }, transport) => [
  written.tapes,
  written.el,
  roll.el,
  transport,
  h("p", {
    class: "cw-note",
    text: "Below each write is its α, the share of all earlier writes that rules with decay keep.",
  }),
  scored.border,
  scored.wanted,
  heading("Five states, the same writes", "yellow edges mark what decoding stores; it never grows"),
  cards.el,
  makeLegend([
    { class: "cw-delta-rule-key pos", label: "positive" },
    { class: "cw-delta-rule-key neg", label: "negative, marked −" },
  ]),
  h(
    "div",
    { class: "cw-delta-rule-sliders" },
    Object.values(sliders).map((s) => s.el),
  ),
  scored.kda,
  tables.details,
  setAttrs(section("What each rule retrieves", "", query.el, reads.el), { "data-below": true }),
  section("Recall error after each write", "mean over the scored keys written so far", plot.el),
  section("Step by step or in chunks", "", chunk.el, tables.forms),
];

/**
 * The drawings at a moment, which may lie between two steps.
 * @param {Lab} lab
 * @param {Data} data
 * @param {State} state
 * @param {Traced} traced
 * @param {{ t: number, px: number }} at
 */
const draw_moment = ({ cards, reads, roll, plot }, data, state, traced, { t, px }) => {
  const { found, attention, gates, axis, pairs } = traced;
  cards.update(traced, state, t);
  reads.update(traced, state, t);
  roll.update(state, { gates: gates.scalar }, Math.floor(t));
  const histories = Object.fromEntries([
    ...data.rules.map((r) => [r.name, found[r.name].history]),
    ["attention", attention.history],
  ]);
  plot.update(histories, axis, pairs, t, px);
};

/** Every control shows the state. @param {Lab} lab @param {State} state @param {Now} out */
const set_controls = ({ sliders, query, chunk, scored, written }, state, out) => {
  for (const [name, control] of Object.entries(sliders)) control.set(state[/** @type {keyof typeof sliders} */ (name)]);
  sliders.overlap.enable(state.seed === 0);
  show_keys(query, out.keys.length);
  query.set(state.query);
  chunk.set(state.chunk);
  scored.update(state, out);
  written.update(state, out);
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "delta-rule");
    const data = readData(model);
    const get = () => readState(model, KEYS);
    const set = (/** @type {Changes<State>} */ changes) => commit(model, changes);
    /** @type {[Traced | null, string, number, number]} */
    let [traced, drawn, t, px] = [null, "", 0, 0];
    const later = afterPaint();
    const lab = build_lab(data, get, set, (step) => {
      transport.stop();
      set({ step });
    });

    const show = (/** @type {number} */ time) => {
      [t, px] = [time, widthOf(root)];
      draw_moment(lab, data, get(), /** @type {Traced} */ (traced), { t, px });
    };
    const moment = (/** @type {number} */ x) => ({ step: Math.floor(x), writes: traced ? traced.pairs.length : 0 });
    const transport = makeTransport({
      label: "Step through the writes",
      length: 0,
      rate: 1.25,
      format: (x) => `${moment(x).step} of ${moment(x).writes}`,
      print: (node, x) => fill(node, "{step:int} of {writes:int}", moment(x)),
      onFrame: (x) => {
        if (traced) show(x);
      },
      onStop: (x) => set({ step: Math.round(x) }),
    });
    root.append(...page_order(lab, transport.el));

    /** @param {State} state */
    const update = (state) => {
      const print = JSON.stringify(KEYS.filter((k) => !["step", "query", "rule"].includes(k)).map((k) => state[k]));
      if (print !== drawn) {
        transport.stop();
        traced = trace(state, data);
        drawn = print;
        transport.length(traced.pairs.length);
      }
      const out = step_of(state, data, /** @type {Traced} */ (traced));
      set_controls(lab, state, out);
      transport.set(state.step);
      if (!transport.playing()) show(state.step);
      announce(
        root,
        `step ${state.step}: ${data.rules.map((r) => `${r.label} ${fmt.percent(out.rules[r.name].error)}`).join(", ")}`,
      );
      later(() => lab.tables.update(state, out));
    };
    const leave = live(model, { root, keys: KEYS, check: check, update });
    const unwatch = onWidth(root, (now) => {
      if (traced && now !== px) show(t);
    });
    return () => {
      transport.stop();
      unwatch();
      leave();
    };
  },
};
