// Edits as an address has them, and what is wrong with them: the twin of gallery/editing/rules.py and address.py.

/** @import { EditField, EditRule, EditSheet, Edits, Problem } from "../site/types.d.ts" */

/** @param {number} n */
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const MOST_SHOWN = 40;
const [ID, KEY, , WHO, VALUE, LEAST, MOST] = /** @type {const} */ ([0, 1, 2, 3, 4, 5, 6]);
/**
 * @param {EditField} field
 * @returns {string}
 */
export const nameOf = (field) => (field[WHO] ? `${field[KEY]} of ${field[WHO]}` : field[KEY]);
/**
 * @param {EditSheet} sheet
 * @param {string} id
 */
const fieldOf = (sheet, id) => sheet.fields.find((field) => field[ID] === id);

// ---------------------------------------------------------------- what is refused

/**
 * [[field, sentence], ...]
 * @param {EditSheet} sheet
 * @param {Edits} changes
 * @returns {Problem[]}
 */
export function problems(sheet, changes) {
  /** @type {Problem[]} */
  const found = sheet.fields
    .filter(([id, , , , , least, most]) => id in changes && !(changes[id] >= least && changes[id] <= most))
    .map((field) => [
      field[ID],
      `${nameOf(field)} is a whole number from ${grouped(field[LEAST])} to ${grouped(field[MOST])}, not ${grouped(changes[field[ID]])}.`,
    ]);
  if (found.length) return found;
  const values = Object.fromEntries(sheet.fields.map((field) => [field[ID], changes[field[ID]] ?? field[VALUE]]));
  return sheet.rules
    .filter(([, a, b]) => a in changes || b in changes)
    .flatMap((rule) => broken(sheet, rule, values, changes));
}

/**
 * @param {EditSheet} sheet
 * @param {EditRule} rule
 * @param {Edits} values
 * @param {Edits} changes
 * @returns {Problem[]}
 */
function broken(sheet, [kind, a, b, called, num, den], values, changes) {
  const one = /** @type {EditField} */ (fieldOf(sheet, a)),
    id = String(b),
    other = typeof b === "string" ? fieldOf(sheet, id) : null;
  const x = values[a],
    y = other ? values[id] : Number(b),
    own = nameOf(one),
    theirs = other ? nameOf(other) : called,
    first = a in changes || !other;
  if (kind === "multiple" && x % y) {
    const near = either(multiples(x, y, one), other?.[KEY]);
    if (first) return [[a, `${own} ${grouped(x)} is not a multiple of ${theirs} ${grouped(y)}${near}.`]];
    return [
      [
        id,
        `${theirs} ${grouped(y)} does not divide ${own} ${grouped(x)}${either(divisors(x, y, /** @type {EditField} */ (other)))}.`,
      ],
    ];
  }
  if (kind === "most" && x * den > y * num) {
    if (first)
      return [
        [
          a,
          `${own} ${grouped(x)} is too many for ${theirs} ${grouped(y)}: at most ${grouped(Math.floor((y * num) / den))}.`,
        ],
      ];
    return [
      [
        id,
        `${theirs} ${grouped(y)} is too few for ${own} ${grouped(x)}: at least ${grouped(Math.ceil((x * den) / num))}.`,
      ],
    ];
  }
  return [];
}

/**
 * @param {number[]} near
 * @param {EditField} field
 */
const inside = (near, field) => near.filter((one) => one >= field[LEAST] && one <= field[MOST]);
/**
 * @param {number} x
 * @param {number} y
 * @param {EditField} field
 */
const multiples = (x, y, field) => {
  const low = x - (x % y);
  return inside([low, low + y], field);
};
/**
 * @param {number} x
 * @param {number} y
 * @param {EditField} field
 */
function divisors(x, y, field) {
  let below = y,
    above = y;
  while (below > 0 && x % below) below -= 1;
  while (above <= x && x % above) above += 1;
  return inside([below, above > x ? 0 : above], field);
}
/**
 * @param {number[]} near
 * @param {string} [also]
 */
function either(near, also) {
  const ways = [...near.map(grouped), ...(also ? [`another ${also}`] : [])];
  return ways.length ? `: ${ways.join(" or ")} would do` : "";
}

// ---------------------------------------------------------------- the address

/**
 * [edits that could be read, [[field, sentence], ...]]
 * @param {EditSheet} sheet
 * @param {string} text
 * @returns {[edits: Edits, wrong: Problem[]]}
 */
export function parsed(sheet, text) {
  /** @type {Edits} */
  const changes = {},
    /** @type {Problem[]} */
    wrong = [];
  for (const item of text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)) {
    const [, start, mark, end] = /** @type {RegExpExecArray} */ (/^([^:=]*)([:=]?)(.*)$/s.exec(item)),
      name = start.trim(),
      value = end.trim().replaceAll("_", "");
    const problem = whyNot(sheet, name, mark, value, item, changes);
    if (problem) wrong.push([fieldOf(sheet, name) ? name : "", problem]);
    else changes[name] = Number(value);
  }
  return [
    Object.fromEntries(Object.entries(changes).filter(([id, value]) => fieldOf(sheet, id)?.[VALUE] !== value)),
    wrong,
  ];
}

/**
 * @param {EditSheet} sheet
 * @param {string} name
 * @param {string} marked
 * @param {string} value
 * @param {string} item
 * @param {Edits} changes
 */
function whyNot(sheet, name, marked, value, item, changes) {
  if (!marked) return `Write an edit as heads:64, not “${cut(item)}”.`;
  if (Object.hasOwn(sheet.stays, name)) return `The number of layers stays: ${sheet.stays[name]}.`;
  if (!fieldOf(sheet, name)) return unknown(sheet, cut(name));
  if (Object.hasOwn(changes, name)) return `${name} is given twice: the first counts.`;
  return /^[0-9]{1,12}$/.test(value) ? "" : `${name} is a whole number, not “${cut(value)}”.`;
}
/** @param {string} text */
const cut = (text) => [...text].slice(0, MOST_SHOWN).join("");
/**
 * @param {EditSheet} sheet
 * @param {string} name
 */
function unknown(sheet, name) {
  const several = sheet.fields.map(([id]) => id).filter((id) => id.startsWith(`${name}@`));
  if (several.length && name) return `Layers differ in ${name}: edit ${several.join(" or ")}.`;
  const known = sheet.fields.map(([id]) => id).join(", ");
  return known ? `“${name}” cannot be edited; these can: ${known}.` : "Nothing in this model can be edited.";
}

/**
 * In the order of the form, defaults left out.
 * @param {EditSheet} sheet
 * @param {Edits} changes
 * @returns {string}
 */
export const written = (sheet, changes) =>
  sheet.fields
    .filter(([id, , , , value]) => (changes[id] ?? value) !== value)
    .map(([id]) => `${id}:${changes[id]}`)
    .join(",");

/**
 * Edits that can stand together: whoever is at fault is left out, until nobody is.
 * @param {EditSheet} sheet
 * @param {Edits} changes
 * @returns {[kept: Edits, wrong: Problem[]]}
 */
export function settled(sheet, changes) {
  /** @type {Problem[]} */
  const wrong = [],
    kept = { ...changes };
  for (let found = problems(sheet, kept); found.length; found = problems(sheet, kept)) {
    const [id, sentence] = found[0];
    wrong.push([id, sentence]);
    if (id in kept) delete kept[id];
    else for (const key of Object.keys(kept)) delete kept[key];
  }
  return [kept, wrong];
}
