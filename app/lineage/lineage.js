// /lineage/: which dates are shown, whose way from the first ancestor is lit, and where the keys go.
// Address: ?from=2024-01&to=2026-08&lane=sparse&at=org/name
import {
  bars,
  bySlug,
  card,
  grounds,
  items,
  LANES,
  lines,
  months,
  nodes,
  place,
  reset,
  state,
  svg,
  words,
} from "./lineage-drawing.js";

/** @import { LineageNode } from "./lineage-drawing.js" */

const [fromBox, toBox] = [
  /** @type {HTMLInputElement} */ (document.querySelector("[data-from]")),
  /** @type {HTMLInputElement} */ (document.querySelector("[data-to]")),
];
/** @param {Element} ground */
const named = (ground) => /** @type {SVGElement} */ (ground.querySelector(".lin-lane")); // a lane's name shows it alone

/** @param {string} slug */
const rowOf = (slug) => /** @type {HTMLElement} */ (items.get(slug));
/** @param {Event} event */
const slugAt = (event) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".lin-node"))?.dataset.at;

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
