/* What a reader sets: the schedule, its sizes and times, and which part of the step is shown. */
import { select as kitSelect, makeButton, segmented, slider } from "../kit/controls.js";
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

/** @param {AfmModel<State, Data>} model @param {Data} data */
export const pipeline_controls = (model, data) => {
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
  const row = (/** @type {Controlled[]} */ ...keys) =>
    h(
      "div",
      { class: "cw-pipeline-sizes" },
      keys.map((key) => made[key].el),
    );
  const el = h(
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
  return { el, update };
};

/**
 * Buttons, keys, wheel and pinch that show a part of the step: zoom(factor, moment that stays where it is).
 * @param {SVGElement} svg
 * @param {{
 *   zoom: (factor: number, anchor?: number | null, along?: number) => void, set: (times: number) => void,
 *   moment: (x: number) => number,
 * }} hooks
 */
export const pipeline_zoom = (svg, { zoom, set, moment }) => {
  /** @type {(text: string, label: string, onClick: () => void) => HTMLElement} */
  const button = (text, label, onClick) => makeButton({ text, label, onClick }).el;
  const el = h(
    "div",
    { class: "cw-row cw-pipeline-zoom", "data-omit": true },
    button("−", "Zoom out", () => zoom(0.5)),
    button("+", "Zoom in", () => zoom(2)),
    button("whole step", "", () => set(1)),
    button("readable", "Zoom to readable numbers", () => set(0)),
    h("span", { class: "cw-note", text: "or pinch, Ctrl + wheel, keys + and −; drag in the map" }),
  );
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  const touch = (/** @type {(e: PointerEvent) => void} */ change) => (/** @type {PointerEvent} */ e) => {
    if (e.pointerType !== "touch") return;
    const before = fingers.size === 2 ? apart() : 0;
    change(e);
    if (before && fingers.size === 2)
      zoom(apart() / before, moment([...fingers.values()].reduce((x, f) => x + f.clientX / 2, 0)));
  };
  svg.addEventListener(
    "pointerdown",
    touch((e) => fingers.set(e.pointerId, e)),
  );
  svg.addEventListener(
    "pointermove",
    touch((e) => {
      if (fingers.has(e.pointerId)) fingers.set(e.pointerId, e);
    }),
  );
  for (const over of /** @type {const} */ (["pointerup", "pointercancel"]))
    svg.addEventListener(
      over,
      touch((e) => fingers.delete(e.pointerId)),
    );
  svg.addEventListener(
    "wheel",
    (e) => {
      const along = e.shiftKey ? e.deltaY : e.deltaX;
      if (e.ctrlKey || e.metaKey) zoom(2 ** (-e.deltaY / 200), moment(e.clientX));
      else if (Math.abs(along) > (e.shiftKey ? 0 : Math.abs(e.deltaY))) zoom(1, null, along);
      else return;
      e.preventDefault();
    },
    { passive: false },
  );
  /** @type {{ [key: string]: () => void }} */
  const keys = { "+": () => zoom(2), "=": () => zoom(2), "-": () => zoom(0.5), 0: () => set(0) };
  const onKey = (/** @type {KeyboardEvent} */ e) => {
    if (keys[e.key] && !e.ctrlKey && !e.metaKey) {
      keys[e.key]();
      e.preventDefault();
    }
  };
  return { el, onKey, pinching: () => fingers.size > 1 };
};
