/* The merges of one token: its bytes in a row, below them what each merge joins, down to the token. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";

/** @import { Answered } from "./compute.js" */
/** @import { Pieces } from "./run.js" */

const [ROW, CELL, HEX] = [22, 32, 58]; // pixels: of a row, of a byte that is a letter, of one that is not

/**
 * Where each byte and each merge is drawn: from and to which byte, and its rows from the top.
 * @param {Pieces} pieces
 */
export const layout = ({ bytes, merges }) => {
  const cells = bytes.map((_, i) => ({ start: i, end: i + 1, top: 0, rows: 1 }));
  /** @type {Map<string, { start: number, end: number, top: number, rows: number }>} */
  const known = new Map(cells.map((cell) => [`${cell.start} ${cell.end}`, cell]));
  const joined = merges.map(({ start, middle, end }) => {
    const halves = [`${start} ${middle}`, `${middle} ${end}`].flatMap((key) => known.get(key) ?? []);
    const top = Math.max(...halves.map((half) => half.top)) + 1;
    for (const half of halves) half.rows = top - half.top; // down to the merge that takes it
    const cell = { start, end, top, rows: 1 };
    known.set(`${start} ${end}`, cell);
    return cell;
  });
  return { cells, joined };
};

const makeCell = () => {
  const [box, name, number] = [s("rect", { rx: 2 }), s("tspan"), s("tspan", { class: "number", dx: 5 })];
  const text = s("text", {}, name, number);
  return Object.assign(s("g", {}, box, text), { parts: { box, name, number, text } });
};

export const merges_view = () => {
  const [head, bytes, rows] = [h("p"), s("g"), s("g")];
  const svg = s("svg", { class: "cw-next-token-merges", role: "img" }, bytes, rows);
  const el = h("div", { class: "cw-next-token-made" }, head, svg);
  /** @param {Answered} now @param {number} at which token */
  const update = (now, at) => {
    const token = now.tokens[at];
    const [many, last] = [token.bytes.length, token.merges.length - 1];
    const { cells, joined } = layout(token);
    const wide = token.bytes.some((name) => name.length > 1) ? HEX : CELL;
    setAttrs(svg, {
      height: ROW * (1 + Math.max(0, ...joined.map((one) => one.top))),
      width: wide * many,
      "aria-label": `${token.merges.length} merges: ${token.merges.map((one) => `${one.left} and ${one.right}`).join("; ")}.`,
    });
    fill(head, headOf(at, last, many), now);
    /** @param {ReturnType<typeof makeCell>} cell @param {{ start: number, end: number, top: number, rows: number }} place */
    const put_at = ({ parts }, { start, end, top, rows: tall }) => {
      setAttrs(parts.box, { x: pct(start / many), width: pct((end - start) / many), y: ROW * top, height: ROW * tall });
      setAttrs(parts.text, { x: pct((start + end) / 2 / many), y: ROW * top + 15 });
    };
    renderList(bytes, cells, makeCell, (cell, place, i) => {
      put_at(cell, place);
      put(cell.parts.name, `tokens.${at}.bytes.${i}`, "text", now);
    });
    renderList(rows, joined, makeCell, (cell, place, i) => {
      put_at(cell, place);
      put(cell.parts.name, `tokens.${at}.merges.${i}.name`, "text", now);
      put(cell.parts.number, `tokens.${at}.merges.${i}.number`, "int", now);
    });
  };
  return { el, update };
};

/** @param {number} at @param {number} last the last merge, or -1 @param {number} many bytes */
const headOf = (at, last, many) => {
  const own = `“{tokens.${at}.name:text}” is token {tokens.${at}.id:int}`;
  if (!many) return `${own}, which stands before every text and has no bytes.`;
  if (0 > last) return `${own}: one byte, which no merge made. Point at another token to see its merges.`;
  const merge = `tokens.${at}.merges.${last}`;
  return `${own}, made by merge {${merge}.number:int}: “{${merge}.left:text}” and “{${merge}.right:text}”. Small numbers were merged first.`;
};
