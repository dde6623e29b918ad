/* The lab: who holds what, the ring step by step, everybody's work, three ways and their bytes, and decoding. */
import { upto } from "../kit/arrays.js";
import { segmented, select } from "../kit/controls.js";
import { announce, h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { check, compute, RANKS, TENSOR } from "./compute.js";
import { cache_view, chart_view, kv_heads, swap_view } from "./deal.js";
import { cw } from "./rank_chips.js";
import { ring_player } from "./ring.js";
import { bars_view } from "./work_bars.js";

/** @import { Data, State } from "../../.make/data_types/context-parallel.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { Column } from "../kit/table.js" */
/** @import { Kid } from "../kit/dom.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

export { check, compute } from "./compute.js";

const KEYS = ["model", "sequence", "cp", "tp", "order", "step"];
const NAMES = [
  ["contiguous", "contiguous"],
  ["zigzag", "zigzag"],
  ["striped", "striped"],
];

/** @param {AfmModel<State, Data>} model @param {Data} data */
const lab_controls = (model, data) => {
  /** @type {Setter<State>} */
  const go = (key) => (value) => commit(model, { [key]: value });
  return {
    model: select({
      label: "model",
      options: data.models.map((row) => ({ value: row.slug, label: row.title })),
      onInput: go("model"),
    }),
    sequence: select({
      label: "tokens",
      options: data.sequences.map((value) => ({ value, label: fmt.int(value) })),
      onInput: go("sequence"),
    }),
    cp: segmented({ label: "context-parallel ranks", options: RANKS, onInput: go("cp") }),
    tp: segmented({ label: "tensor-parallel ranks", options: TENSOR, onInput: go("tp") }),
    order: segmented({
      label: "order",
      options: NAMES.map(([value, label]) => ({ value, label })),
      onInput: go("order"),
    }),
  };
};

const THREE = [
  ["ring", "ring"],
  ["gather", "all-gather"],
  ["ulysses", "Ulysses"],
];
/** @type {Column<{ key: string, what: string, now: object }>[]} */
const COLUMNS = [
  { key: "what", label: "method" },
  { label: "counted", align: "right", out: ({ key }) => `ways.${key}.counted`, how: "bytes MB 1" },
  { label: "formula", align: "right", out: ({ key }) => `ways.${key}.sent`, how: "bytes MB 1" },
  { label: "messages", align: "right", out: ({ key }) => `ways.${key}.messages`, how: "int" },
  { label: "keys held", align: "right", out: ({ key }) => `ways.${key}.held`, how: "bytes MB 1" },
  { label: "off by", align: "right", out: ({ key }) => `ways.${key}.off`, how: "num 2" },
];
const RING =
  "After {at.words:text} steps, {at.done:percent 0} of the triangle is computed; {at.busy:int} ranks compute in the next step. Each rank has sent {at.sent:bytes MB 1} of {ways.ring.sent:bytes MB 1}.";
const DONE =
  "After {at.words:text} steps the whole triangle is computed, and the result differs from that of a single rank by {ways.ring.off:num 2}. Each rank has sent {ways.ring.sent:bytes MB 1}.";
const WORK =
  "The slowest rank does {work.most:fixed 4} times the mean work, and the fastest {work.least:fixed 4} times; on average, a rank is idle {work.idle:percent 1} of the time.";
/** @param {Now} now */
const held = ({ here }) =>
  `{row.title} has {row.layers:int} full-attention layers. A rank has {here.heads:int} query heads and ${kv_heads("here.kv", here.kv)}, with {row.pair:int} numbers per KV head and token.`;
const CACHE =
  "The KV cache of {sequence:int} tokens takes {cache.whole:bytes GB 2}. Each of {gpus:int} GPUs stores {cache.rank:bytes GB 2} of it; if only heads were split, it would store {cache.alone:bytes GB 2}. Merged with their weights, the partial results are off by {decode.off:num 2}; their plain mean is off by {decode.mean_off:fixed 2}.";
/** @param {Now} now */
const others = ({ row }) =>
  [
    row.windows ? "{row.windows:int} more layers have a sliding window and are not counted. " : "",
    row.states
      ? "{row.states:int} more layers pass on a state of {row.state:bytes MB 1} instead, whatever the length."
      : "",
  ].join("");

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "context-parallel");
    const data = readData(model);
    const made = lab_controls(model, data);
    const [bars, swap, chart, strips] = [bars_view(), swap_view(), chart_view(), cache_view()];
    const ring = ring_player({
      onStop: (step) => {
        commit(model, { step });
        announce(root, said[0].textContent);
      },
    });
    const said = upto(6).map(() => h("p", { class: cw("said") }));
    const table = makeTable({ caption: "What each method sends and holds", columns: COLUMNS });
    /** @param {Kid[]} kids */
    const half = (...kids) => h("div", {}, ...kids);
    root.append(
      h("div", { class: "cw-row" }, made.model.el, made.sequence.el, made.cp.el, made.tp.el, made.order.el),
      ...ring.el,
      said[0],
      h(
        "div",
        { class: "cw-split cw-section" },
        half(heading("How much work does each rank do?", "times the mean"), bars.svg, said[1]),
        half(heading("Heads instead of tokens", "Ulysses"), swap.el),
      ),
      h("div", { class: "cw-section" }, heading("Three methods", "in one layer, forward"), table.el, said[2], said[3]),
      h(
        "div",
        { class: "cw-split" },
        half(heading("Bytes that each rank sends", "by number of ranks"), chart.el),
        half(heading("While decoding", "position mod ranks"), strips.svg, said[4]),
      ),
    );
    /** @param {State} state */
    const update = (state) => {
      const now = { ...state, ...compute(state, data) };
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      ring.update(now, Math.min(state.step, state.cp));
      bars.update(now, false);
      swap.update(now);
      chart.update(now, state.cp, false);
      strips.update(now, false);
      table.update(
        THREE.map(([key, what]) => ({ key, what: now.ways[key].sent ? what : `${what}: not possible`, now })),
      );
      [state.step >= state.cp ? DONE : RING, WORK, held(now), others(now), CACHE].forEach((words, i) =>
        fill(said[i], words, now),
      );
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      ring.stop();
      off();
    };
  },
};
