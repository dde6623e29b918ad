// The controls of a weighing that somebody changed before its code was there: they differ from the page as it came.

const came = (node) => (node.options ? [...node.options].find((one) => one.defaultSelected)?.value : node.defaultValue);
const differs = (node) => (node.type === "radio" ? node.checked && !node.defaultChecked : node.value !== came(node));
export const changed = () =>
  [...document.querySelectorAll("[data-in]")].filter(differs).map((node) => ({ node, value: node.value }));

// Changed once more, whatever the address has put there meanwhile.
export function again({ node, value }) {
  if (node.type === "radio") node.checked = true;
  else node.value = value;
  node.dispatchEvent(new Event(node.dataset.in === "vs" ? "input" : "change"));
}
