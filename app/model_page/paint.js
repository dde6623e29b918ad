// The drawing's colours by storage live in the address: ?paint=storage. The switch works without this.
const box = /** @type {HTMLInputElement} */ (document.querySelector("[data-paint]"));
const show = () => {
  box.checked = new URLSearchParams(location.search).get("paint") === "storage";
};
function chosen() {
  const query = new URLSearchParams(location.search);
  if (box.checked) query.set("paint", "storage");
  else query.delete("paint");
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
  history.pushState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
}
if (box) {
  const ticked = box.checked; // before this was here
  show();
  if (ticked && !box.checked) {
    box.checked = true;
    chosen();
  }
  box.addEventListener("change", chosen);
  addEventListener("popstate", show);
  // By keys it is its label that is looked at.
  box.addEventListener("focus", () => {
    if (box.matches(":focus-visible")) box.labels?.[0].scrollIntoView({ block: "nearest" });
  });
}
