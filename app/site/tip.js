// The box beside a part of a drawing: what is said in it, and where it stands.

/** @import { PartsData, TipBox, TipWords } from "./types.d.ts" */

export const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
const room = /** @type {HTMLElement} */ (document.querySelector("[data-parts]"));

// What is said, and the style it is said in: both are fetched once.
const style = new Promise((done) => {
  // the tips' own
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: new URL("../css/tip.css", import.meta.url).href,
    onload: done,
    onerror: done,
  });
  document.head.append(link);
});
/** @type {Promise<PartsData | null> | null} */
let asked = null;
/** @returns {Promise<PartsData | null>} */
export const told = () =>
  (asked ??= Promise.all([fetch(/** @type {string} */ (room.dataset.parts)).then((answer) => answer.json()), style])
    .then(([data]) => data)
    .catch(() => null));

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} words
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [more]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
const made = (tag, words, more = {}) => Object.assign(document.createElement(tag), { textContent: words, ...more });

/** @param {TipWords} words */
export function fill({ head, sub, rows, tensors, learn }) {
  const list = document.createElement("dl");
  for (const { name, is } of rows) list.append(made("dt", name), made("dd", is));
  const names = document.createElement("ul");
  for (const { name, shape } of tensors) {
    const item = made("li", "");
    item.append(made("a", name, { href: `#w-${name}` }), made("span", ` ${shape}`));
    names.append(item);
  }
  const doors = made("p", "", { className: "tip-learn" });
  for (const { title, what, target } of learn) {
    const href = new URL(`../../..${target}`, new URL(/** @type {string} */ (room.dataset.parts), location.href)).href;
    doors.append(made("a", title, { href }), made("span", ` ${what}`));
  }
  tip.replaceChildren(
    made("p", head, { className: "tip-head" }),
    ...(sub ? [made("p", sub, { className: "tip-sub" })] : []),
    ...(rows.length ? [list] : []),
    ...(tensors.length ? [names] : []),
    ...(learn.length ? [doors] : []),
  );
}

const GAP = 8; // from the part, and from the window's edge

/**
 * Under the part if there is room, else above it, else beside it; a narrow screen has it at its lower edge (tip.css).
 * @param {TipBox} box
 */
export function stand({ left, right = left, top, bottom }) {
  const frame = room.getBoundingClientRect(),
    [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const lowest = innerHeight - height - GAP,
    below = bottom + GAP,
    above = top - height - GAP;
  const beside = below > lowest && above < GAP;
  const [x, y] = !beside
    ? [left, below > lowest ? above : below]
    : [right + GAP + width < frame.right ? right + GAP : left - width - GAP, Math.max(GAP, lowest)];
  tip.style.left = `${Math.max(0, Math.min(x - frame.left, frame.width - width))}px`;
  tip.style.top = `${y - frame.top}px`;
}
