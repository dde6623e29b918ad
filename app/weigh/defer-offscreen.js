// While a slider moves, what is out of sight rests: it follows when the slider is let go.

const PARTS = "[data-weigh], .w-beside, [data-bars]";
/** @type {Map<Element | null | undefined, boolean>} */
const sight = new Map([...document.querySelectorAll(PARTS)].map((node) => [node, true]));
/** @type {WeakMap<Element, Element | null>} */
const near = new WeakMap();
let everything = true;
const watch = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) sight.set(target, isIntersecting);
});
for (const node of sight.keys()) watch.observe(/** @type {Element} */ (node));

/** @param {boolean} whole */
export const look = (whole) => {
  everything = whole;
};
/**
 * @param {Element} node
 * @returns {boolean}
 */
export function rests(node) {
  if (everything) return false;
  if (!near.has(node)) near.set(node, node.closest(PARTS));
  return sight.get(near.get(node)) === false;
}
