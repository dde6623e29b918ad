/* The lab: a stream that is edited, thirteen decoders that read it, where each looks and what it keeps. */
import { h, makeRoot, setAttrs } from "../kit/dom.js";
import { commit, live as kitLive, readData, readState } from "../kit/model.js";
import { makeTransport } from "../kit/time.js";
import { compute } from "./compute.js";
import { decoder_controls, LAB_KEYS } from "./controls.js";
import { fetcher } from "./fetcher.js";
import { check } from "./legal.js";
import { row_of } from "./mixers.js";
import { edit_on_tiles, stream_buttons, stream_text } from "./stream_edits.js";
import { stream_panels } from "./stream_panels.js";
import { tiles_view } from "./tiles.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Control } from "../kit/control.js" */
/** @import { AfmModel, Widget } from "../kit/model.js" */
/** @import { Transport } from "../kit/time.js" */
/** @import { Data, Shown } from "./compute.js" */
/** @import { Controlled } from "./controls.js" */

export { compute } from "./compute.js";
export { check, settle } from "./legal.js";

const HINT =
  "Arrows move the cursor; Shift and an arrow, or dragging, move the operation. Letters change its key, digits its value; W and R insert one (X, a reset, for mixers trained with resets), Delete removes it.";

/** What the goals ask of another mixer. @type {{ [mixer: string]: string[] }} */
const FURTHER = { window: ["full"], linear: ["delta"], delta: ["linear"] };

/**
 * The cursor in time: while it plays, a unit is drawn that the state does not have; it follows when it stops.
 * @param {AfmModel<State, Data>} model
 * @param {number} u where it begins
 * @param {() => void} draw
 */
const cursor_time = (model, u, draw) => {
  let shown = -1; // while it plays, the unit that is drawn
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
    length: u || 1,
    value: u,
    rate: 1.3,
    format: named,
    print: (node, t) => setAttrs(node, { text: named(t), "data-index": true }),
    onFrame: step,
    onStop: (t) => {
      shown = -1;
      commit(model, { u: Math.floor(t) });
    },
  });
  /** The state with the cursor where it is drawn. @param {State} given */
  const drawn = (given) => (shown >= 0 && given.x.split(".").length > shown ? { ...given, u: shown } : given);
  return { time, drawn };
};

/**
 * Shows a state in the controls. Each is set only when its value changes, since setting one recalculates styles.
 * @param {ReturnType<typeof decoder_controls>} made
 * @param {Control<string>} text
 * @param {Transport} time
 */
const control_setter = (made, text, time) => {
  /** @type {{ [key: string]: unknown }} */
  const had = {};
  /**
   * @template T
   * @param {string} key
   * @param {T} value
   * @param {(value: T) => unknown} set
   */
  const once = (key, value, set) => {
    if (had[key] !== value) set((had[key] = value));
  };
  /** @param {Shown} now */
  return (now) => {
    for (const [key, control] of /** @type {[Controlled, Control<unknown>][]} */ (Object.entries(made)))
      once(key, now[key], (value) => control.set(value));
    once("x", now.x, () => text.set(now.x.replaceAll(".", " ")));
    once("length", now.stream.units.length, (units) => time.length(Math.max(1, units - 1)));
    time.set(now.u);
  };
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const home = /** @type {HTMLElement | null} */ (el.closest("[data-module]"));
    const root = makeRoot(el, "decoder");
    const data = readData(model);
    const made = decoder_controls(model, data);
    const state = () => readState(model, LAB_KEYS);
    const { text, edit } = stream_text(model, state, data);
    const tiles = tiles_view({ listbox: true });
    const draw = () => update(state());
    const { time, drawn } = cursor_time(model, state().u, draw);
    edit_on_tiles(tiles.el, model, state, edit, () => time.el.querySelectorAll("button")[1].click());
    const buttons = stream_buttons(model, state, data);
    const panels = stream_panels(edit, state, data, home);
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
      ...panels.els,
    );
    const set_controls = control_setter(made, text, time);
    /** @param {State} given */
    const update = (given) => {
      const own = drawn(given);
      need(own.m);
      const now = { ...own, ...compute(own, data) };
      set_controls(now);
      const near = row_of(own.m, data).window;
      tiles.update(now, { u: own.u, ask: now.here.reads, bars: now.live?.looks, marks: true, window: near });
      panels.update(now);
    };
    const need = fetcher(home, data, () => {
      if (!check(state(), data)) draw();
      root.dispatchEvent(new CustomEvent("cutaway:more", { bubbles: true }));
    });
    const stop = kitLive(model, {
      root,
      keys: LAB_KEYS,
      check,
      update: (given) => {
        update(given);
        for (const name of FURTHER[given.m] || []) need(name);
      },
    });
    return () => {
      time.stop();
      stop();
    };
  },
};
