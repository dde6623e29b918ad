// The sharding x-ray's number of ranks lives in the address: ?tp=4. The page works without this.
const boxes = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('[data-xray] [name="tp"]'))];
const first = boxes.find((box) => box.defaultChecked);
const early = boxes.find((box) => box.checked && box !== first);

const show = () => {
  const asked = new URLSearchParams(location.search).get("tp");
  const found = boxes.find((box) => box.value === asked) ?? first;
  if (found) found.checked = true;
};

/** @param {HTMLInputElement} box */
function chosen(box) {
  const query = new URLSearchParams(location.search);
  if (box === first) query.delete("tp");
  else query.set("tp", box.value);
  const text = query.toString();
  history.pushState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
}

for (const box of boxes) box.addEventListener("change", () => chosen(box));
addEventListener("popstate", show);
show();
if (early && !early.checked) {
  early.checked = true;
  chosen(early);
} // chosen before this was here
