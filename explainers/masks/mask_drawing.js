/* The mask: queries down, keys to the right, what is attended to and what is known through lower layers. */
import { s, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { onDrag } from "../kit/pointer.js";
import { TOKENS } from "./mask.js";
import { makeStage } from "./stage.js";

/** @import { State } from "../../.make/data_types/masks.d.ts" */
/** @import { Mask, Span } from "./mask.js" */

const CELL = 10;
const PAPER = TOKENS * CELL;
/** How far a key moves the query. @type {{ [key: string]: number }} */
const QUERY_STEPS = {
  ArrowDown: 1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowLeft: -1,
  PageDown: 8,
  PageUp: -8,
  Home: -TOKENS,
  End: TOKENS,
};
/** The role that colours a kind of mask. @type {{ [kind: string]: string }} */
export const ROLE = { causal: "full", window: "window", chunked: "window" };
/** @param {Span[][]} rows */
const cellsPath = (rows) =>
  rows
    .flatMap((list, query) =>
      list.map(([a, b]) => `M${a * CELL} ${query * CELL}h${(b - a + 1) * CELL}v${CELL}h-${(b - a + 1) * CELL}z`),
    )
    .join("");
/** @param {Mask} mask @param {number} first @returns {Span[][]} */
const seenRanges = (mask, first) =>
  mask.starts.map((start, query) => {
    const early = Math.min(first, start);
    /** @type {Span} */
    const own = [start, query];
    return early > 0 ? [[0, early - 1], own] : [own];
  });

/** The drawing, built once, and those of its parts that change. */
const makeDrawing = () => {
  const lines = Array.from({ length: TOKENS + 1 }, (_, i) => `M0 ${i * CELL}H${PAPER}M${i * CELL} 0V${PAPER}`).join("");
  const known = s("path", { class: "cw-masks-known" });
  const seen = s("path", { class: "cw-masks-seen" });
  const row = s("rect", { class: "cw-masks-row", x: 0, width: PAPER, height: CELL });
  const number = s("text", { class: "cw-masks-at" });
  // what the colours mean, where they are: beside the diagonal, in the corner below it and in the one above
  const named = s("text", {
    class: "cw-masks-says start",
    x: PAPER * 0.4 + CELL,
    y: PAPER * 0.4,
    text: "← attended to",
  });
  const below = s("text", { class: "cw-masks-says", x: PAPER * 0.26, y: PAPER * 0.7 });
  const above = s("text", { class: "cw-masks-says", x: PAPER * 0.72, y: PAPER * 0.2, text: "later tokens: masked" });
  const sink = s(
    "g",
    { class: "cw-masks-sink" },
    s("rect", { x: -24, y: 0, width: 12, height: PAPER, rx: 2 }),
    s("text", { class: "cw-masks-axis", x: -18, y: -5, "text-anchor": "middle", text: "sink" }),
  );
  const svg = s(
    "svg",
    { class: "cw-masks-mask", viewBox: `-48 -18 ${PAPER + 128} ${PAPER + 22}`, "aria-hidden": "true" },
    s("text", { class: "cw-masks-axis", x: 14, y: -5, text: "keys: the past on the left, itself on the diagonal →" }),
    s("text", {
      class: "cw-masks-axis",
      x: 14,
      y: 42,
      transform: "rotate(90)",
      text: "queries: one row for each token →",
    }),
    sink,
    s("path", { class: "cw-masks-past", d: `M0 0${"h10v10".repeat(TOKENS)}H0z` }),
    known,
    seen,
    s("path", { class: "cw-masks-grid", d: lines }),
    row,
    named,
    below,
    above,
    number,
  );
  return { svg, known, seen, row, number, below, sink };
};

/**
 * Queries down, keys to the right; drag or use the arrow keys to move the query.
 * @param {(query: number) => void} onQuery
 */
export const maskView = (onQuery) => {
  const { svg, known, seen, row, number, below, sink } = makeDrawing();
  let at = 0;
  /** @param {number} query */
  const move = (query) => onQuery(Math.max(0, Math.min(TOKENS - 1, query)));
  const el = makeStage(svg, { label: "Query token", steps: QUERY_STEPS, onStep: (by) => move(at + by) });
  setAttrs(el, { "aria-valuemax": TOKENS - 1 });
  onDrag(svg, { move: (_x, y) => move(Math.floor(((y / svg.clientHeight) * (PAPER + 22) - 18) / CELL)) });
  /** @param {Mask} mask @param {State} state */
  const update = (mask, state) => {
    at = state.query;
    setAttrs(known, { d: cellsPath(mask.known_from) });
    setAttrs(seen, { d: cellsPath(seenRanges(mask, state.first)), class: `cw-masks-seen ${ROLE[state.kind]}` });
    const apart = mask.starts.at(-1) ?? 0; // the last row’s first key: what lies before it is another colour
    const reached = mask.known_from.at(-1)?.[0]?.[0] ?? apart;
    setAttrs(below, {
      text: apart > reached ? "known through lower layers" : "not attended to",
      visibility: apart > 12 ? false : "hidden",
    });
    setAttrs(sink, { visibility: state.sink ? false : "hidden" });
    setAttrs(row, { y: at * CELL });
    put(setAttrs(number, { x: PAPER + 6, y: at * CELL + 9 }), "mask.at", "text", { mask });
    setAttrs(el, { "aria-valuenow": at, "aria-valuetext": mask.row });
  };
  return { el, update };
};
