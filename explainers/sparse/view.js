/* What compute returns -> the weights of one query over the text, a strip for each method, and what models read. */
import { upto } from "../kit/arrays.js";
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/sparse.d.ts" */
/** @import { Shown } from "./compute.js" */

const [TALL, ROW, STRIP] = [84, 40, 14];

/** Cells of one kind as a path in a box as wide as the text. @param {(j: number) => number} tall @param {number} count */
const cellsPath = (tall, count) =>
  upto(count)
    .filter((j) => tall(j) > 0)
    .map((j) => `M${j + 0.06} 1v${fmt.fixed(-tall(j), 4).replace("−", "-")}h0.88V1z`)
    .join("");
/** @param {number} count @param {Element[]} kids */
const box = (count, ...kids) =>
  s("svg", { class: "box", viewBox: `0 0 ${count} 1`, preserveAspectRatio: "none", width: "100%" }, kids);

/** Below the weights of a text with no needle, one, or several. */
const FEET = ["no needle", "▲ needle: token {needles.0:int}", "▲ a needle for each head"];

/** The weights of the last token, and where the needles are. */
export const weights_view = () => {
  const [bars, marks, foot, top] = [s("path", { class: "bar" }), s("g"), s("text"), s("text", { class: "end" })];
  const inner = setAttrs(box(128, bars), { y: 18, height: TALL });
  const svg = s(
    "svg",
    { class: "cw-sparse-weights", role: "img", width: "100%", height: TALL + 46 },
    inner,
    marks,
    setAttrs(foot, { x: 0, y: TALL + 42 }),
    setAttrs(top, { x: "100%", y: TALL + 42, text: "the last token asks" }),
  );
  const title = h("p", { class: "cw-sparse-title" });
  /** @param {Shown} now */
  const update = (now) => {
    const most = Math.max(...now.weights);
    fill(title, "Attention of the last token over {count:int} tokens, mean of {heads:int} heads", now);
    setAttrs(bars, { d: cellsPath((j) => now.weights[j] / most, now.count) });
    const places = [...new Set(now.needles)];
    renderList(
      marks,
      places,
      () => s("text", { class: "mark", y: TALL + 28, text: "▲" }),
      (mark, place) => setAttrs(mark, { x: pct((place + 0.5) / now.count) }),
    );
    fill(foot, FEET[Math.min(2, places.length)], now);
    setAttrs(svg, {
      "aria-label": `Attention over ${now.count} tokens${places.length ? `; the needle is token ${places.join(", ")}` : ""}.`,
    });
  };
  return { el: [title, svg], update };
};

const LEVELS = [1, 2, 3, 4];
/**
 * Which tokens each method reads: a strip for each, and what that keeps.
 * @param {Data} data
 * @param {{ only?: string[], onPick?: (key: string) => void }} [given]
 */
export const strips_view = (data, { only = data.methods.map(({ key }) => key), onPick } = {}) => {
  const el = h("ul", { class: "cw-sparse-strips" });
  const rows = data.methods.map((method, i) => ({ ...method, i })).filter(({ key }) => only.includes(key));
  /** @param {typeof rows[number]} method */
  const make = (method) => {
    const name = onPick
      ? h("button", { type: "button", text: method.label, on: { click: () => onPick(method.key) } })
      : h("b", { text: method.label });
    const [words, soft] = [h("span", { class: "words" }), s("path", { class: "soft" })];
    const levels = LEVELS.map(() => s("path", { class: "read" }));
    const svg = s(
      "svg",
      { width: "100%", height: STRIP, role: "img" },
      setAttrs(box(128, soft, ...levels), { height: STRIP }),
    );
    const li = h("li", { class: method.kind }, h("div", {}, name, words), svg);
    return Object.assign(li, { parts: { name, words, soft, levels, svg } });
  };
  /** @param {Shown} now @param {"" | "numbers" | "strips"} [hide] */
  const update = (now, hide = "") =>
    renderList(el, rows, make, ({ parts }, { i, key, kind, label }) => {
      const { cells, reads } = now.rows[i];
      setAttrs(parts.soft, { d: cellsPath((j) => (hide === "strips" || cells[j] >= 0 ? 0 : 1), now.count) || false });
      parts.levels.forEach((path, at) =>
        setAttrs(path, {
          "fill-opacity": fmt.fixed(0.25 + (0.75 * LEVELS[at]) / now.heads, 2),
          d: cellsPath((j) => (hide !== "strips" && cells[j] === LEVELS[at] ? 1 : 0), now.count) || false,
        }),
      );
      setAttrs(parts.svg, {
        "aria-label": hide === "strips" ? `${label}: not shown yet.` : `${label}: ${reads} entries read.`,
      });
      if (onPick) setAttrs(parts.name, { "aria-pressed": String(now.method === key) });
      fill(parts.words, hide ? "?" : kept(i, kind), now);
    });
  return { el: [el], update };
};
/** @param {number} i @param {string} kind */
const kept = (i, kind) =>
  `reads {rows.${i}.reads:int}, keeps {rows.${i}.mass:percent 0}${kind === "blended" ? ` + {rows.${i}.blended:percent 0} blended` : ""}, error {rows.${i}.error:percent 0}`;

/** What the colours of strips mean. @param {string[]} kinds those that are drawn */
export const strips_legend = (kinds) =>
  makeLegend(
    [
      { class: "fixed", label: "read: fixed pattern", of: "fixed" },
      { class: "chosen", label: "read: chosen (pale: by some heads)", of: "chosen" },
      { class: "soft", label: "read in a blend", of: "blended" },
    ].filter(({ of }) => kinds.includes(of)),
  );

/** What each model reads of its entries: those chosen, and the indexer's keys. */
export const costs_view = () => {
  const rows = s("g");
  const svg = s("svg", { class: "cw-sparse-costs", role: "img", width: "100%" }, rows);
  const make = () => {
    const [name, words] = [s("text", { x: 0 }), s("text", { class: "end", x: "100%" })];
    const [all, index, read] = ["all", "index", "read"].map((css) => s("rect", { class: css, x: 0, height: STRIP }));
    return Object.assign(s("g", {}, all, index, read, name, words), { parts: { name, words, all, index, read } });
  };
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide = false) => {
    renderList(rows, now.models, make, (g, { title, dense, index, reads }, i) => {
      const { name, words, all, index: keys, read } = g.parts;
      const y = ROW * i;
      const whole = Math.max(dense, reads);
      for (const node of [all, keys, read]) setAttrs(node, { y: y + 20 });
      setAttrs(g, { class: title === now.cost.title ? "on" : false });
      setAttrs(all, { width: pct(dense / whole) });
      setAttrs(keys, { width: pct(hide ? 0 : index / whole) });
      setAttrs(read, { x: pct(hide ? 0 : index / whole), width: pct(hide ? 0 : (reads - index) / whole) });
      put(setAttrs(name, { y: y + 14 }), `models.${i}.title`, "text", now);
      fill(
        setAttrs(words, { y: y + 14 }),
        hide ? `all: {models.${i}.dense:bytes}` : `{models.${i}.reads:bytes} of {models.${i}.dense:bytes}`,
        now,
      );
    });
    setAttrs(svg, {
      height: ROW * now.models.length - 4,
      "aria-label": `Bytes that ${now.models.length} models read for one new token, as a share of all their entries.`,
    });
  };
  const legend = makeLegend([
    { class: "index", label: "indexer keys" },
    { class: "read", label: "entries read" },
    { class: "all", label: "all entries" },
  ]);
  return { el: [svg, legend], update };
};
