/* The lens -> a row for each layer: how long the token's vector is there, and which token it would predict. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Shown } from "./compute.js" */
/** @import { Lens } from "./lens.js" */

const [ROW, LENGTH, GUESS, BAR, END] = [24, 0.34, 0.62, 0.64, 0.83]; // pixels; shares of the width

const makeRow = () => {
  const [name, length, guess, bar, tick, share] = [
    s("text", { "data-index": true }),
    s("text", { class: "score", x: pct(LENGTH) }),
    s("text", { class: "name", x: pct(GUESS) }),
    s("rect", { x: pct(BAR), height: 14, rx: 2 }),
    s("line", { class: "tick" }),
    s("text", { class: "share", x: "100%" }),
  ];
  return Object.assign(s("g", {}, bar, tick, name, length, guess, share), {
    parts: { name, length, guess, bar, tick, share },
  });
};

export const lens_view = () => {
  const heads = [
    s("text", { class: "score", x: pct(LENGTH), text: "vector norm" }),
    s("text", { class: "score", x: pct(GUESS), text: "best guess" }),
  ];
  const [rows, words] = [s("g"), h("p", { class: "cw-note" })];
  const svg = s("svg", { class: "cw-next-token-lens", role: "img", width: "100%" }, heads, rows);
  const el = h("div", {}, svg, words);
  for (const head of heads) setAttrs(head, { y: 14 });
  /** @param {Shown & { lens: Lens }} now */
  const update = (now) => {
    const { lens } = now;
    const most = Math.max(...lens.rows.slice(1).map((row) => Math.max(row.share, row.final)));
    setAttrs(svg, {
      height: ROW * (lens.rows.length + 1) + 4,
      "aria-label": `After each layer ${lens.name} would predict: ${lens.rows
        .map((row) => `${row.name} ${fmt.percent(row.share, 1)}`)
        .join(", ")}.`,
    });
    renderList(rows, lens.rows, makeRow, ({ parts }, row, i) => {
      const y = ROW * (i + 1);
      for (const node of [parts.name, parts.length, parts.guess, parts.share]) setAttrs(node, { y: y + 15 });
      setAttrs(parts.name, { text: i ? `layer ${i - 1}` : "embedding" });
      put(parts.length, `lens.rows.${i}.length`, "fixed 1", now);
      put(parts.guess, `lens.rows.${i}.name`, "text", now);
      put(parts.share, `lens.rows.${i}.share`, "percent 1", now);
      setAttrs(parts.bar, { y: y + 4, width: pct(i ? ((END - BAR) * row.share) / most : 0) });
      const at = pct(BAR + ((END - BAR) * row.final) / most);
      setAttrs(parts.tick, { x1: at, x2: at, y1: y + 1, y2: y + 21 });
    });
    fill(
      words,
      "The vector of “{lens.name:text}” after each layer, put through the last norm and the vocabulary (logit lens). Ticks: the probability of “{lens.final:text}”, the final prediction. The embedding predicts itself: input and output embeddings are tied.",
      now,
    );
  };
  return { el, update };
};
