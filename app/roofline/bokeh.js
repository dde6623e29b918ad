// BokehJS in a page: fetched once, without style elements; and the theme that its figures follow.

import { adoptStyles } from "./adopted-style.js";

/**
 * BokehJS, when it is there.
 * @param {string | undefined} src
 */
export function loadBokeh(src) {
  return new Promise((done, failed) => {
    adoptStyles();
    document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed }));
  });
}

/** The theme that the page shows. */
export const theme = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
    ? "dark"
    : "light";

/** @param {() => void} repaint whenever a reader or the machine changes the theme */
export function onTheme(repaint) {
  new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
}
