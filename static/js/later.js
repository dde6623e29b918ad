// What a model's page needs only once it is touched is fetched then: the tips of its drawing, its menu "Copy, cite".

const figure = document.querySelector("[data-parts] .cw-figure");
const menu = document.querySelector(".taking");
const reading = () => import("./reading.js");

if (figure) {
  for (const svg of figure.querySelectorAll(":scope > svg")) svg.setAttribute("tabindex", "0");
  for (const kind of ["pointerover", "focusin"]) figure.addEventListener(kind, reading, { once: true });
  const asked = () => { if (/^#(part=|w-)/.test(location.hash)) reading(); };
  addEventListener("hashchange", asked, { once: true });
  asked();
}
menu?.addEventListener("toggle", () => import("./taking-model.js"), { once: true });
