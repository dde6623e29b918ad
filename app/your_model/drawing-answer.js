/* What Python says of a config -> the page: the drawing first, then its other layouts and the tables below it. */

import { handPlans } from "../plan_page/hand-plans.js";
import { offerReport } from "./report.js";
import { offerRun } from "./run-offer.js";

/** @import { Drawn, Rest, SmallRunner } from "./types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);

/**
 * The drawing, with its offers to report a fault and to run a small copy.
 * @param {Drawn} drawn
 * @param {string} title
 * @param {URL | null} away the page that relative links start from, where it is not this one
 * @param {() => SmallRunner} run what runs the small copy
 */
export function show(drawn, title, away, run) {
  // The markup is from our own templates, which escape every string of a config.
  at("result").innerHTML = drawn.html.result;
  at("more").replaceChildren();
  at("compared").replaceChildren();
  lead(at("result"), away);
  offerReport(at("result"), at("yours").dataset.issues, title);
  offerRun(at("drawn"), run);
  at("drawing").hidden = false;
  reachable();
}

/** The layouts of the drawing that this window shows, where one stands here: the next is drawn in these first. */
export function seen() {
  const drawn = [...at("result").querySelectorAll(".cw-figure > svg, .cw-lit > svg")];
  const shown = drawn.filter((one) => one.getClientRects().length);
  return [...new Set(shown.map((one) => one.classList[1].replace("cf-", "")))].join();
}

/**
 * The tables below the drawing, its other layouts, and the way to the planner.
 * @param {Rest} rest
 * @param {URL | null} away
 */
export function showRest({ html: { more, href, plan, figure = "", lit = "" } }, away) {
  at("more").innerHTML = more;
  at("result").querySelector("#drawn > .cw-figure")?.insertAdjacentHTML("beforeend", figure);
  at("result").querySelector(".cw-lit")?.insertAdjacentHTML("beforeend", lit);
  const link = at("result").querySelector(".to-plan a");
  if (href) link.href = href;
  else link.parentElement.remove();
  if (plan) link.dataset.plan = plan;
  handPlans();
  lead(at("more"), away);
  if (href) lead(link.parentElement, away);
  reachable();
}

/**
 * Relative links start from the page that the markup is made for.
 * @param {HTMLElement} part
 * @param {URL | null} away that page, where it is not this one
 */
function lead(part, away) {
  if (!away) return;
  for (const link of part.querySelectorAll("a[href]:not([href^='#'])"))
    link.setAttribute("href", new URL(link.getAttribute("href") ?? "", away).href);
}

function reachable() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#drawing .scroll")))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // what scrolls is reached by keyboard, too
}
