/* The lab: a stream that is edited, thirteen decoders that read it, where each looks and what it keeps. */
import { makeButton, text_input } from "../kit/controls.js";
import { afterPaint, h, makeRoot, setAttrs } from "../kit/dom.js";
import { commit, live as kitLive, makeOffer, readData, readState } from "../kit/model.js";
import { fill } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { answer_panels } from "./answer_panels.js";
import { compute } from "./compute.js";
import { decoder_controls, LAB_KEYS } from "./controls.js";
import { draggable, edited, random_stream } from "./edits.js";
import { fetcher } from "./fetcher.js";
import { check } from "./legal.js";
import { measured_panels } from "./measured_panels.js";
import { row_of } from "./mixers.js";
import { tiles_view } from "./tiles.js";
import { is_answered } from "./view.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { Widget } from "../kit/model.js" */
/** @import { Data } from "./compute.js" */
/** @import { Controlled } from "./controls.js" */

export { compute } from "./compute.js";
export { check, settle } from "./legal.js";

const HINT =
  "Arrows move the cursor; Shift and an arrow, or dragging, move the operation. Letters change its key, digits its value; W and R insert one (X, a reset, for mixers trained with resets), Delete removes it.";

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const home = /** @type {HTMLElement | null} */ (el.closest("[data-module]"));
    const root = makeRoot(el, "decoder");
    const data = readData(model);
    const made = decoder_controls(model, data);
    const offer = makeOffer(model, { keys: LAB_KEYS, data, check });
    const state = () => readState(model, LAB_KEYS);
    const text = text_input({
      label: "the stream",
      size: 44,
      onInput: (typed) => {
        const x = typed
          .split(/[\s.]+/)
          .filter(Boolean)
          .join(".");
        offer(text, { x, u: Math.max(0, x.split(".").length - 1) });
      },
    });
    const saved = afterPaint();
    /** @param {Partial<State>} changes */
    const edit = (changes) => {
      const sentence = check({ ...state(), ...changes }, data);
      text.error(sentence);
      if (sentence) return false;
      for (const [key, value] of Object.entries(changes)) model.set(/** @type {keyof State} */ (key), value);
      saved(() => model.save_changes()); // the address, once the edit is drawn: to write it would cost the frame
      return true;
    };
    const tiles = tiles_view({ listbox: true });
    tiles.el.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const changes = e.key === " " ? {} : edited(e.key, e.shiftKey && e.key.length > 1, state());
      if (!changes) return;
      e.preventDefault();
      if (e.key === " ") time.el.querySelectorAll("button")[1].click();
      else edit(changes);
    });
    tiles.el.addEventListener("click", (e) => {
      const u = [...tiles.el.children].indexOf(
        /** @type {Element} */ (/** @type {Element} */ (e.target).closest("li")),
      );
      if (u >= 0) commit(model, { u });
    });
    draggable(tiles.el, (from, to) => {
      const parts = state().x.split(".");
      parts.splice(to, 0, ...parts.splice(from, 1));
      return edit({ x: parts.join("."), u: to });
    });
    let shown = -1; // while it plays, the unit that is drawn; the state follows when it stops
    /** @param {number} t */
    const step = (t) => {
      if (time.playing() && Math.floor(t) !== shown) {
        shown = Math.floor(t);
        draw();
      }
    };
    /** @param {number} t */
    const named = (t) => `operation ${Math.floor(t) + 1}`;
    const time = makeTransport({
      label: "the operation under the cursor",
      length: state().u || 1,
      value: state().u,
      rate: 1.3,
      format: named,
      print: (node, t) => setAttrs(node, { text: named(t), "data-index": true }),
      onFrame: step,
      onStop: (t) => {
        shown = -1;
        commit(model, { u: Math.floor(t) });
      },
    });
    const buttons = [
      makeButton({
        label: "random stream",
        onClick: () => commit(model, random_stream(row_of(state().m, data).resets)),
      }),
      makeButton({ label: "sample again", onClick: () => commit(model, { draw: (state().draw % 999) + 1 }) }),
      makeButton({ label: "greedy", onClick: () => commit(model, { draw: 0 }) }),
    ];
    const [answer, rates] = [answer_panels(edit, state), measured_panels(data)];
    const [waiting, asked] = [h("p"), h("p")];
    root.append(
      h("div", { class: "cw-row" }, made.m.el, made.feed.el, made.h.el, made.temp.el, made.top.el),
      h(
        "div",
        { class: "cw-row" },
        time.el,
        text.el,
        buttons.map((one) => one.el),
      ),
      tiles.el,
      h("p", { class: "cw-note", "data-omit": true, text: HINT }),
      asked,
      waiting,
      answer.el,
      rates.el,
      rates.wherein,
    );

    let began = false; // the first update draws all panels at once
    const later = afterPaint();
    /** @type {{ [key: string]: unknown }} */
    const had = {}; // a control is set where its value is another one: to set it costs a style
    /**
     * @template T
     * @param {string} key
     * @param {T} value
     * @param {(value: T) => unknown} set
     */
    const once = (key, value, set) => {
      if (had[key] !== value) set((had[key] = value));
    };
    /** @param {State} given */
    const update = (given) => {
      const own = shown >= 0 && given.x.split(".").length > shown ? { ...given, u: shown } : given;
      need(own.m);
      const now = { ...own, ...compute(own, data) };
      for (const [key, control] of /** @type {[Controlled, Control<unknown>][]} */ (Object.entries(made)))
        once(key, own[key], (value) => control.set(value));
      once("x", own.x, () => text.set(own.x.replaceAll(".", " ")));
      once("length", now.stream.units.length, (units) => time.length(Math.max(1, units - 1)));
      time.set(own.u);
      const near = row_of(own.m, data).window;
      tiles.update(now, { u: own.u, ask: now.here.reads, bars: now.live?.looks, marks: true, window: near });
      const { reads, empty } = now.here;
      fill(
        asked,
        !reads
          ? now.stream.units[own.u].word === "X"
            ? "X: from here on, every key is empty."
            : "W {here.key:text} {here.truth:text}: a write. Put the cursor on a read to ask."
          : `R {here.key:text}: written {here.written:int} tokens back, last seen {here.said:int} back; ${empty ? "cleared since. The right answer is {here.truth:text}, no value." : "{here.live:int} keys to remember. The right answer is {here.truth:text}."}`,
        now,
      );
      answer.el.hidden = !now.live;
      waiting.hidden = Boolean(now.live);
      if (is_answered(now)) answer.next(now);
      else
        fill(
          waiting,
          home
            ? "{model.title}: {model.file:bytes} of weights are being fetched."
            : "An embed has no room for weights, so it shows only the first stream. The page runs every stream.",
          now,
        );
      const rest = () => {
        rates.update(own, now);
        if (is_answered(now)) answer.rest(own, now);
      };
      if (began)
        later(rest); // the stream and what is said come first, the other panels a frame later
      else rest();
      began = true;
    };
    const draw = () => update(state());
    const need = fetcher(home, data, () => {
      if (!check(state(), data)) draw();
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    /** @type {{ [mixer: string]: string[] }} */
    const further = { window: ["full"], linear: ["delta"], delta: ["linear"] }; // what the goals ask of another mixer
    const stop = kitLive(model, {
      root,
      keys: LAB_KEYS,
      check,
      update: (given) => {
        update(given);
        for (const name of further[given.m] || []) need(name);
      },
    });
    return () => {
      time.stop();
      stop();
    };
  },
};
