// Light or dark: the reader's stored choice goes onto <html> before anything is painted; the button flips it.
import { gettext } from "../../explainers/kit/gettext.js";

(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const read = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = read();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".theme");
    if (!button) return;
    const say = () =>
      button.setAttribute(
        "aria-label",
        isDark() ? gettext("Switch to the light theme") : gettext("Switch to the dark theme"),
      );
    say();
    system.addEventListener("change", say);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        /* a private window: for this page only */
      }
      dispatchEvent(new CustomEvent("themechange", { detail: root.dataset.theme }));
      say();
    });
  });
})();
