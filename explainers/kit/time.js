/* Time: a length -> play, step and scrub, always stoppable. For change over time only. */
import { h, renderList, setAttrs, setText } from "./dom.js";

/** @import { Attrs } from "./dom.js" */

/** Whether the reader asked for less motion: time then plays in whole steps. */
export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @type {(name: string, glyph: string, onClick: () => void) => HTMLButtonElement} */
const button = (name, glyph, onClick) =>
  h("button", { type: "button", class: "cw-button", "aria-label": name, text: glyph, on: { click: onClick } });

/**
 * Play and pause, a step back, a step forward, and a slider. The moment t is a fraction while it plays and whole when it is
 * stepped. Draw in `onFrame`; commit the state in `onStop` only.
 * @param {{
 *   label: string,
 *   length: number,
 *   value?: number,
 *   rate?: number,
 *   format?: (t: number) => string,
 *   print?: (node: HTMLElement, t: number) => unknown,
 *   onFrame: (t: number) => unknown,
 *   onStop?: (t: number) => unknown,
 * }} given `rate` is steps per second; `format` names a moment, beside the slider and to a screen reader; `print` puts that
 *   name there bound (`put`, `fill`), where it holds numbers
 * @returns {Transport}
 */
export const makeTransport = ({
  label,
  length,
  value = 0,
  rate = 2,
  format = (t) => String(Math.floor(t)),
  print = (node, t) => setText(node, format(t)),
  onFrame,
  onStop,
}) => {
  let at = value;
  let end = length;
  let ticket = 0;
  const range = h("input", { type: "range", min: 0, max: end, step: 1, "aria-label": label });
  const out = h("output", { class: "cw-mono" });
  /** @param {number} t */
  const show = (t) => {
    at = Math.max(0, Math.min(end, t));
    setAttrs(range, {
      value: String(Math.floor(at)),
      "aria-valuetext": format(at),
      style: { "--at": `${end ? (100 * at) / end : 0}%` },
    });
    print(out, at);
  };
  /** @param {number} t */
  const draw = (t) => {
    show(t);
    onFrame(at);
  };
  const playing = () => ticket !== 0;
  const stop = () => {
    if (!playing()) return;
    cancelAnimationFrame(ticket);
    ticket = 0;
    setAttrs(play, { "aria-label": "Play", text: "▶" });
    if (onStop) onStop(at);
  };
  /** @param {number} t */
  const go = (t) => {
    const was = playing();
    if (was) stop();
    draw(t);
    if (onStop) onStop(at);
  };
  const start = () => {
    if (at >= end) draw(0);
    setAttrs(play, { "aria-label": "Pause", text: "❚❚" });
    const from = at;
    let zero = 0;
    /** @param {number} now */
    const frame = (now) => {
      zero = zero || now;
      const t = from + ((now - zero) / 1000) * rate;
      const shown = prefersReducedMotion() ? Math.floor(t) : t;
      if (shown !== at) draw(shown);
      if (at >= end) {
        stop();
        return;
      }
      ticket = requestAnimationFrame(frame);
    };
    ticket = requestAnimationFrame(frame);
  };
  const play = button("Play", "▶", () => (playing() ? stop() : start()));
  const back = button("Step back", "|◀", () => go(Math.ceil(at) - 1));
  const next = button("Step forward", "▶|", () => go(Math.floor(at) + 1));
  range.addEventListener("input", () => go(Number(range.value)));
  const el = h(
    "div",
    { class: "cw-transport", role: "group", "aria-label": label },
    back,
    play,
    next,
    h("span", { class: "cw-track" }, range),
    out,
  );
  el.addEventListener("keydown", (e) => {
    if (e.key !== " " || e.target !== range) return;
    e.preventDefault();
    play.click();
  });
  show(value);
  return {
    el,
    set: (t) => {
      if (!playing() && t !== at) draw(t);
    },
    length: (n) => {
      end = n;
      setAttrs(range, { max: n });
      show(at);
    },
    stop,
    playing,
  };
};

/**
 * What makeTransport makes. `set` moves to a moment unless it is playing; `length` sets how long it is.
 * @typedef {{
 *   el: HTMLDivElement,
 *   set(t: number): void,
 *   length(n: number): void,
 *   stop(): void,
 *   playing(): boolean,
 * }} Transport
 */

/**
 * One of several texts at a time, in a place as high as the highest of them needs: what is below never moves.
 * @param {Attrs} [attrs] of the paragraph
 */
export const steadyText = (attrs = {}) => {
  const el = h("p", { ...attrs, class: `cw-steady ${attrs.class || ""}`.trim() });
  /** @type {(texts: readonly string[], index: number) => void} */
  const update = (texts, index) =>
    renderList(
      el,
      texts,
      () => h("span"),
      (node, words, i) => setAttrs(node, { text: words, class: i === index ? "on" : false }),
    );
  return { el, update };
};
