// Brings what weighs a cache when somebody first reaches for it, or when the address says what to show.

const roots = document.querySelectorAll("[data-weigh]");
let coming;
const begin = () => {
  removeEventListener("keydown", early);
  coming ??= Promise.all([document.querySelector("[data-roofline]") && import("./roofline-page.js"), import("./weigh-page.js")]).catch(() => { coming = undefined; });
  return coming;
};
const early = event => {
  if (!["[", "]"].includes(event.key) || event.target.closest("input, select, textarea")) return;
  begin().then(() => event.target.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true })));
};

for (const root of roots) for (const event of ["pointerover", "focusin", "touchstart", "input"])
  root.addEventListener(event, begin, { once: true, passive: true });
if (roots.length) {
  addEventListener("keydown", early);
  if (/[?&](ctx|batch|kv|vs|gpus?|job)=/.test(location.search)) begin();
}
