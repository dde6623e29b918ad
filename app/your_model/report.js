/* Where a drawing says that keys were not read: the form in which a missing mechanism is reported, filled in. */

/**
 * @param {HTMLElement} result
 * @param {string | undefined} issues where faults are reported; none: the link stays hidden
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
