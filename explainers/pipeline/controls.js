/* What a reader sets: the schedule, its sizes and times. */
import { select as kitSelect, segmented, slider } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { makeOffer } from "../kit/model.js";
import { fmt } from "../kit/numbers.js";
import { short } from "./asked.js";
import { check } from "./legal.js";
import { PARTS, row_of } from "./schedule_run.js";

/** @import { Control, InputControl, Option } from "../kit/control.js" */
/** @import { AfmModel } from "../kit/model.js" */
/** @import { Data, Limited, Now, Part, State } from "./compute.js" */

/** The keys that have a control. @typedef {Exclude<keyof State, "zoom" | "left" | "cursor" | "rank" | "op">} Controlled */

/** @type {(keyof State)[]} */
export const KEYS = [
  "schedule",
  "beside",
  "pp",
  "microbatches",
  "chunks",
  "forward",
  "input_grad",
  "weight_grad",
  "hop",
  "overlap",
  "cap",
  "model",
  "device",
  "tokens",
  "link",
  "zoom",
  "left",
  "cursor",
  "rank",
  "op",
];
const NO_OP = { rank: -1, op: -1 };

/** Every control, under the key of the state that it sets. @param {AfmModel<State, Data>} model @param {Data} data */
const make_controls = (model, data) => {
  const offer = makeOffer(model, { keys: KEYS, data, check });
  /** @type {<Key extends Controlled>(key: Key) => (value: State[Key]) => void} */
  const set = (key) => (value) => offer(made[key], { [key]: value, ...NO_OP });
  const start = data.start;
  /**
   * @param {Exclude<Limited, "zoom">} key
   * @param {string} label
   * @param {number} min
   * @param {number} max
   * @param {number} step
   * @param {(v: number) => string} [format]
   */
  const number = (key, label, min, max, step, format = String) =>
    slider({ label, min, max, step, value: start[key], format, onInput: set(key) });
  /**
   * @template {Controlled} Key
   * @param {Key} key
   * @param {string} label
   * @param {Option<State[Key]>[]} options
   */
  const select = (key, label, options) => kitSelect({ label, options, value: start[key], onInput: set(key) });
  const schedules = data.schedules.map((s) => ({ value: s.value, label: s.label, title: s.source }));
  /** @type {<Name extends string>(all: Record<Name, { title: string }>) => Option<Name>[]} */
  const rows = (all) =>
    /** @type {[keyof typeof all, { title: string }][]} */ (Object.entries(all)).map(([value, { title }]) => ({
      value,
      label: title,
    }));
  const made = {
    schedule: segmented({ label: "schedule", options: schedules, value: start.schedule, onInput: set("schedule") }),
    beside: select("beside", "compare with", [{ value: "none", label: "nothing" }, ...schedules]),
    pp: number("pp", "ranks p", 2, 16, 1),
    microbatches: number("microbatches", "micro-batches m", 1, 64, 1),
    chunks: number("chunks", "chunks per rank v", 1, 4, 1),
    cap: number("cap", "memory cap", 0, 64, 0.5, (v) => (v ? `${v} of m` : "none")),
    forward: number("forward", "forward F", 0.25, 4, 0.25, short),
    input_grad: number("input_grad", "input gradient I", 0.25, 4, 0.25, short),
    weight_grad: number("weight_grad", "weight gradient W", 0, 4, 0.25, short),
    hop: number("hop", "transfer between ranks", 0, 2, 0.25, short),
    overlap: number("overlap", "overlap of F and B", 0, 1, 0.05, (v) => fmt.percent(v, 0)),
    model: select("model", "times from", [{ value: "none", label: "these sliders" }, ...rows(data.models)]),
    device: select("device", "GPU", rows(data.devices)),
    tokens: select(
      "tokens",
      "tokens per micro-batch",
      data.offered.tokens.map((value) => ({ value, label: fmt.int(value) })),
    ),
    link: select("link", "ranks are", [
      { value: "inside", label: "in one node" },
      { value: "outside", label: "across nodes" },
    ]),
  };
  return made;
};

/** @param {ReturnType<typeof make_controls>} made */
const place_controls = (made) => {
  const row = (/** @type {Controlled[]} */ ...keys) =>
    h(
      "div",
      { class: "cw-pipeline-sizes" },
      keys.map((key) => made[key].el),
    );
  return h(
    "div",
    { class: "cw-pipeline-controls", "data-omit": true },
    made.schedule.el,
    row("pp", "microbatches", "chunks", "cap", "beside"),
    h(
      "details",
      { class: "cw-pipeline-times", open: true },
      h("summary", { text: "times per stage" }),
      row("forward", "input_grad", "weight_grad", "hop", "overlap"),
      row("model", "device", "tokens", "link"),
    ),
  );
};

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const pipeline_controls = (model, data) => {
  const made = make_controls(model, data);
  /** @param {State} state @param {Now} out */
  const update = (state, out) => {
    for (const [key, control] of /** @type {[Controlled, Control<unknown>][]} */ (Object.entries(made)))
      control.set(key === "chunks" ? out.chunks : (out.times[/** @type {Part} */ (key)] ?? state[key]));
    const mine = state.model === "none";
    for (const key of PARTS) made[key].enable(mine);
    for (const key of /** @type {const} */ (["device", "tokens", "link"])) made[key].enable(!mine);
    made.chunks.enable(
      [state.schedule, state.beside].some((name) => (row_of({ schedule: name }, data)?.chunks.length || 0) > 1),
    );
    made.overlap.enable([out, out.other].some((one) => one?.ops.some((ops) => ops.some((op) => op[0] === "X"))));
  };
  return { el: place_controls(made), update };
};
