// Compared models, a context and a format -> the cache of one sequence: the choices, the curves, a table. Bytes are
// counted from growth sheets, as on a model's page (app/weigh/cache-bytes.js).
import {
  decades,
  decadesAround,
  inTwos,
  linearScale,
  linePath,
  logScale,
  spreadLabels,
} from "../../explainers/kit/chart.js";
import { DTYPES, keptBytes } from "../weigh/cache-bytes.js";
import { FORMATS, USUAL } from "./compare-address.js";
import { draw, make, text } from "./compare-elements.js";
import { LETTERS, size, whole } from "./compare-numbers.js";

/** @import { CacheFormat, ComparedModel } from "../site/types.d.ts" */
/** @import { CacheChoice } from "./compare-address.js" */

const POWERS = Array.from({ length: 11 }, (_, at) => 10 + at),
  TABLE = [2 ** 13, 2 ** 15, 2 ** 17, 2 ** 20];

/** @param {CacheFormat} kv */
export const formatWords = (kv) => FORMATS.find(([word]) => word === kv)?.[1] ?? kv;
/**
 * @param {ComparedModel} model
 * @param {number} context
 * @param {CacheFormat} kv
 */
export const bytesAt = (model, context, kv) => keptBytes(model.sheet, context, DTYPES[kv]);

/**
 * The formats that make a difference to one of the models.
 * @param {ComparedModel[]} models
 */
const offered = (models) =>
  FORMATS.filter(
    ([word]) =>
      !["packed", "v4"].includes(word) ||
      models.some((model) => bytesAt(model, 2 ** 17, word) !== bytesAt(model, 2 ** 17, "fp8")),
  );

/**
 * @param {ComparedModel[]} models
 * @param {CacheChoice} choice
 */
function choices(models, { ctx, kv }) {
  const contexts = [...new Set([...POWERS.map((power) => 2 ** power), ctx])].sort((one, other) => one - other),
    select = make(
      "select",
      { "data-cache": "ctx" },
      ...contexts.map((one) => make("option", { value: one, selected: one === ctx }, whole(one))),
    );
  const formats = make(
    "span",
    { class: "cmp-kv", role: "group", "aria-label": "Cache stored as" },
    ...offered(models).map(([word, label]) =>
      make("button", { type: "button", "data-kv": word, "aria-pressed": String(word === kv) }, label),
    ),
  );
  return make("p", { class: "cmp-set" }, make("label", {}, "context ", select, " tokens"), formats);
}

/**
 * Heading, choices, curves and table in a section of their own; a choice goes to `changed`, or stays here without one.
 * @param {ComparedModel[]} models
 * @param {CacheChoice} [choice]
 * @param {(choice: CacheChoice, control: string) => unknown} [changed] hears the choice, and what it was made with
 * @returns {HTMLElement}
 */
export function cache(models, choice = USUAL, changed = undefined) {
  const section = make("section", {});
  let now = choice;
  const fill = () =>
    section.replaceChildren(
      make("h2", {}, "KV cache by context length"),
      choices(models, now),
      make("p", { class: "cmp-note" }, `One sequence, in ${formatWords(now.kv)}; both axes are logarithmic.`),
      make("div", { class: "cmp-curves" }, curves(models, now), table(models, now)),
    );
  /**
   * @param {Partial<CacheChoice>} part
   * @param {string} control
   */
  const choose = (part, control) => {
    now = { ...now, ...part };
    if (changed) return changed(now, control);
    fill();
    return /** @type {HTMLElement} */ (section.querySelector(control)).focus();
  };
  section.addEventListener("click", ({ target }) => {
    const kv = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-kv]"))?.dataset.kv;
    if (kv) choose({ kv: /** @type {CacheFormat} */ (kv) }, `[data-kv="${kv}"]`);
  });
  section.addEventListener("change", ({ target }) =>
    choose({ ctx: Number(/** @type {HTMLSelectElement} */ (target).value) }, "[data-cache]"),
  );
  fill();
  return section;
}

const WIDE = 660,
  HIGH = 300,
  LEFT = 62,
  RIGHT = 150,
  BASE = 34;
/**
 * @param {ComparedModel[]} models
 * @param {CacheChoice} choice
 */
function curves(models, { ctx, kv }) {
  const kept = models.map((model) => POWERS.map((power) => bytesAt(model, 2 ** power, kv)));
  const range = decadesAround([...kept.flat().filter((bytes) => bytes > 0), 1e9]);
  const x = linearScale([10, 20], [LEFT, WIDE - RIGHT]),
    y = logScale(range, [HIGH - BASE, 14]);
  const says = models.map(
    ({ title }, i) =>
      `${title}: ${size(kept[i][3])} at 8k tokens, ${size(kept[i][7])} at 128k, ${size(kept[i][10])} at 1M`,
  );
  const label = `Cache of one sequence in ${formatWords(kv)}. ${says.join(". ")}`,
    svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
  for (const bytes of decades(range))
    svg.append(
      draw("path", { class: "grid", d: `M${LEFT} ${y(bytes)}H${WIDE - RIGHT}` }),
      text(LEFT - 8, y(bytes) + 4, size(bytes).replace(/\.0+ /, " "), "", "end"),
    );
  for (const power of [10, 12, 14, 16, 18, 20]) svg.append(text(x(power), HIGH - 12, inTwos(power), "", "middle"));
  const at = Math.log2(ctx);
  if (at >= 10 && at <= 20) svg.append(draw("path", { class: "at", d: `M${x(at).toFixed(1)} 14V${HIGH - BASE}` }));
  kept.forEach((bytes, i) => {
    const points = bytes.map((one, step) => [x(POWERS[step]).toFixed(1), y(one).toFixed(1)]);
    svg.append(draw("path", { class: `line line-${i}`, d: linePath(points) }));
  });
  const names = kept
    .map((bytes, i) => ({ end: bytes[10], letter: LETTERS[i] }))
    .sort((one, other) => y(one.end) - y(other.end));
  spreadLabels(
    names.map(({ end }) => y(end) + 4),
    18,
  ).forEach((place, i) =>
    svg.append(text(WIDE - RIGHT + 8, place, `${names[i].letter} ${size(names[i].end)}`, "t-name")),
  );
  return svg;
}

/**
 * A row for each context, the chosen one among them and marked; "=" where it is A's.
 * @param {ComparedModel[]} models
 * @param {CacheChoice} choice
 */
function table(models, { ctx, kv }) {
  const contexts = [...new Set([...TABLE, ctx])].sort((one, other) => one - other);
  const rows = contexts.map((one) => ({
    words: `${whole(one)} tokens`,
    values: models.map((model) => size(bytesAt(model, one, kv))),
    marked: one === ctx,
  }));
  const longest = models.map(({ figures, ...model }) =>
    figures.context ? size(keptBytes(model.sheet, figures.context, DTYPES[kv])) : "not said",
  );
  rows.push({ words: "at full context", values: longest, marked: false });
  const body = rows.map(({ words, values, marked }) =>
    make(
      "tr",
      { "aria-current": marked ? "true" : undefined },
      make("th", { scope: "row" }, words),
      ...values.map((one, i) => make("td", { class: "n" }, i && one === values[0] ? "=" : one)),
    ),
  );
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "one sequence"),
    ...models.map((model, i) => make("th", { scope: "col", class: "n", title: model.title }, LETTERS[i])),
  );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cache of one sequence" },
    make(
      "table",
      { class: "cmp-table" },
      make("caption", { class: "away" }, "Cache of one sequence"),
      make("thead", {}, head),
      make("tbody", {}, ...body),
    ),
  );
}
