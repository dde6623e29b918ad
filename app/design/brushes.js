// The brushes that paint layers, a radio group: which one is chosen.

export const chosen = () => document.querySelector(".d-brushes [aria-checked=true]")?.id ?? "";
/** @param {string} id of a brush */
export function choose(id) {
  const brush = /** @type {HTMLButtonElement | null} */ (document.getElementById(id));
  if (!brush || brush.disabled) return;
  for (const one of document.querySelectorAll(".d-brushes [role=radio]"))
    one.setAttribute("aria-checked", String(one === brush));
}
