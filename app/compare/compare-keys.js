// The keys of /compare/: x swaps the models, a number leads to the row of that difference.
import { dialog } from "./compare-page.js";

/** @param {() => unknown} swap */
export const keyed = (swap) =>
  addEventListener("keydown", (event) => {
    if (
      dialog?.open ||
      /** @type {Element} */ (event.target).closest("input, textarea, select") ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (event.key === "x") swap();
    const row = /^[1-9]$/.test(event.key) && document.getElementById(`d-${event.key}`);
    if (row) {
      location.hash = row.id;
      row.scrollIntoView({ block: "center" });
    }
  });
