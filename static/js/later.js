// What a model's page needs only once it is touched is fetched then: the tips of its drawing, its menu "Copy, cite".
// A press or a move that came before the code is sent again when it is there.

const figure = document.querySelector("[data-parts] .cw-figure");
const menu = document.querySelector(".taking");

function readable() {
  const early = {}, first = {};
  const keep = event => { early[event.type] = event; };
  for (const kind of ["pointermove", "click"]) figure.addEventListener(kind, keep);
  const reading = () => first.asked ??= import("./reading.js").then(() => {
    for (const kind of ["pointermove", "click"]) figure.removeEventListener(kind, keep);
    for (const event of Object.values(early)) event.target.dispatchEvent(new event.constructor(event.type, event));
  });
  for (const svg of figure.querySelectorAll(":scope > svg")) svg.setAttribute("tabindex", "0");
  for (const kind of ["pointerover", "focusin"]) figure.addEventListener(kind, reading, { once: true });
  const asked = () => { if (/^#(part=|w-)/.test(location.hash)) reading(); };
  addEventListener("hashchange", asked);
  asked();
}

if (figure) readable();
menu?.addEventListener("toggle", () => import("./taking-model.js"), { once: true });
