/* The lab: a head, a tile and a chip with what they cost; below it eight tokens, tile by tile. */
import { choices, select as kitSelect, segmented, slider } from "../kit/controls.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { bars_view, roof_view, sram_view } from "./bars.js";
import { check, compute, FIFTHS, LARGEST, REACHES, SMALLEST, STEP, TILES, TOKENS } from "./compute.js";
import { walk_player } from "./walk.js";

/** @import { Data, State } from "../../.make/data_types/flash.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */

export { check, compute } from "./compute.js";

const KEYS = ["model", "head", "tokens", "window", "rows", "keys", "chip", "tile", "reach", "fifth", "step"];
/** @type {{ [window: number]: string }} */
const WINDOW_WORDS = { 0: "as in its model", "-1": "all, later ones too" };
/** @param {string} tile */
const cut_words = (tile) => tile.replace("x", " × ");

/** @param {AfmModel<State, Data>} model @param {Data} data */
const flash_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  /**
   * @template {keyof State} Key
   * @param {Key} key
   * @param {string} label
   * @param {{ value: State[Key], label: string, group?: string }[]} options
   */
  const select = (key, label, options) => kitSelect({ label, options, onInput: go(key) });
  /** @param {"rows" | "keys"} key @param {string} label */
  const of_tile = (key, label) => slider({ label, min: SMALLEST, max: LARGEST, step: STEP, onInput: go(key) });
  return {
    tokens: choices({
      label: "tokens",
      options: TOKENS.map((value) => ({ value, label: `${value / 1024}k` })),
      onInput: go("tokens"),
    }),
    rows: of_tile("rows", "rows of a tile"),
    keys: of_tile("keys", "keys of a tile"),
    model: select(
      "model",
      "head of model",
      data.models.map((row) => ({ value: row[0], label: row[1], group: row[0].split("/")[0] })),
    ),
    head: select(
      "head",
      "head size",
      data.heads.map((value) => ({ value, label: value ? String(value) : "the model’s" })),
    ),
    window: select(
      "window",
      "a token sees",
      data.windows.map((value) => ({ value, label: WINDOW_WORDS[value] || `the last ${fmt.int(value)}` })),
    ),
    chip: select(
      "chip",
      "chip",
      data.chips.map((one) => ({ value: one.key, label: one.title })),
    ),
    tile: segmented({
      label: "tile",
      options: TILES.map((value) => ({ value, label: cut_words(value) })),
      onInput: go("tile"),
    }),
    reach: segmented({
      label: "a query sees",
      options: REACHES.map((value) => ({ value, label: value === 8 ? "all before" : `the last ${value}` })),
      onInput: go("reach"),
    }),
    fifth: segmented({ label: "score of key 5 in row 7", options: FIFTHS, onInput: go("fifth") }),
  };
};

const COST = [
  "{tiled.computed:int} of {tiled.tiles:int} tiles are computed ({tiled.share:percent 1}). They move {tiled.bytes:bytes}, including {tiled.again_bytes:bytes} of keys and values that are read again. This takes at least {tiled.us_bytes:fixed 1} µs for the bytes and {tiled.us_flops:fixed 1} µs for the arithmetic; plain attention on the same scores takes at least {masked.us_bytes:fixed 1} µs for the bytes.",
  "{head.title} has {head.heads:int} heads in each of {head.layers:int} such layers, with queries and keys of {head.qk:int} numbers and values of {head.v:int}. Together they move {all.plain:bytes} with plain attention and {all.tiled:bytes} in tiles, for the same scores.",
];
const ROW =
  "For row {row.query:int}, two tiles of half a row give {row.tiled:fixed 4}; the whole row at once gives {row.plain:fixed 4}. The second tile multiplies the first one’s results by {row.factor:fixed 3}.";

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "flash");
    const data = readData(model);
    const made = flash_controls(model, data);
    const views = [
      sram_view(),
      bars_view(
        "bytes moved, one head (same scores in both)",
        { plain: "masked.bytes", tiled: "tiled.bytes" },
        "bytes",
        "",
      ),
      bars_view(
        "arithmetic (same scores in both)",
        { plain: "masked.gflop", tiled: "tiled.gflop" },
        "fixed 1",
        " GFLOP",
      ),
      roof_view(),
    ];
    const player = walk_player((step) => commit(model, { step }));
    const [told, row] = [COST.map(() => h("p")), h("p")];
    const wide = /** @type {const} */ (["tokens", "rows", "keys"]).map((key) => made[key].el);
    setAttrs(made.tokens.el, { class: `${made.tokens.el.className} cw-flash-long` });
    const rest = /** @type {const} */ (["model", "head", "window", "chip"]).map((key) => made[key].el);
    root.append(
      h("div", { class: "cw-row" }, wide),
      h("div", { class: "cw-row cw-flash-row" }, rest),
      h(
        "div",
        { class: "cw-split" },
        h(
          "div",
          {},
          views.slice(0, 3).map((one) => one.el),
        ),
        h("div", {}, views[3].el),
      ),
      h(
        "div",
        { class: "cw-flash-told" },
        told,
        h("p", {
          class: "cw-note",
          text: "Everything that a tile stores is counted as SRAM here; real kernels keep output and scores in registers.",
        }),
      ),
      h(
        "div",
        { class: "cw-section", "data-below": true },
        heading("Eight tokens, tile by tile", "scores, sums and outputs, number by number"),
        h("div", { class: "cw-row" }, made.tile.el, made.reach.el, made.fifth.el),
        h("div", { class: "cw-flash-eight" }, player.el, row),
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      for (const view of views) view.update(now, false);
      COST.forEach((words, i) => fill(told[i], words, now));
      player.update(now, state);
      fill(row, ROW, now);
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
