/* What the beats of pipeline ask, say and draw: answers, captions, goals and figures; the page alone loads it. */
import { h, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { short } from "./asked.js";
import { compute } from "./compute.js";
import { lanes_legend, lanes_words } from "./lanes_words.js";
import { chunks_of, PARTS, ran, row_of } from "./schedule_run.js";
import { V_SHAPED } from "./schedules.js";
import { lanes_view } from "./view.js";

/** @import { Answers, Captions, Figure, FigureMaker, Goal, Goals } from "../kit/beats.js" */
/** @import { Data, Now, State } from "./compute.js" */

/** What was drawn last, and whether a bet still asks. @typedef {{ now: Now, quiet: boolean }} Seen */

/** @param {State} state @param {Data} data @param {Partial<State>} [changes] */
const run_at = (state, data, changes) => compute({ ...state, ...changes }, data);
/** @param {State} state @param {Data} data */
const label_of = (state, data) => row_of(state, data).label;
/** @param {State} state @param {Data} data */
const messages = (state, data) => {
  const v = chunks_of(state, data);
  return 2 * (state.pp * v - 1 - (V_SHAPED.includes(state.schedule) ? v - 1 : 0));
};
/** @param {State} _ @param {Data} data */
const saves = (_, data) => {
  const [old, now] = ["gpipe", "1f1b"].map((schedule) => run_at(data.start, data, { schedule }));
  const lighter = old.peak[0] > now.peak[0];
  return lighter && old.span > now.span ? 2 : Number(lighter);
};
/** @param {State} _ @param {Data} data */
const price = (_, data) => {
  const [old, now] = ["1f1b", "interleaved"].map((schedule) => ({ ...data.start, schedule }));
  if (run_at(now, data).peak[0] > run_at(old, data).peak[0]) return 0;
  return messages(now, data) > messages(old, data) ? 1 : 2;
};
/** @type {Answers<State, Data>} */
export const answers = {
  label: label_of,
  saves,
  price,
  messages,
  gpipe_peak: (state, data) => run_at(state, data, { schedule: "gpipe" }).peak[0],
  plain_peak: (state, data) => run_at(state, data, { schedule: "1f1b" }).peak[0],
  plain_messages: (state, data) => messages({ ...state, schedule: "1f1b" }, data),
  interleaved_idle: (_, data) => run_at(data.start, data, { schedule: "interleaved" }).of_total,
  last_peak: (state, data) => run_at(state, data).peak.at(-1),
};

/** @param {State} state @param {Data} data */
const waits = (state, data) => {
  const why = run_at(state, data).says ? "{says}" : "Select a gap to see what the rank waits for.";
  return `**{label}: {notes.who} is idle for {bubble:sig 5} of {span:sig 5} units**, {of_total:percent 1} of the step. ${why}`;
};

/** @param {string} says @returns {Goal} */
const not_yet = (says) => ({ reached: false, says });
/** @param {State} state @param {Data} data @returns {Goal} */
const under_6 = (state, data) => {
  const first = /** @type {(keyof State)[]} */ (["pp", "microbatches", ...PARTS, "model"]);
  if (first.some((key) => state[key] !== data.start[key]))
    return not_yet("This goal needs 4 ranks, 8 micro-batches and the default times.");
  const now = run_at(state, data);
  const [label, idle] = [label_of(state, data), fmt.percent(now.of_total)];
  if (now.of_total >= 0.06) return not_yet(`With ${label}, ranks are idle for ${idle} of the step.`);
  const hint =
    state.schedule === "zb-v"
      ? "Interleaved ZB reaches it too, with more messages."
      : "ZB-V reaches it too, with fewer messages.";
  return {
    reached: true,
    says: `Reached with ${label}: ${idle}, and the first rank holds ${short(now.peak[0])} micro-batches. ${hint}`,
  };
};
/** @param {State} state @param {Data} data @returns {Goal} */
const few = (state, data) => {
  const m = state.microbatches;
  if (state.pp !== 8 || state.schedule !== "1f1b") return not_yet("This goal needs 8 ranks and plain 1F1B.");
  const now = run_at(state, data);
  const idle = `With ${m} micro-batch${m > 1 ? "es" : ""}, ranks are idle for ${fmt.percent(now.of_total)} of the step`;
  if (now.of_total > 0.2) return not_yet(`${idle}.`);
  if (0.2 >= run_at(state, data, { microbatches: m - 1 }).of_total) return not_yet(`${idle}: fewer are enough.`);
  return { reached: true, says: `Reached. ${idle}. Interleaved 1F1B in two chunks needs only 16.` };
};

/** The lab's lanes, held still: a click asks a gap. @type {FigureMaker<State, Data, Now>} */
export const lanesFigure = (el, { data, onSet }) => {
  const view = lanes_view({ clock: false, close: false });
  const above = h("p", { class: "cw-pipeline-above" }, h("b"), h("span"));
  const legend = lanes_legend("most micro-batches held");
  /** @type {Seen | null} */
  let last = null;
  view.svg.addEventListener("click", (e) => {
    if (/** @type {Seen} */ (last).quiet) return;
    const box = view.svg.getBoundingClientRect();
    const [, rank, op] = view.find(e.clientX - box.left, e.clientY - box.top, /** @type {Seen} */ (last).now);
    onSet(op >= 0 ? { rank, op } : { rank: -1, op: -1 });
  });
  el.append(above, view.svg, legend.el);
  /** @type {Figure<State, Now>["update"]} */
  const update = (state, now, { width, preview, bet }) => {
    last = { now, quiet: bet === "open" || bet === "placed" };
    const seen = { ...state, ...now, label: label_of(state, data) };
    const before = preview ? run_at(preview, data).peak : now.peak;
    put(/** @type {Element} */ (above.firstChild), "label", "text", seen);
    fill(/** @type {Element} */ (above.lastChild), ": {pp} ranks, {microbatches} micro-batches", seen);
    view.draw({ ...now, other: null, end: now.span }, width, {
      m: state.microbatches,
      before,
      sent: [ran(state, data).sent],
    });
    view.explain(now, state.rank, state.op);
    setAttrs(view.svg, {
      "aria-label": lanes_words(seen, seen.label, last.quiet),
      class: `cw-pipeline-svg${last.quiet ? " still" : ""}`,
    });
    legend.update(now, false, view.flows());
  };
  return { update };
};

/** @type {Captions<State, Data>} */
export const captions = { waits };
/** @type {Goals<State, Data>} */
export const goals = { under_6, few };
