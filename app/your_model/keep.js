/* What this page has loaded is given to its service worker to keep, so that the next visit needs no network. */

/**
 * @param {string} script
 * @param {string} folder of the browser's Python, whose files a worker loaded
 */
export async function keepForLater(script, folder) {
  if (!navigator.serviceWorker) return; // a page over plain HTTP, or a private window
  try {
    await navigator.serviceWorker.register(script);
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    const files = JSON.parse(document.getElementById("pack")?.textContent ?? "{}").files;
    const python = Object.keys(files).map((name) => folder + name);
    const worker = new URL(/** @type {string} */ (document.getElementById("yours")?.dataset.worker), location.href)
      .href;
    const own = [...loaded, worker, ...python].filter(
      (address) => address.startsWith(location.origin) && !address.endsWith("/offline.js"),
    );
    active?.postMessage({ keep: [...new Set(own)] });
  } catch {
    /* the page works without it */
  }
}
