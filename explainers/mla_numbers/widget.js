/* The lab: a latent's sizes with what they cost; below it four tokens, both circuits, what stands between them. */
import { choices, select as kitSelect, segmented, slider } from "../kit/controls.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { bars_view, gpus_view, grow_view, HELD, ways_view } from "./charts.js";
import { circuits_player } from "./circuits.js";
import { check, compute, LISTED } from "./compute.js";
import { LAST } from "./costs.js";
import { SEEN } from "./toy.js";
import { carry_view, unpack_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/mla-numbers.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */

export { check, compute } from "./compute.js";

const KEYS = [
  "model",
  "rank",
  "rope",
  "heads",
  "context",
  "fresh",
  "chip",
  "ranks",
  "split",
  "turn",
  "head",
  "token",
  "distance",
  "step",
];
/** @type {{ [turn: string]: string }} */
const TURN_WORDS = { none: "nothing", apart: "the positional key", every: "every key" };
/** @param {number[]} all @param {number} none */
const own_or = (all, none) => all.map((value) => ({ value, label: value === none ? "its own" : fmt.int(value) }));

/** @param {AfmModel<State, Data>} model @param {Data} data */
const mla_controls = (model, data) => {
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
  const pills = (key, label, options) => segmented({ label, options, onInput: go(key) });
  return {
    model: select(
      "model",
      "model",
      data.models.map((row) => ({ value: row[0], label: row[1], group: row[0].split("/")[0] })),
    ),
    rank: select("rank", "latent", own_or(LISTED.rank, 0)),
    rope: select("rope", "positional key", own_or(LISTED.rope, -1)),
    heads: select("heads", "heads", own_or(LISTED.heads, 0)),
    chip: select(
      "chip",
      "chip",
      data.chips.map((one) => ({ value: one.key, label: one.title })),
    ),
    context: choices({
      label: "tokens cached",
      options: LISTED.context.map((value) => ({ value, label: value === 1048576 ? "1M" : `${value / 1024}k` })),
      onInput: go("context"),
    }),
    fresh: slider({ label: "new tokens", min: 1, max: LAST, format: fmt.int, onInput: go("fresh") }),
    ranks: pills("ranks", "GPUs", LISTED.ranks),
    split: pills("split", "split by", LISTED.split),
    turn: pills(
      "turn",
      "RoPE rotates",
      LISTED.turn.map((value) => ({ value, label: TURN_WORDS[value] })),
    ),
    head: pills("head", "head", LISTED.head),
    token: pills("token", "token", LISTED.token),
    distance: slider({ label: "tokens to the key", min: 0, max: SEEN - 1, onInput: go("distance") }),
  };
};

const COST = [
  "{size.title} has {size.layers:int} layers; each caches {kept.numbers:int} numbers per token, which makes {kept.model_bytes:bytes KB} per token in all layers. Unpacked, the cache would take {kept.times:fixed 1} times as much.",
  "Absorption takes {ways.more_flops:fixed 1} times the arithmetic of unpacked keys and {ways.less_bytes:fixed 1} times fewer bytes: {ways.absorbed.intensity:int} FLOP per byte. The ridge of {on.title} is at {on.ridge:int}.",
];
const PICKED =
  "Its indexer lets a query read {size.picked:int} cached tokens at most. Costs of a step are counted as if it read all.";

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "mla-numbers");
    const data = readData(model);
    const made = mla_controls(model, data);
    /** @param {...keyof typeof made} keys */
    const row = (...keys) =>
      h(
        "div",
        { class: "cw-row" },
        keys.map((key) => made[key].el),
      );
    const [held, ways, grow, gpus, unpack, carry] = [
      bars_view(...HELD),
      ways_view(3),
      grow_view(),
      gpus_view(),
      unpack_view(),
      carry_view(),
    ];
    const player = circuits_player((step) => commit(model, { step }));
    const [told, picked] = [COST.map(() => h("p")), h("p", { class: "cw-note" })];
    setAttrs(made.context.el, { class: `${made.context.el.className} long` });
    root.append(
      row("model", "rank", "rope", "heads", "chip"),
      row("context", "fresh"),
      row("ranks", "split"),
      h("div", { class: "cw-split" }, h("div", {}, held.el, ways.el), h("div", {}, grow.el, gpus.el)),
      h("div", { class: "costs" }, told, picked),
      h(
        "div",
        { class: "cw-section", "data-below": true },
        heading("Four tokens, both ways", "every number can be checked"),
        row("turn", "head"),
        h("div", { class: "both" }, player.el),
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("What has to be absorbed", "for a key at each distance"),
        row("distance"),
        carry.el,
      ),
      h("div", { class: "cw-section" }, heading("One token, unpacked", "for both heads"), row("token"), unpack.el),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      for (const view of [held, ways, grow, gpus, unpack, carry]) view.update(now);
      player.update(now, false);
      COST.forEach((words, i) => fill(told[i], words, now));
      fill(picked, now.size.picked ? PICKED : "", now);
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
