/* Controls, the run, its counts beside the formulas, and the time against the message size. */

import { upto } from "../kit/arrays.js";
import { setControls } from "../kit/control.js";
import { segmented, slider } from "../kit/controls.js";
import { announce, findIn, h, makeRoot, onWidth, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, makeOffer, readData, readState } from "../kit/model.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { time_chart } from "./chart.js";
import { check, compute, spelt } from "./compute.js";
import { levels, offered_of } from "./timed.js";
import { run_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { Column } from "../kit/table.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Now, Shown } from "./compute.js" */

/** The keys that have a control. @typedef {Exclude<keyof State, "step">} Controlled */
/** A run's count: its key, its name, and what it is a count of. @typedef {{ key: string, what: string, now: Shown }} Row */

export { check, compute, settle } from "./compute.js";

/** @type {(keyof State)[]} */
export const KEYS = [
  "op",
  "algorithm",
  "ranks",
  "root",
  "step",
  "message",
  "alpha",
  "bandwidth",
  "per_node",
  "net_alpha",
  "net_bandwidth",
];
const REST =
  "Each column is a rank, each row a chunk. The colours in a slot show which ranks’ numbers it contains; the count below a rank is the number of chunks it has sent.";
/** @param {string} word */
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** @param {AfmModel<State, Data>} model @param {Data} data */
const collectives_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {<Key extends Controlled>(key: Key, also?: (value: State[Key]) => Partial<State>) => (value: State[Key]) => void} */
  const set = (key, also) => (value) => offer(made[key], { [key]: value, ...(also ? also(value) : { step: 0 }) });
  const keep = () => ({});
  /**
   * Hierarchical goes by nodes: two of them, where there was one or they are of unequal size.
   * @param {string} algorithm
   */
  const nodes_for = (algorithm) => {
    const [n, many] = [model.get("ranks"), model.get("per_node")];
    const half = upto(n)
      .filter((local) => local && n % local === 0)
      .at(-1);
    return { step: 0, ...(algorithm === "hierarchical" && !levels(n, many) ? { per_node: half } : {}) };
  };
  const start = data.start;
  /** @type {{ [Key in Controlled]: Control<State[Key]> }} */
  const made = {
    op: segmented({ label: "collective", options: data.ops, value: start.op, onInput: set("op") }),
    algorithm: segmented({
      label: "algorithm",
      options: data.algorithms.map((value) => ({
        value,
        label: value === "hierarchical" ? "hierarchical (2D)" : value,
      })),
      value: start.algorithm,
      onInput: set("algorithm", nodes_for),
    }),
    per_node: slider({
      label: "GPUs in a node",
      min: 1,
      max: 16,
      value: start.per_node,
      format: (many) => (model.get("ranks") > many ? String(many) : "all"),
      onInput: set("per_node"),
    }),
    ranks: slider({
      label: "ranks n",
      min: 2,
      max: 16,
      value: start.ranks,
      onInput: set("ranks", (n) => ({ step: 0, root: Math.min(model.get("root"), n - 1) })),
    }),
    root: slider({
      label: "root",
      min: 0,
      max: 15,
      value: start.root,
      onInput: set("root", (r) => ({ step: 0, root: Math.min(r, model.get("ranks") - 1) })),
    }),
    message: slider({
      label: "array S",
      min: 10,
      max: 34,
      value: start.message,
      format: (m) => fmt.kib(2 ** m, undefined, 0),
      onInput: set("message", keep),
    }),
    alpha: slider({
      label: "start-up α",
      min: 0,
      max: 100,
      step: 0.5,
      value: start.alpha,
      format: (a) => `${a} µs`,
      onInput: set("alpha", keep),
    }),
    net_alpha: slider({
      label: "network α",
      min: 0,
      max: 100,
      step: 0.5,
      value: start.net_alpha,
      format: (a) => `${a} µs`,
      onInput: set("net_alpha", keep),
    }),
    net_bandwidth: slider({
      label: "network",
      min: 1,
      max: 2000,
      value: start.net_bandwidth,
      format: (b) => `${fmt.int(b)} GB/s`,
      onInput: set("net_bandwidth", keep),
    }),
    bandwidth: slider({
      label: "bandwidth",
      min: 1,
      max: 2000,
      value: start.bandwidth,
      format: (b) => `${fmt.int(b)} GB/s`,
      onInput: set("bandwidth", keep),
    }),
  };
  const top = h(
    "div",
    { class: "cw-collectives-controls" },
    made.op.el,
    h("div", { class: "cw-row" }, made.algorithm.el, made.ranks.el, made.per_node.el, made.root.el),
  );
  const time = h(
    "div",
    { class: "cw-collectives-sliders" },
    made.message.el,
    made.alpha.el,
    made.bandwidth.el,
    made.net_alpha.el,
    made.net_bandwidth.el,
  );
  return { top, time, made };
};

/** What happens in a phase. @type {{ [phase: string]: string }} */
const SAYS = {
  "reduce-scatter": "the receiver adds each chunk to its own, and the sender discards it",
  "all-gather": "the receiver keeps each chunk and passes it on",
  "reduce to rank 0": "whole arrays are added on the way",
  broadcast: "every rank that has the array sends it on",
  "everyone to everyone": "every rank adds the arrays of all ranks",
  "pass on": "all chunks for other ranks go to the next rank",
  exchange: "each chunk goes to the rank it belongs to",
};

/**
 * A moment in words; `now` is what view.draw returned.
 * @param {Shown} now
 * @param {number} k
 */
const moment = (now, k) => {
  if (now.at.phase)
    return `After {at.words:text} steps. Next, {at.phase:text}${now.at.where ? " {at.where:text}" : ""}: ${SAYS[now.at.phase]}.`;
  return `After {at.words:text} steps: ${k === now.frames.length - 1 ? "done" : "every rank puts its chunks in order, without sending any"}.`;
};

/**
 * Play, step and scrub through a run; every place that names a step names it alike.
 * @param {{ onFrame: (t: number) => void, onStop: (t: number) => void, run: () => Now | undefined }} given
 */
export const player = ({ onFrame, onStop, run }) => {
  /** @param {Now} now @param {number} t */
  const named = ({ phases }, t) => `${Math.min(Math.floor(t), phases.length)} of ${phases.length}`;
  const made = makeTransport({
    label: "steps",
    length: 1,
    value: 0,
    rate: 1.1,
    format: (t) => {
      const now = run();
      return now ? named(now, t) : "";
    },
    onFrame,
    onStop,
  });
  setAttrs(findIn(made.el, "output"), { "data-out": "at.words", "data-format": "text" });
  /** Shows a step, or the nearest that the run has. @param {number} step */
  const set = (step) => {
    const last = (run()?.frames.length ?? 1) - 1;
    const at = Math.min(Math.max(step, 0), last);
    made.length(last);
    made.set(at);
    return at;
  };
  return { ...made, set };
};

/**
 * The slot under the pointer, in numbers.
 * @param {ReturnType<typeof run_view>} view
 * @param {HTMLElement} el
 * @param {() => { out: Now | undefined, k: number }} now
 */
const pointing = (view, el, now) => {
  view.svg.addEventListener("pointermove", (e) => {
    const box = view.svg.getBoundingClientRect();
    const hit = view.find(e.clientX - box.left, e.clientY - box.top);
    const { out, k } = now();
    if (!hit || !out) return void fill(el, REST, {});
    const value = out.frames[k][hit[0]][2 * hit[1]];
    if (!value) return void fill(el, `Rank ${hit[0]}, slot ${hit[1]} is empty.`, out);
    const whose = upto(out.frames[k].length).filter((r) => Math.floor(value / 2 ** r) % 2);
    const path = `frames.${k}.${hit[0]}`;
    fill(
      el,
      `Rank ${hit[0]}, slot ${hit[1]} holds [{${path}.${2 * hit[1]}:text}, {${path}.${2 * hit[1] + 1}:text}]: ${whose.length > 1 ? "the sum over ranks" : "from rank"} ${whose.join(", ")}.`,
      out,
    );
  });
  view.svg.addEventListener("pointerleave", () => fill(el, REST, {}));
};

const ROWS = [
  ["steps", "steps"],
  ["busiest", "sent by the busiest rank"],
  ["serial", "in sequence"],
  ["inside", "busiest rank, inside a node"],
  ["outside", "busiest rank, to other nodes"],
];
/** @type {Column<Row>[]} */
const COLUMNS = [
  { key: "what", label: "steps, chunks" },
  { label: "counted", align: "right", out: (row) => `counted.${row.key}`, how: "int" },
  { label: "formula", align: "right", out: (row) => `formula.${row.key}`, how: "int" },
  { label: "written out", class: "cw-collectives-formula", out: (row) => `written.${row.key}` },
  { label: "for this S", align: "right", out: (row) => `words.${row.key}` },
];

/* What a run counted and what it costs, in words and numbers. */
const accounts = () => {
  const counts = makeTable({ caption: "Counts from the run, next to the formula", columns: COLUMNS });
  const [same, cross] = [h("p", { class: "cw-note" }), h("p", { class: "cw-note" })];
  const [total, sum] = [h("b", { class: "cw-big" }), h("span")];
  const cost = h("p", {}, total, " = ", sum);
  /** @param {Shown} now */
  const update = (now) => {
    counts.update(ROWS.filter(([key]) => key in now.counted).map(([key, what]) => ({ key, what, now })));
    const ones = now.written.busiest.startsWith("ones")
      ? " “ones” counts the binary ones in all distances below n: a chunk is sent once for each 1 in its distance."
      : "";
    fill(
      same,
      `${now.mismatches ? "{mismatches:int} numbers differ from" : "Every number in the result equals"} the answer computed on whole arrays. The log has {log.length:int} chunks of {log.0.5:int} bytes; each stands for S / n = {chunk_bytes:kib}.${ones}`,
      now,
    );
    put(total, "words.time", "text", now);
    /** @type {["inside" | "outside", string][]} */
    const links = [
      ["inside", ""],
      ["outside", "net_"],
    ];
    const parts = links
      .filter(([link]) => now.cost[link].steps)
      .map(
        ([link, key]) =>
          `{cost.${link}.steps:int} × {${key}alpha:text} µs + {cost.${link}.bytes:kib} / {${key}bandwidth:int} GB/s${key ? " between nodes" : ""}`,
      );
    fill(sum, `${parts.join(" + ")}. Bus bandwidth, as nccl-tests prints it: {bus_gbs:fixed 1} GB/s.`, now);
    fill(
      cross,
      now.nodes > 1
        ? "At this S, {fastest:text} is fastest. A step that uses both kinds of links takes as long as the slower one; {crossing:int} chunks leave a node. There are k = {nodes:int} nodes of l = {per_node:int} ranks."
        : now.crossover
          ? "The ring is faster than the tree for arrays larger than {crossover:kib}."
          : `There is no crossover here: the ${now.times_us.tree >= now.times_us.ring ? "ring" : "tree"} is never slower.`,
      now,
    );
  };
  return { counts: counts.el, same, cost, cross, update };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "collectives");
    const data = readData(model);
    const view = run_view(624);
    const chart = time_chart({ to: 34, height: 230 });
    const told = accounts();
    const { top, time, made } = collectives_controls(model, data);
    const title = h("h2", { class: "cw-heading" });
    const now = h("p", { class: "cw-collectives-now" });
    const pointed = h("p", { class: "cw-note cw-collectives-pointed", text: REST });
    /** @type {State} */
    let state = data.start;
    /** @type {Now | undefined} */
    let out;
    let width = 0;
    let at = 0;

    const frame = () => Math.min(Math.floor(at), (out?.frames.length ?? 1) - 1);
    /** @param {number} t */
    const show = (t) => {
      at = t;
      if (!width || !out) return;
      const seen = view.draw(state, out, width, t);
      fill(now, moment(seen, frame()), seen);
    };
    const transport = player({
      run: () => out,
      onFrame: show,
      onStop: (t) => {
        commit(model, { step: Math.round(t) });
        announce(root, now.textContent);
      },
    });
    pointing(view, pointed, () => ({ out, k: frame() }));

    root.append(
      top,
      title,
      view.svg,
      transport.el,
      now,
      pointed,
      h(
        "div",
        { class: "cw-split cw-section" },
        h("div", {}, heading("Message counts and formulas"), told.counts, told.same),
        h("div", {}, heading("Time"), time, told.cost, chart.svg, told.cross),
      ),
    );

    /** @param {State} given */
    const update = (given) => {
      state = given;
      const run = compute(state, data);
      out = run;
      setControls(made, state);
      made.root.el.hidden = state.op !== "broadcast";
      for (const control of [made.net_alpha, made.net_bandwidth]) control.el.hidden = run.nodes === 1;
      told.update({ ...state, ...run });
      fill(title, `${capital(state.algorithm)} ${state.op}, {ranks:int} ranks`, state);
      setAttrs(view.svg, {
        "aria-label": `${state.ranks} ranks, each a column of chunks. For an array of ${fmt.kib(2 ** state.message)}, the busiest rank sends ${run.words.busiest} in ${run.counted.steps} steps.`,
      });
      const names = offered_of(state, data).filter((a) => run.nodes > 1 || a !== "hierarchical");
      chart.update(state, {
        names,
        width: 420,
        left: 46,
        right: run.nodes > 1 ? 80 : 56,
        at: state.message,
        points: names.map((a) => [a, state.message, run.times_us[a]]),
      });
      setAttrs(chart.svg, {
        "aria-label": `Time against message size: at ${fmt.kib(2 ** state.message)} ${names.map((a) => `${a} ${spelt(run.times_us[a])}`).join(", ")}.`,
      });
      const step = transport.set(state.step);
      if (!transport.playing()) show(step);
    };
    const stop = onWidth(root, (px) => {
      width = px;
      if (out) show(at);
    });
    if (check(readState(model, KEYS), data)) update(data.start); // a refused state must have something to stay at
    const off = live(model, { root, keys: KEYS, check, update });
    return () => {
      stop();
      transport.stop();
      off();
    };
  },
};
