/* What was drawn last, on this device alone: localStorage, the newest first, until the reader forgets it. */

/** @import { Recent } from "./types.d.ts" */

const KEY = "your-model",
  MOST = 10,
  LONG = 100_000; // characters of a config: a browser keeps 5 MB for a site

/** @returns {Recent[]} */
export function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "[]");
    return Array.isArray(kept)
      ? kept.filter((one) => typeof one?.text === "string" && typeof one.title === "string")
      : [];
  } catch {
    return [];
  }
}

/** @param {Recent} one */
export function keep(one) {
  if (one.text.length > LONG) return;
  const others = all().filter(({ text }) => text !== one.text);
  try {
    localStorage.setItem(KEY, JSON.stringify([one, ...others].slice(0, MOST)));
  } catch {
    /* a private window, or a full one: for this visit only */
  }
}

export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    /* nothing was kept */
  }
}
