/* The lab: a scheduler to play. Settings, a step of the engine with its blocks and queues, moves of one's own, the whole run. */
import { makeButton, segmented, select, slider, text_input, toggle } from "../kit/controls.js";
import { afterPaint, h, makeRoot, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, withState } from "../kit/numbers.js";
import { makeResults, makeStack } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { check, check_own, compute } from "./compute.js";
import { lanes_legend, lanes_view } from "./lanes.js";
import { letter, pool_legend, pool_view, queues_view } from "./view.js";

/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Setter, Widget } from "../kit/model.js" */
/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { Seen } from "./view.js" */

export { check, compute } from "./compute.js";

const KEYS = [
  ...["workload", "seed", "own", "system", "block_size", "memory", "dtype", "allocation", "batching"],
  ...["prefix_caching", "max_num_seqs", "max_num_batched_tokens", "utilization", "moves", "step", "request"],
];
/** @param {(readonly [string, string])[]} rows */
const options = (rows) => rows.map(([value, label]) => ({ value, label }));
const ALLOCATIONS = options([
  ["paged", "in blocks (paged)"],
  ["max", "contiguous: max_model_len"],
  ["exact", "contiguous: its exact length"],
]);
const DTYPES = options([
  ["bfloat16", "BF16"],
  ["fp8", "FP8"],
]);
const BATCHINGS = options([
  ["continuous", "continuous, chunked prefill"],
  ["whole", "continuous, whole prompts"],
  ["static", "static"],
]);

/** @param {AfmModel<State, Data>} model @param {Data} data */
const makeControls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {Setter<State>} */
  const go = (key) => (value) => {
    offer(made[/** @type {keyof typeof made} */ (key)], { [key]: value });
  };
  /** @param {keyof Data["ranges"]} key @param {string} label */
  const range = (key, label, step = 1) => {
    const [min, max] = data.ranges[key];
    return slider({ label, min, max, step, onInput: go(key) });
  };
  const workloads = Object.entries(data.workloads).map(([value, { label }]) => ({ value, label }));
  const all = [
    ...workloads,
    { value: "seeded", label: "12 requests from a seed" },
    { value: "own", label: "your own" },
  ];
  const made = {
    workload: select({ label: "workload", options: all, onInput: go("workload") }),
    seed: range("seed", "seed"),
    own: text_input({ label: "arrival prompt answer, …", size: 26, allow: check_own, onInput: go("own") }),
    system: range("system", "system prompt, tokens"),
    memory: range("memory", "KV cache, MiB", 4),
    block_size: segmented({ label: "block_size", options: data.sizes, onInput: go("block_size") }),
    dtype: segmented({ label: "kv_cache_dtype", options: DTYPES, onInput: go("dtype") }),
    allocation: select({ label: "memory of a request", options: ALLOCATIONS, onInput: go("allocation") }),
    prefix_caching: toggle({ label: "prefix caching", onInput: go("prefix_caching") }),
    batching: select({
      label: "batching",
      options: BATCHINGS,
      onInput: (batching) => {
        const least = batching === "whole" ? data.limit : 0; // the longest prompt must fit into a step
        commit(model, { batching, max_num_batched_tokens: Math.max(least, model.get("max_num_batched_tokens")) });
      },
    }),
    max_num_seqs: range("max_num_seqs", "max_num_seqs"),
    max_num_batched_tokens: range("max_num_batched_tokens", "max_num_batched_tokens", 16),
    utilization: range("utilization", "gpu_memory_utilization, %"),
  };
  return made;
};

/** Buttons that move the chosen request: to the head of the waiting queue, or out of the batch. @param {AfmModel<State, Data>} model */
const makeMoves = (model) => {
  /** @type {Seen | null} */
  let seen = null;
  const list = () => /** @type {number[]} */ (readState(model, KEYS).moves);
  const move = makeButton({
    text: "move",
    onClick: () => {
      if (!seen) return;
      const next = seen.at.step + 1;
      commit(model, { moves: [...list(), next, seen.request], step: next });
    },
  });
  const undo = makeButton({
    text: "undo",
    onClick: () => {
      const moves = list();
      commit(model, { moves: moves.slice(0, -2), step: Math.max(1, moves[moves.length - 2] - 1) });
    },
  });
  const says = h("span", { class: "cw-note" });
  const el = h(
    "div",
    { class: "cw-row cw-paged-cache-moves", role: "group", "aria-label": "your moves" },
    move.el,
    undo.el,
    says,
  );
  /** @param {Seen} now @param {Data} data */
  const update = (now, data) => {
    seen = now;
    const { at, request } = now;
    const moves = list();
    const waits = at.waiting.includes(request);
    const runs = at.running.includes(request);
    move.set(runs ? `preempt ${letter(request)}` : `${letter(request)} to the head of the queue`);
    const full = check({ ...readState(model, KEYS), moves: [...moves, 1, request] }, data) !== "";
    move.enable((waits || runs) && !full && now.end > at.step);
    undo.enable(moves.length > 0);
    const head = at.waiting[0] === request ? " It is there already." : "";
    const where = waits
      ? `${letter(request)} is waiting.${head}`
      : runs
        ? `${letter(request)} is running.`
        : "Choose a request that waits or runs.";
    setText(says, where);
  };
  return { el, update };
};

const RESULTS = /** @type {[string, string][]} */ ([
  ["steps until all are answered", "{end:int}"],
  ["blocks in use, at most", "{sums.peak:int} of {blocks:int}"],
  ["slots of held blocks with a token", "{sums.held_share:percent 1}"],
  ["slots of the cache with a token, on average", "{sums.filled_share:percent 1}"],
  ["preemptions", "{sums.preemptions:int}"],
  ["tokens computed again", "{sums.repeated:int}"],
  ["tokens found in the cache", "{sums.hits:int}"],
  ["cached blocks evicted", "{sums.evictions:int}"],
  ["largest step, tokens", "{sums.largest:int}"],
  ["steps until the first token, on average", "{sums.first_mean:fixed 1}"],
]);
/** @typedef {{ i: number, now: Seen, class: string | false }} Row */
const requests_table = () => {
  /** @param {string} key @param {string} label */
  const column = (key, label) => ({
    label,
    align: "right",
    out: (/** @type {Row} */ row) => `rows.${row.i}.${key}`,
    how: "int",
  });
  return makeStack({
    caption: "The requests",
    columns: [
      { key: "i", label: "request", format: letter },
      column("prompt", "prompt"),
      column("answer", "answer"),
      column("hits", "found cached, in all"),
      column("first", "first token at step"),
      column("done", "answered at step"),
    ],
  });
};
const [STEP, CELLS] = [
  "Step {at.step:int} computes {at.scheduled:int} tokens. {at.used:int} of {blocks:int} blocks are in use and hold {at.tokens:int} tokens; {at.cached:int} free ones are still cached.",
  "A block holds {block_size:int} tokens × {bytes_per_token:bytes} = {bytes_per_block:kib}.",
];
const NEXT = "Next from the free queue: {at.next:each int}.";
const REAL =
  "{real.title:text} on one H100: of {real.device_bytes:bytes GB}, {real.left_bytes:bytes GB} remain beside its weights, for {real.blocks:int} blocks, {real.tokens:int} tokens. Activations and CUDA graphs, which vLLM measures when it starts, take some of them.";

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "paged-cache");
    const data = readData(model);
    const made = makeControls(model, data);
    const pool = pool_view();
    const queues = queues_view((request) => commit(model, { request }));
    const moves = makeMoves(model);
    const lanes = lanes_view({ onPick: (picked) => commit(model, picked) });
    const [step, size, whole, listed] = [h("p"), h("p", { class: "cw-note" }), h("p"), h("p")];
    const results = makeResults("cw-paged-cache-results", RESULTS);
    const table = requests_table();
    /** @param {string} name @param {(keyof typeof made)[]} keys */
    const group = (name, keys) =>
      h(
        "div",
        { role: "group", "aria-label": name },
        h("b", { text: name }),
        keys.map((key) => made[key].el),
      );
    /** @type {State} */
    let state;
    const show = (/** @type {number} */ t) => {
      const at = Math.floor(t) + 1;
      if (!state || at === now.at.step) return;
      now = withState({ ...state, step: at }, compute({ ...state, step: at }, data));
      draw();
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
    /** @type {Seen} */
    let now;
    const later = afterPaint();
    const draw = () => {
      pool.update(now);
      queues.update(now);
      moves.update(now, data);
      lanes.update(now);
      const own = `${letter(now.request)}’s block table: {at.tables.${now.request}:each int}.`;
      fill(listed, now.at.tables[now.request]?.length ? own : "", now);
      fill(step, now.at.next.length ? `${STEP} ${NEXT}` : STEP, now);
    };
    root.append(
      h(
        "div",
        { class: "cw-row cw-paged-cache-settings" },
        group("requests", ["workload", "seed", "own", "system"]),
        group("cache", ["memory", "block_size", "dtype", "allocation", "prefix_caching"]),
        group("scheduler", ["batching", "max_num_seqs", "max_num_batched_tokens"]),
      ),
      transport.el,
      pool.el,
      pool_legend(),
      step,
      size,
      queues.el,
      listed,
      moves.el,
      heading("The whole run", "click a step or a request"),
      lanes.el,
      lanes_legend(),
      results.el,
      h(
        "div",
        { class: "cw-section", "data-below": true },
        table.el,
        heading("A whole GPU", "the same block size and format"),
        made.utilization.el,
        whole,
      ),
    );
    /** @param {State} given */
    const update = (given) => {
      state = given;
      now = withState(state, compute(state, data));
      for (const [key, control] of /** @type {[keyof State, Control<unknown>][]} */ (Object.entries(made)))
        control.set(state[key]);
      made.seed.el.hidden = state.workload !== "seeded";
      made.own.el.hidden = state.workload !== "own";
      made.prefix_caching.enable(state.allocation === "paged");
      transport.length(now.end - 1);
      transport.set(now.at.step - 1);
      draw();
      fill(size, CELLS, now);
      later(() => {
        results.update(now);
        table.update(now.rows.map((_, i) => ({ i, now, class: i === now.request && "on" })));
        fill(whole, REAL, now);
      });
    };
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      transport.stop();
      off();
    };
  },
};
