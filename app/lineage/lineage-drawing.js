// The drawing and the list of /lineage/, which are in the page: places are those of app/lineage/layout.py, drawn apart
// where fewer dates are shown.

/**
 * A model's place in the drawing; x and y once it is shown.
 * @typedef {{
 *   el: SVGElement, slug: string, day: number, shift: number, lane: number, row: number, parent: string, x: number,
 *   y: number,
 * }} LineageNode
 */
export const svg = /** @type {SVGSVGElement} */ (document.querySelector("svg.lin")),
  card = /** @type {HTMLElement} */ (document.querySelector(".lin-card"));
export const bars = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".lin-bars i"))],
  reset = /** @type {HTMLElement} */ (document.querySelector("[data-reset]"));
export const months = bars.map((bar) => bar.dataset.month ?? ""),
  words = bars.map((bar) => bar.dataset.words ?? "");
const GLYPH = 7,
  HIGH = 8,
  BEND = 5,
  ROW = 31,
  HEAD = 34,
  BETWEEN = 14,
  TOP = 26,
  WIDTH = 1400;
const [FIRST, LAST, LEFT, RIGHT] = ["first", "last", "left", "right"].map((key) => Number(svg.dataset[key]));
export const LANES = ["dense", "window", "moe", "latent", "sparse", "linear", "ssm"];

/** @type {LineageNode[]} */
export const nodes = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-node"))].map((el) => ({
  el,
  slug: /** @type {string} */ (el.dataset.at),
  day: Math.max(Number(el.dataset.day), FIRST),
  shift: Number(el.dataset.shift),
  lane: Number(el.dataset.lane),
  row: Number(el.dataset.row),
  parent: /** @type {string} */ (el.dataset.parent),
  x: 0,
  y: 0,
}));
export const bySlug = new Map(nodes.map((node) => [node.slug, node]));
export const lines = new Map(
  [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-lines path"))].map((el) => [
    el.dataset.of,
    { el, off: Number(el.dataset.off) },
  ]),
);
export const items = new Map(
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".lin-list li"))].map((el) => [
    el.dataset.rowOf,
    el,
  ]),
);
export const grounds = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-ground"))],
  times = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-time g"))];

/**
 * 719163 days from 0001-01-01 to 1970-01-01, as Python counts them.
 * @param {string} month
 * @param {number} after months after it
 */
const dayOf = (month, after) => {
  const [year, number] = month.split("-").map(Number);
  return Date.UTC(year, number - 1 + after, 1) / 864e5 + 719163;
};
export const state = { from: 0, to: months.length - 1, lane: "", at: "" };

/** @param {number} x */
const number = (x) => String(Math.round(x * 10) / 10);
/**
 * @param {number} px
 * @param {number} py
 * @param {number} x
 * @param {number} y
 * @param {number} off
 * @returns {string}
 */
function path(px, py, x, y, off) {
  const end = x - GLYPH - 1;
  if (py === y) return `M${number(px + GLYPH)} ${y}H${number(end)}`;
  const turn = y > py ? BEND : -BEND,
    up = px + off;
  const start =
    Math.abs(off) <= GLYPH
      ? `M${number(up)} ${py + (y > py ? HIGH : -HIGH)}`
      : `M${number(px + GLYPH)} ${py}H${number(up)}`;
  return `${start}V${y - turn}Q${number(up)} ${y} ${number(Math.min(up + BEND, end))} ${y}H${number(end)}`;
}

// Which are shown, where: empty rows and lanes close.
export function place() {
  const whole = state.from === 0 && state.to === months.length - 1;
  const [begin, end] = [
    state.from ? dayOf(months[state.from], 0) : FIRST,
    whole || state.to === months.length - 1 ? LAST : dayOf(months[state.to], 1),
  ];
  /** @param {number} day */
  const x = (day) => LEFT + ((day - begin) / Math.max(end - begin, 1)) * (RIGHT - LEFT);
  const seen = nodes.filter(
    (node) => node.day >= begin && node.day <= end && (!state.lane || LANES[node.lane] === state.lane),
  );
  const rows = LANES.map((_, lane) =>
    [...new Set(seen.filter((node) => node.lane === lane).map(({ row }) => row))].sort((a, b) => a - b),
  );
  let y = TOP;
  const tops = rows.map((held) => {
    const top = y;
    if (held.length) y += HEAD + ROW * held.length + BETWEEN;
    return top;
  });
  const visible = new Set(seen);
  for (const node of nodes) {
    node.el.classList.toggle("off", !visible.has(node));
    items.get(node.slug)?.classList.toggle("off", !visible.has(node));
    if (!visible.has(node)) continue;
    node.x = x(node.day) + node.shift;
    node.y = tops[node.lane] + HEAD + ROW * rows[node.lane].indexOf(node.row);
    node.el.setAttribute("transform", `translate(${number(node.x)} ${node.y})`);
  }
  for (const node of nodes) {
    const line = lines.get(node.slug),
      parent = bySlug.get(node.parent);
    if (!line) continue;
    const both = parent && visible.has(node) && visible.has(parent);
    line.el.classList.toggle("off", !both);
    if (both) line.el.setAttribute("d", path(parent.x, parent.y, node.x, node.y, line.off));
  }
  for (const ground of grounds) {
    const lane = Number(ground.dataset.lane),
      many = rows[lane].length;
    ground.classList.toggle("off", !many);
    ground.setAttribute("transform", `translate(0 ${tops[lane]})`);
    for (const rect of /** @type {NodeListOf<SVGRectElement>} */ (ground.querySelectorAll("rect")))
      rect.setAttribute("height", String(HEAD + ROW * many));
  }
  for (const time of times) {
    const day = Number(time.dataset.day);
    time.classList.toggle("off", day < begin || day > end);
    time.setAttribute("transform", `translate(${number(x(day))} 0)`);
    time.firstElementChild?.setAttribute("d", `M.5 20V${y}`);
  }
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${Math.max(Math.round(y), 120)}`);
}
