// The numbers on a model's drawing: a switch that shows or hides them (?marks=0, and remembered), and the way from a row
// of the list to its number. The way back is a plain link, #new-1. The page works without this.

const KEY = "marks";
const box = document.querySelector("[data-marks]");
const root = document.documentElement;
const remembered = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
const remember = shown => {
  try { if (shown) localStorage.removeItem(KEY); else localStorage.setItem(KEY, "off"); } catch { /* for this page only */ }
};

const show = shown => {
  root.dataset.marks = shown ? "on" : "off";
  if (box) box.checked = shown;
};
// The address decides; where it says nothing, what the reader had chosen when the page was opened.
const usual = remembered() !== "off";
const asked = () => ({ 0: false, 1: true })[new URLSearchParams(location.search).get(KEY)] ?? usual;

function chosen() {
  const query = new URLSearchParams(location.search);
  if (box.checked === usual) query.delete(KEY); else query.set(KEY, box.checked ? "1" : "0");
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
  history.pushState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
  remember(box.checked);
  show(box.checked);
}

// A row's number goes to the first of its discs in the drawing that is shown; a hidden drawing shows its numbers first.
function go(event) {
  const number = event.target.closest?.("[data-mark]")?.dataset.mark;
  if (!number || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (box && !box.checked) show(true);
  const disc = [...document.querySelectorAll(`.f-discs [data-new="${number}"]`)].find(one => one.getBoundingClientRect().width);
  if (!disc) return;
  event.preventDefault();
  disc.scrollIntoView({ block: "center", behavior: "instant" });  // a smooth one would fight with the way back
  disc.focus({ preventScroll: true });
  for (const one of document.querySelectorAll(".f-discs .lit")) one.classList.remove("lit");
  for (const one of document.querySelectorAll(`.f-discs [data-new="${number}"]`)) one.classList.add("lit");
}

box?.addEventListener("change", chosen);
addEventListener("popstate", () => show(asked()));
document.addEventListener("click", go);  // the workbench brings its rows later
show(asked());
