// A pair's files and its differences -> one drawing of both: towers, cards of the layers, opened parts, discs on each.
// Models that share too little are not superposed: their parts stand side by side.
import { cardOf } from "./compare-card.js";
import { make } from "./compare-elements.js";
import { insideOf } from "./compare-inside.js";
import { card, cards, panel, panels, share } from "./compare-merge.js";
import { cost, DENSE, eitherOf, span, spread } from "./compare-rows.js";
import { towers } from "./compare-tower.js";

/** @import { CardJson, ComparedModel, Difference, MergedCard, MergedPanel, MergedState, Pair, PanelJson } from "../site/types.d.ts" */

export const FAR = 0.25; // gallery.comparing.entries.FOUNDER
const CARD = 216,
  SPACE = 20,
  FULL = 2,
  LANES = 520;

// ---------------------------------------------------------------- the drawing

/** @type {{ [place: string]: string }} */
const PLACES = { norm: "card", norms: "card", stream: "card" };
/**
 * The graph of a panel, or of a card's first layer.
 * @param {PanelJson | CardJson} one
 */
const graphOf = (one) => ("where" in one ? one.where : `layer${one.layer}`);
/**
 * @template {SVGElement} E
 * @param {E} el
 * @param {string} part
 * @param {string} label
 * @param {MergedPanel | MergedCard} one
 * @returns {E}
 */
function framed(el, part, label, one) {
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", label);
  el.dataset.part = part;
  if (one.a) el.dataset.a = graphOf(one.a);
  if (one.b) el.dataset.b = graphOf(one.b);
  return el;
}
/** @type {{ [state in MergedState]: string }} */
const STATES = { same: "equal", differs: "differs", a: "only in A", b: "only in B" };
/**
 * @param {MergedPanel[]} all
 * @param {Map<MergedPanel, Difference[]>} rows
 * @param {number} W
 * @param {{ counted: boolean, equal: boolean, narrow: boolean }} options
 * @returns {[SVGElement[], MergedPanel[]]}
 */
function column(all, rows, W, { counted, equal, narrow }) {
  const shown = narrow && !equal ? all.filter((one) => one.state !== "same") : all;
  const els = shown.map((one) =>
    framed(
      insideOf(one, W, { rows: rows.get(one), ...cost(one, rows.get(one) ?? [], counted), narrow: W < LANES, equal })
        .svg,
      one.half,
      `${eitherOf(one).title}: ${STATES[one.state]}`,
      one,
    ),
  );
  return [els, all.filter((one) => !shown.includes(one))];
}
/**
 * @param {MergedCard[]} all
 * @param {Difference[]} rows
 * @param {boolean} [own]
 */
function layerCards(all, rows, own = false) {
  /** @param {MergedCard} one */
  const most = (one) => Math.max(one.a?.count ?? 0, one.b?.count ?? 0),
    full = all
      .filter((one) => one.full)
      .sort((one, other) => most(other) - most(one))
      .slice(0, FULL);
  return all.map((one) =>
    framed(
      cardOf(one, CARD, { rows: one === full[0] ? rows : [], full: full.includes(one), own }).svg,
      "card",
      `Layers: ${eitherOf(one).says}`,
      one,
    ),
  );
}

/**
 * @param {ComparedModel[]} models
 * @param {Pair} found
 * @param {{ width: number, equal: boolean, narrow: boolean }} options
 * @returns {HTMLDivElement}
 */
export function drawing([a, b], found, { width, equal, narrow }) {
  const [one, two] = [a.insides, b.insides];
  if (share(a, b) < FAR) return apart([a, b], found, width);
  const all = panels(one.panels, two.panels),
    [rows, rest] = spread(found.rows, all),
    onCard = rest.filter((row) => PLACES[row.place]),
    onTower = [
      ...rest.filter((row) => !PLACES[row.place]),
      ...found.rows.filter((row) => row.number && row.key === DENSE).map((row) => ({ ...row, place: "dense" })),
    ];
  const tower = towers([a, b], { rows: onTower }),
    side = width >= 1000,
    room = side ? width - Number(tower.getAttribute("width")) - CARD - 2 * SPACE : width;
  const [els, folded] = column(all, rows, Math.round(room), { counted: found.counted, equal, narrow });
  const list = layerCards(cards(one.cards, two.cards), onCard);
  const told = folded.length
    ? make(
        "p",
        { class: "cmp-folded muted", "data-n": folded.map((each) => eitherOf(each).where).join(" ") },
        `${folded.map((each) => eitherOf(each).title).join(", ")}: equal`,
      )
    : "";
  return make(
    "div",
    { class: `cmp-drawing${side ? " side" : ""}` },
    make("div", { class: "cmp-first" }, tower, make("div", { class: "cmp-cards" }, ...list)),
    make("div", { class: "cmp-panels" }, ...els, told),
  );
}

/**
 * One model alone: the cards of its layers, and its panels.
 * @param {ComparedModel} file
 * @param {number} side 0 on the left, 1 on the right
 * @param {number} half
 * @returns {[HTMLElement, SVGElement[]]}
 */
function alone(file, side, half) {
  const list = file.insides.panels.map((one) => (side ? panel(undefined, one) : panel(one, undefined))),
    kinds = file.insides.cards.map((one) => (side ? card(undefined, one) : card(one, undefined)));
  const els = list.map((one) =>
    framed(
      insideOf(one, half, {
        own: true,
        sub: `in ${span(side ? { a: one.b, b: one.b } : { a: one.a, b: one.a })}`,
        narrow: half < LANES,
        equal: true,
      }).svg,
      one.half,
      `${eitherOf(one).title}, ${side ? "B" : "A"}`,
      one,
    ),
  );
  return [make("div", { class: "cmp-cards" }, ...layerCards(kinds, [], true)), els];
}
/**
 * What belongs to A on the left, what belongs to B on the right, each under its model's title.
 * @param {ComparedModel[]} models
 * @param {...Element[]} sides
 */
const both = (models, ...sides) =>
  make(
    "div",
    { class: "cmp-sides" },
    ...sides.map((inside, side) =>
      make(
        "section",
        { class: `cmp-side cmp-side-${"ab"[side]}` },
        make("h3", {}, `${"AB"[side]} ${models[side].title}`),
        ...inside,
      ),
    ),
  );
/**
 * Nothing superposed: the parts of A on the left, those of B on the right, each as its own page draws it; where there
 * is room, the layers beside the towers.
 * @param {ComparedModel[]} models
 * @param {Pair} found
 * @param {number} width
 */
function apart(models, found, width) {
  const tower = towers(models, {
    rows: found.rows.filter((row) => row.number && !["mixer", "mlp", "norm", "stream"].includes(row.place)),
  });
  const half = width >= 760 ? Math.floor((width - SPACE) / 2) : width,
    beside = width >= 1000;
  const [left, right] = models.map((file, side) => alone(file, side, half));
  const note = make("p", { class: "cmp-note" }, "Too different to overlay; shown side by side.");
  return make(
    "div",
    { class: "cmp-drawing apart" },
    make(
      "div",
      { class: "cmp-first" },
      tower,
      beside ? make("div", { class: "cmp-pair" }, note, both(models, [left[0]], [right[0]])) : note,
    ),
    beside ? both(models, left[1], right[1]) : both(models, [left[0], ...left[1]], [right[0], ...right[1]]),
  );
}
