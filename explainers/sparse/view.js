/* What compute returns -> the weights of one query over the text, a strip for each method, and what models read. */
import { upto } from "../kit/arrays.js";
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/sparse.d.ts" */
/** @import { Shown } from "./compute.js" */

const [TALL, ROW, STRIP, SOFT] = [84, 40, 14, 0.4];
const TICKS = [0, 32, 64, 96, 127]; // tokens

/**
 * Cells of one kind as a path in a box as wide as the text; each starts from the one before, which packs well.
 * @param {(j: number) => number} tall
 * @param {number} count
 */
const cellsPath = (tall, count) =>
  upto(count)
    .filter((j) => tall(j) > 0)
    .map((j, i, all) => `${i ? `m${j - all[i - 1]} 0` : `M${j + 0.06} 1`}v-${fmt.fixed(tall(j), 3)}h0.88V1z`)
    .join("");
/** @param {number} count @param {Element[]} kids */
const box = (count, ...kids) =>
  s("svg", { class: "box", viewBox: `0 0 ${count} 1`, preserveAspectRatio: "none", width: "100%" }, kids);

/** Below the weights of a text with no needle, one, or several. */
const FEET = ["no needle", "▲ needle: token {needles.0:int}", "▲ a needle for each head"];

/** Above the first bar: models put weight on the first token whatever it says. */
const SINK = "first (the sink): {weights.0:percent 1}";

/** The weights of the last token, and where the needles are. */
export const weights_view = () => {
  const [bars, marks, foot, asks] = [s("path", { class: "bar" }), s("g"), s("text"), s("text", { class: "end" })];
  const [sink, peak] = [s("text", { x: 0, y: 12 }), s("text", { class: "end", x: "100%", y: 12 })];
  const ticks = TICKS.map((token, i) =>
    s("text", {
      class: i && (TICKS.length - 1 > i ? "middle" : "end"),
      x: i && TICKS.length - 1 > i ? pct((token + 0.5) / 128) : pct(Math.sign(i)),
      y: TALL + 44,
      text: `${token}`,
      "data-index": true,
    }),
  );
  const inner = setAttrs(box(128, bars), { y: 18, height: TALL });
  const svg = s(
    "svg",
    { class: "cw-sparse-weights", role: "img", width: "100%", height: TALL + 66 },
    inner,
    marks,
    sink,
    peak,
    ...ticks,
    setAttrs(foot, { x: 0, y: TALL + 62 }),
    setAttrs(asks, { x: "100%", y: TALL + 62, text: "the last token asks" }),
  );
  const title = h("p", { class: "cw-sparse-title" });
  /** @param {Shown} now */
  const update = (now) => {
    const most = Math.max(...now.weights);
    fill(title, "Attention of the last token over {count:int} tokens, mean of {heads:int} heads", now);
    setAttrs(bars, { d: cellsPath((j) => now.weights[j] / most, now.count) });
    fill(sink, SINK, now);
    fill(peak, `tallest: {weights.${now.weights.indexOf(most)}:percent 1}`, now);
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
    const [words, soft, near] = [
      h("span", { class: "words" }),
      s("path", { class: "soft" }),
      s("path", { class: "near" }),
    ];
    const levels = LEVELS.map(() => s("path", { class: "read" }));
    const svg = s(
      "svg",
      { width: "100%", height: STRIP, role: "img" },
      setAttrs(box(128, soft, ...levels, near), { height: STRIP }),
    );
    const li = h("li", { class: method.kind }, h("div", {}, name, words), svg);
    return Object.assign(li, { parts: { name, words, soft, levels, near, svg } });
  };
  /** @param {Shown} now @param {"" | "numbers" | "strips"} [hide] */
  const update = (now, hide = "") =>
    renderList(el, rows, make, ({ parts }, { i, key, kind, label }) => {
      const { cells, reads } = now.rows[i];
      const shown = hide !== "strips";
      /** @param {number} j */
      const isNear = (j) => kind === "blended" && j >= now.count - now.window;
      setAttrs(parts.soft, { d: cellsPath((j) => (shown && cells[j] === -1 ? SOFT : 0), now.count) || false });
      setAttrs(parts.near, { d: cellsPath((j) => (shown && isNear(j) ? 1 : 0), now.count) || false });
      parts.levels.forEach((path, at) =>
        setAttrs(path, {
          "fill-opacity": fmt.fixed(0.25 + (0.75 * LEVELS[at]) / now.heads, 2),
          d: cellsPath((j) => (shown && cells[j] === LEVELS[at] && !isNear(j) ? 1 : 0), now.count) || false,
        }),
      );
      setAttrs(parts.svg, { "aria-label": shown ? `${label}: ${reads} entries read.` : `${label}: not shown yet.` });
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
      { class: "yardstick", label: "read: a yardstick, no method", of: ["all"] },
      { class: "fixed", label: "read: fixed pattern or window", of: ["fixed", "blended"] },
      { class: "chosen", label: "read: chosen (pale: by some heads)", of: ["chosen"] },
      { class: "soft", label: "low: read in a blend", of: ["blended"] },
    ].filter(({ of }) => of.some((kind) => kinds.includes(kind))),
  );

const SHARES = [0, 0.5, 1];
const [SHARE_ENDS, COMPRESSED] = [
  ["", "middle", "end"],
  "V4’s entries are already blends of several tokens, so its share looks large: compare the bytes. ",
];
/** What has a fixed size is in no share: a template that names it. @param {Shown["models"]} models */
const fixedOf = (models) =>
  models.flatMap(({ fixed }, i) => (fixed ? [`{models.${i}.title:text} {models.${i}.fixed:bytes}`] : [])).join(", ");

/** What each model reads beside its own entries: those chosen, and the indexer's keys; all on one scale of shares. */
export const costs_view = () => {
  const [rows, ticks] = [s("g"), s("g")];
  const svg = s("svg", { class: "cw-sparse-costs", role: "img", width: "100%" }, rows, ticks);
  const make = () => {
    const [name, words] = [s("text", { x: 0 }), s("text", { class: "end", x: "100%" })];
    const [all, index, read] = ["all", "index", "read"].map((css) => s("rect", { class: css, x: 0, height: STRIP }));
    return Object.assign(s("g", {}, all, index, read, name, words), { parts: { name, words, all, index, read } });
  };
  /** @param {Shown} now @param {boolean} [hide] */
  const update = (now, hide = false) => {
    const whole = Math.max(...now.models.map(({ dense, reads }) => (hide ? 1 : Math.max(1, reads / dense))));
    renderList(rows, now.models, make, (g, { title, dense, index, reads }, i) => {
      const { name, words, all, index: keys, read } = g.parts;
      const y = ROW * i;
      /** @param {number} bytes */
      const wide = (bytes) => pct(bytes / dense / whole);
      for (const node of [all, keys, read]) setAttrs(node, { y: y + 20 });
      setAttrs(g, { class: title === now.cost.title ? "on" : false });
      setAttrs(all, { width: wide(dense) });
      setAttrs(keys, { width: wide(hide ? 0 : index) });
      setAttrs(read, { x: wide(hide ? 0 : index), width: wide(hide ? 0 : reads - index) });
      put(setAttrs(name, { y: y + 14 }), `models.${i}.title`, "text", now);
      const at = `models.${i}`;
      fill(
        setAttrs(words, { y: y + 14 }),
        `${hide ? "all:" : `{${at}.reads:bytes}${reads > dense ? "; entries:" : " of"}`} {${at}.dense:bytes}`,
        now,
      );
    });
    const foot = ROW * now.models.length + 10;
    renderList(
      ticks,
      SHARES,
      () => s("text", { "data-index": true }),
      (tick, share) =>
        setAttrs(tick, { x: pct(share / whole), y: foot, class: SHARE_ENDS[2 * share], text: fmt.percent(share, 0) }),
    );
    fill(note, `${COMPRESSED}Fixed state of linear attention, in no share: ${fixedOf(now.models)}.`, now);
    setAttrs(svg, {
      height: foot + 6,
      "aria-label": `Bytes that ${now.models.length} models read for one new token, as a share of all their entries.`,
    });
  };
  const title = h("p", {
    class: "cw-sparse-title",
    text: "Share of each model’s own cache entries that a new token reads",
  });
  const note = h("p", { class: "cw-note" });
  const legend = makeLegend([
    { class: "index", label: "indexer keys" },
    { class: "read", label: "entries read" },
    { class: "all", label: "all entries" },
  ]);
  return { el: [title, svg, legend, note], update };
};
