/* The lab: a stack of one's own, switch by switch, then the small machines beside it, a model's numbers, and who does what. */
import { setControls } from "../kit/control.js";
import { toggle as kitToggle, segmented, select, slider } from "../kit/controls.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, makeOffer, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { borrow_view, ceiling_view, drafts_view, loops_view, mixing_view, scores_view, who_view } from "./charts.js";
import { check, compute, find, switches } from "./compute.js";
import { block_player, results_view, sizes_view } from "./view.js";

/** @import { Data } from "../../.make/data_types/around-the-block.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Model, State } from "./compute.js" */

/** What has a control. @typedef {Omit<State, "layer">} Chosen */
/**
 * What has a slider.
 * @typedef {"layers" | "loops" | "borrow" | "scale" | "cap" | "grown" | "score" | "drafts" | "accept"} Sliding
 */

export { check, compute, settle } from "./compute.js";

/** @type {(keyof State)[]} */
const KEYS = [
  "model",
  "norm",
  "scale",
  "layers",
  "layer",
  "qk",
  "grown",
  "head",
  "cap",
  "score",
  "gate",
  "parallel",
  "drafts",
  "accept",
  "loops",
  "borrow",
  "own",
  "streams",
  "rounds",
];
/** @type {[value: string, label: string][]} */
const NORM_NAMES = [
  ["pre", "pre-norm"],
  ["post", "post-norm, 2017"],
  ["sandwich", "sandwich norm"],
  ["behind", "output norm only"],
  ["normed", "normalised stream"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const lab_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @param {string} slug */
  const of = (slug) => /** @type {Model} */ (find(slug, data));
  /** @type {Setter<Chosen>} */
  const go = (key) => (value) => offer(made[key], { [key]: value });
  /**
   * @param {Sliding} key
   * @param {string} label
   * @param {number} min
   * @param {number} max
   * @param {{ step?: number, format?: (value: number) => string }} [more]
   */
  const slide = (key, label, min, max, more) => slider({ label, min, max, onInput: go(key), ...more });
  /**
   * @template {keyof Chosen} Key
   * @param {Key} key
   * @param {string} label
   * @param {readonly (State[Key] | Option<State[Key]>)[]} options
   */
  const choose = (key, label, options) => select({ label, options, onInput: go(key) });
  /** @param {"parallel" | "own" | "qk"} key @param {string} label */
  const toggle = (key, label) => kitToggle({ label, onInput: go(key) });
  /**
   * @template {keyof Chosen} Key
   * @param {Key} key
   * @param {string} label
   * @param {readonly (State[Key] | Option<State[Key]>)[]} options
   */
  const pills = (key, label, options) => segmented({ label, options, onInput: go(key) });
  /** @type {{ [Key in keyof Chosen]: Control<State[Key]> }} */
  const made = {
    model: select({
      label: "set up like",
      options: data.models.map((row) => {
        const { slug: value, title: label } = of(String(row[0]));
        return { value, label };
      }),
      onInput: (slug) => offer(made.model, { model: slug, ...switches(of(slug), data) }),
    }),
    norm: choose(
      "norm",
      "norms",
      NORM_NAMES.map(([value, label]) => ({ value, label })),
    ),
    layers: slide("layers", "layers", 1, 128),
    loops: slide("loops", "runs", 1, 16),
    borrow: slide("borrow", "last layers reusing KV", 0, 127),
    scale: slide("scale", "residual scale", 0.01, 2, { step: 0.01, format: (v) => fmt.fixed(v, 2) }),
    gate: pills("gate", "gate", [
      { value: "none", label: "none" },
      { value: "heads", label: "per head" },
      { value: "numbers", label: "per element" },
    ]),
    parallel: toggle("parallel", "parallel sublayers"),
    own: toggle("own", "per-layer embedding"),
    qk: toggle("qk", "QK-norm"),
    streams: pills("streams", "streams", [1, 4]),
    rounds: choose(
      "rounds",
      "Sinkhorn rounds",
      data.kinds.rounds.map((value) => ({ value, label: value || "free" })),
    ),
    cap: slide("cap", "cap", 0, 200, { format: (v) => (v ? String(v) : "none") }),
    grown: slide("grown", "query and key scale", 0.25, 16, { step: 0.25, format: (v) => fmt.num(v, 4) }),
    head: choose("head", "head size", data.kinds.head),
    score: slide("score", "score", 0, 200),
    drafts: slide("drafts", "drafts", 0, 7),
    accept: slide("accept", "acceptance rate", 0.05, 0.99, { step: 0.01, format: (v) => fmt.percent(v, 0) }),
  };
  return made;
};
const TOLD = [
  "Drafts: {drafts:int}, each accepted with a probability of {accept:percent 0}. The expected number of tokens per step is {drafted.expected:fixed 2}; the average of {drafted.many:int} simulated steps is {drafted.measured:fixed 2}. {drafted.wasted:percent 0} of the checked tokens are discarded.",
  "{of.title:text}: {of.layers:int} layers. Runs: {loops:int}. Its cache takes {looped.bytes:bytes} per token, {looped.times:fixed 2} times as much as that of {beside.title:text}.",
  "Over {mixing.places:int} sublayers, a stream can become {mixing.free_gain:fixed 1} times as large with free mixing, and {mixing.gain:fixed 2} times as large with the chosen number of Sinkhorn rounds.",
];

/** Of what the beats above draw and say, too: the lab's first picture does without. */
const OMIT = { "data-omit": true };
/** @param {{ el: Element[] }} view */
const omitted = ({ el }) => el.map((one) => setAttrs(one, OMIT));

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "around-the-block");
    const data = readData(model);
    const made = lab_controls(model, data);
    const player = block_player((layer) => commit(model, { layer }));
    const [sizes, results, scores, ceiling, drafts, loops, borrow, mixing, who] = [
      sizes_view(),
      results_view(),
      scores_view(),
      ceiling_view(),
      drafts_view(),
      loops_view(),
      borrow_view(),
      mixing_view(),
      who_view(),
    ];
    const bare = h("p");
    const told = TOLD.map(() => h("p"));
    /** @param {...keyof Chosen} keys */
    const row = (...keys) =>
      h(
        "div",
        { class: "cw-row" },
        keys.map((key) => made[key].el),
      );
    /** @param {string} title @param {string} note @param {...Kid} kids */
    const section = (title, note, ...kids) =>
      h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);
    root.append(
      row("model", "norm", "layers", "loops", "borrow", "scale"),
      row("gate", "streams", "rounds", "parallel", "own", "qk"),
      h("div", { class: "ab-two" }, h("div", {}, player.el), h("div", {}, sizes.el, results.el)),
      setAttrs(
        section(
          "How large can an attention score get?",
          "one head, before and after QK-norm",
          row("head", "grown"),
          scores.el,
          bare,
          row("cap", "score"),
          ceiling.el,
        ),
        OMIT,
      ),
      section("How many tokens can one step produce?", "", row("drafts", "accept"), omitted(drafts), told[0]),
      section("Looped layers and shared KV in real models", "", omitted(loops), omitted(borrow), told[1]),
      section("How do four streams mix?", "", omitted(mixing), told[2]),
      setAttrs(section("Which models use which variant?", "", who.el), OMIT),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      setControls(made, state);
      player.update(now);
      for (const view of [sizes, results, who]) view.update(now);
      for (const view of [scores, ceiling, drafts, loops, borrow, mixing]) view.update(now, false);
      fill(bare, now.of.head ? "" : "{of.title:text} has no attention: the head size stays as it was.", now);
      bare.hidden = now.of.head > 0;
      told.forEach((p, i) =>
        fill(
          p,
          TOLD[i] +
            (i === 1 && now.of.mtp
              ? " Its draft layers have {of.mtp_numbers:count} parameters, {of.mtp_share:percent 1} of all."
              : ""),
          now,
        ),
      );
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
