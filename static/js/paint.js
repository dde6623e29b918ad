// The drawing's colours by storage live in the address: ?paint=storage. The switch works without this.
const box = document.querySelector("[data-paint]");
const show = () => { box.checked = new URLSearchParams(location.search).get("paint") === "storage"; };
if (box) {
  box.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    if (box.checked) query.set("paint", "storage"); else query.delete("paint");
    const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
    history.pushState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
  });
  addEventListener("popstate", show);
  show();
}
