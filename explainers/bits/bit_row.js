/* The bits of a code as buttons, in their fields: a click flips one, arrow keys step the code. */
import { h, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Format } from "../kit/codes.js" */
/** @import { Now } from "./compute.js" */
/** @import { Field } from "./describe.js" */
/** @import { Steps } from "./grid.js" */

/** The bits of a field, as they are drawn. @typedef {{ field: string, bits: HTMLElement[] }} Group */

/** The buttons in their fields. @param {Field[]} fields @param {HTMLElement[]} buttons */
const groupsOf = (fields, buttons) => {
  /** @type {Group[]} */
  const groups = [];
  fields.forEach(({ field }, i) => {
    if (groups.at(-1)?.field !== field) groups.push({ field, bits: [] });
    /** @type {Group} */ (groups.at(-1)).bits.push(
      h("span", { class: "slot" }, buttons[i], h("small", { "aria-hidden": "true" })),
    );
  });
  return groups;
};

/** @param {Group} group */
const groupBox = ({ field, bits }) =>
  h("div", { class: `field ${field}` }, h("b", { "aria-hidden": "true" }), h("div", { class: "slots" }, bits));

/** @param {(bit: number) => void} onToggle @param {(by: number) => void} onStep */
export const row = (onToggle, onStep) => {
  const el = h("div", { class: "fields", role: "group", "aria-label": "The bits; arrow up and down step the code" });
  /** @type {Format | null} */
  let format = null;
  /** @type {HTMLElement[]} */
  let buttons = [];
  /** @param {Field[]} fields */
  const build = (fields) => {
    buttons = fields.map((b) =>
      h("button", { type: "button", class: "bit", "data-still": true, on: { click: () => onToggle(b.bit) } }),
    );
    el.replaceChildren(...groupsOf(fields, buttons).map(groupBox));
    setAttrs(el, { "data-wide": fields.length > 16 ? "2" : fields.length > 9 ? "1" : false });
  };
  /** @param {Format} f @param {Now} o @param {boolean} [inert] */
  const update = (f, o, inert) => {
    if (f !== format) {
      format = f;
      build(o.fields);
    }
    o.fields.forEach((b, i) => {
      put(
        setAttrs(buttons[i], { class: b.on ? "bit on" : "bit", "aria-label": b.says, disabled: Boolean(inert) }),
        `fields.${i}.on`,
        "text",
        o,
      );
      put(/** @type {Element} */ (buttons[i].nextSibling), `fields.${i}.under`, "text", o);
    });
    for (const group of el.children) {
      const name = group.className.split(" ")[1];
      fill(/** @type {Element} */ (group.firstChild), name === "sign" ? "sign" : `${name} {groups.${name}}`, o);
    }
  };
  el.addEventListener("keydown", (e) => {
    const at = buttons.indexOf(/** @type {HTMLElement} */ (e.target));
    const move = /** @type {Steps} */ ({ ArrowLeft: -1, ArrowRight: 1 })[e.key];
    const step = /** @type {Steps} */ ({ ArrowUp: 1, ArrowDown: -1 })[e.key];
    if (!move && !step) return;
    e.preventDefault();
    if (step) onStep(step);
    else buttons[at + move]?.focus();
  });
  return { el, update };
};
