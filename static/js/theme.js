// Light or dark: the reader's stored choice goes onto <html> before anything is painted; the button flips it.
const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
const root = document.documentElement;
if (stored()) root.dataset.theme = stored();

addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".theme");
  const isDark = () => getComputedStyle(root).colorScheme === "dark"
    || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const say = () => button.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
  button.hidden = false;
  say();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window: for this page only */ }
    say();
  });
});
