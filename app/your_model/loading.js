/* While Python loads for the first config: the model's name and model_type, shown at once, and the steps to its drawing. */

/** @import { Recent } from "./types.d.ts" */

/**
 * @param {string} text of a config
 * @returns {{ keys: number, type: string }} none where it is no plain JSON: Python reads more
 */
export function glance(text) {
  try {
    const config = JSON.parse(text);
    if (!config || Array.isArray(config) || typeof config !== "object") return { keys: 0, type: "" };
    const type = typeof config.model_type === "string" ? config.model_type.slice(0, 60) : "";
    return { keys: Object.keys(config).length, type };
  } catch {
    return { keys: 0, type: "" };
  }
}

/**
 * @param {(id: string) => any} at
 * @param {(bytes: number) => string} megabytes
 */
export function loadingCard(at, megabytes) {
  /** @type {[head: string, says: string][]} */
  let steps = [];
  /** @param {number} now which step is on its way */
  const list = (now) =>
    at("steps").replaceChildren(
      ...steps.map(([head, says], place) => {
        const row = document.createElement("li");
        row.className = place < now ? "done" : place === now ? "now" : "";
        if (place === now) row.setAttribute("aria-current", "step");
        row.append(Object.assign(document.createElement("strong"), { textContent: head }), says);
        return row;
      }),
    );
  /** @param {boolean} is */
  const shown = (is) => {
    at("yours").classList.toggle("loading", is);
    at("loading").hidden = at("steps").hidden = !is;
  };
  return {
    /** @param {Recent} config that waits for Python */
    begin({ text, title }) {
      const { keys, type } = glance(text);
      const size = `${(new Blob([text]).size / 1e3).toFixed(1)} KB`;
      at("loading-name").textContent = title;
      at("loading-of").textContent = ["config.json", size, type && `model_type ${type}`].filter(Boolean).join(" · ");
      steps = [
        ["Read the config", keys ? `${keys} keys, valid JSON` : size],
        ["Load Python", "once; kept for your next visit"],
        ["Start Python", "with Cutaway in it"],
        ["Draw", "usually under a second"],
      ];
      shown(true);
      list(1);
      at("cancel").focus({ preventScroll: true });
    },
    /**
     * @param {string} words
     * @param {number} loaded
     * @param {number} of
     */
    told(words, loaded, of) {
      if (!words) return shown(false);
      if (at("loading").hidden) return;
      if (loaded < of)
        at("status").textContent =
          `Python starts in your browser: ${megabytes(loaded).replace(" MB", "")} of ${megabytes(of)}`;
      list(words.startsWith("Drawing") ? 3 : words.startsWith("Starting") ? 2 : 1);
    },
  };
}
