// The boxes that models are chosen in: one for each, with a button to remove it where there are more than two.
import { make } from "./compare-elements.js";
import { bySlug } from "./compare-files.js";
import { LETTERS } from "./compare-numbers.js";
import { boxes } from "./compare-page.js";

/** @import { ListedModel } from "../site/types.d.ts" */

export const PASTE = "Paste a config.json …";
const options = /** @type {HTMLDataListElement} */ (document.getElementById("cmp-models"));

/**
 * The models that a box offers, and a config of the reader's own.
 * @param {ListedModel[]} models
 */
export const offer = (models) =>
  options.append(
    ...models.filter((row) => row[4]).map(([slug, title]) => make("option", { value: title, label: slug })),
    make("option", { value: PASTE }),
  );

/**
 * The boxes that models are chosen in; what they say and do is the page's.
 * @param {string[]} slugs
 * @param {Map<string, ListedModel>} known
 * @param {{ choose: (i: number, input: HTMLInputElement) => unknown, drop: (i: number) => unknown }} does
 * @returns {HTMLDivElement[]}
 */
function choosers(slugs, known, { choose, drop }) {
  return slugs.map((slug, i) => {
    const input = make("input", { id: `in-${LETTERS[i].toLowerCase()}`, list: "cmp-models", spellcheck: "false" }),
      one = known.get(slug);
    input.value = one?.[1] ?? slug;
    input.addEventListener("focus", () => input.select());
    input.addEventListener("change", () => choose(i, input));
    const away = slugs.length > 2 ? make("button", { type: "button", "aria-label": `Remove ${input.value}` }, "×") : "";
    if (away) away.addEventListener("click", () => drop(i));
    return make(
      "div",
      { class: "cmp-box" },
      make(
        "label",
        { for: input.id },
        make("b", {}, LETTERS[i]),
        one ? ` ${one[2]}${one[3] ? ` · ${one[3].slice(0, 7)}` : ""}` : "",
      ),
      input,
      away,
    );
  });
}

/**
 * The boxes stay while their number does, and so does the focus; else it goes to the box that took its place.
 * @param {string[]} slugs
 * @param {{ choose: (i: number, input: HTMLInputElement) => unknown, drop: (i: number) => unknown }} does
 */
export function boxed(slugs, does) {
  const made = choosers(slugs, bySlug, does),
    old = [...boxes.children];
  const at = old.findIndex((box) => box.contains(document.activeElement));
  if (made.length === old.length) return made.forEach((box, i) => renamed(old[i], box));
  boxes.replaceChildren(...made);
  return at < 0
    ? undefined
    : /** @type {HTMLInputElement} */ (made[Math.min(at, made.length - 1)].querySelector("input")).focus();
}
/**
 * @param {Element} old
 * @param {Element} box
 */
function renamed(old, box) {
  const input = /** @type {HTMLInputElement} */ (old.querySelector("input"));
  input.value = /** @type {HTMLInputElement} */ (box.querySelector("input")).value;
  input.removeAttribute("aria-invalid");
  /** @type {HTMLLabelElement} */ (old.querySelector("label")).replaceWith(
    /** @type {HTMLLabelElement} */ (box.querySelector("label")),
  );
  /** @type {HTMLButtonElement | null} */ (old.querySelector("button"))?.setAttribute(
    "aria-label",
    /** @type {HTMLButtonElement} */ (box.querySelector("button")).getAttribute("aria-label") ?? "",
  );
}
