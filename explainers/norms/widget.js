/* The lab: a stack of one's own with its norms, gates and caps; scores and the soft cap; who does what. */
import { setControls } from "../kit/control.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { ceiling_view, scores_view, who_view } from "./charts.js";
import { check, compute } from "./compute.js";
import { KEYS, lab_controls, row_of } from "./controls.js";
import { block_player, results_view, sizes_view } from "./view.js";

/** @import { Data } from "../../.make/data_types/norms.d.ts" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { Widget } from "../kit/model.js" */
/** @import { State } from "./compute.js" */

export { check, compute, settle } from "./compute.js";

/** @type {[label: string, template: string][]} */
const RESULTS = [
  ["final size of the stream", "{size:fixed 2}"],
  ["embedding’s share of the stream", "{heard:percent 1}"],
  ["largest score", "{top:fixed 1}"],
  ["weights, relative to plain layers", "{share.weights:percent 1}"],
  ["all-reduces with tensor parallelism", "{cost.meetings:int}"],
];
/** @type {[key: keyof Data["who"], words: string][]} */
const WHO = [
  ["qk", "QK-norm per head"],
  ["qk_all", "QK-norm across the whole projection"],
  ["gate", "gate on attention"],
  ["cap", "soft cap"],
  ["sandwich", "sandwich norm"],
  ["behind", "output norm only"],
  ["post", "post-norm"],
  ["normed", "normalised stream"],
  ["scale", "scaled residuals"],
  ["weighed", "weighted sums"],
  ["parallel", "parallel sublayers"],
];
/** Of what the beats above draw and say, too: the lab's first picture does without. */
const OMIT = { "data-omit": true };

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "norms");
    const data = readData(model);
    const made = lab_controls(model, data);
    const player = block_player((layer) => commit(model, { layer }));
    const [sizes, results, scores, ceiling] = [sizes_view(), results_view(RESULTS), scores_view(), ceiling_view()];
    const [who, bare] = [who_view(WHO), h("p")];
    /** @param {string} title @param {string} note @param {...Kid} kids */
    const section = (title, note, ...kids) =>
      setAttrs(h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids), OMIT);
    root.append(
      row_of(made, "model", "norm", "layers", "scale"),
      row_of(made, "gate", "parallel", "qk"),
      h("div", { class: "ab-two" }, h("div", {}, player.el), h("div", {}, sizes.el, results.el)),
      section(
        "How large can an attention score get?",
        "one head, before and after QK-norm",
        row_of(made, "head", "grown"),
        scores.el,
        bare,
        row_of(made, "cap", "score"),
        ceiling.el,
      ),
      section("Which models use which variant?", "", who.el),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      setControls(made, state);
      player.update(now);
      for (const view of [sizes, results, who]) view.update(now);
      for (const view of [scores, ceiling]) view.update(now, false);
      fill(bare, now.of.head ? "" : "{of.title:text} has no attention: the head size stays as it was.", now);
      bare.hidden = now.of.head > 0;
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
