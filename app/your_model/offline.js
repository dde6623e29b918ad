/* The service worker of /your-model/ alone: it keeps what the page has loaded, so that a second visit needs no network.
   Requests of other pages and to other hosts pass through untouched.
   In: { keep: [address] }, what the page has loaded; anything else that was kept is deleted. */

/** @type {any} TypeScript knows a page's scope or a worker's, not both */
const worker = self;
const KEPT = "your-model";
const page = new URL("./", worker.location.href);

/**
 * The page itself is asked for anew while there is a network; everything else has its content in its address.
 * @param {Request} request
 */
async function answered(request) {
  const kept = await caches.open(KEPT);
  const isPage = request.mode === "navigate";
  const known = isPage ? await kept.match(page.href) : await kept.match(request);
  if (known && !isPage) return known;
  try {
    return await fetch(request);
  } catch (error) {
    if (known) return known;
    throw error;
  }
}

/**
 * Keep these and nothing else; what is there already is not fetched again, but for the page.
 * @param {string[]} addresses
 */
async function keep(addresses) {
  const kept = await caches.open(KEPT);
  const wanted = new Set([page.href, ...addresses]);
  const there = new Set();
  for (const request of await kept.keys())
    if (!wanted.has(request.url) || request.url === page.href) await kept.delete(request);
    else there.add(request.url);
  for (const address of wanted) if (!there.has(address)) await kept.add(address).catch(() => {});
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("message", (/** @type {any} */ event) => {
  const done = () => event.source?.postMessage({ kept: true });
  if (event.data.keep) event.waitUntil(keep(event.data.keep).then(done));
});
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== page.origin) return;
  if (request.mode === "navigate" && new URL(request.url).pathname !== page.pathname) return;
  event.respondWith(answered(request));
});
