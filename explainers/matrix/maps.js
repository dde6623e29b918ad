/* Six maps of the same matrix, one for each scheme, and below them the maps of the rotated matrix. */
import { h, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { colour_scale, packed_picture } from "./bitmap.js";

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { Now } from "./compute.js" */

/** The address of a map; "" while it is still being made. @typedef {(name: string, turned: boolean) => string} Pictures */

/** @type {{ [shown: string]: string }} */
const SHOWS = { error: "error", zeros: "zeros", scales: "scale", values: "stored values" };

/**
 * The maps that stand in the page: errors of the first matrix.
 * @param {Data} data @returns {Pictures}
 */
export const kept_pictures = (data) => (name, turned) => {
  const maps = /** @type {{ [name: string]: string[] }} */ (data.maps);
  return packed_picture(maps[name][turned ? 1 : 0], data.cells[1]);
};
/** Whether those are what a state shows. @param {State} state @param {Data} data */
export const is_kept = ({ seed, drawn, loud, rule, shown }, data) =>
  seed === data.seeds[0] && !drawn && loud === 1 && rule === "floor" && shown === "error";

/** A gain in dB with its sign. @param {string} path @param {number} gain */
const gained = (path, gain) => (gain > 0 ? `+{${path}:signed 1}` : `{${path}:signed 1}`);

/**
 * One row of maps. `turned`: of the rotated matrix; `places`: which of the six.
 * @param {{ turned?: boolean, places?: readonly number[], onPick?: (name: string, at: { row: number, column: number } | null) => void }} given
 * onPick is called with the place of a click, as shares of rows and columns; from a keyboard with none
 */
export const maps_row = ({ turned = false, places = [0, 1, 2, 3, 4, 5], onPick }) => {
  const cards = places.map((place) => {
    const img = h("img", { alt: "", draggable: "false" });
    const frame = onPick
      ? h("button", { type: "button", class: "cw-matrix-frame", "data-still": true }, img)
      : h("span", { class: "cw-matrix-frame" }, img);
    const [title, line] = [h("b"), h("span")];
    return { el: h("li", {}, frame, title, line), img, frame, title, line, place, name: "" };
  });
  for (const card of cards) {
    card.frame.addEventListener("click", (event) => {
      const { offsetX: x, offsetY: y, detail } = /** @type {PointerEvent} */ (event);
      const { clientWidth: wide, clientHeight: high } = card.img;
      const inside = (/** @type {number} */ v, /** @type {number} */ size) => Math.min(Math.max(v / size, 0), 0.999);
      onPick?.(card.name, detail ? { row: inside(y, high), column: inside(x, wide) } : null);
    });
  }
  const el = h(
    "ul",
    { class: `cw-matrix-maps of-${places.length}` },
    cards.map((card) => card.el),
  );
  /** @param {Now} now @param {Pictures} pictures @param {boolean} [quiet] no number is said: a bet asks for one */
  const update = (now, pictures, quiet = false) => {
    for (const card of cards) {
      const i = card.place;
      const map = now.maps[i];
      card.name = map.name;
      const found = pictures(map.name, turned);
      if (found) setAttrs(card.img, { src: found });
      card.el.classList.toggle("wait", !found);
      setAttrs(card.img, { alt: `${SHOWS[now.shown]} map of ${map.label}${turned ? ", rotated first" : ""}` });
      const on = map.name === now.scheme;
      card.el.classList.toggle("on", on);
      if (onPick) setAttrs(card.frame, { "aria-pressed": on ? "true" : "false" });
      if (!turned) fill(card.title, `{maps.${i}.mapped:text}`, now);
      const dB = `{maps.${i}.${turned ? "out_rotated" : "out"}:signed 1} dB`;
      const more = turned ? ` (${gained(`maps.${i}.gain`, map.gain)})` : ` · {maps.${i}.bits:num 4} bits`;
      fill(card.line, quiet ? (turned ? "" : `{maps.${i}.bits:num 4} bits`) : dB + more, now);
      card.title.hidden = turned;
    }
  };
  return { el, update };
};

/** What the colours mean. */
export const scale_legend = () => {
  const img = h("img", { alt: "", src: colour_scale(false) });
  const [words, low, high] = [h("span"), h("span"), h("span")];
  const el = h("p", { class: "cw-note cw-matrix-scale" }, words, " ", low, " ", img, " ", high);
  /** @param {Now} now */
  const update = (now) => {
    const each = now.drawn ? "of each pixel" : "of 8 × 8 weights";
    const loud = now.loud > 1 && now.shown === "error" ? ", as it comes out" : "";
    setAttrs(words, {
      text: {
        error: now.drawn ? "error of each pixel" : `rms error of 8 × 8 weights${loud}`,
        zeros: `share of zeros ${each}`,
        scales: `mean scale ${each}`,
        values: now.drawn ? "the drawing as it comes back" : `rms ${each} as they come back`,
      }[now.shown],
      "data-index": true,
    });
    fill(low, "{ends.0:num 2}", now);
    fill(high, "{ends.1:num 2}", now);
    setAttrs(img, { src: colour_scale(now.shown === "values" && now.drawn) });
  };
  return { el, update };
};
