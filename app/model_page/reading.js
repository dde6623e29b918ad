// A model's drawing, read part by part: pointing at a thing says what it is, its formula with this model's numbers, its
// tensors and the explainers that open with them. What is said is /data/parts/<slug>.json, fetched with the first look.
// Keys: the drawing is one stop; arrows walk through its parts, PageUp and PageDown through its pictures, Enter keeps a
// part open, Escape lets go. #part=layer3.mixer:q_proj opens one; #w-model.layers.7... finds a tensor of any layer.
import { fill, stand, tip, told } from "../site/tip.js";
import {
  dress,
  figure,
  graphAround,
  graphOf,
  heightAt,
  keyOf,
  partAt,
  partsOf,
  room,
  said,
  shown,
  walk,
} from "./reading-parts.js";
import { carried, located, rowOf } from "./reading-words.js";

/** @import { Part } from "./reading-parts.js" */
/** @import { TipBox, TipWords } from "../site/types.d.ts" */

// ---------------------------------------------------------------- the tip

/** @type {Part | null} */
let current = null,
  pinned = false,
  leaving = 0,
  /** @type {Part | null} */
  hushed = null;

/**
 * @param {Part | null} part
 * @param {TipWords} words
 * @param {TipBox} box
 * @param {boolean} pin
 */
function open(part, words, box, pin) {
  clearTimeout(leaving);
  mark(part);
  [current, pinned] = [part, pin];
  fill(words);
  tip.hidden = false;
  tip.toggleAttribute("data-pinned", pin);
  stand(box);
}

/** @param {Part | null} part */
function mark(part) {
  if (current !== part) {
    current?.classList.remove("lit");
    current?.removeAttribute("aria-expanded");
  }
  part?.classList.add("lit");
  part?.setAttribute("aria-expanded", "true");
}

function close() {
  clearTimeout(leaving);
  mark(null);
  [current, pinned, tip.hidden] = [null, false, true];
}

/**
 * @param {Part} part
 * @param {boolean} [pin]
 */
async function show(part, pin = false) {
  const data = await told();
  if (!data) return;
  dress(/** @type {SVGSVGElement} */ (part.closest("svg")), data);
  open(part, said(part, data), part.getBoundingClientRect(), pin);
}

/**
 * A slab of the tower stands for a layer; the paths of one colour are one, so its height says which.
 * @param {PointerEvent | MouseEvent} event
 */
async function slab(event) {
  const tower = /** @type {Element} */ (event.target).closest("[data-g=model]");
  if (
    !tower ||
    !(/** @type {Element} */ (event.target).matches(".f-solid, .f-empty")) ||
    partAt(/** @type {Element} */ (event.target))
  )
    return false;
  const data = await told();
  if (!data || pinned) return true;
  const words = located(data, heightAt(tower, event.clientY));
  if (words)
    open(
      null,
      words,
      { left: event.clientX, bottom: event.clientY + 6, top: event.clientY - 6 },
      event.type === "click",
    );
  return true;
}

// ---------------------------------------------------------------- pointer and keys

function pointed() {
  room.append(tip);
  figure.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" && !pinned) looked(event);
  });
  figure.addEventListener("pointerleave", leave);
  tip.addEventListener("pointerenter", () => clearTimeout(leaving));
  tip.addEventListener("pointerleave", leave);
  figure.addEventListener("click", async (event) => {
    const part = partAt(event.target);
    if (/** @type {Element} */ (event.target).closest("a")) return undefined; // a number that leads to the list of what is new
    if (part && graphAround(part)) return keep(part);
    if (!(await slab(event))) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tip.hidden) letGo();
  });
  document.addEventListener("click", (event) => {
    if (pinned && !room.contains(/** @type {Node} */ (event.target))) close();
  });
}

/** @param {PointerEvent} event */
async function looked(event) {
  const part = partAt(event.target),
    line = /** @type {Part | null} */ (/** @type {Element} */ (event.target).closest("[data-e]"));
  if (part && graphAround(part)) {
    clearTimeout(leaving);
    if (part !== current) show(part);
  } else if (line) flowing(line, event);
  else if (!(await slab(event))) leave();
}

/**
 * A line says which value it carries, and where to.
 * @param {Part} line
 * @param {PointerEvent} event
 */
async function flowing(line, event) {
  const data = await told();
  const words = data && carried(data, graphOf(line), /** @type {string} */ (line.dataset.e));
  if (words) open(null, words, { left: event.clientX, bottom: event.clientY + 6, top: event.clientY - 6 }, false);
}

function leave() {
  if (pinned) return;
  clearTimeout(leaving);
  leaving = setTimeout(() => {
    if (!pinned) close();
  }, 160);
}

/** @param {Part} part */
async function keep(part) {
  if (pinned && part === current) return close();
  await show(part, true);
  history.replaceState(null, "", `${location.pathname}${location.search}#part=${keyOf(part)}`);
}

function letGo() {
  const part = current;
  close();
  if (/^#part=/.test(location.hash)) history.replaceState(null, "", location.pathname + location.search);
  if (!part || !room.contains(document.activeElement) || part === document.activeElement) return;
  hushed = part; // back from the tip's links: it stays shut
  part.focus();
}

/** @param {KeyboardEvent} event */
async function stepped(event) {
  const svg = /** @type {Element} */ (event.target).closest("svg");
  if (!svg || /** @type {Element} */ (event.target).closest("a") || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const part = partAt(event.target);
  if ((event.key === "Enter" || event.key === " ") && part) {
    event.preventDefault();
    return keep(part);
  }
  if (!/^(Arrow|Home|End|Page)/.test(event.key)) return;
  event.preventDefault();
  const next = part && walk(part, event.key);
  if (!next) return;
  for (const one of svg.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

/**
 * The drawing itself is the stop until its parts are dressed; then the part last looked at is.
 * @param {Element} target
 */
async function entered(target) {
  const part = partAt(target),
    svg = target.closest("svg");
  if (part) {
    if (part.matches(":focus-visible") && part !== hushed) show(part);
    hushed = null;
    return;
  }
  const data = svg && (await told());
  if (!data || document.activeElement !== svg) return;
  dress(svg, data);
  partsOf(svg)[0]?.focus();
}

function keyed() {
  figure.addEventListener("keydown", stepped);
  figure.addEventListener("focusin", (event) => entered(/** @type {Element} */ (event.target)));
  if (document.activeElement && figure.contains(document.activeElement)) entered(document.activeElement);
  room.addEventListener("focusout", (event) => {
    if (!pinned && !room.contains(/** @type {Node | null} */ (event.relatedTarget))) leave();
  });
}

// ---------------------------------------------------------------- addresses

async function arrived() {
  let asked = location.hash;
  try {
    asked = decodeURIComponent(asked);
  } catch {
    /* half an escape: it names nothing */
  }
  if (asked.startsWith("#part=")) {
    const svg = shown(),
      part = svg && partsOf(svg).find((one) => keyOf(one) === asked.slice(6));
    if (!part) return;
    part.scrollIntoView({ block: "center", behavior: "instant" }); // the tip looks where it stands now
    await show(part, true);
  } else if (asked.startsWith("#w-")) {
    const data = document.getElementById(asked.slice(1)) ? null : await told();
    const row = document.getElementById(data ? rowOf(data, asked.slice(1)) : asked.slice(1));
    for (const one of document.querySelectorAll("tr.lit")) one.classList.remove("lit");
    if (!row) return;
    /** @type {HTMLDetailsElement} */ (row.closest("details")).open = true;
    row.classList.add("lit");
    row.scrollIntoView({ block: "center" });
  }
}

if (figure) {
  pointed();
  keyed();
  addEventListener("hashchange", arrived);
  arrived();
}
