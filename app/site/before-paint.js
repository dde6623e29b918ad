// Before a page is painted: the reader's stored theme, and that scripts run. It stands in every page, so nothing waits.
{
  const { classList, dataset } = document.documentElement;
  classList.add("js");
  try {
    const { theme } = localStorage;
    if (theme === "dark" || theme === "light") dataset.theme = theme;
  } catch {}
}
