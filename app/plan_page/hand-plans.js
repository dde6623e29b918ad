/* The planner finds a config that is not in the catalogue under its link's own word, in this browser; the last few are kept. */

const PLANS = "plan-local",
  MOST_PLANS = 8;

/** Keep what the links on this page lead to; where nothing can be kept, they go. */
export function handPlans() {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-plan]"))) {
    const name = new URL(link.href).searchParams.get("m");
    try {
      /** @type {(string | null)[]} */
      const names = [
        name,
        ...JSON.parse(localStorage.getItem(PLANS) || "[]").filter((/** @type {string} */ one) => one !== name),
      ];
      for (const old of names.splice(MOST_PLANS)) localStorage.removeItem(`plan-${old}`);
      localStorage.setItem(`plan-${name}`, /** @type {string} */ (link.dataset.plan));
      localStorage.setItem(PLANS, JSON.stringify(names));
    } catch {
      link.hidden = true; /* a private window has nowhere to keep it */
    }
  }
}
