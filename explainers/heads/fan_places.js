/* So many query heads, groups and pixels -> where heads, strands and boxes of a fan stand, and the head at a point. */
import { box, px } from "./box_path.js";

/** @import { Now } from "./compute.js" */

/**
 * Where a group of query heads stands; `middle` is that of what they read. All in px.
 * @typedef {{ x: number, y: number, middle: number }} FanGroup
 */

/**
 * Groups of query heads in rows: the pitch and thickness of a head, heads of a group, the heights of heads, strands and
 * boxes. All in px.
 * @typedef {{
 *   rows: number, pitch: number, thick: number, size: number, box: number, tall: number, drop: number, low: number,
 *   left: number, groups: FanGroup[], height: number,
 * }} Fan
 */

const SMALLEST = 6;
const LARGEST = 24;

const HEIGHTS = [
  [52, 42, 52, 18],
  [36, 30, 36, 20],
  [24, 22, 26, 16],
];
/** @param {number} pitch */
const thick = (pitch) => pitch - Math.min(1.5, 0.15 * pitch);

/**
 * @param {number} heads
 * @param {number} kv
 * @param {number} width
 * @returns {Fan}
 */
export const fan = (heads, kv, width) => {
  const groups = Math.max(kv, 1);
  const size = heads / groups;
  let [rows, per, gap, pitch] = [1, 1, 0, 0];
  for (; ; rows += 1) {
    per = Math.ceil(groups / rows);
    gap = per === 1 ? 0 : Math.min(size === 1 ? 3 : 14, (0.2 * width) / per);
    pitch = Math.min(LARGEST, (width - (per - 1) * gap) / (per * size));
    if (pitch >= SMALLEST || rows === groups) break;
  }
  const [tall, drop, low, apart] = HEIGHTS[Math.min(rows, 3) - 1];
  const left = (width - (per * size * pitch + (per - 1) * gap)) / 2;
  const one = tall + drop + low + apart;
  const at = Array.from({ length: groups }, (_, g) => {
    const x = left + (g % per) * (size * pitch + gap);
    return { x, y: Math.floor(g / per) * one, middle: x + (size * pitch - (pitch - thick(pitch))) / 2 };
  });
  return {
    rows,
    pitch,
    thick: thick(pitch),
    size,
    box: kv ? Math.min(23, 0.46 * size * pitch) : 0,
    tall,
    drop,
    low,
    left,
    groups: at,
    height: rows * one - apart,
  };
};

/**
 * @param {Fan} place
 * @param {FanGroup} group
 * @param {number} i
 */
export const strand = (place, group, i) => {
  const x = group.x + i * place.pitch + place.thick / 2;
  const [aside, bend] = [px(group.middle - x), place.drop * 0.55];
  return `M${px(x)} ${px(group.y + place.tall)}c0 ${px(bend)} ${aside} ${px(place.drop - bend)} ${aside} ${px(place.drop)}`;
};
/**
 * @param {Fan} place
 * @param {number} g
 */
export const strands = (place, g) =>
  Array.from({ length: Math.round(place.size) }, (_, i) => strand(place, place.groups[g], i)).join("");

/**
 * The yellow boxes of one group: [words, x, width].
 * @param {Now} now
 * @param {Fan} place
 * @param {FanGroup} group
 * @param {number} width
 * @returns {[words: string, x: number, width: number][]}
 */
export const yellow = (now, place, group, width) => {
  if (now.kv)
    return [
      ["k", group.middle - place.box - 0.5, place.box],
      ["v", group.middle + 0.5, place.box],
    ];
  const { rank, rope, turned } = now.mla;
  const long = Math.min(width * 0.6, 320);
  const wide = (long * rank) / (rank + rope);
  const left = group.middle - long / 2;
  return [
    ["latent c {mla.rank}", left, wide - 1],
    [`${turned ? "kᴿ" : "k"} {mla.rope}`, left + wide, long - wide],
  ];
};

/**
 * The box of a query head, and those of a whole group.
 * @param {Fan} place
 * @param {number} g
 * @param {number} i
 */
export const headBox = (place, g, i) =>
  box(place.groups[g].x + i * place.pitch, place.groups[g].y, place.thick, place.tall);
/**
 * @param {Fan} place
 * @param {number} g
 */
export const headBoxes = (place, g) =>
  Array.from({ length: Math.round(place.size) }, (_, i) => headBox(place, g, i)).join("");

/**
 * The query head at a point, or null.
 * @param {Fan} place
 * @param {number} x
 * @param {number} y
 */
export const headAt = (place, x, y) => {
  const reach = place.tall + place.drop + place.low;
  const g = place.groups.findIndex(
    (group) => y >= group.y && group.y + reach >= y && x >= group.x && group.x + place.size * place.pitch >= x,
  );
  return g === -1
    ? null
    : Math.round(g * place.size + Math.min(place.size - 1, Math.floor((x - place.groups[g].x) / place.pitch)));
};
