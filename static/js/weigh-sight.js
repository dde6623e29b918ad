// While a slider moves, what is out of sight rests: it follows when the slider is let go.

const PARTS = "[data-weigh], .w-beside, [data-bars]";
const sight = new Map([...document.querySelectorAll(PARTS)].map((node) => [node, true]));
const near = new WeakMap();
let everything = true;
const watch = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) sight.set(target, isIntersecting);
});
for (const node of sight.keys()) watch.observe(node);

export const look = (whole) => {
  everything = whole;
};
export function rests(node) {
  if (everything) return false;
  if (!near.has(node)) near.set(node, node.closest(PARTS));
  return sight.get(near.get(node)) === false;
}
