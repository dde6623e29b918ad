/* What a field cannot take: what was typed, why it is refused, which field is at fault. */

import { h, setAttrs, setText } from "../../../explainers/kit/dom.js";
import { field, form, state } from "./fields.js";

/**
 * What a field takes, and why what was typed is not that; it stands under the fields of its group until something is
 * taken.
 * @type {{ [name: string]: string }}
 */
const WANTS = {
  used: "a share of the memory, as 92 % or 0.92",
  imbalance: "a number from 1 on",
  framework_bytes: "a number of GB",
};
const why = h("b", { class: "plan-line", id: "in-why", role: "alert" });
/**
 * @param {string} name
 * @param {string} text
 */
export const refuse = (name, text) => {
  state.refused = name;
  const input = field(name);
  const said = `“${text.trim().slice(0, 40)}” is `;
  setText(
    why,
    name === "m"
      ? `${said}no catalogued model: a part of a name will do.`
      : `${said}not ${WANTS[name] || "a whole number below 1e9, as 4 or 4k"}; what stood there before is planned.`,
  );
  /** @type {HTMLElement} */ (input.closest("fieldset, .plan-row")).append(why);
  setAttrs(input, { "aria-invalid": "true", "aria-describedby": "in-why" });
};
/**
 * A model that an address names and nobody knows: its name stays in the field until another is chosen.
 * @param {string} name
 */
export const unknown = (name) => setAttrs(field("m"), { value: name, "aria-invalid": "true" });
/* Something else was taken: the reason goes, unless what was typed still stands there. */
export const forget = () => {
  if (!state.refused) why.remove();
};
/** @param {Element} field */
export const accept = (field) => {
  state.refused = "";
  field.removeAttribute("aria-invalid");
};

/**
 * The field that cannot stay as it is.
 * @param {string} name
 */
export const mark = (name) => {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[aria-invalid]")))
    if (field.name !== state.refused) field.removeAttribute("aria-invalid");
  const found = form.elements.namedItem(name);
  if (found instanceof HTMLElement) setAttrs(found, { "aria-invalid": "true" }); // the jobs are a list of radio buttons
};
