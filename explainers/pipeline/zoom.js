/* Which part of the step is shown: buttons, keys, a wheel, a pinch and drags, and where the part then begins. */
import { makeButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { onDrag } from "../kit/pointer.js";

/** @import { Now, State } from "./compute.js" */
/** @import { Transport } from "../kit/time.js" */
/** @import { LanesView } from "./view.js" */

/** The state that is shown, its result, and the width of the lab. @typedef {{ state: State, out: Now, width: number }} Current */
/** What sets some of the state. @typedef {(changes: Partial<State>) => void} Setting */

/**
 * The part that begins at `left` if the step is that long, and the cursor in it.
 * @param {number} end
 * @param {number} times
 * @param {number} left
 * @param {number} at
 */
const part_at = (end, times, left, at) => {
  const shown = end / times;
  const from = Math.round(100 * Math.max(0, Math.min(left, end - shown))) / 100;
  return { zoom: times, left: from, cursor: Math.max(from, Math.min(at, from + shown)) };
};
/**
 * The part after a zoom: the moment `anchor` stays where it is, or else the cursor, if it is in view, or the middle; then
 * all moves on `by` some time.
 * @param {Now} out
 * @param {[from: number, shown: number]} part
 * @param {number} factor
 * @param {number | null | undefined} anchor
 * @param {number} by
 */
const zoomed_part = ({ end, at }, [from, shown], factor, anchor, by) => {
  const times = Number(Math.max(1, Math.min(64, (factor * end) / shown)).toPrecision(4));
  const still = anchor ?? (at >= from && from + shown >= at ? at : from + shown / 2);
  return part_at(end, times, still - ((still - from) * end) / times / shown + by, at);
};

/**
 * Two fingers: how much further apart they are, and where their middle is. What it gives back says whether they are down.
 * @param {SVGElement} svg
 * @param {(factor: number, x: number) => void} onPinch
 */
const watch_pinch = (svg, onPinch) => {
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
      onPinch(
        apart() / before,
        [...fingers.values()].reduce((x, f) => x + f.clientX / 2, 0),
      );
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
  return () => fingers.size > 1;
};

/**
 * Buttons, keys, wheel and pinch that show a part of the step.
 * @param {LanesView} view
 * @param {Current} current
 * @param {Setting} set
 */
export const pipeline_zoom = (view, current, set) => {
  const zoom_to = (/** @type {number} */ times) => set({ zoom: times, left: 0 });
  /** @type {(factor: number, anchor?: number | null, along?: number) => void} */
  const zoom = (factor, anchor, along = 0) => {
    const [from, shown] = view.part();
    set(zoomed_part(current.out, [from, shown], factor, anchor, (along * shown) / current.width));
  };
  const moment = (/** @type {number} */ x) =>
    view.find(x - view.svg.getBoundingClientRect().left, view.part()[3], current.out)[0];
  /** @type {(text: string, label: string, onClick: () => void) => HTMLElement} */
  const button = (text, label, onClick) => makeButton({ text, label, onClick }).el;
  const el = h(
    "div",
    { class: "cw-row cw-pipeline-zoom", "data-omit": true },
    button("−", "Zoom out", () => zoom(0.5)),
    button("+", "Zoom in", () => zoom(2)),
    button("whole step", "", () => zoom_to(1)),
    button("readable", "Zoom to readable numbers", () => zoom_to(0)),
    h("span", { class: "cw-note", text: "or pinch, Ctrl + wheel, keys + and −; drag in the map" }),
  );
  const pinching = watch_pinch(view.svg, (factor, x) => zoom(factor, moment(x)));
  view.svg.addEventListener(
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
  const keys = { "+": () => zoom(2), "=": () => zoom(2), "-": () => zoom(0.5), 0: () => zoom_to(0) };
  const onKey = (/** @type {KeyboardEvent} */ e) => {
    if (keys[e.key] && !e.ctrlKey && !e.metaKey) {
      keys[e.key]();
      e.preventDefault();
    }
  };
  return { el, onKey, pinching };
};

/**
 * A pointer in the lanes asks for the op that it is pressed on and moves the cursor; in the map it moves the part, too.
 * @param {LanesView} view
 * @param {Current} current
 * @param {{ pinching: () => boolean, transport: Transport, set: Setting, show: (t: number) => void }} lab
 */
export const drag_cursor = (view, current, { pinching, transport, set, show }) =>
  onDrag(view.svg, {
    start: (x, y, e) => {
      if (e.pointerType === "touch" && !e.isPrimary) return false;
      view.grab(y);
      const [t, rank, op] = view.find(x, y, current.out);
      set({ cursor: t, ...(op >= 0 && !view.part()[2] ? { rank, op } : {}) });
      return true;
    },
    move: (x, y) => {
      if (pinching()) return;
      const [t] = view.find(x, y, current.out);
      const [, shown, map] = view.part();
      transport.set(t);
      const { zoom } = current.state;
      if (map && zoom) set(part_at(current.out.end, zoom, t - shown / 2, t));
      else show(t);
    },
    end: (x, y) => {
      const [t] = view.find(x, y, current.out);
      view.grab(null);
      if (pinching()) return;
      set({ cursor: t });
      show(t);
    },
  });
