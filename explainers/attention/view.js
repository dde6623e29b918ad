/* What compute returns -> vectors as strips of cells, a query against its keys, the values it reads, grids of weights. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Answered } from "./compute.js" */

const [ROW, NAME, STRIP, BAR, END] = [24, 0.23, 0.48, 0.6, 0.86]; // pixels; shares of the width
const LEVELS = [0.08, 0.25, 0.5]; // of the largest number: where a cell gets the next darker shade
const SHADES = ["n3", "n2", "n1", "p1", "p2", "p3"];

/** @param {number[]} numbers */
const largest = (numbers) => numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 1e-9);

/** A vector as cells: blue above zero, violet below, stronger where it is larger. */
const strip_view = () => {
  const paths = SHADES.map((shade) => s("path", { class: shade }));
  const back = s("rect", { width: "100%", height: "100%", class: "back" });
  const el = s("svg", { class: "strip", height: 14, preserveAspectRatio: "none" }, back, paths);
  /** @param {number[]} numbers @param {number} most */
  const update = (numbers, most) => {
    setAttrs(el, { viewBox: `0 0 ${numbers.length} 1` });
    const cells = SHADES.map(() => "");
    numbers.forEach((one, i) => {
      const level = LEVELS.filter((edge) => Math.abs(one) >= edge * most).length;
      if (level) cells[one > 0 ? 2 + level : 3 - level] += `M${i} 0h1v1h-1z`;
    });
    paths.forEach((path, i) => setAttrs(path, { d: cells[i] || false }));
  };
  return { el, update };
};

/** The largest size of any number in some vectors. @param {number[][]} vectors */
const most = (vectors) => Math.max(...vectors.map(largest));

/** @param {Element} node @param {string} text */
const unbind = (node, text) => setAttrs(node, { "data-out": false, "data-format": false, text });

/** One line: a name, a strip, a number, a bar and a share. @param {string} [kind] */
const makeLine = (kind = "") => {
  const strip = strip_view();
  const [name, score, bar, share] = [
    s("text", { class: "name", x: pct(NAME), dx: -8 }),
    s("text", { class: "score", x: pct(BAR), dx: -8 }),
    s("rect", { class: "bar", x: pct(BAR), height: 14, rx: 2 }),
    s("text", { class: "share", x: "100%" }),
  ];
  setAttrs(strip.el, { x: pct(NAME), width: pct(STRIP - NAME) });
  const el = s("g", { class: kind || false }, strip.el, bar, name, score, share);
  return Object.assign(el, { parts: { strip, name, score, bar, share } });
};

/**
 * One query against every key: the vectors, scores and weights; or, with `values`, the values, their weights and sum.
 * @param {{ values?: boolean }} [given]
 */
export const look_view = ({ values = false } = {}) => {
  const rows = s("g");
  const own = makeLine("own");
  const heads = [
    s("text", { class: "head", x: pct(NAME), text: values ? "value" : "key" }),
    s("text", { class: "head score", x: pct(BAR), dx: -8, text: values ? "" : "score" }),
    s("text", { class: "head", x: pct(BAR), text: "weight" }),
  ];
  const svg = s("svg", { class: "cw-attention-look", role: "img", width: "100%" }, heads, rows, own);
  const note = h("p", { class: "cw-note" });
  const el = h("div", {}, svg, note);
  /** @param {Answered} now @param {"" | "scores" | "weights"} hide what the bet asks for */
  const update = (now, hide) => {
    const { look } = now;
    const vectors = look.rows.map((row) => (values ? row.value : row.key));
    const [largestOf, ownLargest] = [most(vectors), largest(values ? look.read : look.query)];
    const top = values ? 20 : 30 + ROW; // the query stands above the keys, the sum below the values
    renderList(
      rows,
      look.rows,
      () => makeLine(),
      (line, row, j) => {
        const { parts } = line;
        const y = top + ROW * j;
        setAttrs(line, { class: row.seen ? false : "later" });
        setAttrs(parts.strip.el, { y: y + 4 });
        parts.strip.update(vectors[j], largestOf);
        for (const node of [parts.name, parts.score, parts.share]) setAttrs(node, { y: y + 16 });
        put(parts.name, `look.rows.${j}.name`, "text", now);
        if (values) unbind(parts.score, "");
        else if (hide === "scores") unbind(parts.score, "?");
        else put(parts.score, `look.rows.${j}.score`, "fixed 1", now);
        const open = Boolean(hide);
        setAttrs(parts.bar, {
          y: y + 4,
          width: pct(open ? 0 : (END - BAR) * row.weight),
          class: `bar${j === look.best.at ? " best" : ""}`,
        });
        if (open) unbind(parts.share, "?");
        else put(parts.share, `look.rows.${j}.weight`, "percent 1", now);
      },
    );
    const foot = top + 6 + ROW * look.rows.length;
    const at = values ? foot : 0;
    setAttrs(own.parts.strip.el, { y: at + 4 });
    own.parts.strip.update(values ? look.read : look.query, ownLargest);
    setAttrs(own.parts.name, { y: at + 16, text: values ? "the sum" : "query" });
    for (const head of heads) setAttrs(head, { y: top - 8 });
    setAttrs(svg, { height: values ? foot + ROW : foot, "aria-label": said(now, hide, values) });
    fill(
      note,
      values
        ? "Each value is {model.head_dim:int} numbers. Blue: above zero; violet: below; stronger: larger."
        : "The query of “{look.name:text}” and all keys, {model.head_dim:int} numbers each. Blue: above zero; violet: below; stronger: larger.",
      now,
    );
  };
  return { el, update };
};

/** @param {Answered} now @param {string} hide @param {boolean} values */
const said = ({ look }, hide, values) =>
  hide
    ? `The query of ${look.name} and ${look.rows.length} keys; what the head makes of them is unknown.`
    : `${look.name} attends most to ${look.best.name}, ${fmt.percent(look.best.weight, 1)}${values ? "; the values, summed by their weights" : ""}.`;

const STEPS = 12; // shades of a weight

/** Cells of one shade as a path. @param {[number, number][]} cells column and row @param {number} size */
const cellsPath = (cells, size) =>
  cells.map(([x, y]) => `M${x * size} ${y * size}h${size - 1}v${size - 1}h${1 - size}z`).join("");

/**
 * The weights of one head: a row for each query, a column for each key; a grey cell is masked.
 * @param {{ names?: boolean }} [given]
 */
export const grid_view = ({ names = true } = {}) => {
  const [left, above, mark, later] = [s("g"), s("g"), s("rect", { class: "mark" }), s("path", { class: "masked" })];
  const shades = [...Array(STEPS + 1).keys()].map((step) => s("path", { class: "seen", "fill-opacity": shade(step) }));
  const cells = s("g", {}, later, shades, mark);
  const svg = s("svg", { role: "img" }, cells, left, above);
  /** @param {Answered} now @param {number} head @param {boolean} [hide] */
  const update = (now, head, hide = false) => {
    const grid = now.grids[head];
    const count = grid.length;
    const [size, side, roof] = names ? [20, 92, 84] : [8, 1, 1];
    setAttrs(svg, {
      viewBox: `0 0 ${side + size * count + 1} ${roof + size * count + 1}`,
      class: `cw-attention-grid${names ? "" : " small"}`,
      "aria-label": hide
        ? `Head ${head}: not shown yet.`
        : `Head ${head}: weights of ${count} queries over ${count} keys${now.masked ? ", later keys masked" : ""}.`,
    });
    /** @type {[number, number][]} */
    const masked = [];
    const drawn = shades.map(() => /** @type {[number, number][]} */ ([]));
    grid.forEach((row, i) => {
      row.forEach((weight, j) => {
        const closed = hide || (now.masked && j > i);
        (closed ? masked : drawn[Math.round(STEPS * weight)]).push([j, i]);
      });
    });
    setAttrs(cells, { transform: `translate(${side} ${roof})` });
    setAttrs(later, { d: cellsPath(masked, size) || false });
    shades.forEach((path, step) => setAttrs(path, { d: cellsPath(drawn[step], size) || false }));
    setAttrs(mark, { x: -0.5, y: size * now.look.at - 0.5, width: size * count, height: size });
    if (!names) return;
    const label = () => s("text", { class: "name" });
    renderList(left, now.tokens, label, (text, _, i) => {
      setAttrs(text, { x: side - 6, y: roof + size * i + 14 });
      put(text, `tokens.${i}.name`, "text", now);
    });
    renderList(above, now.tokens, label, (text, _, j) => {
      setAttrs(text, { transform: `translate(${side + size * j + 14} ${roof - 6}) rotate(-60)`, class: "name top" });
      put(text, `tokens.${j}.name`, "text", now);
    });
  };
  return { el: svg, update };
};
/** @param {number} step */
const shade = (step) => Number((0.06 + (0.94 * step) / STEPS).toFixed(2));

/** The heads of the layer side by side: a small grid each, and where the token looks most. */
export const heads_view = () => {
  const el = h("ol", { class: "cw-attention-heads" });
  const make = () => {
    const [grid, name, words] = [grid_view({ names: false }), h("b", { "data-index": true }), h("p")];
    return Object.assign(h("li", {}, name, grid.el, words), { parts: { grid, name, words } });
  };
  /** @param {Answered} now @param {boolean} hide all but the state's own head */
  const update = (now, hide) =>
    renderList(el, now.heads, make, ({ parts }, _, head) => {
      const closed = hide && head !== now.head;
      setAttrs(parts.name, { text: `head ${head}` });
      parts.grid.update(now, head, closed);
      if (closed) fill(parts.words, "?", now);
      else fill(parts.words, `“{heads.${head}.best.name:text}” {heads.${head}.best.weight:percent 1}`, now);
    });
  return { el, update };
};
