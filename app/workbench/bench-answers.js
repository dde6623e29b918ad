// What the session answers -> the page: drawing and tables, status, error, title, and the choices of the form.
import { handPlans } from "../plan_page/hand-plans.js";
import { at, setContext } from "./bench-entry.js";

/** @type {Element} after which part an error stands: what it is about */
let wrong;
/** @param {Element} part of the page, which the next error is about */
export const about = (part) => {
  wrong = part;
};

/**
 * html comes from our own templates, which escape every string of a config; status and error are text.
 * @type {{ [key: string]: (value: any) => unknown }} by the session's JSON values
 */
export const show = {
  html: (/** @type {{ [id: string]: string }} */ value) => {
    for (const [id, html] of Object.entries(value)) at(id).innerHTML = html;
    handPlans();
  },
  busy: (/** @type {boolean} */ value) => {
    at("busy").hidden = !value;
    at("result").setAttribute("aria-busy", String(value));
  },
  status: (/** @type {string} */ value) => {
    at("status").textContent = value;
  },
  error: (/** @type {string} */ value) => {
    if (at("error").textContent !== value) at("error").textContent = value;
    if (value && wrong.nextElementSibling !== at("error")) wrong.after(at("error"));
    at("error").hidden = !value;
  },
  title: (/** @type {string} */ value) => {
    document.title = value ? `${value} · Cutaway workbench` : "Cutaway workbench";
  },
  beside: (/** @type {string[]} */ value) => {
    value.forEach((slug, index) => {
      at(`vs${index + 1}`).value = slug;
    });
  },
  context: setContext,
};

/** @param {string} sentence */
export const refuse = (sentence) => {
  show.status("Nothing was sent.");
  show.error(sentence);
};
