/* The lab: any model at any length: its layers, what it keeps and reads, and every kind of layer on one ruler. */

import { upto } from "../kit/arrays.js";
import { select as kitSelect, slider as kitSlider, segmented } from "../kit/controls.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { commit, live, readData } from "../kit/model.js";
import { fmt, put } from "../kit/numbers.js";
import { models_view } from "./charts.js";
import { check, compute } from "./compute.js";
import { strip_view } from "./layers_view.js";
import { BATCHES, TOPKS, WINDOWS } from "./models.js";
import { kinds_view, results_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/long-context.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

/**
 * Words, the path and the format of a bound number, or a link.
 * @typedef {string | string[] | { link: string, text: string }} Cell
 */

export { check, compute } from "./compute.js";

const KEYS = ["model", "storage", "tokens", "batch", "window", "topk"];
const LENGTHS = [...upto(80).map((at) => (2 ** (10 + Math.floor(at / 8)) * (8 + (at % 8))) / 8), 2 ** 20];
/** @param {number} tokens */
const length_of = (tokens) =>
  LENGTHS.reduce(
    (best, one, i) => (Math.abs(Math.log(LENGTHS[best] / tokens)) > Math.abs(Math.log(one / tokens)) ? i : best),
    0,
  );

/** @param {AfmModel<State, Data>} model @param {Data} data */
const lab_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /**
   * @template {keyof State} Key
   * @param {Key} key
   * @param {string} label
   * @param {Option<State[Key]>[]} options
   */
  const select = (key, label, options) => kitSelect({ label, options, onInput: go(key) });
  /**
   * @template {keyof State} Key
   * @param {Key} key
   * @param {string} label
   * @param {(State[Key] | Option<State[Key]>)[]} options
   */
  const several = (key, label, options) => segmented({ label, options, onInput: go(key) });
  let held = 0; // any length: a link may stand between two stops
  /** @param {number} at */
  const length_at = (at) => (held && at === length_of(held) ? held : LENGTHS[at]);
  const slider = kitSlider({
    label: "tokens",
    min: 0,
    max: LENGTHS.length - 1,
    format: (at) => fmt.int(length_at(at)),
    onInput: (at) => commit(model, { tokens: LENGTHS[at] }),
  });
  return {
    model: select(
      "model",
      "model",
      data.models.slug.map((value, i) => ({ value, label: data.models.title[i], group: value.split("/")[0] })),
    ),
    storage: select(
      "storage",
      "storage",
      data.storages.map(([value, label]) => ({ value, label })),
    ),
    tokens: { ...slider, set: (/** @type {number} */ tokens) => slider.set(length_of((held = tokens))) },
    batch: several("batch", "sequences", BATCHES),
    window: several(
      "window",
      "window",
      WINDOWS.map((value) => ({ value, label: fmt.int(value) })),
    ),
    topk: several(
      "topk",
      "indexer top-k",
      TOPKS.map((value) => ({ value, label: value ? fmt.int(value) : "all" })),
    ),
  };
};

/**
 * A table of rows of cells.
 * @param {string} caption
 * @param {string} css
 * @param {string[]} heads
 * @param {Cell[][]} rows
 */
const table_of = (caption, css, heads, rows) => {
  /** @type {[Element, ...string[]][]} */
  const bound = [];
  /** @param {Cell} one @param {number} i */
  const cell = (one, i) => {
    const td = h(i ? "td" : "th", {
      scope: i ? false : "row",
      "data-label": (!css && i > 0 && heads[i]) || false,
      class: (css && ["", "", "published", "ours"][i]) || false,
    });
    if (Array.isArray(one)) bound.push([td, ...one]);
    else
      setAttrs(td, { "data-index": true }).append(
        typeof one === "string" ? one : h("a", { href: one.link, text: one.text }),
      );
    return td;
  };
  const body = rows.map((row) => h("tr", {}, row.map(cell)));
  const table = h(
    "table",
    { class: `cw-table ${css || "cw-stack"}` },
    h("caption", { text: caption }),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text) => h("th", { scope: "col", text })),
      ),
    ),
    h("tbody", {}, body),
  );
  /** @param {Now} now */
  const update = (now) => bound.forEach(([td, path, how]) => put(td, path, how, now));
  return { el: h("div", { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": caption }, table), update };
};
const HELD = [
  ["title", "text"],
  ["states", "int"],
  ["fixed", "bytes"],
  ["caches", "int"],
  ["slope", "bytes"],
  ["tokens", "int"],
];
/** @param {Data} data */
const crossings_view = ({ hybrids }) =>
  table_of(
    "Length at which the caches of hybrids become larger than their states",
    "",
    ["model", "layers with states", "states", "layers with caches", "added per token", "caches are larger from"],
    hybrids.map((_, i) => HELD.map(([key, how]) => [`cross.${i}.${key}`, how])),
  );
/** @param {Data} data */
const claims_view = ({ claims }) =>
  table_of(
    "Published figures, recomputed",
    "cw-long-context-claims",
    ["model", "what", "published", "counted here", "how", "source"],
    claims.map(([who, says, published, , how, text, link], i) => [
      who,
      says,
      published,
      [`claims.${i}.ours`, "text"],
      how,
      { link, text },
    ]),
  );

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "long-context");
    const data = readData(model);
    const made = lab_controls(model, data);
    const [strip, bars, results, kinds] = [
      strip_view(),
      models_view(),
      results_view(),
      kinds_view(data.examples.slice(0, -1)),
    ];
    const [crossed, claimed] = [crossings_view(data), claims_view(data)];
    /** @param {...keyof typeof made} keys */
    const line = (...keys) =>
      h(
        "div",
        { class: "cw-row" },
        keys.map((key) => made[key].el),
      );
    /** What the lab above fits on a screen without. @param {string} title @param {string} note @param {Kid[]} kids */
    const section = (title, note, ...kids) =>
      h("details", { class: "cw-section", "data-below": true }, h("summary", {}, title), h("p", {}, note), kids);
    root.append(
      line("model", "storage", "batch"),
      line("tokens"),
      ...strip.el,
      h("div", { class: "cw-split" }, h("div", {}, bars.el), h("div", {}, results.el)),
      section(
        "Every kind of layer, side by side",
        "top: what the newest token reads; bottom, in yellow: what one layer keeps",
        line("window", "topk"),
        kinds.el,
      ),
      section(
        "When caches become larger than states",
        "hybrid models, with caches in BF16 and states in FP32",
        crossed.el,
      ),
      section("Published figures", "recomputed from each model’s config", claimed.el),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      for (const view of [strip, bars, results, kinds, crossed, claimed]) view.update(now);
    };
    return live(model, { root, keys: KEYS, check, update });
  },
};
