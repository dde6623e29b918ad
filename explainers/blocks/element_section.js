/* The picked element, with a field to type its value and the bits of its code; beside it the scale that it shares. */
import { number } from "../kit/controls.js";
import { h, renderList, setAttrs, setText } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { line_list } from "./line_list.js";
import { code_bits } from "./parts.js";
import { tile_map } from "./tile_map.js";

/** @import { Now } from "./compute.js" */
/** @import { Row } from "./float32.js" */

/**
 * @param {number} limit of a typed number
 * @param {(v: number | "NaN") => string} allow what is wrong with a value, or ""
 * @param {(v: number | "NaN") => void} onInput
 */
export const element_section = (limit, allow, onInput) => {
  const typed = number({ label: "Value", min: -limit, max: limit, also: ["NaN"], allow, onInput });
  const note = h("p", { class: "cw-note" });
  const [one, scale] = [line_list("element"), line_list("scale")];
  const title = h("h3", {});
  const bits = h("span", { class: "cw-blocks-bits cw-mono" });
  const tile = tile_map();
  const el = h(
    "section",
    { class: "cw-section cw-blocks-pair", "data-omit": true },
    h("div", {}, title, h("div", { class: "cw-row" }, typed.el, bits), one.el),
    h("div", {}, h("h3", { text: "Its scale" }), scale.el, note),
    tile.el,
  );
  /** @param {Now} out @param {Row} row */
  const update = (out, row) => {
    fill(title, "Element {picked:int}", out);
    const value = out.values[out.picked];
    typed.set(value === "NaN" ? value : Object.is(value, -0) ? "-0" : String(Number(value.toPrecision(7))));
    one.told("said.element", out);
    setAttrs(bits, { "data-out": "said.digits", "data-format": "text" });
    renderList(
      bits,
      code_bits(out, row),
      () => h("span"),
      (span, [kind, digits]) => {
        setText(span, digits);
        setAttrs(span, { class: `cw-blocks-${kind}` });
      },
    );
    scale.told("said.scale", out);
    put(note, "said.note", "text", out);
  };
  return { el, update, rest: tile.update };
};
