/* What a small copy computed, as pictures: a tensor as a strip of colours, the logits as bars before and after. */

/** @import { SmallRun, Tensors, TensorSight } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
const CELL = 8,
  TALL = 14; // one number of a token

/**
 * @param {string} tag
 * @param {{ [name: string]: string }} more
 * @param {(Node | string)[]} inside
 * @returns {HTMLElement}
 */
export function element(tag, more, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(more)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

/**
 * @param {string} tag
 * @param {{ [name: string]: string | number }} more
 * @param {Node[]} inside
 */
function drawn(tag, more, ...inside) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(more)) made.setAttribute(name, String(value));
  made.append(...inside);
  return made;
}

/** @param {number} value */
const short = (value) => (value === 0 ? "0" : value.toPrecision(3).replace("-", "−"));
/** @param {TensorSight} one */
const told = ({ least, most, rms }) => `min ${short(least)} · max ${short(most)} · RMS ${short(rms)}`;

/**
 * A tensor: name, shape, range, and a row of colours for each token; blue below zero, orange above.
 * @param {string} name
 * @param {Tensors} found
 * @returns {Node[]}
 */
export function strip(name, { refused, now, was }) {
  if (refused !== undefined) return [element("p", {}, refused)];
  const sight = now ?? was;
  if (!sight) return [element("p", {}, "The small copy does not compute this value.")];
  const isMoved = now && was && told(now) !== told(was);
  const head = element("p", {}, element("strong", {}, name), ` ${sight.shape.join(" × ")}`);
  const rows = [element("p", { class: "small" }, told(sight))];
  if (isMoved) rows.push(element("p", { class: "small muted" }, `before: ${told(was)}`));
  if (!now)
    rows.push(
      element(
        "p",
        { class: "small muted" },
        "With these cuts it is no longer computed; this is its value before them.",
      ),
    );
  return [head, cells(name, sight), ...rows];
}

/**
 * @param {string} name
 * @param {TensorSight} sight
 */
function cells(name, { rows, shape, least, most }) {
  const wide = Math.max(...rows.map((row) => row.length), 1),
    top = Math.max(Math.abs(least), Math.abs(most)) || 1;
  const marks = rows.flatMap((row, y) =>
    row.map((value, x) =>
      drawn("rect", {
        x: x * CELL,
        y: y * TALL,
        width: CELL,
        height: TALL - 1,
        class: value === null ? "run-none" : value < 0 ? "run-below" : "run-above",
        "fill-opacity": value === null ? 1 : (Math.abs(value) / top).toFixed(2),
      }),
    ),
  );
  const size = shape.slice(1).reduce((all, one) => all * one, 1);
  const says = `${name}: ${rows.length} rows of ${size} numbers${size > wide ? `, the first ${wide} shown` : ""}`;
  const height = rows.length * TALL;
  return drawn(
    "svg",
    {
      viewBox: `0 0 ${wide * CELL} ${height}`,
      class: "run-strip",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": says,
    },
    ...marks,
  );
}

/**
 * The likeliest next tokens, with their probabilities before and after the cuts.
 * @param {SmallRun} run
 * @param {boolean} isCut
 * @returns {Node[]}
 */
export function bars({ best, kl, gap, proved, proof }, isCut) {
  const top = Math.max(...best.flatMap(([, was, now]) => [was, now]));
  const rows = best.map(([token, was, now]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `token ${token}`),
      element("td", {}, percent(was)),
      element("td", {}, isCut ? percent(now) : ""),
      element("td", { class: "wide" }, bar(was / top, now / top, isCut)),
    ),
  );
  const head = ["Next token", "before", "after"].map((words) => element("th", { scope: "col" }, words));
  head.push(element("td", {}));
  const far = isCut
    ? `KL ${short(kl)} nats · largest logit difference ${short(gap)}`
    : "Cut a wire to see the probabilities change.";
  return [
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
    element("p", { class: "small" }, far),
    element("p", { class: `small muted ${proved ? "run-proved" : ""}` }, `${proof[0].toUpperCase()}${proof.slice(1)}.`),
  ];
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/**
 * @param {number} was
 * @param {number} now
 * @param {boolean} isCut
 */
function bar(was, now, isCut) {
  const before = drawn("rect", { class: "run-was", width: Math.max(was * 100, 0.5), height: isCut ? 4 : 10 });
  const after = drawn("rect", { class: "run-now", width: Math.max(now * 100, 0.5), height: 4, y: 6 });
  return drawn(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    before,
    ...(isCut ? [after] : []),
  );
}
