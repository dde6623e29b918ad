/* What one head reads of a text, as arcs from the open token back to the tokens that it attends to. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { heaviest } from "./view.js";

/** @import { Look, Shown } from "./compute.js" */

const [ROOF, LETTER, WIDE] = [112, 7.4, 620]; // pixels: of the arcs, of a letter, and where names stand upright

/**
 * The middle of each name's column, as shares of the width. Names that fit into one line get columns of their own width.
 * @param {string[]} names
 */
const placesOf = (names) => {
  const letters = names.map((name) => Math.max(3, name.length) + 1);
  const total = letters.reduce((a, b) => a + b, 0);
  const short = WIDE >= LETTER * total;
  let at = 0;
  const places = letters.map((wide, i) => {
    at += wide;
    return short ? (at - wide / 2) / total : (i + 0.5) / names.length;
  });
  return { short, places };
};

/** One arc: the upper half of an ellipse; of a token to itself a small loop. */
const makeArc = () => s("ellipse", { cy: ROOF });

export const arcs_view = () => {
  const [arcs, names, words] = [s("g"), s("g"), h("p", { class: "cw-next-token-said" })];
  const roof = s("svg", { class: "roof", width: "100%", height: ROOF }, arcs);
  const svg = s("svg", { role: "img", width: "100%" }, roof, names);
  const el = h("div", {}, words, svg);
  const makeName = () => {
    const text = s("text", { class: "name", y: 4, transform: "rotate(-90)" });
    return Object.assign(s("svg", { y: ROOF + 8 }, text), { text });
  };
  /** @param {Shown & { look: Look }} now */
  const update = (now) => {
    const { look } = now;
    const listed = heaviest(look);
    const { short, places } = placesOf(listed.map((j) => look.rows[j].name));
    const own = places[places.length - 1];
    const longest = Math.max(...listed.map((j) => look.rows[j].name.length));
    setAttrs(svg, {
      class: `cw-next-token-arcs${short ? " short" : ""}`,
      height: Math.ceil(ROOF + 14 + LETTER * longest),
      "aria-label": `${look.name} attends to ${[...listed]
        .sort((a, b) => look.rows[b].weight - look.rows[a].weight)
        .slice(0, 3)
        .map((j) => `${look.rows[j].name} ${fmt.percent(look.rows[j].weight, 1)}`)
        .join(", ")}.`,
    });
    fill(
      words,
      "“{look.name:text}” attends most to {look.best.name:text} (token {look.best.at:int}): {look.best.weight:percent 1}",
      now,
    );
    renderList(arcs, listed, makeArc, (arc, j, i) => {
      const { weight } = look.rows[j];
      const wide = own - places[i];
      setAttrs(arc, {
        cx: pct((own + places[i]) / 2),
        rx: wide ? pct(wide / 2) : 8,
        ry: (12 + (ROOF - 26) * wide).toFixed(1),
        "stroke-width": (0.5 + 12 * weight).toFixed(2),
        class: j === look.best.at ? "best" : false,
      });
    });
    renderList(names, listed, makeName, (slot, j, i) => {
      setAttrs(slot, { x: pct(places[i]) });
      setAttrs(slot.text, { class: `name${j === look.at ? " own" : j === look.best.at ? " best" : ""}` });
      put(slot.text, `look.rows.${j}.name`, "text", now);
    });
  };
  return { el, update };
};
