/* Words of a beat: a state and a path -> a value; a template -> an element in which every value is bound. */

import { h } from "./dom.js";
import { configEnds, ended } from "./model.js";
import { printValue, templateParts, valueAt } from "./numbers.js";

/** @import { Explainer } from "./beats.js" */
/** @import { State } from "./told.js" */

/**
 * A state seen through its explainer: look(path) is a value of `answers`, of compute's result or of the state itself.
 * @typedef {((path: string) => any) & { now: object, state: State }} Look
 */

/**
 * Whether two plain values are the same.
 * @param {unknown} a
 * @param {unknown} b
 */
export const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Makes what looks at states; what compute returns is kept for the last of them, until files apart have come (apart.js).
 * @param {Explainer & { data: unknown }} page
 * @returns {(state: State) => Look}
 */
export const looker = (page) => {
  /** @type {Map<string, Look>} */
  const known = new Map();
  addEventListener("apart", () => known.clear());
  return (state) => {
    const key = JSON.stringify(state);
    let found = known.get(key);
    if (!found) {
      if (known.size > 60) known.clear();
      /** @type {object} */
      const now = page.compute(state, page.data);
      /** @param {string} path */
      const look = (path) => {
        if (path === "config_ends") return configEnds(state, page.data);
        const answer = page.beats.answers?.[path];
        if (answer) return answer(state, page.data);
        return valueAt(path.split(".")[0] in now ? now : state, path);
      };
      found = Object.assign(look, { now, state });
      known.set(key, found);
    }
    return found;
  };
};

/**
 * Writes a template, or what a caption's function says, into an element: **bold**, and an element with data-out for each
 * value. A context beyond the model's config is marked.
 * @param {Explainer & { data: unknown }} page
 * @param {Element} el
 * @param {Look} look
 * @param {string} template or the name of a function in `captions`
 * @param {string} [lead] before it
 * @param {string} [tail] behind it
 */
export const writeWords = (page, el, look, template, lead = "", tail = "") => {
  const made = page.beats.captions?.[template];
  const beyond = template && configEnds(look.state, page.data) ? ` ${ended()}` : "";
  const text = `${lead}${made ? made(look.state, page.data) : template}${beyond}${tail}`;
  const nodes = text.split(/(\*\*.+?\*\*)/).map((piece) => {
    const inner = templateParts(piece.replace(/^\*\*(.+)\*\*$/, "$1")).map((bit) =>
      typeof bit === "string"
        ? bit
        : h("span", { "data-out": bit.path, "data-format": bit.how, text: printValue(look(bit.path), bit.how) }),
    );
    return piece.startsWith("**") ? [h("b", {}, inner)] : inner;
  });
  const whole = h("span", made ? { "data-out": `captions.${template}` } : {}, nodes);
  if (/** @type {Element | null} */ (el.firstChild)?.outerHTML !== whole.outerHTML) el.replaceChildren(whole);
};
