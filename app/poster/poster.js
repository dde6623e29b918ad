// /poster/: zooms in steps around the middle of the frame or the pointer; a mouse drags the sheet.

const sheet = /** @type {HTMLElement} */ (document.querySelector("[data-sheet]"));
const STEPS = 5;
if (innerWidth < 700) sheet.dataset.at = "4"; // the whole sheet on a phone would be too small to read
const at = () => Number(sheet.dataset.at ?? 0);

/**
 * @param {number} by steps in, or 0 for the whole sheet
 * @param {number} [x] the point that stays in place, in pixels of the frame
 * @param {number} [y]
 */
function zoom(by, x = sheet.clientWidth / 2, y = sheet.clientHeight / 2) {
  const before = sheet.scrollWidth;
  const [left, top] = [sheet.scrollLeft + x, sheet.scrollTop + y];
  sheet.dataset.at = String(by ? Math.min(STEPS, Math.max(0, at() + by)) : 0);
  const grown = sheet.scrollWidth / before;
  sheet.scrollTo({ left: left * grown - x, top: top * grown - y, behavior: "instant" });
}

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-zoom]")))
  button.addEventListener("click", () => zoom(Number(button.dataset.zoom)));

sheet.addEventListener("keydown", (event) => {
  const by = { "+": 1, "=": 1, "-": -1, 0: 0 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  zoom(by);
});

sheet.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls
    event.preventDefault();
    const box = sheet.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1 : -1, event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);

// A mouse drags the sheet; after a drag, the click does not open a model.
let moved = 0;
sheet.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "mouse" || event.button) return;
  moved = 0;
  const drag = (/** @type {PointerEvent} */ { movementX, movementY }) => {
    moved += Math.abs(movementX) + Math.abs(movementY);
    sheet.scrollBy({ left: -movementX, top: -movementY, behavior: "instant" });
  };
  const stop = () => removeEventListener("pointermove", drag);
  addEventListener("pointermove", drag);
  addEventListener("pointerup", stop, { once: true });
});
sheet.addEventListener("dragstart", (event) => event.preventDefault());
sheet.addEventListener("click", (event) => moved > 6 && event.preventDefault());
