/* The lab: one token's way, the whole layer's tokens, and the same GPUs read twice. */

import { upto } from "../kit/arrays.js";
import { segmented, select, slider } from "../kit/controls.js";
import { h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeStack, makeTable } from "../kit/table.js";
import { compute } from "./compute.js";
import { check, settle, WORLD } from "./legal.js";
import { loads_view, spread_view } from "./loads.js";
import { map_player } from "./node_map.js";
import { TOKENS } from "./routing.js";
import { fold_view } from "./two_meshes.js";

/** @import { Data, State } from "../../.make/data_types/expert-parallel.d.ts" */
/** @import { Control, Option } from "../kit/control.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

/** The keys that have a control; the step has the player. @typedef {Exclude<keyof State, "step">} Controlled */

export { compute } from "./compute.js";
export { check, settle } from "./legal.js";

/** @type {(keyof State)[]} */
const KEYS = [
  "model",
  "nodes",
  "limit",
  "dispatch",
  "kind",
  "skew",
  "capacity",
  "spare",
  "token",
  "step",
  "tp",
  "cp",
  "etp",
  "gpu",
];
const COPIES = [
  ["dispatch, network", "network", "network_out"],
  ["dispatch, inside nodes", "inside", "inside_out"],
  ["combine, inside nodes", "inside_back", "inside_back"],
  ["combine, network", "network_back", "network_back"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const lab_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {<Key extends Controlled>(key: Key) => (value: State[Key]) => void} */
  const go = (key) => (value) => offer(made[key], { [key]: value });
  /**
   * @template {Controlled} Key
   * @param {Key} key
   * @param {string} label
   * @param {(State[Key] | Option<State[Key]>)[]} options
   */
  const pills = (key, label, options) => segmented({ label, options, onInput: go(key) });
  const made = {
    model: select({
      label: "model",
      options: data.models.map(([value, label]) => ({ value, label })),
      onInput: (slug) => {
        const now = readState(model, KEYS);
        const { nodes } = settle({ ...now, model: slug }, [], data);
        const kept = { model: slug, nodes };
        offer(made.model, check({ ...now, ...kept }, data) ? { ...kept, limit: 0 } : kept);
      },
    }),
    nodes: pills("nodes", "nodes", data.nodes),
    limit: select({
      label: "groups",
      options: data.limits.map((value) => ({
        value,
        label: value ? (value === 8 ? "8: no limit" : String(value)) : "as built",
      })),
      onInput: go("limit"),
    }),
    dispatch: pills("dispatch", "sent as", [
      { value: "fp8", label: "FP8" },
      { value: "bf16", label: "BF16" },
    ]),
    token: slider({ label: "token", min: 0, max: TOKENS - 1, onInput: go("token") }),
    kind: pills("kind", "popularity", [
      { value: "power", label: "power law" },
      { value: "one", label: "one expert" },
    ]),
    skew: slider({ label: "skew", min: 0, max: 1, step: 0.05, format: (v) => fmt.fixed(v, 2), onInput: go("skew") }),
    capacity: select({
      label: "capacity",
      options: data.capacities.map((value) => ({ value, label: value ? `${value} ×` : "no limit" })),
      onInput: go("capacity"),
    }),
    spare: pills("spare", "spare slots", data.sizes.spare),
    tp: pills("tp", "TP", data.sizes.tp),
    cp: pills("cp", "CP", data.sizes.cp),
    etp: pills("etp", "ETP", data.sizes.etp),
    gpu: slider({ label: "GPU", min: 0, max: WORLD - 1, onInput: go("gpu") }),
  };
  return made;
};

/** @param {Now} now */
const layer_words = (now) => [
  "A token goes to {layer.away:fixed 2} other nodes on average ({layer.counted:fixed 2} in the batch drawn) and to {layer.seen:int} at most; with one copy for each expert, {layer.each:fixed 2} copies would cross the network. Dispatch and combine send {layer.token_bytes:bytes KB 1} per token and layer, or {layer.model_bytes:bytes MB 2} over {layers:int} layers; with {layer.most:int} other nodes for every token, it would be {layer.most_bytes:bytes MB 2}.",
  `The most loaded GPU computes {load.ratio:fixed 2} times the mean of {load.mean:fixed 0}. ${now.drop.choices ? "A slot takes {drop.room:int} tokens; {drop.choices:int} expert choices beyond that ({drop.share:percent 1}) are dropped, and {drop.tokens:int} of {tokens:int} tokens lose an expert." : "No tokens are dropped."}${now.copied ? " {copied:int} experts are in more than one slot." : ""}`,
  "This ran with {tokens:int} tokens, {own_tokens:int} on each GPU: {wrong:int} tokens came back with a sum that differs from that of one GPU with all experts.",
];

/** @param {Data} data */
const deepep_table = (data) =>
  makeStack({
    caption: "DeepEP’s low-latency kernels",
    columns: [
      { label: "GPUs", out: (row) => `measured.rows.${row.i}.gpus`, how: "int" },
      ...[
        ["out", "dispatch"],
        ["back", "combine"],
      ].flatMap(([key, label]) => [
        {
          label,
          align: "right",
          out: (/** @type {{ i: number }} */ row) => `measured.rows.${row.i}.${key}`,
          how: "fixed 1",
        },
        {
          label: "published",
          align: "right",
          out: (/** @type {{ i: number }} */ row) => `measured.rows.${row.i}.${key}_said`,
          how: "int",
        },
      ]),
      { label: "within 2.5 %", out: (row) => `measured.rows.${row.i}.agrees` },
    ],
    rows: data.measured.rows.map((_, i) => ({ i, now: data })),
  });

/** @param {Data} data */
const deepep_words = (data) =>
  fill(
    h("p"),
    "Computed bandwidth in GB/s: {measured.out:bytes MB 3} out and {measured.back:bytes MB 3} back, for {measured.tokens:int} tokens with {measured.chosen:int} experts each, divided by the published time. Next to each is the published bandwidth; {measured.agree:int} of {measured.rows.length:int} rows agree.",
    data,
  );

const copies_table = () =>
  makeTable({
    caption: "Token copies sent",
    columns: [
      { key: "what", label: "copies" },
      { label: "counted", align: "right", out: (row) => `layer.${row.key}`, how: "int" },
      { label: "bytes", align: "right", out: (row) => `layer.${row.bytes}_bytes`, how: "bytes" },
    ],
  });

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "expert-parallel");
    const data = readData(model);
    const made = lab_controls(model, data);
    const player = map_player((step) => commit(model, { step }));
    const [spread, loads, fold] = [spread_view(), loads_view(), fold_view()];
    const [walked, held, ...told] = upto(5).map(() => h("p"));
    const table = copies_table();
    root.append(
      h("div", { class: "cw-row" }, made.model.el, made.nodes.el, made.limit.el, made.dispatch.el, made.token.el),
      ...player.el,
      walked,
      h(
        "div",
        { class: "cw-section", "data-below": true },
        heading("The whole layer"),
        h("div", { class: "cw-row" }, made.kind.el, made.skew.el, made.capacity.el, made.spare.el),
        ...loads.el,
        told[1],
        h("div", { class: "cw-split" }, h("div", {}, ...spread.el), h("div", {}, table.el)),
        told[0],
        told[2],
      ),
      h(
        "div",
        { class: "cw-section" },
        heading("The same GPUs, grouped twice"),
        h("div", { class: "cw-row" }, made.tp.el, made.cp.el, made.etp.el, made.gpu.el),
        fold.el,
        held,
      ),
      h("div", { class: "cw-section" }, heading("What DeepEP measured"), deepep_table(data).el, deepep_words(data)),
    );

    /** @param {State} state */
    const update = (state) => {
      const now = compute(state, data);
      const all = { ...state, ...now };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      player.set(state, now);
      fill(
        walked,
        `Token {token:int} is on GPU {here.gpu:int}, node {here.node:int}, and goes to {here.visits.gpus:int} GPUs on {here.visits.nodes:int} of {nodes:int} nodes. So far, {at.network:bytes KB 1} went over the network and {at.inside:bytes KB 1} inside nodes.${now.here.lost ? " {here.lost:int} of its {chosen:int} experts dropped it." : ""}`,
        all,
      );
      spread.update(now);
      loads.update(now);
      table.update(COPIES.map(([what, key, bytes]) => ({ what, key, bytes, now })));
      layer_words(now).forEach((words, i) => fill(told[i], words, all));
      fold.update(now, state.gpu);
      fill(
        held,
        "GPU {gpu:int} is rank {fold.here.dp:int} of DP {fold.dp:int}, {fold.here.cp:int} of CP {fold.cp:int} and {fold.here.tp:int} of TP {fold.tp:int} for attention; for experts, it is {fold.here.edp:int} of EDP {fold.edp:int}, {fold.here.ep:int} of EP {fold.ep:int} and {fold.here.etp:int} of ETP {fold.etp:int}. Both groupings use the same GPUs.",
        all,
      );
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      player.stop();
      off();
    };
  },
};
