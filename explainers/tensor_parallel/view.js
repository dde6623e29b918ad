/* A layer of matrices, drawn: what is coloured by rank, the rings that turn, and the player of its ten steps. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { draw_blocks, has_blocks, layout } from "./layout.js";
import { make_rings, rounded } from "./rings.js";

/** @import { Model } from "./shapes.js" */
/** @import { Now, Shown } from "./compute.js" */
/** @import { Placed } from "./layout.js" */
/** @import { Matrices, Piece } from "./matrices.js" */

const LAST = 9;

const half_class = { class: "cw-tensor-parallel-half" };

/** @param {Placed} p a partial sum, what it becomes, or the arrow to it */
const is_result = ({ item }) =>
  [4, 9].includes(item.step) ||
  ([3, 8].includes(item.step) && (item.sign === "→" || item.blocks?.[0].kind === "partial"));

/** @param {Element} node @param {Piece & { step: number }} b */
const draw_piece = (node, b) => {
  /** @param {number} px */
  const thin = (px) => rounded(Math.max(px - (b.rank >= 0 && px > 2 ? 0.75 : 0), 0.5));
  setAttrs(node, {
    x: rounded(b.x),
    y: rounded(b.y),
    width: thin(b.w),
    height: thin(b.h),
    rx: b.rank >= 0 && 6 > Math.min(b.w, b.h) ? 0.5 : 2,
    class:
      b.rank === -1
        ? "cw-tensor-parallel-copy"
        : `cw-rank cw-rank${b.rank}${b.sheet ? " cw-tensor-parallel-sheet" : ""}`,
    "data-step": b.step,
    "data-rank": b.rank,
  });
};

const make_words = () => s("text", { "text-anchor": "middle" });
/** Where words of an item stand: in its middle, at a height. @param {Placed} p @param {number} y */
const place_words = (p, y) => ({ x: rounded(p.x + p.w / 2), y: rounded(y), "data-step": p.item.step });

/**
 * The signs between matrices, and below each matrix its name and notes.
 * @param {Element[]} layers of signs, names and notes
 * @param {Placed[]} placed
 * @param {Placed<Matrices>[]} plain those of them that are matrices
 * @param {Shown} now
 */
const draw_words = ([signs, names, notes], placed, plain, now) => {
  renderList(
    signs,
    placed.filter((p) => p.item.sign),
    make_words,
    (node, p) => setAttrs(node, { ...place_words(p, p.y + 6), text: p.item.sign }),
  );
  renderList(names, plain, make_words, (node, p) =>
    fill(setAttrs(node, place_words(p, p.y + p.h / 2 + 16)), p.item.name, now),
  );
  renderList(
    notes,
    plain.flatMap((p) => p.item.note.map((line, i) => ({ p, line, y: p.y + p.h / 2 + 30 + 13 * i }))),
    make_words,
    (node, { p, line, y }) => fill(setAttrs(node, place_words(p, y)), line, now),
  );
};

/**
 * Fades the steps after `now`, and the matrices of other ranks where one is selected.
 * @param {SVGElement} svg
 * @param {number} now
 * @param {{ tp: number, rank: number }} state
 */
const fade = (svg, now, state) => {
  for (const node of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-step]"))) {
    const step = Number(node.dataset.step);
    const rank = Number(node.dataset.rank ?? -1);
    const other =
      node.localName === "rect" && state.tp > state.rank && state.rank >= 0 && rank >= 0 && rank !== state.rank;
    setAttrs(node, { opacity: step > now ? 0.22 : other ? 0.18 : false });
  }
};

/* alone: on a narrow screen one half at a time (in a beat wherever a half needs more than a line). */
/** @param {(width: number) => boolean} alone */
export const layer_view = (alone) => {
  /** @param {string} name */
  const layer = (name) => s("g", { class: `cw-tensor-parallel-${name}` });
  const [blocks, ...words] = ["blocks", "signs", "names", "notes"].map(layer);
  const rings = make_rings();
  const headings = [s("text", half_class), s("text", half_class)];
  const svg = s("svg", { role: "img", class: "cw-tensor-parallel-svg" }, blocks, words, rings.el, headings);
  /** @type {{ args: [model: Model, now: Shown, width: number], half: number, hush?: boolean } | null} */
  let drawn = null;

  /**
   * @param {Model} model
   * @param {Shown} now
   * @param {number} width
   * @param {number} step
   * @param {boolean} [hush]
   */
  const draw = (model, now, width, step, hush) => {
    const t = now.tp;
    const laid = layout(model, now, width, alone(width), step > 4 ? 1 : 0);
    drawn = { args: [model, now, width], half: laid.half, hush };
    const placed = hush ? laid.placed.filter((p) => !is_result(p) && !p.item.ring) : laid.placed;
    setAttrs(svg, { width, height: rounded(laid.height), viewBox: `0 0 ${width} ${rounded(laid.height)}` });
    laid.titles.forEach(([text, y], i) => setAttrs(headings[i], { x: 0, y: rounded(y), text }));
    const plain = placed.filter(has_blocks);
    renderList(
      blocks,
      plain.flatMap((p) => draw_blocks(p, t)),
      () => s("rect"),
      draw_piece,
    );
    draw_words(words, placed, plain, now);
    rings.draw(
      placed.filter((p) => p.item.ring).map((p) => ({ x: p.x, y: p.y, step: p.item.step, text: p.item.ring || "" })),
      t,
    );
  };

  /* Up to step t everything is there; the ring of a step under way turns. */
  /** @param {number} t @param {{ tp: number, rank: number }} state */
  const at = (t, state) => {
    if (!drawn) return;
    const now = Math.floor(t);
    if (drawn.half >= 0 && drawn.half !== (now > 4 ? 1 : 0)) draw(...drawn.args, now, drawn.hush);
    fade(svg, now, state);
    rings.turn(t, state.tp);
  };
  return { svg, draw, at };
};

/* Play, step and scrub through the ten steps; a step is called alike wherever it is named. */
/** @param {Pick<Now, "moments">} now @param {number} k */
export const step_name = (now, k) => `${k + 1} of ${LAST + 1}: ${now.moments[k][0]}`;

/**
 * @param {{ run: () => Pick<Now, "moments"> | null | undefined, onFrame: (t: number) => void, onStop: (t: number) => void }} given
 */
export const player = ({ run, onFrame, onStop }) => {
  const made = makeTransport({
    label: "steps",
    length: LAST,
    value: 0,
    rate: 0.7,
    format: (t) => {
      const now = run();
      return now ? step_name(now, Math.floor(t)) : "";
    },
    onFrame,
    onStop,
    print: (node, t) => put(node, "at.words", "text", { at: { words: `${Math.floor(t) + 1} of ${LAST + 1}` } }),
  });
  return {
    ...made,
    set: (/** @type {number} */ step) => {
      made.length(LAST);
      made.set(step);
    },
  }; // the names may have changed with the state
};
