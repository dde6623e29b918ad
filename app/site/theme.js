// The button that flips light and dark; before-paint.js has put the reader's stored choice onto <html>.
import { gettext } from "../../explainers/kit/gettext.js";

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const button = /** @type {HTMLElement} */ (document.querySelector(".theme"));
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const say = () => {
  button.ariaLabel = isDark() ? gettext("Switch to the light theme") : gettext("Switch to the dark theme");
};

say();
system.addEventListener("change", say);
button.addEventListener("click", () => {
  const detail = (root.dataset.theme = isDark() ? "light" : "dark");
  try {
    localStorage.theme = detail;
  } catch {
    /* a private window: for this page only */
  }
  dispatchEvent(new CustomEvent("themechange", { detail }));
  say();
});
