/* A stream as a row of tiles: its operations, the cursor, what each head does over them, the answers under them. */
import { h as kitH, uid as kitUid, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { put } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */

/**
 * A unit; `was` is how it was drawn last.
 * @typedef {HTMLLIElement & { parts: {
 *   word: HTMLElement, key: HTMLElement, value: HTMLElement, mark: HTMLElement, path: SVGElement, bars: SVGElement,
 *   was: string,
 * } }} Tile
 */

/**
 * How a unit is drawn.
 * @typedef {{
 *   css: string, down: boolean, asked: boolean, answer: string, right: boolean, drawn: string, here: boolean,
 * }} Drawn
 */

/**
 * What of a stream is drawn: the unit under the cursor, whether all others lie face down but `only`, whether its value is
 * asked for, what each head does over the units, whether answers stand under them, and the tokens of a window.
 * @typedef {{
 *   u: number, hide?: boolean, ask?: boolean, only?: number, bars?: number[][] | null, marks?: boolean, window?: number,
 * }} Tiling
 */
/** What a unit is. @type {{ [word: string]: string }} */
const KIND = { W: "write", R: "read", X: "reset" };
/** What each head does with a unit. @param {number[]} shares */
const bar_path = (shares) => shares.map((s, h) => `M${6 * h} 16v${(-16 * Math.max(s, 0)).toFixed(2)}h5V16z`).join("");

/**
 * What every list shows of a unit.
 * @param {Tile} li
 * @param {Now} now
 * @param {number} i
 * @param {Drawn} drawn
 */
const draw_unit = (li, now, i, { css, down, asked }) => {
  const [unit, { word, key, value }] = [now.stream.units[i], li.parts];
  setAttrs(li, { class: css });
  setText(word, down ? "" : unit.word);
  setText(key, down ? "" : unit.key);
  if (down || asked) setAttrs(value, { text: asked ? "?" : "", "data-out": false, "data-format": false });
  else put(value, `stream.units.${i}.${unit.said ? "said" : "value"}`, "int", now);
};

/**
 * What a listbox shows besides: bars and the mark of an answer; and what a screen reader says of the unit.
 * @param {Tile} li
 * @param {Now} now
 * @param {number} i
 * @param {Drawn} drawn
 */
const draw_option = (li, now, i, { answer, right, drawn, here }) => {
  const [unit, { mark, path }] = [now.stream.units[i], li.parts];
  setText(mark, answer && (right ? "•" : "✗"));
  setAttrs(mark, { class: right ? "right" : "wrong" });
  setAttrs(path, { d: drawn });
  const said = `${unit.said ? ` said ${unit.said}` : ""}${answer && `, answered ${answer}, ${right ? "right" : "wrong"}`}`;
  setAttrs(li, {
    "aria-selected": here ? "true" : "false",
    "aria-label": `operation ${i + 1}, ${KIND[unit.word]} ${unit.key}${unit.reads ? said : ` ${unit.value}`}`.trim(),
  });
};

/** A list of units; a listbox has bars over them, marks under them, and can be used. */
export const tiles_view = ({ listbox = false, label = "the stream" } = {}) => {
  const el = kitH("ol", {
    class: "cw-decoder-tiles",
    ...(listbox ? { role: "listbox", tabindex: 0, "aria-label": label } : {}),
  });
  const uid = kitUid("unit");
  /** @param {unknown} _ @param {number} i */
  const make = (_, i) => {
    const [word, key, value, mark] = [kitH("b"), kitH("i"), kitH("u"), kitH("small", { "aria-hidden": "true" })];
    const path = s("path");
    const bars = s("svg", { viewBox: "0 0 24 16", preserveAspectRatio: "none", "aria-hidden": "true" }, path);
    const li = kitH(
      "li",
      listbox ? { role: "option", id: `${uid}-${i}` } : {},
      listbox ? bars : null,
      word,
      key,
      value,
      listbox ? mark : null,
    );
    return Object.assign(li, { parts: { word, key, value, mark, path, bars, was: "" } });
  };
  /** @param {Now} now @param {Tiling} tiling */
  const update = (now, { u, hide = false, ask = false, only = -1, bars = null, marks = false, window: near = 0 }) => {
    renderList(el, now.stream.units, make, (li, unit, i) => {
      const down = hide && i !== u && i !== only;
      const asked = i === u && (hide || (ask && !unit.said));
      const gone = near > 0 && 3 * i + 2 < 3 * u + 2 - near;
      const answer = unit.reads && now.live ? now.live.answers[i] : "";
      const right = marks && answer === String(unit.value);
      const css = [
        KIND[unit.word],
        i === u ? "here" : "",
        down ? "down" : asked ? "asked" : "",
        gone ? "gone" : "",
        i > u && marks ? "later" : "",
        unit.said && unit.said !== unit.value ? "lie" : "",
      ]
        .filter(Boolean)
        .join(" ");
      const drawn = listbox && bars ? bar_path(bars.map((row) => row[i] || 0)) : "";
      const now_is = [css, unit.key, unit.value, unit.said, answer, right, drawn].join();
      if (li.parts.was === now_is) return; // of forty units most stay
      li.parts.was = now_is;
      const how = { css, down, asked, answer, right, drawn, here: i === u };
      draw_unit(li, now, i, how);
      if (listbox) draw_option(li, now, i, how);
    });
    if (listbox) setAttrs(el, { "aria-activedescendant": `${uid}-${u}` });
  };
  return { el, update };
};
