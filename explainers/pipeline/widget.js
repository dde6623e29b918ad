/* Controls, lanes, transport, the two bubbles, and the reason of a gap. */
import { afterPaint, h, makeRoot, setAttrs, setText } from "../kit/dom.js";
import { heading } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, put as kitPut } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { makeTransport } from "../kit/time.js";
import { onWidth } from "../kit/width.js";
import { compute } from "./compute.js";
import { KEYS, pipeline_controls, pipeline_zoom } from "./controls.js";
import { doing_table, pipeline_facts, pipeline_real, pipeline_why } from "./facts.js";
import { batches, lanes_legend, lanes_words } from "./lanes_words.js";
import { check } from "./legal.js";
import { ran, row_of } from "./schedule_run.js";
import { lanes_view } from "./view.js";

/** @import { Widget } from "../kit/model.js" */
/** @import { Data, Now, State } from "./compute.js" */

export { compute } from "./compute.js";
export { check } from "./legal.js";

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "pipeline");
    const data = readData(model);
    const view = lanes_view();
    /** @type {Now} */
    let out;
    let state = data.start;
    let width = 0;
    let drawn = "";
    let shown = false;
    const controls = pipeline_controls(model, data);
    const title = heading("", "");
    const go = (/** @type {number} */ by) => {
      const all = out.ops.flatMap((ops, rank) =>
        ops
          .map((op, k) => [rank, k])
          .filter(
            ([, k]) => /** @type {number} */ (ops[k].at(-2)) > (k ? /** @type {number} */ (ops[k - 1].at(-1)) : 0),
          ),
      );
      if (!all.length) return;
      const [rank, op] = all[(out.gap - 1 + by + (!out.gap && by < 0 ? 1 : 0) + all.length) % all.length];
      commit(model, { rank, op, cursor: /** @type {number} */ (out.ops[rank][op].at(-2)) });
    };
    const reason = pipeline_why(model, go);
    const facts = pipeline_facts();
    const real = pipeline_real();
    const weighed = h("p", { class: "cw-note cw-pipeline-weighed", "aria-live": "polite" });
    const table = doing_table();
    const legend = lanes_legend("activations in flight, relative to their peak (micro-batches × 1/p of the model)");
    const note = h("p", { class: "cw-note cw-pipeline-note" });

    const later = afterPaint(); // what stands below the drawing
    const show = (/** @type {number} */ t) => {
      const now = t === out.at ? out : compute({ ...state, cursor: t }, data);
      shown = true;
      view.at(t, now);
      view.explain(now, state.rank, state.op);
      later(() => {
        facts.update(out);
        real.update(out);
        table.update(now.doing.map((_, rank) => ({ rank, now })));
      });
    };
    const stopped = (/** @type {number} */ t) =>
      commit(model, { cursor: t, ...(state.zoom ? { left: view.part()[0] } : {}) });
    const transport = makeTransport({
      label: "time",
      length: 27,
      value: 0,
      rate: 2,
      format: (t) => t.toFixed(1),
      print: (node, t) => kitPut(node, "at", "fixed 1", { at: t }),
      onFrame: show,
      onStop: stopped,
    });

    /** The part that is shown, as long as `zoom` says, and the cursor in it. @type {(times: number, left: number, at?: number) => void} */
    const put = (times, left, at = out.at) => {
      const shown = out.end / times;
      const from = Math.round(100 * Math.max(0, Math.min(left, out.end - shown))) / 100;
      commit(model, { zoom: times, left: from, cursor: Math.max(from, Math.min(at, from + shown)) });
    };
    const zooming = pipeline_zoom(view.svg, {
      set: (times) => commit(model, { zoom: times, left: 0 }),
      zoom: (factor, anchor, along = 0) => {
        const [from, shown] = view.part();
        const times = Number(Math.max(1, Math.min(64, (factor * out.end) / shown)).toPrecision(4));
        const still = anchor ?? (out.at >= from && from + shown >= out.at ? out.at : from + shown / 2);
        put(times, still - ((still - from) * out.end) / times / shown + (along * shown) / width);
      },
      moment: (x) => view.find(x - view.svg.getBoundingClientRect().left, view.part()[3], out)[0],
    });

    const redraw = () => {
      if (!out || !width) return;
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

    onDrag(view.svg, {
      start: (x, y, e) => {
        if (e.pointerType === "touch" && !e.isPrimary) return false;
        view.grab(y);
        const [t, rank, op] = view.find(x, y, out);
        commit(model, { cursor: t, ...(op >= 0 && !view.part()[2] ? { rank, op } : {}) });
        return true;
      },
      move: (x, y) => {
        if (zooming.pinching()) return;
        const t = view.find(x, y, out)[0];
        const [, shown, map] = view.part();
        transport.set(t);
        if (map && state.zoom) put(state.zoom, t - shown / 2, t);
        else show(t);
      },
      end: (x, y) => {
        const [t] = view.find(x, y, out);
        view.grab(null);
        if (zooming.pinching()) return;
        commit(model, { cursor: t });
        show(t);
      },
    });

    const chart = h(
      "div",
      { class: "cw-pipeline-chart", on: { keydown: zooming.onKey } },
      view.svg,
      transport.el,
      zooming.el,
    );
    root.append(
      controls.el,
      title,
      chart,
      weighed,
      legend.el,
      note,
      h(
        "div",
        { class: "cw-split cw-section" },
        h(
          "div",
          {},
          heading("The bubble in both conventions"),
          facts.el,
          real.el,
          heading("Why is a rank idle, and what does it send?"),
          reason.el,
        ),
        h("div", {}, table.el),
      ),
    );

    /** @param {State} now */
    const update = (now) => {
      state = now;
      out = compute(state, data);
      controls.update(state, out);
      reason.update(out);
      const key = JSON.stringify([KEYS.filter((k) => k !== "cursor").map((k) => state[k]), width]);
      if (key !== drawn) redraw();
      drawn = key;
      transport.length(out.end);
      shown = false;
      transport.set(state.cursor); // shows it, unless it stands there already
      if (!shown) show(Math.min(state.cursor, out.end));
    };
    const stop = onWidth(root, (px) => {
      width = px;
      if (out) {
        redraw();
        show(Math.min(state.cursor, out.end));
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
