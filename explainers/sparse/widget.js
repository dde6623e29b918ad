/* The lab: a text, a budget and every method on it; what the chosen one does; and what models read at any length. */
import { upto } from "../kit/arrays.js";
import { segmented, select, slider, toggle } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt, withState } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { BLOCKS, BUDGETS, check, compute, WINDOWS } from "./compute.js";
import { costs_view, strips_legend, strips_view, weights_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/sparse.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Shown } from "./compute.js" */

export { check, compute } from "./compute.js";

/** @type {(keyof State)[]} */
const KEYS = ["text", "seed", "needle", "method", "budget", "block", "window", "gated", "model", "tokens"];
const LENGTHS = upto(11).map((power) => 2 ** (10 + power));
/** The stop nearest to a length. @param {number} tokens */
const stopOf = (tokens) => Math.max(0, Math.min(10, Math.round(Math.log2(tokens)) - 10));

/** @param {AfmModel<State, Data>} model @param {Data} data */
const makeControls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  let held = 0; // any length: a link may stand between two stops
  const length = slider({
    label: "context of the costs, tokens",
    min: 0,
    max: LENGTHS.length - 1,
    format: (at) => fmt.int(held && at === stopOf(held) ? held : LENGTHS[at]),
    onInput: (at) => commit(model, { tokens: LENGTHS[at] }),
  });
  return {
    text: select({ label: "text", options: data.texts, onInput: go("text") }),
    needle: slider({ label: "needle at token", min: 1, max: 119, onInput: go("needle") }),
    seed: slider({ label: "seed", min: 1, max: 99, onInput: go("seed") }),
    budget: segmented({ label: "tokens to read", options: BUDGETS, onInput: go("budget") }),
    block: segmented({ label: "block size", options: BLOCKS, onInput: go("block") }),
    window: segmented({ label: "window beside blends", options: WINDOWS, onInput: go("window") }),
    gated: toggle({ label: "weighted entries (CSA, HCA)", onInput: go("gated") }),
    model: select({
      label: "model",
      options: data.models.map(({ slug, title }) => ({ value: slug, label: title })),
      onInput: go("model"),
    }),
    tokens: { ...length, set: (/** @type {number} */ tokens) => length.set(stopOf((held = tokens))) },
  };
};

/** @typedef {{ i: number, now: Shown }} At */
/** @param {string} label @param {string} key @param {string} how @param {string} of */
const column = (label, key, how, of) => ({
  label,
  align: how === "text" ? "" : "right",
  out: (/** @type {At} */ { i }) => `${of}.${i}.${key}`,
  how,
});
const published_table = () =>
  makeTable({
    caption: "Published settings: keys scored and entries read by a layer for one new token",
    columns: [
      column("method", "label", "text", "published"),
      column("setting", "setting", "text", "published"),
      column("scored", "scored", "int", "published"),
      column("read", "read", "int", "published"),
    ],
  });
const costs_table = () =>
  makeTable({
    caption: "Models: GFLOP of indexer and attention for one new token",
    columns: [
      column("model", "title", "text", "models"),
      column("indexer", "look_gflop", "fixed 1", "models"),
      column("attention", "read_gflop", "fixed 1", "models"),
      column("bytes: all / read", "saves", "fixed 1", "models"),
    ],
  });

/** @param {string} title @param {string} note @param {(Node | Node[])[]} kids */
const section = (title, note, ...kids) =>
  h("div", { class: "cw-section", "data-below": true }, heading(title, note), kids);
const FOUND =
  "{chosen.label:text}: {chosen.finders:int} of {heads:int} heads read their needle, which gets {chosen.needle:percent 1} of the weight (full attention: {on_needle:percent 1}). ";
const EACH = "Attention kept, head by head: {chosen.heads:each percent 0}.";

/** Methods that read whole blocks, of which the last token's own is always one. */
const OF_BLOCKS = ["moba", "nsa", "block_max", "pooled"];
/** @param {Shown} now */
const roomOf = ({ method, block, budget }) =>
  OF_BLOCKS.includes(method) && block === budget ? " The budget has room for its own block only." : "";
/** What a model's cache holds, and what a new token reads of it. @param {Shown} now */
const heldOf = ({ cost }) => {
  const state = cost.fixed ? ", and {cost.fixed:bytes} of fixed state" : "";
  const held = `{cost.title:text}: the cache holds {cost.dense:bytes} of entries and {cost.index:bytes} of index keys${state}.`;
  const end = cost.saves >= 1 ? "" : ": nothing is saved yet";
  return `${held} A new token reads {cost.reads:bytes} of entries and index keys${end}.`;
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "sparse");
    const data = readData(model);
    const made = makeControls(model, data);
    const [weights, strips] = [weights_view(), strips_view(data, { onPick: (method) => commit(model, { method }) })];
    const [costs, published, arithmetic] = [costs_view(), published_table(), costs_table()];
    const [says, found, cost] = [h("p"), h("p", { class: "cw-note" }), h("p")];
    const row = (/** @type {Control<any>[]} */ ...controls) =>
      h(
        "div",
        { class: "cw-row" },
        controls.map((one) => one.el),
      );
    root.append(
      row(made.text, made.needle, made.seed),
      row(made.budget, made.block, made.window, made.gated),
      row(made.tokens, made.model),
      ...weights.el,
      ...strips.el,
      strips_legend(data.methods.map(({ kind }) => kind)),
      h("div", { class: "cw-sparse-says" }, says, found),
      section(
        "What it costs",
        "one new token, one sequence, BF16",
        cost,
        costs.el,
        h("details", {}, h("summary", { text: "Published settings at this length" }), published.el),
        h("details", {}, h("summary", { text: "Arithmetic of each model" }), arithmetic.el),
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = /** @type {Shown} */ (withState(state, compute(state, data)));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      weights.update(now);
      strips.update(now);
      costs.update(now);
      fill(says, "{says:text} Source: {source:text}.", now);
      fill(found, (now.needles.length ? FOUND : "{chosen.label:text}. ") + EACH + roomOf(now), now);
      fill(cost, heldOf(now), now);
      published.update(now.published.map((_, i) => ({ i, now })));
      arithmetic.update(now.models.map((_, i) => ({ i, now })));
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
