/* Page order: what is written, the five states, what a key reads back, errors over time, steps against chunks. */
import { slider as kitSlider, makeButton, number, segmented } from "../kit/controls.js";
import { afterPaint, announce, h, makeRoot, onWidth, setAttrs, setText, widthOf } from "../kit/dom.js";
import { heading, makeLegend } from "../kit/headings.js";
import { commit, live, readData, readState } from "../kit/model.js";
import { fill, fmt } from "../kit/numbers.js";
import { makeStack } from "../kit/table.js";
import { makeTransport } from "../kit/time.js";
import { step_of, trace } from "./compute.js";
import { check } from "./legal.js";
import { paint } from "./parts.js";
import { recall, row_names, rule_cards } from "./states.js";
import { channel_bars, moved, tape, value_editor, wanted_keys, with_gate } from "./tape.js";
import { pairs_of } from "./writes.js";

/** @import { Kid } from "../kit/dom.js" */
/** @import { Changes, Widget } from "../kit/model.js" */
/** @import { Format } from "../kit/numbers.js" */
/** @import { Data, Now, Rule, State, Traced } from "./compute.js" */

export { compute } from "./compute.js";
export { check } from "./legal.js";

/** @type {(keyof State)[]} */
const KEYS = [
  "writes",
  "step",
  "seed",
  "overlap",
  "beta",
  "decay",
  "gates",
  "channels",
  "border",
  "wanted",
  "chunk",
  "query",
  "rule",
];
/** @type {[name: keyof Data["tapes"], label: string][]} */
const TAPES = [
  ["twice", "A written twice"],
  ["random", "{random_keys:int} random keys"],
  ["documents", "two documents"],
];

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "delta-rule");
    const data = readData(model);
    const get = () => readState(model, KEYS);
    const set = (/** @type {Changes<State>} */ changes) => commit(model, changes);
    /** @type {[Traced | null, string, number, number]} */
    let [traced, drawn, t, px] = [null, "", 0, 0];
    const later = afterPaint();
    const next = [0, 105]; // what the Write button writes

    const tidy = (/** @type {number} */ v) => Math.round(v * 100) / 100;
    /** @type {(label: string, key: "overlap" | "beta" | "decay", max: number) => ReturnType<typeof kitSlider>} */
    const slider = (label, key, max) =>
      kitSlider({
        label,
        min: 0,
        max,
        step: 0.05,
        format: (v) => fmt.fixed(v, 2),
        onInput: (v) => set({ [key]: tidy(v) }),
      });
    const sliders = {
      overlap: slider("Overlap of keys", "overlap", 0.9),
      beta: slider("Write strength β", "beta", 2),
      decay: slider("Decay α", "decay", 1),
    };
    const letters = [...data.letters].map((label, value) => ({ value, label }));
    const key = segmented({
      label: "Key",
      options: letters,
      value: next[0],
      onInput: (v) => {
        next[0] = v;
      },
    });
    const editor = value_editor((j) => {
      next[1] ^= 128 >> j;
      editor.update(next[1]);
    });
    editor.update(next[1]);
    const write = makeButton({
      label: "Write",
      onClick: () => {
        const state = get();
        const { writes, step } = state;
        if (writes.length >= 2 * data.most) {
          setText(full, `The tape is full: ${data.most} writes. Undo one or clear.`);
          return;
        }
        set({
          ...moved(state, step, 1, data.most),
          writes: [...writes.slice(0, 2 * step), ...next, ...writes.slice(2 * step)],
          step: step + 1,
          query: next[0],
        });
      },
    });
    const undo = makeButton({
      label: "Remove this write",
      onClick: () => {
        const state = get();
        const { writes, step } = state;
        if (step)
          set({
            ...moved(state, step - 1, -1, data.most),
            writes: [...writes.slice(0, 2 * step - 2), ...writes.slice(2 * step)],
            step: step - 1,
          });
      },
    });
    const clear = makeButton({ label: "Clear", onClick: () => set({ writes: [], step: 0, gates: [], border: 0 }) });
    const full = h("span", { class: "cw-error", role: "alert" });
    const load = TAPES.map(([name, label]) => {
      const { el: button } = makeButton({ onClick: () => set(data.tapes[name]) });
      return fill(button, label, { random_keys: data.tapes.random.writes.length / 2 });
    });
    const roll = tape(
      data,
      (step) => {
        transport.stop();
        set({ step });
      },
      (i, a) => set({ gates: with_gate(get(), i, a) }),
    );
    const border = number({
      label: "Writes of the old document",
      min: 0,
      max: data.most,
      integer: true,
      size: 3,
      allow: (v) => (v > get().writes.length / 2 ? "There are fewer writes than that." : ""),
      onInput: (v) => set({ border: v }),
    });
    const wanted = wanted_keys(data, (which) => {
      const state = get();
      const last = [
        ...new Set(
          pairs_of(state.writes)
            .map(([k]) => k)
            .reverse(),
        ),
      ]
        .slice(0, 4)
        .reverse();
      if (which === null || Array.isArray(which)) {
        set({ wanted: which || last });
        return;
      }
      set({
        wanted: state.wanted.includes(which)
          ? state.wanted.filter((k) => k !== which)
          : [...state.wanted, which].sort((a, b) => a - b),
      });
    });
    const channels = channel_bars((c, a) => {
      const { channels: now, decay } = get();
      set({
        channels: (now.length ? now : /** @type {number[]} */ (new Array(8).fill(decay))).map((x, i) =>
          i === c ? a : x,
        ),
      });
    });
    const alike = makeButton({ label: "all rows alike", onClick: () => set({ channels: [] }) });
    const cards = rule_cards(data, (rule) => set({ rule }));
    const query = segmented({ label: "Read with key", options: letters, onInput: (v) => set({ query: v }) });
    const reads = recall(data);
    const plot = paint.history(data);
    const numbers = makeStack({
      caption: "The state in numbers",
      columns: [
        { key: "name", label: "row" },
        ...Array.from({ length: 8 }, (_, j) => ({ key: j, label: String(j), align: "right" })),
      ],
    });
    const numbers_title = h("summary", {});
    /** @type {ReturnType<typeof makeStack<{ name: string, key: number, now: Now }>>} */
    const misses = makeStack({
      caption: "Recall error per key",
      columns: [
        { key: "name", label: "key" },
        ...data.rules.map((r) => ({
          label: r.label,
          align: "right",
          out: (/** @type {{ key: number }} */ { key }) => `rules.${r.name}.errors.${key}`,
          how: "percent 1",
        })),
      ],
    });
    const chunk = segmented({ label: "Writes per chunk", options: data.chunks, onInput: (v) => set({ chunk: v }) });
    const forms = makeStack({
      caption: "The last state, computed step by step and in chunks",
      columns: [
        { key: "rule", label: "first number of S" },
        { key: "steps", label: "step by step", class: "cw-mono" },
        { key: "chunks", label: "in chunks", class: "cw-mono" },
        { key: "apart", label: "largest difference", align: "right", class: "cw-mono" },
      ],
    });
    const counts = [h("b"), h("b")];
    const chunk_note = h(
      "p",
      { class: "cw-note" },
      "Number of writes: ",
      counts[0],
      "; number of chunks: ",
      counts[1],
      ". Both forms were computed on this page. The difference is the largest over all of S and all reads.",
    );

    const show = (/** @type {number} */ time) => {
      t = time;
      const state = get();
      cards.update(/** @type {Traced} */ (traced), state, t);
      reads.update(/** @type {Traced} */ (traced), state, t);
      roll.update(state, { gates: /** @type {Traced} */ (traced).gates.scalar }, Math.floor(t));
      const histories = Object.fromEntries([
        ...data.rules.map((r) => [r.name, /** @type {Traced} */ (traced).found[r.name].history]),
        ["attention", /** @type {Traced} */ (traced).attention.history],
      ]);
      plot.update(
        histories,
        /** @type {Traced} */ (traced).axis,
        /** @type {Traced} */ (traced).pairs,
        t,
        (px = widthOf(root)),
      );
    };
    const moment = (/** @type {number} */ x) => ({ step: Math.floor(x), writes: traced ? traced.pairs.length : 0 });
    const transport = makeTransport({
      label: "Step through the writes",
      length: 0,
      rate: 1.25,
      format: (x) => `${moment(x).step} of ${moment(x).writes}`,
      print: (node, x) => fill(node, "{step:int} of {writes:int}", moment(x)),
      onFrame: (x) => {
        if (traced) show(x);
      },
      onStop: (x) => set({ step: Math.round(x) }),
    });

    /** @type {(title: string, note: string, ...kids: Kid[]) => HTMLElement} */
    const section = (title, note, ...kids) => h("section", { class: "cw-section" }, heading(title, note), kids);
    root.append(
      h(
        "div",
        { class: "cw-row cw-delta-rule-tapes", "data-omit": true },
        h("span", { class: "cw-label", text: "Tape" }),
        load,
      ),
      h(
        "div",
        { class: "cw-delta-rule-write", "data-omit": true },
        key.el,
        editor.el,
        h("div", { class: "cw-delta-rule-buttons" }, write.el, undo.el, clear.el),
        full,
      ),
      roll.el,
      transport.el,
      h("p", {
        class: "cw-note",
        text: "Below each write is its α, the share of all earlier writes that rules with decay keep.",
      }),
      border.el,
      wanted.el,
      heading("Five states, the same writes", "yellow edges mark what decoding stores; it never grows"),
      cards.el,
      makeLegend([
        { class: "cw-delta-rule-key pos", label: "positive" },
        { class: "cw-delta-rule-key neg", label: "negative, marked −" },
      ]),
      h(
        "div",
        { class: "cw-delta-rule-sliders" },
        Object.values(sliders).map((s) => s.el),
      ),
      h(
        "div",
        { class: "cw-delta-rule-kda" },
        h("span", { class: "cw-label", text: "KDA’s α, row by row" }),
        channels.el,
        alike.el,
      ),
      h("details", {}, numbers_title, numbers.el, misses.el),
      setAttrs(section("What each rule retrieves", "", query.el, reads.el), { "data-below": true }),
      section("Recall error after each write", "mean over the scored keys written so far", plot.el),
      section("Step by step or in chunks", "", chunk.el, chunk_note, forms.el),
    );

    /** @param {State} state */
    const update = (state) => {
      const print = JSON.stringify(KEYS.filter((k) => !["step", "query", "rule"].includes(k)).map((k) => state[k]));
      if (print !== drawn) {
        transport.stop();
        traced = trace(state, data);
        drawn = print;
        transport.length(traced.pairs.length);
      }
      const out = step_of(state, data, /** @type {Traced} */ (traced));
      const many = out.keys.length;
      for (const [name, control] of Object.entries(sliders))
        control.set(state[/** @type {keyof typeof sliders} */ (name)]);
      sliders.overlap.enable(state.seed === 0);
      for (const pills of [key, query])
        pills.el.querySelectorAll(".cw-pill").forEach((pill, i) => {
          /** @type {HTMLElement} */ (pill).hidden = i >= many;
        });
      if (next[0] >= many) {
        next[0] = 0;
        key.set(0);
      }
      query.set(state.query);
      chunk.set(state.chunk);
      border.set(state.border);
      wanted.update(state.wanted, many);
      channels.update(out, row_names(state, data));
      alike.enable(state.channels.length > 0);
      setText(full, "");
      write.enable(true);
      undo.enable(state.step > 0);
      clear.enable(out.writes > 0);
      transport.set(state.step);
      if (!transport.playing()) show(state.step);
      announce(
        root,
        `step ${state.step}: ${data.rules.map((r) => `${r.label} ${fmt.percent(out.rules[r.name].error)}`).join(", ")}`,
      );
      later(() => below(state, out));
    };
    /** @param {State} state @param {Now} out */
    const below = (state, out) => {
      const rule = /** @type {Rule} */ (data.rules.find((r) => r.name === state.rule));
      setText(numbers_title, `${rule.label} in numbers`);
      /** @type {(table: { el: Element }, row: number, column: number, path: string, how: Format, v: string) => void} */
      const bind = (table, row, column, path, how, v) =>
        paint.bound(table.el.querySelectorAll("tbody tr")[row].children[column], path, how, v);
      const names = row_names(state, data);
      const S = out.rules[state.rule].state;
      numbers.update(S.map((_, i) => ({ name: names[i] })));
      S.forEach((row, i) =>
        row.forEach((v, j) =>
          bind(numbers, i, j + 1, `rules.${rule.name}.state.${i}.${j}`, "fixed 4", fmt.fixed(v, 4)),
        ),
      );
      misses.update(out.targets.flatMap((target, key) => (target ? [{ name: data.letters[key], key, now: out }] : [])));
      forms.update(data.rules.map((r) => ({ rule: r.label })));
      data.rules.forEach((r, i) => {
        const one = out.rules[r.name];
        bind(forms, i, 1, `rules.${r.name}.last_state.0.0`, "fixed 6", fmt.fixed(one.last_state[0][0], 6));
        bind(forms, i, 2, `rules.${r.name}.chunked_state.0.0`, "fixed 6", fmt.fixed(one.chunked_state[0][0], 6));
        bind(forms, i, 3, `rules.${r.name}.agree`, "text", one.agree);
      });
      paint.bound(counts[0], "writes", "int", fmt.int(out.writes));
      paint.bound(counts[1], "chunks", "int", fmt.int(out.chunks));
    };
    const leave = live(model, { root, keys: KEYS, check: check, update });
    const unwatch = onWidth(root, (now) => {
      if (traced && now !== px) show(t);
    });
    return () => {
      transport.stop();
      unwatch();
      leave();
    };
  },
};
