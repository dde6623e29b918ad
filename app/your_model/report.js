/* The link under unread keys: it opens the form for a missing mechanism, filled in. */

/**
 * @param {HTMLElement} result
 * @param {string | undefined} issues the address of the issue tracker; without one the link stays hidden
 * @param {string} title
 */
export function offerReport(result, issues, title) {
  const link = /** @type {HTMLAnchorElement | null} */ (result.querySelector("[data-report]"));
  if (!link || !issues) return;
  const keys = [...result.querySelectorAll(".unread code")].map((code) => code.textContent).join(", ");
  const asked = { template: "model-missing.yml", model: title, said: `Keys that are not read: ${keys}` };
  link.href = `${issues}/new?${new URLSearchParams(asked)}`;
  link.hidden = false;
}
