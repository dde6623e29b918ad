/* Controls, lanes, transport, the two bubbles, and the reason of a gap. */
import { makeButton } from "../kit/controls.js";
import { afterPaint, h, makeRoot, setAttrs, setText } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, put as kitPut } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { makeTable } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { onWidth } from "../kit/width.js";
import { short } from "./asked.js";
import { check, compute, ran, row_of } from "./compute.js";
import { KEYS, pipeline_controls, pipeline_zoom } from "./controls.js";
import { lanes_view } from "./view.js";

/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Data, Now, State } from "./compute.js" */

export { check, compute } from "./compute.js";

const pipeline_facts = () => {
  const line = (/** @type {string} */ label) => {
    const value = h("b", { class: "cw-mono" });
    const note = h("span", { class: "cw-note" });
    return { el: h("p", {}, h("span", { class: "cw-label", text: label }), value, note), value, note };
  };
  const whole = line("of the whole step");
  const ideal = line("of the work");
  const idle = line("idle");
  const formula = line("closed form");
  const sent = line("messages");
  const el = h("div", { class: "cw-pipeline-facts" }, idle.el, whole.el, ideal.el, formula.el, sent.el);
  /** @param {Now} now */
  const update = (now) => {
    kitPut(idle.value, "bubble", "sig 5", now);
    fill(idle.note, "{notes.idle} · {notes.who}", now);
    kitPut(whole.value, "of_total", "percent 1", now);
    kitPut(whole.note, "notes.whole", "text", now);
    kitPut(ideal.value, "of_ideal", "percent 1", now);
    kitPut(ideal.note, "notes.ideal", "text", now);
    kitPut(formula.value, "formula", "sig 5", now);
    kitPut(formula.note, "notes.formula", "text", now);
    kitPut(sent.value, "crossings", "int", now);
    fill(sent.note, "activations and gradients sent between ranks, {times.hop:sig 3} units each", now);
  };
  return { el, update };
};

/* A model's times: never less, since nothing runs above the device's peak or the link's speed. */
const pipeline_real = () => {
  const words = [
    ["one unit", "unit_ms:sig 4", "a stage's forward at the peak in BF16, without embedding and head"],
    ["one message", "message_bytes:bytes", "tokens × hidden size × 2 bytes, {real.hop_ms:sig 3} ms on the link"],
    ["the step", "step_ms:sig 4", "of which {real.idle_ms:sig 4} ms idle"],
    ["a rank sends", "sent_bytes:bytes", "at most, in the step"],
  ];
  const lines = words.map(([label]) =>
    h(
      "p",
      {},
      h("span", { class: "cw-label", text: label }),
      h("b", { class: "cw-mono" }),
      h("span", { class: "cw-note" }),
    ),
  );
  const el = h(
    "div",
    { class: "cw-pipeline-facts cw-pipeline-real" },
    heading("In milliseconds", "lower bounds"),
    lines,
  );
  return {
    el,
    update: (/** @type {Now} */ now) => {
      el.hidden = !now.real;
      if (now.real)
        words.forEach(([, value, note], i) => {
          fill(lines[i].children[1], `{real.${value}}${value.includes("_ms") ? " ms" : ""}`, now);
          fill(lines[i].children[2], note, now);
        });
    },
  };
};

/** @param {AfmModel<State, Data>} model @param {(by: number) => void} go */
const pipeline_why = (model, go) => {
  const text = h("p", { class: "cw-pipeline-sentence", "aria-live": "polite" });
  const count = h("span", { class: "cw-note" });
  const prev = makeButton({ label: "Previous gap", text: "◀ gap", onClick: () => go(-1) });
  const next = makeButton({ label: "Next gap", text: "gap ▶", onClick: () => go(1) });
  const el = h("div", { class: "cw-pipeline-why" }, h("div", { class: "cw-row" }, prev.el, next.el, count), text);
  return {
    el,
    update: (/** @type {Now} */ now) => {
      fill(
        text,
        now.says
          ? "{says}"
          : "Click a gap in the lanes, or step through the gaps, to see which result it waits for. Click a cell to see its messages.",
        now,
      );
      fill(count, now.gap ? "gap {gap} of {gaps}" : now.gaps ? "{gaps} gaps" : "no gaps", now);
    },
  };
};

/** @param {number} n */
const batches = (n) => `micro-batch${n === 1 ? "" : "es"}`;
/**
 * The words of the drawing, for those who do not see it; nothing of its bubble while a bet asks for that.
 * @param {Pick<State, "pp" | "microbatches"> & Pick<Now, "span" | "notes" | "bubble" | "peak">} now
 * @param {string} label
 * @param {boolean} [quiet]
 */
export const lanes_words = (now, label, quiet) =>
  `${label}: ${now.pp} ranks, ${now.microbatches} ${batches(now.microbatches)}${quiet ? "" : `, ${short(now.span)} units long, ${now.notes.who} idle for ${short(now.bubble)}; at most ${short(Math.max(...now.peak))} ${batches(Math.max(...now.peak))} in flight on a rank`}.`;
/** @param {string} words */
export const lanes_legend = (words) => {
  const rows = [
    ["F", "forward F"],
    ["B", "backward B, or its input gradient I"],
    ["W", "weight gradient W"],
    ["later", "fainter: a later chunk"],
    ["M", "in the map: several operations"],
    ["key-idle", "idle"],
    ["message", "a message"],
    ["now", words],
  ];
  const el = makeLegend(rows.map(([css, label]) => ({ class: `cw-pipeline-${css}`, label })));
  /** @param {Now} out @param {boolean} mapped @param {unknown} flows */
  const update = (out, mapped, flows) => {
    const outs = out.other ? [out, out.other] : [out];
    const split = outs.some((one) => one.ops.some((ops) => ops.some((op) => op[0] === "W")));
    setText(
      /** @type {Node} */ (el.children[1].lastChild),
      split ? "backward B, or its input gradient I" : "backward B",
    );
    /** @type {HTMLElement} */ (el.children[2]).hidden = !split;
    setText(
      /** @type {Node} */ (el.children[3].lastChild),
      outs.some((one) => one.chunks > 1) ? "fainter: a later chunk" : "fainter: from the other end",
    );
    /** @type {HTMLElement} */ (el.children[3]).hidden = !outs.some((one) =>
      one.ops.some((ops, r) => ops.some((op) => op[1] !== r)),
    );
    /** @type {HTMLElement} */ (el.children[4]).hidden = !mapped;
    /** @type {HTMLElement} */ (el.children[6]).hidden = !flows;
  };
  return { el, update };
};

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
    const table = makeTable({
      caption: "What each rank does at the cursor",
      columns: [
        { key: "rank", label: "rank" },
        { out: (r) => `doing.${r.rank}`, label: "at the cursor" },
        ...[
          ["now", "in flight"],
          ["peak", "peak"],
        ].map(([key, label]) => ({
          out: (/** @type {{ rank?: number }} */ r) => `${key}.${r.rank}`,
          how: "sig 5",
          label,
          align: "right",
        })),
      ],
    });
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
