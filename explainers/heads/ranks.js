/* One card per rank: its query heads as small blue boxes, its key/value heads as yellow tiles, copies hatched. */
import { renderList, s, setAttrs, uid } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { box, px } from "./box_path.js";

/** @import { Now } from "./compute.js" */

const CARD = 62;
/**
 * How many cards stand side by side.
 * @param {number} ranks
 * @param {number} width
 */
const columns = (ranks, width) => {
  const most = Math.max(1, Math.floor(width / 38));
  let per = Math.min(ranks, most);
  while (ranks % per) per -= 1;
  return per * 2 < Math.min(ranks, most) ? Math.min(ranks, most) : per;
};
/**
 * The cards of all ranks: a path for each of their parts, and their words.
 * @param {Now} now
 * @param {number} per
 * @param {number} wide
 */
const cards = (now, per, wide) => {
  const inner = wide - 18;
  const latent = now.kv === 0;
  /** @type {{ [part: string]: string }} */
  const d = { frame: "", q: "", first: "", copy: "" };
  /** @type {{ x: number, y: number, text: string, css: string, rank?: number }[]} */
  const texts = [];
  now.tp.tiles.forEach((tiles, r) => {
    const [x, y] = [(r % per) * wide, Math.floor(r / per) * CARD];
    const size = Math.min(34, inner / tiles.length);
    const tile = latent ? inner : size;
    const pitch = Math.min(9, inner / now.tp.query_heads);
    d.frame += box(x + 1, y + 1, wide - 6, CARD - 8);
    for (let i = 0; now.tp.query_heads > i; i += 1)
      d.q += `M${px(x + 6 + i * pitch)} ${y + 19}h${px(pitch * 0.8)}v6h${px(-pitch * 0.8)}z`;
    tiles.forEach((_, i) => {
      d[now.tp.copy[r] ? "copy" : "first"] += box(x + 6 + i * size, y + 29, tile - Math.min(2, tile * 0.15), 19);
    });
    texts.push({ x: x + 7, y: y + 14, text: wide > 60 ? `rank ${r}` : String(r), css: "cw-heads-rank", rank: r });
    const named = latent
      ? wide > 62
        ? [now.mla.turned ? "c + kᴿ" : "c + k"]
        : []
      : size >= 17
        ? tiles.map((_, i) => `{tp.tiles.${r}.${i}}`)
        : [];
    named.forEach((text, i) =>
      texts.push({
        x: x + 6 + i * size + (tile - 2) / 2,
        y: y + 42.5,
        text,
        css: `cw-heads-letter${now.tp.copy[r] ? " copy" : ""}`,
      }),
    );
  });
  return { d, texts };
};

/** @returns {{ el: SVGElement, update: (now: Now, width: number) => void }} */
export const ranksView = () => {
  const id = uid("hatch");
  const hatch = s(
    "pattern",
    { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "cw-heads-hatch", width: 6, height: 6 }),
    s("path", { class: "cw-heads-hatch-line", d: "M0 0V6" }),
  );
  const paths = Object.fromEntries(
    [
      ["frame", "cw-heads-card"],
      ["q", "cw-heads-few"],
      ["first", "cw-heads-kv"],
      ["copy", "cw-heads-copy"],
    ].map(([key, css]) => [key, s("path", { class: css, fill: key === "copy" ? `url(#${id})` : false })]),
  );
  const words = s("g");
  const svg = s("svg", { class: "cw-heads-ranks", role: "img" }, s("defs", {}, hatch), Object.values(paths), words);
  /**
   * @param {Now} now
   * @param {number} width
   */
  const update = (now, width) => {
    const ranks = now.tp.tiles.length;
    const per = columns(ranks, width);
    const { d, texts } = cards(now, per, Math.min(230, width / per));
    const high = CARD * Math.ceil(ranks / per);
    setAttrs(svg, {
      viewBox: `0 0 ${width} ${high}`,
      width,
      height: high,
      "aria-label": `${ranks} rank${ranks > 1 ? "s" : ""}. ${now.tp.words}`,
    });
    for (const [key, node] of Object.entries(paths)) setAttrs(node, { d: d[key] });
    renderList(
      words,
      texts,
      () => s("text"),
      (node, one) =>
        fill(
          setAttrs(node, { x: px(one.x), y: one.y, class: one.css, "data-index": one.rank ?? false }),
          one.text,
          now,
        ),
    );
  };
  return { el: svg, update };
};
