/* Controls, lanes, transport, the two bubbles, and the reason of a gap. */
import { afterPaint, h, makeRoot, setAttrs, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, put as kitPut } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { onWidth } from "../kit/width.js";
import { compute } from "./compute.js";
import { KEYS, pipeline_controls } from "./controls.js";
import { doing_table, next_gap, pipeline_facts, pipeline_real, pipeline_why } from "./facts.js";
import { batches, lanes_legend, lanes_words } from "./lanes_words.js";
import { check } from "./legal.js";
import { ran, row_of } from "./schedule_run.js";
import { lanes_view } from "./view.js";
import { drag_cursor, pipeline_zoom } from "./zoom.js";

/** @import { AfmModel, Changes, Widget } from "../kit/model.js" */
/** @import { Data, State } from "./compute.js" */
/** @import { Transport } from "../kit/time.js" */
/** @import { Current } from "./zoom.js" */

export { compute } from "./compute.js";
export { check } from "./legal.js";

/** @typedef {ReturnType<typeof build_lab>} Lab */

/**
 * The lanes, the controls, and what stands below; the transport and the zoom come later, since they move the lanes.
 * @param {AfmModel<State, Data>} model
 * @param {Data} data
 * @param {(by: number) => void} go to a gap before or after
 */
const build_lab = (model, data, go) => ({
  view: lanes_view(),
  controls: pipeline_controls(model, data),
  title: heading("", ""),
  reason: pipeline_why(go),
  facts: pipeline_facts(),
  real: pipeline_real(),
  weighed: h("p", { class: "cw-note cw-pipeline-weighed", "aria-live": "polite" }),
  table: doing_table(),
  legend: lanes_legend("activations in flight, relative to their peak (micro-batches × 1/p of the model)"),
  note: h("p", { class: "cw-note cw-pipeline-note" }),
});

/**
 * What stands on the page, from top to bottom.
 * @param {Lab} lab
 * @param {Transport} transport
 * @param {ReturnType<typeof pipeline_zoom>} zooming
 */
const page_order = (lab, transport, zooming) => [
  lab.controls.el,
  lab.title,
  h("div", { class: "cw-pipeline-chart", on: { keydown: zooming.onKey } }, lab.view.svg, transport.el, zooming.el),
  lab.weighed,
  lab.legend.el,
  lab.note,
  h(
    "div",
    { class: "cw-split cw-section" },
    h(
      "div",
      {},
      heading("The bubble in both conventions"),
      lab.facts.el,
      lab.real.el,
      heading("Why is a rank idle, and what does it send?"),
      lab.reason.el,
    ),
    h("div", {}, lab.table.el),
  ),
];

/**
 * The lanes of the whole step and the words around them.
 * @param {Lab} lab
 * @param {Current} current
 * @param {Data} data
 */
const draw_lanes = ({ view, title, legend, note, weighed }, { state, out, width }, data) => {
  if (!width) return;
  const row = row_of(state, data);
  const now = { ...state, ...out };
  const sent = [state.schedule, state.beside]
    .filter((name) => name !== "none")
    .map((schedule) => ran({ ...state, schedule }, data).sent);
  view.draw(out, width, {
    m: state.microbatches,
    sent,
    label: row.label,
    cap: state.cap,
    zoom: state.zoom,
    left: state.left,
    t: out.at,
  });
  setAttrs(view.svg, { "aria-label": lanes_words(now, row.label) });
  setText(title.children[0], row.label);
  fill(
    title.children[1],
    `idle for {of_total:percent 1} of the step · the first rank holds at most {peak.0:sig 5} ${batches(now.peak[0])}`,
    now,
  );
  legend.update(out, out.end > view.part()[1], view.flows() || out.links.length);
  setText(note, row.note);
  note.hidden = !row.note;
  fill(weighed, [out.fit && "{fit.says}", out.other && "{other.says}"].filter(Boolean).join(" "), out);
  weighed.hidden = !weighed.textContent;
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "pipeline");
    const data = readData(model);
    const set = (/** @type {Changes<State>} */ changes) => commit(model, changes);
    const current = /** @type {Current} */ ({ state: data.start, width: 0 });
    let drawn = "";
    let shown = false;
    const lab = build_lab(model, data, (by) => set(next_gap(current.out, by)));
    const { view } = lab;

    const later = afterPaint(); // what stands below the drawing
    const show = (/** @type {number} */ t) => {
      const { state, out } = current;
      const now = t === out.at ? out : compute({ ...state, cursor: t }, data);
      shown = true;
      view.at(t, now);
      view.explain(now, state.rank, state.op);
      later(() => {
        lab.facts.update(current.out);
        lab.real.update(current.out);
        lab.table.update(now.doing.map((_, rank) => ({ rank, now })));
      });
    };
    const transport = makeTransport({
      label: "time",
      length: 27,
      value: 0,
      rate: 2,
      format: (t) => t.toFixed(1),
      print: (node, t) => kitPut(node, "at", "fixed 1", { at: t }),
      onFrame: show,
      onStop: (t) => set({ cursor: t, ...(current.state.zoom ? { left: view.part()[0] } : {}) }),
    });
    const zooming = pipeline_zoom(view, current, set);
    drag_cursor(view, current, { pinching: zooming.pinching, transport, set, show });
    root.append(...page_order(lab, transport, zooming));

    /** @param {State} state */
    const update = (state) => {
      const out = compute(state, data);
      Object.assign(current, { state, out });
      lab.controls.update(state, out);
      lab.reason.update(out);
      const key = JSON.stringify([KEYS.filter((k) => k !== "cursor").map((k) => state[k]), current.width]);
      if (key !== drawn) draw_lanes(lab, current, data);
      drawn = key;
      transport.length(out.end);
      shown = false;
      transport.set(state.cursor); // shows it, unless it stands there already
      if (!shown) show(Math.min(state.cursor, out.end));
    };
    const stop = onWidth(root, (width) => {
      current.width = width;
      if (current.out) {
        draw_lanes(lab, current, data);
        show(Math.min(current.state.cursor, current.out.end));
      }
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
