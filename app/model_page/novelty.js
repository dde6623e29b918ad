// The numbers on a model's drawing: the switch in the address (?marks=0) and remembered, and the way from a row of the
// list to its number. The way back is a link, #new-1; css/novelty.css hides the numbers. The page works without this.

const KEY = "marks";
const box = /** @type {HTMLInputElement} */ (document.querySelector("[data-marks]"));
const remembered = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};
/** @param {boolean} shown */
const remember = (shown) => {
  try {
    if (shown) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    /* for this page only */
  }
};

// The address decides; where it says nothing, what the reader had chosen when the page was opened.
const usual = remembered() !== "off";
/** @type {{ [word: string]: boolean }} */
const SWITCH = { 0: false, 1: true };
const asked = () => SWITCH[new URLSearchParams(location.search).get(KEY) ?? ""] ?? usual;
const show = () => {
  box.checked = asked();
};

function chosen() {
  const query = new URLSearchParams(location.search);
  if (box.checked === usual) query.delete(KEY);
  else query.set(KEY, box.checked ? "1" : "0");
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
  history.pushState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
  remember(box.checked);
}

/**
 * A row's number goes to the first of its discs in the drawing that is shown; hidden numbers are shown first.
 * @param {MouseEvent} event
 */
function go(event) {
  const number = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest?.("[data-mark]"))
    ?.dataset.mark;
  if (!number || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (box) box.checked = true;
  const discs = [
    .../** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll(`.f-discs [href="#new-${number}"]`)),
  ];
  const disc = discs.find((one) => one.getBoundingClientRect().width);
  if (!disc) return;
  event.preventDefault();
  disc.scrollIntoView({ block: "center", behavior: "instant" }); // a smooth one would fight with the way back
  disc.focus({ preventScroll: true });
  for (const one of /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll(".f-discs a")))
    one.classList.toggle("lit", discs.includes(one));
}

document.addEventListener("click", go); // the workbench brings its rows later
if (box) {
  if (asked() && !box.checked)
    chosen(); // switched before this was here
  else show();
  box.addEventListener("change", chosen);
  addEventListener("popstate", show);
}
