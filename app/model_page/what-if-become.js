// "What would it take to be ...": what of another model an edit here can do, what it cannot, and both models' numbers.

import { PARTS } from "../compare/compare-numbers.js";
import { pair } from "../compare/compare-words.js";
import { int } from "../weigh/cache-bytes.js";
import { named, others } from "../weigh/weigh-others.js";
import { made } from "./what-if-elements.js";
import { nameOf } from "./what-if-rules.js";
import { stack, valuesOf } from "./what-if-sheet.js";

/** @import { ComparedModel, EditField, EditSheet, Edits } from "../site/types.d.ts" */

/**
 * What the page does for the list: files of a model, the address of a comparison, edits.
 * @typedef {{
 *   sheet: EditSheet,
 *   aim: (slug: string) => Promise<[other: EditSheet, theirs: ComparedModel, mine: ComparedModel]>,
 *   compare: (slug: string) => string,
 *   set: (changes: Edits) => void,
 *   good: () => Edits,
 *   chosen: (found: EditSheet) => void,
 * }} Aim
 */

const USUAL = ["meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-8B"],
  MOST = 8;

/**
 * The other model's number for one of our fields; undefined where it has none.
 * @param {EditField} field
 * @param {EditSheet} other
 * @returns {number}
 */
export function theirs(field, other) {
  const [id, key, , who] = field;
  if (id === "layers") return stack(other, valuesOf(other)).length;
  const same = other.fields.filter((one) => one[1] === key);
  return (same.find((one) => one[3] === who) ?? same[0])?.[4];
}

/**
 * [[field, their value], ...] that differ, and the keys that fields speak for.
 * @param {EditSheet} sheet
 * @param {EditSheet} other
 * @param {Edits} good
 * @returns {[[field: EditField, value: number][], Set<string>]}
 */
export function settable(sheet, other, good) {
  const found = sheet.fields
    .map((field) => /** @type {[field: EditField, value: number]} */ ([field, theirs(field, other)]))
    .filter(([field, value]) => value !== undefined && value !== (good[field[0]] ?? field[4]));
  return [found, new Set(sheet.fields.map((field) => field[1]))];
}

/**
 * Sorts of mixers or MLPs, apart from what numbers say of them: how many layers, a window, heads to a KV head.
 * @param {string} head
 */
const sorts = (head) =>
  [
    ...new Set(
      (head || "").split(/, (?=\d)/).map((one) =>
        one
          .replace(/^[\d,]+ × /, "")
          .replace(/ window$/, "")
          .replace(/\b(MHA|MQA|GQA)\b/, "attention"),
      ),
    ),
  ]
    .sort()
    .join();

/** @param {string} other */
const none = (other) => (other === "yes" ? "no" : "none");

/**
 * What no edit can change: [[words, a, b], ...].
 * @param {ComparedModel} mine
 * @param {ComparedModel} other
 * @param {Set<string>} keys
 * @returns {string[][]}
 */
export function beyond(mine, other, keys) {
  const told = pair(mine, other),
    heads = ["mixer", "mlp"]
      .filter((part) => sorts(mine.heads[part]) !== sorts(other.heads[part]))
      .map((part) => [PARTS[part], mine.heads[part] || "none", other.heads[part] || "none"]);
  const rows = told.rows.filter(
    (row) => !keys.has(row.key) && row.what && !(["mixer", "mlp"].includes(row.part) && !(row.a && row.b)),
  );
  const sized = (/** @type {{ part: string }} */ row) => row.part === "sizes",
    order = [...rows.filter(sized), ...rows.filter((row) => !sized(row))];
  return [
    ...heads,
    ...order.map((row) => [
      row.key && row.key !== row.what ? `${row.what} (${row.key})` : row.what,
      row.a || none(row.b),
      row.b || none(row.a),
    ]),
  ];
}

/**
 * @param {string} text
 * @param {string} label
 * @param {() => void} does
 */
const press = (text, label, does) => {
  const node = made("button", text, { type: "button", className: "button wi-small" });
  if (label) node.setAttribute("aria-label", label);
  node.addEventListener("click", does);
  return node;
};

/**
 * What an edit can do, each with its button, and what it cannot.
 * @param {Pick<Aim, "sheet" | "compare" | "set">} page
 * @param {Edits} good the edits so far
 * @param {EditSheet} other
 * @param {ComparedModel} their
 * @param {ComparedModel} mine
 */
function differences({ sheet, compare, set }, good, other, their, mine) {
  const [can, keys] = settable(sheet, other, good),
    cannot = beyond(mine, their, keys);
  const sets = made("ul"),
    rest = made("ul");
  for (const [field, value] of can) {
    const row = made("li", `${nameOf(field)}: ${int(good[field[0]] ?? field[4])} → ${int(value)} `);
    row.append(press("Set", `Set ${nameOf(field)} to ${int(value)}`, () => set({ [field[0]]: value })));
    sets.append(row);
  }
  if (!can.length) sets.append(made("li", "No edit brings it closer.", { className: "muted" }));
  for (const [words, a, b] of cannot.slice(0, MOST)) rest.append(made("li", `${words}: ${a} → ${b}`));
  if (cannot.length > MOST) rest.append(made("li", `and ${cannot.length - MOST} more`, { className: "muted" }));
  if (!cannot.length) rest.append(made("li", "Nothing else differs.", { className: "muted" }));
  const first = made("div"),
    second = made("div"),
    link = made("p");
  link.append(made("a", `Compare them part by part`, { href: compare(other.slug) }));
  first.append(made("h3", "Editable differences"), sets);
  if (can.length > 1)
    first.append(
      press(`Set all ${can.length}`, "", () => set(Object.fromEntries(can.map(([field, value]) => [field[0], value])))),
    );
  second.append(made("h3", "Other differences"), rest, link);
  return [first, second];
}

/**
 * @param {HTMLElement} box
 * @param {Aim} page
 * @returns {() => void}
 */
export function become(box, { sheet, aim, compare, set, good, chosen }) {
  const id = "wi-goal-name",
    label = made("label", "What would it take to be ", { htmlFor: id }),
    list = made("div", "", { className: "wi-take" });
  const input = Object.assign(made("input"), { id, className: "w-box w-name", autocomplete: "off", spellcheck: false });
  const error = made("p", "", { className: "w-error", hidden: true });
  error.setAttribute("role", "alert");
  input.setAttribute("list", "weigh-models");
  const head = made("p", "", { className: "wi-ask" });
  const show = Object.assign(made("button", "Show"), {
    type: "button",
    className: "button wi-small",
    onclick: () => go(),
  });
  head.append(label, input, made("span", "?"), show);
  box.append(head, error, list);
  const usual = USUAL.find((slug) => slug !== sheet.slug) ?? "";
  let [asked, told] = [0, /** @type {[EditSheet, ComparedModel, ComparedModel] | null} */ (null)]; // `told`: the files of the model that was last chosen

  /** @param {string} text */
  const say = (text) => {
    error.textContent = text;
    error.hidden = !text;
  };
  /** @param {string} slug */
  async function choose(slug) {
    const turn = (asked += 1);
    try {
      const [other, their, mine] = await aim(slug);
      if (turn !== asked) return;
      say("");
      input.value = other.title;
      told = [other, their, mine];
      chosen(other);
    } catch (why) {
      say(/** @type {Error} */ (why).message);
    }
  }
  /** @param {Edits} changes */
  const change = (changes) => {
    set(changes);
    input.focus();
  };
  const go = () => {
    const slug = input.value.trim() ? named(input.value, true) : usual;
    if (slug) choose(slug);
    else say(`No drawn model is called “${input.value.trim()}”.`);
  };
  input.addEventListener("change", go);
  input.placeholder = others[usual]?.[0] ?? "Llama 3.1 70B";
  return () => {
    if (told) list.replaceChildren(...differences({ sheet, compare, set: change }, good(), ...told));
  };
}
