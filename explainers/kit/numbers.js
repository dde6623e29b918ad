/* Numbers as the pages print them: a value and a format ("bytes KB 1") -> words that say which value they print.
   Every number on the screen is printed by put or fill, or is inside such an element: a test compares them all with compute.
   explainers/fmt.py prints the same strings; a test compares the two. KB = 1,000 bytes, KiB = 1,024. */
import { h, SVG_NS, s, setAttrs } from "./dom.js";

/** A unit and its size, largest first. @typedef {[size: number, unit: string]} Unit */

/** @type {Unit[]} */
const COUNT = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
];
/** @type {Unit[]} */
const BYTES = [
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
  [1, "B"],
];
/** @type {Unit[]} */
const KIB = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
];

/**
 * Groups thousands: "7168" -> "7,168".
 * @param {string} digits
 */
const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/**
 * 1234.567, 2 -> "1,234.57"
 * @param {number} x
 * @param {number} [digits]
 */
const fixed = (x, digits) => {
  const [whole, part] = x.toFixed(digits).split(".");
  return group(whole) + (part ? `.${part}` : "");
};

/**
 * 7168 -> "7,168"
 * @param {number | bigint} n
 */
const int = (n) => group(String(typeof n === "bigint" ? n : Math.round(n)));

/**
 * A number in the largest unit that it has one of.
 * @param {number} n
 * @param {Unit[]} units
 * @param {number} digits
 */
const scaled = (n, units, digits) => {
  const [size, unit] = units.find(([least]) => Math.abs(n) >= least) || [1, ""];
  return `${fixed(n / size, digits)} ${unit}`;
};

/**
 * Bytes in the unit that is named, else in the largest that they are one of.
 * @param {Unit[]} units
 * @param {number} n
 * @param {string} unit
 * @param {number} digits
 */
const measured = (units, n, unit, digits) => {
  if (unit) {
    const [size] = /** @type {Unit} */ (units.find(([, name]) => name === unit));
    return `${fixed(n / size, unit === "B" ? 0 : digits)} ${unit}`;
  }
  const [kilo] = units[units.length - 2];
  return Math.abs(n) < kilo ? `${int(n)} B` : scaled(n, units, digits);
};

/**
 * 671026419200 -> "671.03 B"; below a million in full
 * @param {number} n
 */
const count = (n, digits = 2) => (Math.abs(n) < 1e6 ? int(n) : scaled(n, COUNT, digits));

/**
 * 327680 -> "327.7 KB"
 * @param {number} n
 */
const bytes = (n, unit = "", digits = 1) => measured(BYTES, n, unit, digits);

/**
 * 18432 -> "18.0 KiB"
 * @param {number} n
 */
const kib = (n, unit = "", digits = 1) => measured(KIB, n, unit, digits);

/**
 * Significant digits: 0.123456, 3 -> "0.123"
 * @param {number} x
 * @param {number} [digits]
 */
const sig = (x, digits) => String(Number(x.toPrecision(digits)));

/**
 * 0.0256, 2 -> "2.56 %"
 * @param {number} x
 */
const percent = (x, digits = 1) => `${fixed(100 * x, digits)} %`;

/**
 * 8 -> "8 ×"
 * @param {number} x
 */
const times = (x, digits = 0) => `${fixed(x, digits)} ×`;

/**
 * -6 -> "⁻⁶"
 * @param {number} n
 */
const sup = (n) => [...String(n)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");

/**
 * -6 -> "2⁻⁶"
 * @param {number} e
 */
const pow2 = (e) => `2${sup(e)}`;

/**
 * Significant digits with true minuses: -1.5e-7, 3 -> "−1.5e−7"
 * @param {number} x
 */
const num = (x, digits = 5) =>
  Object.is(x, -0)
    ? "−0"
    : String(Number(x.toPrecision(digits)))
        .replaceAll("-", "−")
        .replace("e+", "e");

/**
 * -0.25, 1 -> "−0.3"; what would print as minus zero is 0
 * @param {number} x
 */
const signed = (x, digits = 0) => fixed(Math.abs(x) < 0.5 / 10 ** digits ? 0 : x, digits).replace("-", "−");

/** The formats of numbers, each a function of the value and what follows its name in a format. */
export const fmt = { int, fixed, sup, group, count, bytes, kib, sig, percent, times, pow2, num, signed };

/**
 * How a value is printed: the name of a function of `fmt` and its arguments, "text" for the value as it is, or "each" and
 * a format for every value of a list. "int", "bytes KB 1", "percent 2", "each signed 2".
 * @typedef {"text" | keyof typeof fmt | `${keyof typeof fmt} ${string}` | `each ${string}`} Format
 */

/**
 * Prints a value in a format; a string ("NaN") is printed as it is.
 * @param {unknown} value
 * @param {string} [how] a Format
 * @returns {string}
 */
export const printValue = (value, how = "text") => {
  const [name, ...args] = how.split(" ");
  if (name === "each") return /** @type {unknown[]} */ (value).map((v) => printValue(v, args.join(" "))).join("  ");
  if (name === "text" || typeof value === "string") return String(value);
  const print = /** @type {(value: unknown, ...args: (string | number)[]) => string} */ (
    fmt[/** @type {keyof typeof fmt} */ (name)]
  );
  return print(value, ...args.map((a) => (/^\d+$/.test(a) ? Number(a) : a)));
};

/**
 * A state together with what is computed of it; what is lazy stays so.
 * @template {object} State
 * @template {object} Now
 * @param {State} state
 * @param {Now} now
 * @returns {Omit<State, keyof Now> & Now}
 */
export const withState = (state, now) =>
  /** @type {Omit<State, keyof Now> & Now} */ (
    /** @type {object} */ (Object.defineProperties({ ...state }, Object.getOwnPropertyDescriptors(now)))
  );

/**
 * The value at a path: "stops.3.bytes".
 * @param {any} value
 * @param {string} path
 * @returns {any} what no type knows: the path is words
 */
export const valueAt = (value, path) => path.split(".").reduce((v, key) => v[key], value);

/**
 * Prints a value of compute's result and marks the node with its path and format, so that a test can compare them:
 * `put(node, "stops.3.bytes", "bytes KB", now)`.
 * @template {Element} E
 * @param {E} node
 * @param {string} path
 * @param {string | null | undefined} how a Format; "text" where there is none
 * @param {object} now
 * @returns {E} the same node
 */
export const put = (node, path, how, now) => {
  const format = how || "text";
  return setAttrs(node, { "data-out": path, "data-format": format, text: printValue(valueAt(now, path), format) });
};

/**
 * "latent c {mla.rank:int}" -> its words and its values.
 * @param {string} template
 * @returns {(string | { path: string, how: string })[]}
 */
export const templateParts = (template) =>
  template
    .split(/(\{[\w.-]+(?::[^{}]+)?\})/)
    .filter(Boolean)
    .map((bit) => {
      const hole = /^\{([\w.-]+)(?::([^{}]+))?\}$/.exec(bit);
      return hole ? { path: hole[1], how: hole[2] || "text" } : bit;
    });

/** The template that an element was last filled with. @type {WeakMap<Element, string>} */
const templates = /* @__PURE__ */ new WeakMap();

/**
 * Writes words with values in braces into an element of HTML or SVG, each value bound as `put` does:
 * `fill(node, "latent c {mla.rank:int}", now)`.
 * @template {Element} E
 * @param {E} node
 * @param {string} template
 * @param {object} now
 * @returns {E} the same node
 */
export const fill = (node, template, now) => {
  if (templates.get(node) !== template || !node.firstChild) {
    const make = node.namespaceURI === SVG_NS ? () => s("tspan") : () => h("span");
    node.replaceChildren(
      ...templateParts(template).map((bit) =>
        typeof bit === "string" ? bit : setAttrs(make(), { "data-out": bit.path, "data-format": bit.how }),
      ),
    );
    templates.set(node, template);
  }
  for (const out of /** @type {HTMLCollectionOf<HTMLElement>} */ (node.children))
    put(out, /** @type {string} */ (out.dataset.out), out.dataset.format, now);
  return node;
};
