/* The page's widget: a state painted into the parts of the lab, where only attributes and texts change. */
import { bitWidth } from "../kit/codes.js";
import { announce, makeRoot, setAttrs, setText } from "../kit/dom.js";
import { Q } from "../kit/fractions.js";
import { live, readData } from "../kit/model.js";
import { fill, put } from "../kit/numbers.js";
import { stored, value } from "../kit/reals.js";
import { parse } from "../kit/typed-numbers.js";
import { onWidth } from "../kit/width.js";
import { check, compute } from "./compute.js";
import { gridNote } from "./grid.js";
import { build } from "./lab.js";
import { items } from "./tables.js";

/** @import { Data, State } from "../../.make/data_types/bits.d.ts" */
/** @import { Format } from "../kit/codes.js" */
/** @import { Real } from "../kit/reals.js" */
/** @import { Widget } from "../kit/model.js" */
/** @import { View } from "./lab.js" */

export { check, compute, settle } from "./compute.js";

export const CODE = "{hex} · code {code:int} · {kind}";

/** @param {HTMLElement} root @param {View} v @param {State} state @param {Data} data @param {number} px */
export const paint = (root, v, state, data, px) => {
  const f = data.formats[state.format];
  const o = compute(state, data);
  const t = o.typed;
  /** @param {HTMLElement} head @param {string} template */
  const note = (head, template) => fill(/** @type {Element} */ (head.lastChild), template, o);
  v.formats.set(state.format);
  put(v.name, "format.label", "text", o);
  fill(v.facts, "{format.line}. {format.words}", o);
  v.fields.update(f, o);
  setAttrs(put(v.big, "short", "text", o), { title: o.value });
  fill(v.code, CODE, o);
  put(v.power, "scientific", "text", o);
  put(v.formula, "formula", "text", o);
  fill(
    v.beside,
    o.spacing
      ? `next up ${o.up ? "{up}" : "none"} · next down ${o.down ? "{down}" : "none"} · spacing {spacing}`
      : "not a finite number: no neighbours",
    o,
  );
  v.typed.set(state.typed || (o.value.length > 24 ? o.hexfloat || o.short : o.value));
  put(v.given, "typed.label", "text", o);
  fill(
    v.becomes,
    `→ {short}${t.error === "" ? "" : t.error === "0" ? ", exact" : `, error {typed.${t.relative ? "relative" : "error"}}`}`,
    o,
  );
  v.cut.update(o);
  put(v.why, "typed.why", "text", o);
  v.full.update(o);
  note(
    v.lineHead,
    `{format.count:int} numbers between {format.ends.0} and {format.ends.1}, {format.below_one:int} of them smaller than 1 in magnitude${bitWidth(f) > 8 ? "; one tick per power of two" : ""}`,
  );
  v.line.update(f, o, px);
  v.bins.el.toggleAttribute("hidden", !o.bins.length);
  if (o.bins.length) v.bins.update(f, o, asked(f, state, o.code), px);
  put(v.binWords, "bin_words", "text", o);
  announce(root, `${f.label} ${o.hex}: ${o.short}, ${o.kind}`);
  const below = () => {
    setText(/** @type {Element} */ (v.gridHead.firstChild), bitWidth(f) > 8 ? "Codes around it" : "All codes");
    note(v.gridHead, gridNote(f));
    v.grid.update(f, o);
    v.every.update(items(o, "everywhere", (row) => row.format === f.name && "here"));
    note(v.policyHead, "{agree}");
    v.policies.update(items(o, "policies", (row) => row.differs && "differs"));
    v.modeHead.hidden = v.modes.el.hidden = !o.modes.length;
    v.modes.update(items(o, "modes", () => ""));
  };
  if (v.grid.el.kitKeys)
    below(); // a walk by arrow keys: the focus moves with the code
  else v.later(below);
};
/** @param {Format} f @param {State} state @param {number} code @returns {number} */
export const asked = (f, state, code) => {
  // where on the line; NaN where it is not on it
  const x = state.typed.trim() ? /** @type {Real} */ (parse(state.typed, f).x) : stored(f, code);
  return x.kind === "finite" ? Q.odd(value(x)) : NaN;
};

/** @type {Widget<State, Data>} */
export default {
  render({ model, el }) {
    const root = makeRoot(el, "bits");
    const v = build(root, model, readData(model));
    /** @type {[state: State, data: Data] | null} */
    let last = null;
    let px = 0;
    const stop = onWidth(root, (now) => {
      px = now;
      if (last) paint(root, v, ...last, px);
    });
    const cleanup = live(model, {
      root,
      keys: ["format", "code", "typed"],
      check,
      update: (...args) => {
        last = args;
        paint(root, v, ...args, px || 900);
      },
    });
    return () => {
      stop();
      cleanup();
    };
  },
};
