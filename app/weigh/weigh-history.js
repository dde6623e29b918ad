// The addresses of what is chosen -> entries of the browser's history. While a slider moves the entry of before stays;
// letting go adds one. Steps in quick succession share theirs.

let pushed = -1e9; // when the address last got an entry of its own
let [before, sent] = [/** @type {string | null} */ (null), 0];

/**
 * @param {string} target
 * @returns {boolean} whether it is another address
 */
export function entered(target) {
  const fast = performance.now() - pushed < 1000;
  if (target === location.pathname + location.search + location.hash) return false;
  history[fast ? "replaceState" : "pushState"](null, "", target);
  pushed = performance.now();
  return true;
}

/**
 * On a slider's way.
 * @param {() => string} target
 */
export function passed(target) {
  before ??= location.href;
  if (performance.now() - sent < 400) return; // browsers refuse more than a hundred in half a minute
  sent = performance.now();
  history.replaceState(null, "", target());
}

/** The slider is let go: the entry has the address again that it had before. */
export function returned() {
  if (before && before !== location.href) history.replaceState(null, "", before);
  before = null;
}
