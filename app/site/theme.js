// The button that flips light and dark; before-paint.js has put the reader's stored choice onto <html>.
import { gettext } from "../../explainers/kit/gettext.js";

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const button = document.querySelector(".theme");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const say = () =>
  button?.setAttribute(
    "aria-label",
    isDark() ? gettext("Switch to the light theme") : gettext("Switch to the dark theme"),
  );

say();
system.addEventListener("change", say);
button?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    /* a private window: for this page only */
  }
  dispatchEvent(new CustomEvent("themechange", { detail: root.dataset.theme }));
  say();
});
