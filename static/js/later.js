// What a model's page needs only once it is touched is fetched then: the tips of its drawing, its menu "Copy, cite",
// the switch of its numbers. Its ranks are small and come at once: they may be pressed first.
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

// Fetched with the first touch of a part, or at once where the address or an earlier choice asks for it.
function touched(selector, load, now) {
  const part = document.querySelector(selector);
  if (now) load();
  else for (const kind of ["pointerover", "focusin"]) part?.addEventListener(kind, load, { once: true });
}
const query = new URLSearchParams(location.search);
const chose = key => { try { return localStorage.getItem(key) !== null; } catch { return false; } };
touched(".novelty", () => import("./novelty.js"), query.has("marks") || chose("marks"));
touched(".what-if", () => import("./what-if.js"), query.has("edit"));
if (document.querySelector("[data-xray]")) import("./ranks.js");
