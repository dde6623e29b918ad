/* The lab: a scheduler to play. Settings, a step of the engine with its blocks and queues, moves of one's own, the whole run. */
import { afterPaint, h, makeRoot } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData } from "../kit/model.js";
import { fill, withState } from "../kit/numbers.js";
import { makeResults } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { check, compute } from "./compute.js";
import { KEYS, makeControls } from "./lab_controls.js";
import { lanes_legend, lanes_view } from "./lanes.js";
import { makeMoves } from "./moves.js";
import { RESULTS, requests_table } from "./results.js";
import { letter, pool_legend, pool_view, queues_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Seen } from "./view.js" */

export { check, compute } from "./compute.js";

const [STEP, CELLS] = [
  "Step {at.step:int} computes {at.scheduled:int} tokens. {at.used:int} of {blocks:int} blocks are in use and hold {at.tokens:int} tokens; {at.cached:int} free ones are still cached.",
  "A block holds {block_size:int} tokens × {bytes_per_token:bytes} = {bytes_per_block:kib}.",
];
const NEXT = "Next from the free queue: {at.next:each int}.";
const REAL =
  "{real.title:text} on one H100: of {real.device_bytes:bytes GB}, {real.left_bytes:bytes GB} remain beside its weights, for {real.blocks:int} blocks, {real.tokens:int} tokens. Activations and CUDA graphs, which vLLM measures when it starts, take some of them.";

/** The parts of the lab, built once. @param {AfmModel<State, Data>} model @param {Data} data */
const build = (model, data) => ({
  made: makeControls(model, data),
  pool: pool_view(),
  queues: queues_view((request) => commit(model, { request })),
  moves: makeMoves(model),
  lanes: lanes_view({ onPick: (picked) => commit(model, picked) }),
  step: h("p"),
  size: h("p", { class: "cw-note" }),
  whole: h("p"),
  listed: h("p"),
  results: makeResults("cw-paged-cache-results", RESULTS),
  table: requests_table(),
});

/** @typedef {ReturnType<typeof build>} View */

/** @param {HTMLElement} root @param {View} view @param {Element} transport */
const place = (root, view, transport) => {
  const { made } = view;
  /** @param {string} name @param {(keyof typeof made)[]} keys */
  const group = (name, keys) =>
    h(
      "div",
      { role: "group", "aria-label": name },
      h("b", { text: name }),
      keys.map((key) => made[key].el),
    );
  root.append(
    h(
      "div",
      { class: "cw-row cw-paged-cache-settings" },
      group("requests", ["workload", "seed", "own", "system"]),
      group("cache", ["memory", "block_size", "dtype", "allocation", "prefix_caching"]),
      group("scheduler", ["batching", "max_num_seqs", "max_num_batched_tokens"]),
    ),
    transport,
    view.pool.el,
    pool_legend(),
    view.step,
    view.size,
    view.queues.el,
    view.listed,
    view.moves.el,
    heading("The whole run", "click a step or a request"),
    view.lanes.el,
    lanes_legend(),
    view.results.el,
    h(
      "div",
      { class: "cw-section", "data-below": true },
      view.table.el,
      heading("A whole GPU", "the same block size and format"),
      made.utilization.el,
      view.whole,
    ),
  );
};

/**
 * What a step shows: its blocks and queues, and its place in the run.
 * @param {View} view
 * @param {Seen} now
 * @param {Data} data
 */
const draw_step = (view, now, data) => {
  view.pool.update(now);
  view.queues.update(now);
  view.moves.update(now, data);
  view.lanes.update(now);
  const own = `${letter(now.request)}’s block table: {at.tables.${now.request}:each int}.`;
  fill(view.listed, now.at.tables[now.request]?.length ? own : "", now);
  fill(view.step, now.at.next.length ? `${STEP} ${NEXT}` : STEP, now);
};

/** @param {View["made"]} made @param {State} state */
const set_controls = (made, state) => {
  for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
    control.set(state[key]);
  made.seed.el.hidden = state.workload !== "seeded";
  made.own.el.hidden = state.workload !== "own";
  made.prefix_caching.enable(state.allocation === "paged");
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "paged-cache");
    const data = readData(model);
    const view = build(model, data);
    /** @type {State} */
    let state;
    /** @type {Seen} */
    let now;
    const show = (/** @type {number} */ t) => {
      const at = Math.floor(t) + 1;
      if (!state || at === now.at.step) return;
      now = withState({ ...state, step: at }, compute({ ...state, step: at }, data));
      draw_step(view, now, data);
    };
    const transport = makeTransport({
      label: "step",
      length: 1,
      rate: 4,
      format: (t) => `step ${Math.floor(t) + 1}`,
      print: (node, t) => fill(node, "step {at.step:int}", { at: { step: Math.floor(t) + 1 } }),
      onFrame: show,
      onStop: (t) => commit(model, { step: Math.floor(t) + 1 }),
    });
    const later = afterPaint();
    place(root, view, transport.el);
    /** @param {State} given */
    const update = (given) => {
      state = given;
      now = withState(state, compute(state, data));
      set_controls(view.made, state);
      transport.length(now.end - 1);
      transport.set(now.at.step - 1);
      draw_step(view, now, data);
      fill(view.size, CELLS, now);
      later(() => {
        view.results.update(now);
        view.table.update(now.rows.map((_, i) => ({ i, now, class: i === now.request && "on" })));
        fill(view.whole, REAL, now);
      });
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      transport.stop();
      off();
    };
  },
};
