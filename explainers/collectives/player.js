/* A run with play, step and scrub: each moment in words, and the slot under the pointer. */
import { upto } from "../kit/arrays.js";
import { findIn, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";

/** @import { Now, Shown } from "./compute.js" */
/** @import { run_view } from "./view.js" */

export const REST =
  "Each column is a rank, each row a chunk. The colours in a slot show which ranks’ numbers it contains; the count below a rank is the number of chunks it has sent.";

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
export const moment = (now, k) => {
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
export const pointing = (view, el, now) => {
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
