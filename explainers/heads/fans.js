/* Query heads in groups above the keys and values that they read; nodes are reused, only attributes change. */
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { box, px } from "./box_path.js";
import { fan, headAt, headBox, headBoxes, strand, strands, yellow } from "./fan_places.js";

/** @import { Now } from "./compute.js" */
/** @import { Fan } from "./fan_places.js" */

const LETTER = 12;

/**
 * How many heads further a key goes; a page is a group.
 * @param {string} key
 * @param {number} size
 */
const stepOf = (key, size) =>
  /** @type {{ [key: string]: number | undefined }} */ ({
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowUp: 1,
    ArrowDown: -1,
    PageUp: size,
    PageDown: -size,
    Home: -1e6,
    End: 1e6,
  })[key];

/** The drawing: all heads, over them the group that is lit, and over it the head. */
const makeDrawing = () => {
  const paths = [
    "cw-heads-fan",
    "cw-heads-fan on",
    "cw-heads-fan at",
    "cw-heads-q",
    "cw-heads-q on",
    "cw-heads-q at",
    "cw-heads-kv", // above all others
  ].map((css) => s("path", { class: css }));
  const [fans, groupFans, headFan, q, groupQ, headQ, kv] = paths;
  const letters = s("g");
  const svg = s("svg", { class: "cw-heads-fans", "aria-hidden": "true" }, paths, letters);
  /**
   * Draws every head and box, and returns where they stand.
   * @param {Now} now
   * @param {number} width
   */
  const lay = (now, width) => {
    const place = fan(now.heads, now.kv, width);
    setAttrs(svg, { viewBox: `0 0 ${width} ${px(place.height)}`, width, height: px(place.height) });
    const boxes = place.groups.flatMap((group) =>
      yellow(now, place, group, width).map(([text, x, w]) => ({ text, x, w, y: group.y + place.tall + place.drop })),
    );
    setAttrs(q, { d: place.groups.map((_, g) => headBoxes(place, g)).join("") });
    setAttrs(fans, { d: place.groups.map((_, g) => strands(place, g)).join("") });
    setAttrs(kv, { d: boxes.map((b) => box(b.x, b.y, b.w, place.low)).join("") });
    renderList(
      letters,
      boxes.filter((b) => b.w >= LETTER),
      () => s("text", { class: "cw-heads-letter" }),
      (node, b) => fill(setAttrs(node, { x: px(b.x + b.w / 2), y: px(b.y + place.low / 2 + 4) }), b.text, now),
    );
    return place;
  };
  /**
   * Draws one head, and its group, over the others.
   * @param {Fan} place
   * @param {number} head
   */
  const light = (place, head) => {
    const g = Math.floor(head / place.size);
    const i = Math.round(head - g * place.size);
    setAttrs(groupQ, { d: headBoxes(place, g) });
    setAttrs(groupFans, { d: strands(place, g) });
    setAttrs(headQ, { d: headBox(place, g, i) });
    setAttrs(headFan, { d: strand(place, place.groups[g], i) });
  };
  return { svg, lay, light };
};

/**
 * The query heads above, what they read below. onHead(head) when one is pointed at, onPick(head) when one is chosen.
 * @param {(head: number) => void} onHead
 * @param {(head: number) => void} onPick
 * @returns {{ el: HTMLElement, update: (now: Now, head: number, width: number) => void }}
 */
export const fansView = (onHead, onPick) => {
  const { svg, lay, light } = makeDrawing();
  const el = h(
    "div",
    { class: "cw-heads-stage", role: "slider", tabindex: "0", "aria-label": "Selected query head" },
    svg,
  );
  let drawn = "";
  /** @type {Fan} */
  let place;
  /** @type {{ heads: number, head: number, width: number }} */
  let last;
  /** @param {MouseEvent} event */
  const pointed = (event) => {
    const frame = svg.getBoundingClientRect();
    const scale = last.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
    return headAt(place, x, y);
  };
  svg.addEventListener("pointermove", (event) => {
    const head = pointed(event);
    if (head !== null) {
      light(place, head);
      onHead(head);
    }
  });
  svg.addEventListener("pointerleave", () => {
    light(place, last.head);
    onHead(last.head);
  });
  svg.addEventListener("click", (event) => {
    const head = pointed(event);
    if (head !== null) onPick(head);
  });
  el.addEventListener("keydown", (event) => {
    const step = stepOf(event.key, place.size);
    if (!step) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(last.heads - 1, last.head + step)));
  });
  /**
   * @param {Now} now
   * @param {number} head
   * @param {number} width
   */
  const update = (now, head, width) => {
    const key = [now.heads, now.kv, width, now.mla.rank, now.mla.rope, now.mla.turned].join("/");
    last = { heads: now.heads, head, width };
    if (key !== drawn) place = lay(now, width);
    drawn = key;
    light(place, head);
    setAttrs(el, {
      "aria-valuemin": 0,
      "aria-valuemax": now.heads - 1,
      "aria-valuenow": head,
      "aria-valuetext": `${now.reads}, one of ${now.keeps}`,
    });
  };
  return { el, update };
};
