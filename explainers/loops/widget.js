/* The lab: a stack of one's own that loops, borrows keys and values or has four streams; drafts; who does what. */
import { setControls } from "../kit/control.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { who_view } from "../norms/charts.js";
import { check, compute } from "../norms/compute.js";
import { KEYS, lab_controls, row_of } from "../norms/controls.js";
import { block_player, results_view, sizes_view } from "../norms/view.js";
import { borrow_view, drafts_view, loops_view, mixing_view } from "./charts.js";

/** @import { Data } from "../../.make/data_types/loops.d.ts" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { Widget } from "../kit/model.js" */
/** @import { State } from "../norms/compute.js" */

export { check, compute, settle } from "../norms/compute.js";

/** @type {[label: string, template: string][]} */
const RESULTS = [
  ["final size of the stream", "{size:fixed 2}"],
  ["embedding’s share of the stream", "{heard:percent 1}"],
  ["weights, relative to plain layers", "{share.weights:percent 1}"],
  ["cache per token, relative to plain layers", "{share.kept:percent 1}"],
  ["tokens per step, with drafts", "{drafted.expected:fixed 2}"],
];
/** @type {[key: keyof Data["who"], words: string][]} */
const WHO = [
  ["drafts", "draft tokens"],
  ["loops", "looped layers"],
  ["borrow", "cross-layer KV sharing"],
  ["own", "per-layer embeddings"],
  ["streams", "several residual streams"],
];
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
    const root = makeRoot(el, "loops");
    const data = readData(model);
    const made = lab_controls(model, data);
    const player = block_player((layer) => commit(model, { layer }));
    const [sizes, results, who] = [sizes_view(), results_view(RESULTS), who_view(WHO)];
    const [drafts, loops, borrow, mixing] = [drafts_view(), loops_view(), borrow_view(), mixing_view()];
    const told = TOLD.map(() => h("p"));
    /** @param {string} title @param {...Kid} kids */
    const section = (title, ...kids) => h("div", { class: "cw-section", "data-below": true }, heading(title, ""), kids);
    root.append(
      row_of(made, "model", "layers", "loops", "borrow"),
      row_of(made, "streams", "rounds", "own"),
      h("p", { class: "ab-name" }, "Norms, gates and caps are those of the model it is set up like."),
      h("div", { class: "ab-two" }, h("div", {}, player.el), h("div", {}, sizes.el, results.el)),
      section("How many tokens can one step produce?", row_of(made, "drafts", "accept"), omitted(drafts), told[0]),
      section("Looped layers and shared KV in real models", omitted(loops), omitted(borrow), told[1]),
      section("How do four streams mix?", omitted(mixing), told[2]),
      setAttrs(section("Which models use which variant?", who.el), OMIT),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      setControls(made, state);
      player.update(now);
      for (const view of [sizes, results, who]) view.update(now);
      for (const view of [drafts, loops, borrow, mixing]) view.update(now, false);
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
