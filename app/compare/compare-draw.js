// Compared models -> DOM: verdict, figures, table, matrix. Text goes in as text.
import { amount, change, FIGURES, LETTERS, PARTS, size, whole } from "./compare-words.js";

/** @import { ComparedModel, Difference, Field, Pair, Part } from "../site/types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number | boolean | undefined }} [props]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props))
    if (value !== undefined && value !== false) el.setAttribute(key, value === true ? "" : String(value));
  el.append(
    .../** @type {(Node | string)[]} */ (children.filter((one) => one !== null && one !== undefined && one !== "")),
  );
  return el;
}
/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [name: string]: string | number }} [props]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props)) el.setAttribute(key, String(value));
  el.append(...children);
  return el;
}
/**
 * @param {number} number
 * @param {boolean} [to] whether it leads to its row
 */
const disc = (number, to = true) =>
  number
    ? make(
        to ? "a" : "span",
        { class: "disc", href: to && `#d-${number}`, "aria-label": `difference ${number}` },
        String(number),
      )
    : "";

/**
 * @param {Pair} found
 * @returns {HTMLParagraphElement}
 */
export function verdict(found) {
  const p = make("p", { class: "cmp-verdict" }),
    said = found.clauses;
  p.append(found.start, said.length ? " " : "");
  said.forEach((one, i) => {
    p.append(make(one.heavy ? "b" : "span", {}, one.words));
    p.append(i === said.length - 1 ? ":" : i === said.length - 2 ? " and " : ", ");
  });
  p.append(` ${found.end}`);
  return p;
}

/** What the labels mean, as the page came with it. */
const SAYS = new Map(
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cmp-figures dt"))].map((dt) => [
    dt.textContent,
    dt.title,
  ]),
);

/** @param {ComparedModel[]} models */
export function figures([a, ...others]) {
  const b = others[0];
  return make(
    "dl",
    { class: "cmp-figures" },
    ...FIGURES.map(([key, words, told]) => {
      const [was, is] = [a.figures[key], b.figures[key]];
      const dd =
        was === is
          ? make("dd", {}, told(was))
          : make("dd", {}, make("span", { class: "muted" }, `${told(was)} → `), make("b", {}, told(is)));
      return make(
        "div",
        {},
        make("dt", { title: SAYS.get(words) }, words),
        dd,
        make(
          "dd",
          { class: "small" },
          was && is ? change(is - was, told) : was === is ? "=" : change(is - was, key === "context" ? whole : told),
        ),
      );
    }),
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {string} [cls]
 * @param {string} [anchor]
 */
export function text(x, y, words, cls = "", anchor = "start") {
  const el = draw("text", { x, y, "text-anchor": anchor });
  if (cls) el.setAttribute("class", cls);
  el.textContent = words;
  return el;
}

/**
 * @param {number | null} number
 * @param {number} most
 * @param {number} [apart]
 */
function cost(number, most, apart = 0) {
  if (apart) return make("td", { class: "n" }, `${change(apart, amount)}, not in total`);
  if (number === null) return make("td", { class: "n muted" }, "not counted");
  if (!number) return make("td", { class: "n muted" }, "=");
  const long = Math.max((Math.abs(number) / most) * 38, 0.8),
    svg = draw("svg", { class: "cmp-cost", viewBox: "0 0 80 8", "aria-hidden": "true" });
  svg.append(
    draw("path", { class: "zero", d: "M40 0V8" }),
    draw("path", number > 0 ? { d: `M40 1h${long}v6h-${long}z` } : { class: "less", d: `M40 1.5h-${long}v5h${long}z` }),
  );
  return make("td", { class: "n" }, change(number, amount), svg);
}
/**
 * @param {string} part
 * @param {string} words
 */
const parted = (part, words) => make("a", { href: `?part=${part}`, "data-to": part }, words);
/**
 * @param {Pair & { far: boolean }} found
 * @param {ComparedModel[]} models
 * @param {boolean} all whether equal fields are shown, too
 * @returns {HTMLDivElement}
 */
export function table(found, [a, b], all) {
  /** @param {"parameters" | "active"} key */
  const most = (/** @type {"parameters" | "active"} */ key) =>
    Math.max(1, ...found.rows.map((row) => Math.abs(row[key] ?? 0)));
  const [wide, busy] = [most("parameters"), most("active")];
  const head = [
    "Part and field",
    `A ${a.title}`,
    `B ${b.title}`,
    "Parameters",
    "Active per token",
    "Cache per token",
  ].map((words, i) => make("th", { scope: "col", class: i ? "n" : "" }, words));
  /** @param {Difference} row */
  const line = (row) =>
    make(
      "tr",
      { id: row.number ? `d-${row.number}` : undefined },
      make(
        "th",
        { scope: "row" },
        disc(row.number, false),
        row.number ? " " : "",
        `${row.what} `,
        make("code", {}, row.key),
      ),
      make("td", { class: "n" }, row.a || "none"),
      make("td", { class: "n" }, row.a === row.b ? "=" : make("b", {}, row.b || "none")),
      cost(row.parameters, wide, row.apart),
      cost(row.active, busy),
      make("td", { class: "n" }, row.cache === null ? "not counted" : change(row.cache, size)),
    );
  /** @type {[words: string, mine: (row: Difference) => unknown][]} */
  const sides = [
    ["Only in A", (row) => !row.b],
    ["Only in B", (row) => !row.a],
    ["In both, with other values", (row) => row.a && row.b],
  ];
  const bodies = found.far
    ? sides
        .map(([words, mine]) => /** @type {const} */ ([words, found.rows.filter(mine)]))
        .map(([words, rows]) =>
          make(
            "tbody",
            {},
            make(
              "tr",
              { class: "cmp-part" },
              make("th", { scope: "rowgroup", colspan: 5 }, words),
              make("td", { class: "n muted" }, String(rows.length)),
            ),
            ...rows.map(line),
          ),
        )
    : Object.entries(PARTS).map(([part, words]) => {
        const rows = found.rows.filter((row) => row.part === part),
          same = all ? found.equal.filter((row) => row.part === part) : [];
        const top = make(
          "tr",
          { class: "cmp-part" },
          make("th", { scope: "rowgroup" }, parted(part, words)),
          make("td", { class: "muted", colspan: 4 }, found.heads[part]),
          make("td", { class: "n muted" }, rows.length ? String(rows.length) : "="),
        );
        const equal = same.map((row) =>
          make(
            "tr",
            { class: "muted" },
            make("th", { scope: "row" }, `${row.what} `, make("code", {}, row.key)),
            make("td", { class: "n" }, row.a),
            make("td", { class: "n" }, "="),
            make("td"),
            make("td"),
            make("td"),
          ),
        );
        return make("tbody", {}, top, ...rows.map(line), ...equal);
      });
  const was = a.figures,
    is = b.figures;
  const sum = make(
    "tbody",
    {},
    make(
      "tr",
      { class: "sum" },
      make("th", { scope: "row" }, "total"),
      make("td", { class: "n" }, amount(was.parameters)),
      make("td", { class: "n" }, amount(is.parameters)),
      make("td", { class: "n" }, change(is.parameters - was.parameters, whole)),
      make("td", { class: "n" }, change(is.active - was.active, whole)),
      make("td", { class: "n" }, change(is.cache_bytes - was.cache_bytes, size)),
    ),
  );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences" },
    make(
      "table",
      { class: "cmp-table" },
      make("caption", { class: "away" }, `Differences between ${a.title} and ${b.title}`),
      make("thead", {}, make("tr", {}, ...head)),
      ...bodies,
      sum,
    ),
  );
}

/**
 * The same on a phone: a part and its rows below each other, what differs first.
 * @param {Pair} found
 * @param {ComparedModel[]} models
 * @returns {HTMLDivElement}
 */
export function list(found, [a, b]) {
  /** @param {Difference} row */
  const price = (row) =>
    row.apart
      ? `${change(row.apart, amount)}, not in total`
      : row.parameters === null
        ? ""
        : change(row.parameters, amount);
  /** @param {Difference} row */
  const small = (row) =>
    [
      row.active ? `${change(row.active, amount)} active` : "",
      row.cache ? `${change(row.cache, size)} of cache per token` : "",
    ]
      .filter(Boolean)
      .join(", ");
  /** @param {Difference} row */
  const line = (row) =>
    make(
      "li",
      { id: row.number ? `d-${row.number}` : undefined },
      make(
        "span",
        { class: "what" },
        disc(row.number, false),
        " ",
        make("b", {}, row.what),
        " ",
        make("code", {}, row.key),
      ),
      make(
        "span",
        { class: "v" },
        make("span", { class: "muted" }, `${row.a || "none"} → `),
        make("b", {}, row.b || "none"),
      ),
      make("span", { class: "small muted" }, small(row)),
      make("b", { class: "small n" }, price(row)),
    );
  const parts = Object.entries(PARTS)
    .map(([part, words]) => /** @type {const} */ ([words, part, found.rows.filter((row) => row.part === part)]))
    .filter(([, , rows]) => rows.length);
  const more = [b.figures.parameters - a.figures.parameters, b.figures.active - a.figures.active];
  return make(
    "div",
    { class: "cmp-list" },
    ...parts.map(([words, part, rows]) =>
      make(
        "section",
        {},
        make("h3", {}, parted(part, words), make("span", { class: "muted" }, String(rows.length))),
        make("ul", {}, ...rows.map(line)),
      ),
    ),
    make(
      "p",
      { class: "sum" },
      make("b", {}, "total"),
      make("b", {}, `${change(more[0], amount)} · ${change(more[1], amount)} active`),
    ),
  );
}

/**
 * [part, field, key, a value for each model] of what any model has otherwise than A, or of all fields.
 * @param {ComparedModel[]} models
 * @param {boolean} equal whether fields that are the same in all are among them
 * @returns {[part: string, what: string, key: string, values: string[]][]}
 */
export function fieldRows(models, equal) {
  const maps = models.map((model) => new Map(model.fields.map((row) => [`${row[0]}|${row[1]}`, row])));
  const keys = [...new Set(maps.flatMap((map) => [...map.keys()]))];
  return keys
    .map((key) => {
      const [part, what, name] = /** @type {Field} */ (maps.map((map) => map.get(key)).find(Boolean));
      return /** @type {[string, string, string, string[]]} */ ([
        part,
        what,
        name,
        maps.map((map) => map.get(key)?.[3] ?? ""),
      ]);
    })
    .filter(([, , , values]) => new Set(values).size > 1 || (equal && values[0]));
}

/**
 * Any set of models as a table: figures, then part by part what differs, or every field; "=" where it is A's.
 * @param {ComparedModel[]} models
 * @param {(model: ComparedModel, part?: string) => string} address
 * @param {{ equal?: boolean, more?: [words: string, values: string[]][] }} [options] rows that follow the figures
 * @returns {HTMLDivElement}
 */
export function matrix(models, address, { equal = false, more = [] } = {}) {
  const [a, ...others] = models;
  /**
   * @param {string[]} values
   * @param {string} part
   */
  const cells = (values, part) =>
    values.map((one, i) =>
      make(
        "td",
        { class: "n" },
        i && one === values[0]
          ? "="
          : i && models.length > 2
            ? make("a", { href: address(models[i], part) }, make("b", {}, one || "none"))
            : i
              ? make("b", {}, one || "none")
              : one || "none",
      ),
    );
  /**
   * @param {string} words
   * @param {string} key
   * @param {string[]} values
   * @param {string} [part]
   */
  const row = (words, key, values, part = "") =>
    make("tr", {}, make("th", { scope: "row" }, `${words} `, key ? make("code", {}, key) : ""), ...cells(values, part));
  const figureRows = FIGURES.map(([key, words, told]) =>
    row(
      words,
      "",
      models.map((model) => told(model.figures[key])),
    ),
  );
  const rows = fieldRows(models, equal);
  const heads = Object.entries(PARTS).map(([part, words]) =>
    make(
      "tbody",
      {},
      make(
        "tr",
        { class: "cmp-part" },
        make("th", { scope: "rowgroup" }, words),
        ...models.map((model, i) =>
          make(
            "td",
            { class: "n muted" },
            i && model.heads[part] === a.heads[part] ? "=" : model.heads[part] || "none",
          ),
        ),
      ),
      ...rows.filter(([of]) => of === part).map(([, what, key, values]) => row(what, key, values, part)),
    ),
  );
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "Part and field"),
    ...models.map((model, i) => make("th", { scope: "col", class: "n" }, `${LETTERS[i]} ${model.title}`)),
  );
  return make(
    "div",
    { class: "scroll cmp-matrix", tabindex: 0, role: "region", "aria-label": "Differences" },
    make(
      "table",
      { class: "cmp-table" },
      make("caption", { class: "away" }, `${a.title} compared with ${others.map((one) => one.title).join(", ")}`),
      make("thead", {}, head),
      make("tbody", {}, ...figureRows, ...more.map(([words, values]) => row(words, "", values))),
      ...heads,
    ),
  );
}
