// Before a page is painted: the reader's stored theme, and that scripts run. It stands in every page, so nothing waits.
{
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const stored = localStorage.getItem("theme");
    if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  } catch {}
}
