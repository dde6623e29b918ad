// The workbench's entry of the browser's history, and its form: what an address holds, what a pasted config adds to it,
// and what is kept while the page opens anew.

export const [{ type: OPENED } = { type: "" }] = /** @type {PerformanceNavigationTiming[]} */ (
  performance.getEntriesByType("navigation")
);
/**
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export const at = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
const KEYS = ["model", "edit", "vs", "context"];
const KEPT = "cutaway-typed";
export function query() {
  return Object.fromEntries(KEYS.map((key) => [key, new URLSearchParams(location.search).get(key) || ""]));
}

/** @param {{ [key: string]: string }} state */
export function address(state) {
  const search = new URLSearchParams();
  for (const key of KEYS) if (state[key]) search.set(key, state[key]);
  const text = search
    .toString()
    .replaceAll("%2F", "/")
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")
    .replaceAll("%40", "@");
  return text ? `?${text}` : location.pathname;
}

export const here = () => location.search || location.pathname;
export const pasted = () => history.state?.config;
export const entry = () => `${location.search} ${pasted()?.turn ?? ""}`;
export const named = () => (pasted() ? "" : query().model || (at("model").dataset.start ?? ""));

export function fill() {
  at("model").value = named();
  at("edit").value = query().edit;
}

// "a,b", "a" or ",b": each of the two keeps its place; "none" where the reader wants neither.
export function beside() {
  return [at("vs1").value, at("vs2").value].join(",").replace(/,$/, "") || "none";
}

/**
 * The session says which context counts; one that only an address named becomes a choice of its own.
 * @param {number} value tokens
 */
export function setContext(value) {
  const select = /** @type {HTMLSelectElement} */ (/** @type {HTMLElement} */ (at("context")));
  if (![...select.options].some((option) => option.value === String(value)))
    select.append(new Option(`${value.toLocaleString("en")} tokens`, String(value)));
  select.value = String(value);
}

// What a page that opens anew must not lose beside its entry. False where the browser has no room for it.
export function keep() {
  const { value: text } = at("pasted"),
    { value: typed } = at("model");
  const kept = { entry: entry(), typed, pasted: text, y: scrollY, focus: document.activeElement?.id };
  try {
    sessionStorage.removeItem(KEPT);
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
    return true;
  } catch {
    return !text;
  }
}

// What was kept, where this page is one that was open before; a page opened by a link begins empty.
export function kept() {
  if (OPENED === "navigate") return null;
  try {
    return JSON.parse(/** @type {string} */ (sessionStorage.getItem(KEPT)));
  } catch {
    return null;
  }
}
