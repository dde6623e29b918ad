/* The lab: a router of one's own, one token of it, eight experts in cells, and a model. */
import { segmented, select, slider, toggle } from "../kit/controls.js";
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { loads_view, updates_player } from "./charts.js";
import { check, compute, find, LAST_TOKEN, MOST_K, MOST_SKEW } from "./compute.js";
import { groups_view } from "./groups.js";
import { NODES } from "./router.js";
import { eight_view, results_view, wall_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/experts.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Model, Shown } from "./compute.js" */

/** What controls set: all but the updates, which play. @typedef {Omit<State, "updates">} Chosen */

export { check, compute } from "./compute.js";

const KEYS = ["model", "experts", "k", "kept", "skew", "step", "updates", "room", "token", "scoring", "bias"];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const lab_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {Setter<Chosen>} */
  const go = (key) => (value) => offer(made[key], { [key]: value });
  /**
   * @param {"k" | "kept" | "skew" | "token"} key
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
   * @param {(State[Key] | Option<State[Key]>)[]} options
   */
  const choose = (key, label, options) => select({ label, options, onInput: go(key) });
  /** @type {{ [Key in keyof Chosen]: Control<State[Key]> }} */
  const made = {
    experts: choose("experts", "experts", data.experts),
    k: slide("k", "experts per token, k", 1, MOST_K),
    kept: slide("kept", "groups kept", 1, NODES, { format: (v) => `${v} of ${NODES}` }),
    skew: slide("skew", "skew", 0, MOST_SKEW, { step: 0.1, format: (v) => fmt.fixed(v, 1) }),
    step: choose("step", "bias step", data.steps),
    room: choose(
      "room",
      "capacity",
      data.rooms.map((value) => ({ value, label: value ? `${value} ×` : "no limit" })),
    ),
    token: slide("token", "token", 0, LAST_TOKEN),
    scoring: segmented({
      label: "score",
      options: ["sigmoid", "softmax", { value: "after", label: "softmax of the chosen" }],
      onInput: go("scoring"),
    }),
    bias: toggle({ label: "selection bias", onInput: go("bias") }),
    model: select({
      label: "model",
      options: data.models.map(([value, label]) => ({ value, label })),
      onInput: (slug) => {
        const { experts, k, groups, kept } = /** @type {Model} */ (find(slug, data));
        const router = { model: slug, experts, k, kept: groups === NODES ? kept : NODES };
        offer(made.model, check({ ...readState(model, KEYS), ...router }, data) ? { model: slug } : router);
      },
    }),
  };
  return made;
};

const TOLD = [
  "Of {tokens:int} tokens, {flips.tokens:int} ({flips.share:percent 1}) would get different experts if their logits were rounded to BF16. An auxiliary loss would be {load.aux:fixed 3} here; with an even load, it would be one.",
  "Token {token:int} gets {here.survive:int} of the {k:int} experts it would choose without groups; the average over all tokens is {mean.survive:fixed 2} experts, on {mean.nodes:fixed 2} nodes, not {mean.nodes_free:fixed 2}. Each send is {of.send:int} bytes: {of.width:int} numbers in FP8 and {of.scales:int} bytes of scales.",
  "{of.title:text} has {of.total:count 2} parameters; {of.active:count 2} of them, {of.share:percent 1}, are active for one token, with {of.k:int} of {of.experts:int} experts in each of {of.layers:int} layers.",
  "A route of {route.ids:int} numbers is {route.bytes:int} bytes, {route.share:percent 1} of what a rollout sends per token; at {route.bits:int} bits per number it would be {route.packed:int} bytes. For {route.tokens:int} tokens, routes take {route.all_bytes:bytes MB 1}, and ids and log-probabilities {route.text_bytes:bytes MB 1}.",
];

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "experts");
    const data = readData(model);
    const made = lab_controls(model, data);
    const [loads, results, groups, eight, wall] = [
      loads_view("lab"),
      results_view(),
      groups_view(),
      eight_view(),
      wall_view(),
    ];
    for (const one of wall.el) setAttrs(one, { "data-omit": true }); // the first beat has drawn it
    const told = TOLD.map(() => h("p"));
    /** @param {State} state @param {Shown} now */
    const draw = (state, now) => {
      loads.update(now);
      results.update(now);
      groups.update(now);
      fill(told[0], TOLD[0], now);
      fill(told[1], TOLD[1], now);
    };
    const player = updates_player(data, draw, (updates) => commit(model, { updates }));
    root.append(
      h("div", { class: "cw-row" }, made.experts.el, made.k.el, made.kept.el, made.skew.el, made.step.el, made.room.el),
      player.el,
      ...loads.el,
      results.el,
      told[0],
      h(
        "div",
        { class: "cw-section", "data-below": true },
        heading("Which experts and nodes does one token go to?"),
        h("div", { class: "cw-row" }, made.token.el),
        ...groups.el,
        told[1],
      ),
      h(
        "div",
        { class: "cw-section", "data-omit": true },
        heading("What decides the choice, and what sets the weights?"),
        h("div", { class: "cw-row" }, made.scoring.el, made.bias.el),
        ...eight.el,
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("How much of a real model does one token use?"),
        h("div", { class: "cw-row" }, made.model.el),
        ...wall.el,
        told[2],
        told[3],
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      player.set(state, now);
      eight.update(now);
      wall.update(now);
      fill(told[2], TOLD[2] + (now.of.shared ? " Each layer also has {of.shared:int} shared by all tokens." : ""), now);
      fill(told[3], TOLD[3], now);
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
