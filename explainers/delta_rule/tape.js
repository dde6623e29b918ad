/* What is written: the value's signs, the tape with a gate under each write, KDA's channels, the keys that are wanted. */
import { makeButton } from "../kit/controls.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { print_bound } from "./parts.js";
import { own_gates, pairs_of, value_of } from "./writes.js";

/** @import { Data, State } from "./compute.js" */
/** @import { Pair } from "./writes.js" */

/** @param {(place: number) => void} onFlip */
export const value_editor = (onFlip) => {
  const cells = Array.from({ length: 8 }, (_, j) =>
    h("button", { type: "button", class: "cw-delta-rule-sign", on: { click: () => onFlip(j) } }),
  );
  const el = h(
    "div",
    { class: "cw-delta-rule-editor", role: "group", "aria-label": "The value's eight signs" },
    h("span", { class: "cw-label", text: "Value" }),
    cells,
  );
  /** @param {number} bits */
  const update = (bits) =>
    value_of(bits).forEach((v, j) => {
      setText(cells[j], v > 0 ? "+" : "−");
      setAttrs(cells[j], {
        "aria-pressed": v > 0 ? "true" : "false",
        "aria-label": `place ${j}: ${v > 0 ? "plus" : "minus"} one`,
      });
    });
  return { el, update };
};

/**
 * The writes in order; with onGate an α under each. A border parts the old document from the new one.
 * @param {Data} data
 * @param {(step: number) => void} onStep
 * @param {(write: number, a: number) => void} [onGate]
 */
export const tape = (data, onStep, onGate) => {
  const el = h("ol", { class: "cw-delta-rule-tape", "aria-label": "The writes, in order" });
  const make = (/** @type {Pair} */ _, /** @type {number} */ i) => {
    const strip = s(
      "svg",
      { viewBox: "0 0 32 4", "aria-hidden": "true" },
      Array.from({ length: 8 }, (_u, j) => s("rect", { x: 4 * j, width: 3.4, height: 4 })),
    );
    const button = h(
      "button",
      { type: "button", class: "cw-delta-rule-entry", "data-still": true, on: { click: () => onStep(i + 1) } },
      h("b"),
      strip,
    );
    return h("li", {}, button, onGate ? gate((a) => onGate(i, a)).el : null);
  };
  /** @type {(state: State, now: { gates: number[] }, t: number, locked?: boolean) => void} */
  const update = (state, now, t, locked = false) =>
    renderList(el, pairs_of(state.writes), make, (li, [key, bits], i) => {
      const button = /** @type {Element} */ (li.firstChild);
      const signs = value_of(bits);
      setText(/** @type {Node} */ (button.firstChild), data.letters[key]);
      signs.forEach((v, j) =>
        setAttrs(/** @type {Element} */ (button.lastChild).children[j], { class: v < 0 ? "neg" : "pos" }),
      );
      setAttrs(li, {
        class:
          [
            state.border && i === state.border && "border",
            state.border > i && "old",
            state.wanted.includes(key) && "wanted",
          ]
            .filter(Boolean)
            .join(" ") || false,
      });
      setAttrs(button, {
        class: `cw-delta-rule-entry${i + 1 === t ? " now" : i + 1 > t ? " later" : ""}`,
        "aria-current": i + 1 === t ? "step" : false,
        disabled: locked,
        "aria-label": `write ${i + 1}: key ${data.letters[key]}, value ${signs.map((v) => (v > 0 ? "+" : "−")).join("")}${state.border === i && i ? ", a new document begins" : ""}; go to this step`,
      });
      if (onGate)
        set_gate(
          /** @type {Element} */ (li.lastChild),
          now.gates[i],
          `gates.${i}`,
          `α at write ${i + 1}, key ${data.letters[key]}`,
          locked,
        );
    });
  return { el, update };
};

/** @param {(a: number) => void} onInput */
const gate = (onInput) => {
  const input = h("input", { type: "range", min: 0, max: 1, step: 0.05 });
  input.addEventListener("input", () => onInput(Math.round(100 * Number(input.value)) / 100));
  return { el: h("label", { class: "cw-delta-rule-gate" }, input, h("span", { class: "cw-mono" })) };
};
/** @param {Element} el @param {number} a @param {string} path @param {string} label */
const set_gate = (el, a, path, label, locked = false) => {
  const text = fmt.fixed(a, 2);
  setAttrs(/** @type {Element} */ (el.firstChild), {
    value: String(a),
    disabled: locked,
    "aria-label": label,
    "aria-valuetext": text,
  });
  el.classList.toggle("shut", a === 0);
  print_bound(/** @type {Element} */ (el.lastChild), path, "fixed 2", text);
};
/**
 * The list of gates with one more, or without it where it says what `decay` says.
 * @param {State} state
 * @param {number} write
 * @param {number} a
 * @returns {number[]}
 */
export const with_gate = (state, write, a) => {
  const all = own_gates(state.gates);
  if (a === state.decay) all.delete(write);
  else all.set(write, a);
  return [...all].sort((x, y) => x[0] - y[0]).flat();
};
/**
 * A write is put in at `at` (by = 1) or taken out (by = -1): the gates and the border behind it move along.
 * @param {State} state
 * @param {number} at
 * @param {number} by
 * @param {number} most
 * @returns {Pick<State, "gates" | "border">}
 */
export const moved = (state, at, by, most) => {
  const all = [...own_gates(state.gates)]
    .filter(([w]) => by > 0 || w !== at)
    .map(([w, a]) => [w >= at ? w + by : w, a])
    .filter(([w]) => most > w);
  return { gates: all.flat(), border: state.border > at ? state.border + by : state.border };
};

/** @param {(channel: number, a: number) => void} onInput */
export const channel_bars = (onInput) => {
  const gates = Array.from({ length: 8 }, (_, c) => gate((a) => onInput(c, a)));
  const el = h(
    "div",
    { class: "cw-delta-rule-channels", role: "group", "aria-label": "KDA’s α of each row of its state" },
    gates.map((g) => g.el),
  );
  /** @param {{ channels: number[] }} now @param {string} names */
  const update = (now, names) =>
    gates.forEach((g, c) => set_gate(g.el, now.channels[c], `channels.${c}`, `KDA’s α of row ${names[c]}`));
  return { el, update };
};

/**
 * Which keys are scored: none chosen means every key that was written.
 * @param {Data} data
 * @param {(which: number | number[] | null) => void} set a key to add or to leave out, all of them, or null: the last four
 */
export const wanted_keys = (data, set) => {
  const say = h("span", { class: "cw-label", text: "Scored keys" });
  const keys = h("span", { class: "cw-delta-rule-wanted", role: "group", "aria-label": "Scored keys" });
  const every = makeButton({ label: "every key", onClick: () => set([]) });
  const four = makeButton({ label: "the last four", onClick: () => set(null) });
  const el = h("div", { class: "cw-row cw-delta-rule-asked", "data-omit": true }, say, keys, every.el, four.el);
  /** @param {number[]} wanted @param {number} many */
  const update = (wanted, many) =>
    renderList(
      keys,
      [...data.letters].slice(0, many),
      (_, i) => h("button", { type: "button", class: "cw-delta-rule-sign", on: { click: () => set(i) } }),
      (button, letter, i) => {
        setText(button, letter);
        setAttrs(button, { "aria-pressed": wanted.includes(i) || !wanted.length ? "true" : "false" });
      },
    );
  return { el, update };
};
