// Short labels say what they mean where they stand: an element with a title shows it on hover, focus and tap, in the
// box that the tips of a drawing have, and a screen reader hears it as the element's description. Without this script
// the browser shows the title to a pointer.

const LABELS = "main :is(dt, dd, th, td, span, a, button, label, p)[title]";
const REACHED = "a[href], button, .field"; // by the Tab key, or through what is in them
const GAP = 6; // between a label and its box

const box = Object.assign(document.createElement("div"), { className: "label-tip", hidden: true });
box.setAttribute("aria-hidden", "true"); // it repeats the description
box.style.pointerEvents = "none"; // what it covers stays within reach
document.body.append(box);
const styled = new Promise((done) => {
  const href = new URL("../css/tip.css", import.meta.url).href;
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: done }),
  );
});

/** Titles would be said twice, and never to a finger: they become data and a description. */
export function dress() {
  for (const label of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(LABELS))) {
    label.dataset.labelSays = label.title;
    label.setAttribute("aria-description", label.title);
    label.removeAttribute("title");
    if (!label.matches(REACHED)) label.tabIndex = 0;
  }
}

/** @param {EventTarget | null} target */
const labelAt = (target) =>
  /** @type {HTMLElement | null | undefined} */ (/** @type {Element} */ (target).closest?.("[data-label-says]"));

/** @type {HTMLElement | null | undefined} */
let shown;

/** @param {HTMLElement | null | undefined} label */
async function show(label) {
  shown = label;
  if (label) await styled;
  if (shown !== label) return; // left meanwhile
  box.hidden = !label;
  if (!label) return;
  box.textContent = label.dataset.labelSays ?? "";
  const { left, bottom } = label.getBoundingClientRect();
  box.style.left = `${Math.max(GAP, Math.min(left, innerWidth - box.offsetWidth - 4 * GAP)) + scrollX}px`;
  box.style.top = `${bottom + GAP + scrollY}px`;
}

for (const kind of ["pointerover", "focusin", "click"])
  document.addEventListener(kind, (event) => show(labelAt(event.target)));
document.addEventListener("focusout", () => show(null));
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") show(null);
});

dress();
const drawn = document.querySelector(".cmp-body"); // drawn anew with every choice
if (drawn) new MutationObserver(dress).observe(drawn, { childList: true });
show(document.querySelector("[data-label-says]:hover")); // touched before this was here
