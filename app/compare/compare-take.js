// The drawing on the page -> one SVG file: every part where it stands, the rules of the style sheet with its colours
// written out, light ones and, for a viewer in the dark, dark ones.
import { bytesAt, formatWords } from "./compare-cache.js";
import { make } from "./compare-elements.js";
import { fieldRows } from "./compare-matrix.js";
import { FIGURES, PARTS } from "./compare-numbers.js";
import { wrap } from "./compare-runs.js";
import { draw, text } from "./compare-svg.js";
import { pair, sentence } from "./compare-words.js";

/** @import { ComparedModel } from "../site/types.d.ts" */
/** @import { CacheChoice } from "./compare-address.js" */

const MINE = /\.cmp-(in|card|towers|side)|\.c-[a-z]+|data-show/;
const sheets = () =>
  [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return [];
    }
  });
/**
 * Every var(--name), those inside others too, as the half of light-dark() that is meant.
 * @param {string} css
 * @param {number} which 0 for light colours, 1 for dark ones
 */
function written(css, which) {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const value = (name) =>
    style
      .getPropertyValue(name)
      .trim()
      .replace(/light-dark\(([^,]+),\s*([^)]+)\)/, (_, light, dark) => (which ? dark : light));
  return css.replace(
    /var\((--(?:paper|panel|ink|muted|hairline|norm|sans|mono|focus|error|full|latent|window|sparse|linear|ssm|moe|dense|embed|cached)[\w-]*)\)/g,
    (_, name) => value(name),
  );
}
function styled() {
  const css = sheets()
    .filter((rule) => rule instanceof CSSStyleRule && MINE.test(rule.selectorText))
    .map((rule) => rule.cssText)
    .join("\n");
  return `${written(css, 0)}\n@media (prefers-color-scheme: dark) {\n${written(css, 1)}\n}`;
}

/**
 * @param {HTMLElement} seen
 * @param {string[]} said sentences above the drawing
 * @returns {string}
 */
export function taken(seen, said) {
  const home = /** @type {HTMLElement} */ (seen.querySelector(".cmp-drawing")),
    from = home.getBoundingClientRect(),
    drawn = [...home.querySelectorAll("svg.cmp-in")].map((svg) => svg.getBoundingClientRect()),
    wide = Math.max(from.width, ...drawn.map((one) => one.right - from.left)), // towers may be wider than the page
    lines = said.flatMap((words) => wrap([{ t: words, k: "" }], "title", wide / 1.1)),
    TOP = 24 + 20 * lines.length;
  const out = draw("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${Math.ceil(wide) + 32} ${Math.ceil(from.height) + TOP + 20}`,
    width: Math.ceil(wide) + 32,
    height: Math.ceil(from.height) + TOP + 20,
    "data-show": seen.dataset.show,
    class: "cmp-in",
  });
  const style = draw("style");
  style.textContent = `${styled()}\n.paper { fill: ${written("var(--paper)", 0)} }\n@media (prefers-color-scheme: dark) { .paper { fill: ${written("var(--paper)", 1)} } }`;
  out.append(
    style,
    draw("rect", { class: "paper", width: "100%", height: "100%" }),
    ...lines.map((line, i) => text(16, 28 + 20 * i, line, "title")),
  );
  for (const svg of home.querySelectorAll("svg.cmp-in")) {
    const at = svg.getBoundingClientRect(),
      copy = /** @type {SVGElement} */ (svg.cloneNode(true));
    for (const [key, value] of /** @type {[key: string, value: number][]} */ ([
      ["x", at.left - from.left + 16],
      ["y", at.top - from.top + TOP],
      ["width", at.width],
      ["height", at.height],
    ]))
      copy.setAttribute(key, String(Math.round(value * 10) / 10));
    for (const link of copy.querySelectorAll("a")) link.removeAttribute("href");
    out.append(copy);
  }
  return new XMLSerializer().serializeToString(out);
}

/**
 * @param {string} words
 * @param {string} type
 * @param {string} download
 */
export function saved(words, type, download) {
  const href = URL.createObjectURL(new Blob([words], { type }));
  make("a", { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
/**
 * A beside each other model, as JSON.
 * @param {ComparedModel[]} models
 * @returns {string}
 */
export function rowsOf([a, ...others]) {
  return JSON.stringify(
    others.map((b) => {
      const found = pair(a, b);
      return { a: a.slug, b: b.slug, verdict: sentence(found), rows: found.rows, figures: [a.figures, b.figures] };
    }),
    null,
    1,
  );
}

/** @param {string} cell */
const quoted = (cell) => (/[",\n]|^[=+@-]./.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
/**
 * Any set of models as lines with commas: numbers as they are, then fields, each in its part.
 * @param {ComparedModel[]} models
 * @param {{ equal: boolean, cache: CacheChoice }} state
 * @returns {string}
 */
export function commas(models, { equal, cache: { ctx, kv } }) {
  const figures = FIGURES.map(([key, words]) => [
    "",
    words,
    "",
    ...models.map((one) => String(one.figures[key] ?? "")),
  ]);
  const kept = [
    "",
    `cache bytes at ${ctx} tokens, ${formatWords(kv)}`,
    "",
    ...models.map((one) => String(bytesAt(one, ctx, kv))),
  ];
  const fields = fieldRows(models, equal).map(([part, what, key, values]) => [
    PARTS[/** @type {keyof typeof PARTS} */ (part)],
    what,
    key,
    ...values,
  ]);
  const rows = [["part", "field", "key", ...models.map((model) => model.title)], ...figures, kept, ...fields];
  return `${rows.map((row) => row.map(quoted).join(",")).join("\n")}\n`;
}
