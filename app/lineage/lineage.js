// /lineage/: which dates are shown, whose way from the first ancestor is lit, and where the keys go. The drawing and the
// list are in the page; places are those of app/lineage/layout.py, drawn apart where fewer dates are shown.
// Address: ?from=2024-01&to=2026-08&lane=sparse&at=org/name

/**
 * A model's place in the drawing; x and y once it is shown.
 * @typedef {{
 *   el: SVGElement, slug: string, day: number, shift: number, lane: number, row: number, parent: string, x: number, y:
 * number,
 * }} LineageNode
 */
const svg = /** @type {SVGSVGElement} */ (document.querySelector("svg.lin")),
  card = /** @type {HTMLElement} */ (document.querySelector(".lin-card"));
const [fromBox, toBox] = [
  /** @type {HTMLInputElement} */ (document.querySelector("[data-from]")),
  /** @type {HTMLInputElement} */ (document.querySelector("[data-to]")),
];
const bars = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".lin-bars i"))],
  reset = /** @type {HTMLElement} */ (document.querySelector("[data-reset]"));
const months = bars.map((bar) => bar.dataset.month ?? ""),
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
const LANES = ["dense", "window", "moe", "latent", "sparse", "linear", "ssm"];

/** @type {LineageNode[]} */
const nodes = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-node"))].map((el) => ({
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
const bySlug = new Map(nodes.map((node) => [node.slug, node]));
const lines = new Map(
  [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-lines path"))].map((el) => [
    el.dataset.of,
    { el, off: Number(el.dataset.off) },
  ]),
);
const items = new Map(
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".lin-list li"))].map((el) => [
    el.dataset.rowOf,
    el,
  ]),
);
/** @param {Element} ground */
const named = (ground) => /** @type {SVGElement} */ (ground.querySelector(".lin-lane")); // a lane's name shows it alone
const grounds = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-ground"))],
  times = [.../** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".lin-time g"))];

/** @param {string} slug */
const rowOf = (slug) => /** @type {HTMLElement} */ (items.get(slug));
/** @param {Event} event */
const slugAt = (event) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".lin-node"))?.dataset.at;

/**
 * 719163 days from 0001-01-01 to 1970-01-01, as Python counts them.
 * @param {string} month
 * @param {number} after months after it
 */
const dayOf = (month, after) => {
  const [year, number] = month.split("-").map(Number);
  return Date.UTC(year, number - 1 + after, 1) / 864e5 + 719163;
};
const state = { from: 0, to: months.length - 1, lane: "", at: "" };

function read() {
  const asked = new URLSearchParams(location.search);
  /**
   * @param {string} key
   * @param {number} none
   */
  const place = (key, none) => {
    const found = months.indexOf(asked.get(key) ?? "none");
    return found < 0 ? none : found;
  };
  state.from = place("from", 0);
  state.to = Math.max(place("to", months.length - 1), state.from);
  const [lane, at] = ["lane", "at"].map((key) => asked.get(key) ?? "");
  state.lane = LANES.includes(lane) ? lane : "";
  state.at = bySlug.has(at) ? at : "";
}

/** @param {boolean} push */
function write(push) {
  const asked = new URLSearchParams();
  if (state.from) asked.set("from", months[state.from]);
  if (state.to < months.length - 1) asked.set("to", months[state.to]);
  if (state.lane) asked.set("lane", state.lane);
  if (state.at) asked.set("at", state.at);
  const text = asked.toString().replaceAll("%2F", "/");
  const next = new URL(`${location.pathname}${text && `?${text}`}${location.hash}`, location.href).href;
  if (next !== location.href) history[push ? "pushState" : "replaceState"](null, "", next);
}

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
export function path(px, py, x, y, off) {
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
function place() {
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

function brush() {
  [fromBox.value, toBox.value] = [String(state.from), String(state.to)];
  fromBox.setAttribute("aria-valuetext", words[state.from]);
  toBox.setAttribute("aria-valuetext", words[state.to]);
  for (const ground of grounds)
    named(ground).setAttribute("aria-pressed", String(LANES[Number(ground.dataset.lane)] === state.lane));
  bars.forEach((bar, i) => bar.classList.toggle("out", i < state.from || i > state.to));
  /** @type {HTMLElement} */ (document.querySelector("[data-span]")).textContent =
    `${words[state.from]} to ${words[state.to]}`;
  reset.hidden = !state.from && state.to === months.length - 1 && !state.lane;
}

/** @param {string} slug */
const way = (slug) => {
  const found = [];
  for (let node = bySlug.get(slug); node; node = bySlug.get(node.parent)) found.unshift(node);
  return found;
};

/** @param {string} slug */
function light(slug) {
  for (const el of svg.querySelectorAll(".on")) el.classList.remove("on");
  const found = slug ? way(slug) : [];
  for (const node of found) {
    node.el.classList.add("on");
    lines.get(node.slug)?.el.classList.add("on");
  }
  card.hidden = !found.length;
  if (!found.length) return;
  const title = document.createElement("p"),
    steps = document.createElement("ol");
  title.append(...[...rowOf(slug).childNodes].map((one) => one.cloneNode(true)));
  for (const node of found) {
    const step = document.createElement("li"),
      name = document.createElement("b");
    name.textContent = rowOf(node.slug).querySelector("a")?.textContent ?? "";
    const changes = rowOf(node.slug).querySelector("[data-changes]");
    step.append(name, " ", changes ? changes.textContent : "the oldest model here");
    steps.append(step);
  }
  card.replaceChildren(title, steps);
}

function show() {
  place();
  brush();
  light(state.at);
  rove(state.at);
}

/**
 * One stop for Tab; arrows go to the relative, a descendant, and up and down the lane.
 * @param {string} slug
 */
function rove(slug) {
  const here = bySlug.get(slug) ?? nodes.find((node) => !node.el.classList.contains("off"));
  for (const node of nodes) node.el.setAttribute("tabindex", node === here ? "0" : "-1");
}
const shown = () => nodes.filter((node) => !node.el.classList.contains("off"));
/** @type {{ [key: string]: (node: LineageNode) => LineageNode | undefined }} */
const GO = {
  ArrowLeft: (node) => bySlug.get(node.parent),
  ArrowRight: (node) => shown().find((one) => one.parent === node.slug),
  ArrowUp: (node) =>
    shown()
      .filter((one) => one.y < node.y)
      .sort((a, b) => b.y - a.y || Math.abs(a.x - node.x) - Math.abs(b.x - node.x))[0],
  ArrowDown: (node) =>
    shown()
      .filter((one) => one.y > node.y)
      .sort((a, b) => a.y - b.y || Math.abs(a.x - node.x) - Math.abs(b.x - node.x))[0],
};
svg.addEventListener("keydown", (event) => {
  const node = bySlug.get(slugAt(event) ?? "");
  if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "c")
    /** @type {HTMLElement | null | undefined} */ (items.get(node.slug)?.querySelector('a[href*="compare"]'))?.click();
  if (event.key === "Escape") {
    state.at = "";
    write(false);
    light("");
  }
  const next = GO[event.key]?.(node);
  if (GO[event.key]) event.preventDefault();
  if (next && !next.el.classList.contains("off")) {
    rove(next.slug);
    next.el.focus();
  }
});
svg.addEventListener("focusin", (event) => {
  const slug = slugAt(event);
  if (slug) {
    state.at = slug;
    write(false);
    light(slug);
    rove(slug);
  }
});
svg.addEventListener("pointerover", (event) => {
  const slug = slugAt(event);
  if (slug) light(slug);
});
svg.addEventListener("pointerleave", () => light(state.at));

for (const box of [fromBox, toBox]) {
  box.addEventListener("input", () => {
    const value = Number(box.value);
    if (box === fromBox) state.from = Math.min(value, state.to);
    else state.to = Math.max(value, state.from);
    place();
    brush();
  });
  box.addEventListener("change", () => {
    brush();
    write(true);
  }); // not before: Back leads to the dates of before
}
for (const ground of grounds) {
  const name = named(ground),
    key = LANES[Number(ground.dataset.lane)];
  const toggle = () => {
    state.lane = state.lane === key ? "" : key;
    write(true);
    show();
  };
  name.setAttribute("role", "button");
  name.setAttribute("tabindex", "0");
  name.addEventListener("click", toggle);
  name.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.repeat) toggle();
  });
}
reset.addEventListener("click", () => {
  Object.assign(state, { from: 0, to: months.length - 1, lane: "" });
  write(true);
  show();
  fromBox.focus();
});
addEventListener("popstate", () => {
  read();
  show();
});
for (const bar of bars)
  bar.style.height = `${(Number(bar.dataset.many) / Math.max(...bars.map((one) => Number(one.dataset.many)))) * 100}%`;
read();
show();
