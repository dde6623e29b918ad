/* The lab: controls, the run, its counts beside the formulas, and the time against the message size. */
import { setControls } from "../kit/control.js";
import { announce, h, makeRoot, setAttrs } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { onWidth } from "../kit/width.js";
import { accounts } from "./accounts.js";
import { time_chart } from "./chart.js";
import { check, compute, spelt } from "./compute.js";
import { collectives_controls, KEYS } from "./lab_controls.js";
import { moment, player, pointing, REST } from "./player.js";
import { offered_of } from "./timed.js";
import { run_view } from "./view.js";

/** @import { Data, State } from "../../.make/data_types/collectives.d.ts" */
/** @import { Widget } from "../kit/model.js" */
/** @import { Now } from "./compute.js" */

export { check, compute, settle } from "./compute.js";

/** @param {string} word */
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * Time against the message size, for every algorithm that a reader can choose.
 * @param {ReturnType<typeof time_chart>} chart
 * @param {State} state
 * @param {Now} run
 * @param {Data} data
 */
const draw_times = (chart, state, run, data) => {
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
};

/** The drawing of a run, in words. @param {State} state @param {Now} run */
const run_words = (state, run) =>
  `${state.ranks} ranks, each a column of chunks. For an array of ${fmt.kib(2 ** state.message)}, the busiest rank sends ${run.words.busiest} in ${run.counted.steps} steps.`;

/**
 * Below the run: what it counted beside the formulas, and the time it takes.
 * @param {ReturnType<typeof accounts>} told
 * @param {HTMLElement} sliders
 * @param {ReturnType<typeof time_chart>} chart
 */
const counts_and_time = (told, sliders, chart) =>
  h(
    "div",
    { class: "cw-split cw-section" },
    h("div", {}, heading("Message counts and formulas"), told.counts, told.same),
    h("div", {}, heading("Time"), sliders, told.cost, chart.svg, told.cross),
  );

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

    root.append(top, title, view.svg, transport.el, now, pointed, counts_and_time(told, time, chart));

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
      setAttrs(view.svg, { "aria-label": run_words(state, run) });
      draw_times(chart, state, run, data);
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
