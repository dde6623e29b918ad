/* The lab, as far as it fits into a single file; widget.js adds the models that run. A text, its steps, one step and one place
   opened, tokens a step as measured and by the formula, and the speed-up over drafts and batches. */
import { segmented, slider, text_input } from "../kit/controls.js";
import { h, makeRoot, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, withState } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { bars_view, SIZES, SPEEDS } from "./charts.js";
import { check, compute } from "./compute.js";
import { load, waitingWords, whenLoaded } from "./load.js";
import { legend, look_view, NO_DRAFT, step_view, steps_view } from "./view.js";

/** @import { State } from "../../.make/data_types/speculative.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Answered, Data, Shown } from "./compute.js" */
/** @import { Look } from "./places.js" */

export { check, compute } from "./compute.js";

const KEYS = ["text", "drafter", "k", "temperature", "draw", "step", "place", "cost", "batch"];

/** @param {AfmModel<State, Data>} model */
const makeControls = (model) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  return {
    text: text_input({ label: "text", size: 48, onInput: (text) => commit(model, { text, step: 0, place: 0 }) }),
    drafter: segmented({
      label: "drafter",
      options: [
        { value: "model", label: "draft model" },
        { value: "lookup", label: "prompt lookup" },
      ],
      onInput: go("drafter"),
    }),
    k: slider({ label: "drafts a step (k)", min: 1, max: 8, onInput: go("k") }),
    temperature: segmented({
      label: "temperature",
      options: [{ value: 0, label: "0 (greedy)" }, 0.5, 1, 1.5],
      onInput: go("temperature"),
    }),
    draw: slider({ label: "random draw", min: 1, max: 99, onInput: go("draw") }),
    cost: slider({
      label: "cost of a draft (c)",
      min: 0,
      max: 1,
      step: 0.01,
      format: (value) => value.toFixed(2),
      onInput: go("cost"),
    }),
    batch: segmented({ label: "batch", options: [1, 8, 32, 64, 128, 256, 512], onInput: go("batch") }),
  };
};

/** The drafts of the opened step; each is a button. @param {(place: number) => void} onPick */
const places_view = (onPick) => {
  const box = h("div", { class: "cw-row" });
  /** @type {Control<number> | null} */
  let row = null;
  let shown = "";
  /** @param {Answered} now */
  const update = (now) => {
    const names = now.steps[now.at].drafts.map(({ name }) => name);
    if (names.join(" ") !== shown || !row) {
      row = segmented({ label: "draft", options: names.map((label, value) => ({ value, label })), onInput: onPick });
      box.replaceChildren(row.el);
      shown = names.join(" ");
    }
    box.hidden = !names.length;
    if (now.look) row.set(now.look.place);
  };
  return { el: box, update };
};

/** Tokens a step on held-out text. */
const measured_table = () =>
  makeTable({
    caption: "Tokens a step on held-out text",
    columns: [
      { label: "k", out: (/** @type {{ i: number, now: Shown }} */ { i }) => `measured.rows.${i}.k`, how: "int" },
      { label: "steps", align: "right", out: ({ i }) => `measured.rows.${i}.steps`, how: "int" },
      { label: "measured", align: "right", out: ({ i }) => `measured.rows.${i}.per_step`, how: "fixed 2" },
      { label: "formula", align: "right", out: ({ i }) => `measured.rows.${i}.formula`, how: "fixed 2" },
    ],
  });

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);

/** One place of the opened step. @param {(place: number) => void} onPick */
const opened_view = (onPick) => {
  const [places, looks, rule] = [places_view(onPick), look_view(), h("p")];
  const el = section(
    "One place of this step",
    "both models’ probabilities, and what the rule makes of them",
    places.el,
    looks.el,
    rule,
  );
  /** @param {Shown} now */
  const update = (now) => {
    el.hidden = !now.look;
    if (now.steps) places.update(/** @type {Answered} */ (now));
    if (!now.look) return;
    looks.update(/** @type {Shown & { look: Look }} */ (now), false);
    fill(rule, now.look.drafted === null ? NO_DRAFT : RULE, now);
  };
  return { el, update };
};

/** The speed-up by the formula, which holds for a draft model. @param {ReturnType<typeof makeControls>} made */
const speedup_view = ({ cost, batch }) => {
  const [speeds, sizes, worth] = [bars_view(SPEEDS), bars_view(SIZES), h("p")];
  const el = section(
    "Speed-up by the formula",
    "with the measured acceptance rate",
    h("div", { class: "cw-row" }, cost.el, batch.el),
    worth,
    h("div", { class: "cw-split" }, speeds.el, sizes.el),
  );
  /** @param {Shown} now */
  const update = (now) => {
    speeds.update(now, false);
    sizes.update(now, false);
    el.hidden = now.drafter === "lookup";
    fill(worth, worthWords(now), now);
  };
  return { el, update };
};

/** Tokens a step as measured; of prompt lookup, why the formula does not apply. */
const measured_view = () => {
  const [table, apart, facts] = [measured_table(), h("p"), h("p")];
  /** @param {Shown} now */
  const update = (now) => {
    apart.hidden = now.drafter !== "lookup";
    fill(apart, APART, now);
    table.update(now.measured.rows.map((_, i) => ({ i, now })));
    fill(facts, FACTS, now);
  };
  return { el: section("Tokens per step", "measured on held-out text", table.el, apart, facts), update };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "speculative");
    const data = readData(model);
    const made = makeControls(model);
    const [steps, step] = [steps_view((at) => commit(model, { step: at, place: 0 })), step_view()];
    const [counted, waiting, left] = [h("p"), h("p"), h("p")];
    const body = h("div", { class: "cw-split" }, h("div", {}, steps.el, legend(), counted), h("div", {}, step.el));
    const below = [opened_view((place) => commit(model, { place })), speedup_view(made), measured_view()];
    root.append(
      h("div", { class: "cw-row" }, made.text.el, made.drafter.el),
      h("div", { class: "cw-row" }, made.k.el, made.temperature.el, made.draw.el),
      waiting,
      left,
      body,
      ...below.map((one) => one.el),
    );
    /** @param {State} given */
    const update = (given) => {
      const now = /** @type {Shown} */ (withState(given, compute(given, data)));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(given[key]);
      waiting.hidden = Boolean(now.look);
      if (!now.look) {
        load(data);
        setText(waiting, waitingWords());
      }
      body.hidden = !now.steps;
      if (now.steps) {
        const seen = /** @type {Answered} */ (now);
        steps.update(seen, false);
        step.update(seen, "");
        fill(counted, COUNTED + (seen.totals.tried ? CHECKED : NONE), now);
        left.hidden = !now.dropped;
        fill(left, "{dropped:int} tokens at the beginning of the text are left out.", now);
      }
      for (const one of below) one.update(now);
    };
    const stop = live(model, { root, keys: KEYS, check, update });
    const forget = whenLoaded(() => {
      const state = /** @type {State} */ (readState(model, KEYS));
      if (!check(state)) update(state);
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    return () => {
      forget();
      stop();
    };
  },
};

/** The speed-up in words. @param {Shown} now */
const worthWords = ({ worth: { best, slower } }) => {
  const fastest =
    best.speedup > 1 ? "k = {worth.best.k:int} is the fastest." : "No number of drafts pays at this cost and batch.";
  if (!slower) return `${WORTH} ${fastest}`;
  return `${WORTH} ${fastest} ${slower > 1 ? "From a batch of {worth.slower:int} on speculation is no faster." : "With k = {k:int} speculation is no faster at any batch."}`;
};
const COUNTED =
  "{totals.tokens:int} tokens in {totals.steps:int} passes of the target: {totals.per_step:fixed 2} a step.";
const CHECKED =
  " {totals.accepted:int} of {totals.tried:int} checked drafts are accepted ({totals.rate:percent 1}). The target ran over {totals.drafted:int}; {totals.unchecked:int} were discarded unchecked.";
const NONE = " No step had a draft.";
const RULE =
  "A draft from q is accepted here with a probability of Σ min(p, q) = {look.alpha:percent 1}. The output column is min(p, q) plus {look.rejected:percent 1} of the residual: the target’s p.";
const WORTH =
  "{worth.now.expected:fixed 2} tokens a step, {worth.now.speedup:fixed 2} × as fast as plain decoding with a batch of {batch:int}; {worth.alone:fixed 2} × where only memory counts.";
const APART =
  "At k = {measured.rows.0.k:int}, {measured.rate:percent 1} of {measured.checked:int} checked drafts are accepted; {measured.empty:percent 1} of the steps have no draft, so the formula does not apply.";
const FACTS =
  "Target: {facts.target:int} weights, {facts.target_bits_per_byte:fixed 2} bits per byte on held-out text. Draft model: {facts.draft:int} weights ({facts.ratio:percent 0}), {facts.bits_per_byte:fixed 2}. The table: {facts.prompts:int} held-out paragraphs, each continued by {facts.written:int} tokens. The pass: {facts.tflops:int} TFLOP/s and {facts.tb:fixed 2} TB/s (H100 SXM, BF16), so it takes longer from {facts.ridge:int} tokens on.";
