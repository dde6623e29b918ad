/* What compute returns -> the ring's timetable beside the mask, with play, step and scrub. */
import { modulo, upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeTransport } from "../kit/time.js";
import { mask_view } from "./mask.js";
import { chips, cw, pct, row_of, tone } from "./rank_chips.js";

/** @import { Now } from "./compute.js" */

/** Whose keys and values each rank has in each step. @param {Element} parent @param {number[][]} table @param {number} step */
const draw_blocks = (parent, table, step) => {
  const n = table.length;
  const [high, wide] = [row_of(n), 92 / n];
  renderList(
    parent,
    table.flatMap((row, rank) => row.map((share, j) => [share, rank, j])),
    () => s("g", {}, s("rect"), s("text", { "text-anchor": "middle", "data-index": true })),
    (node, [share, rank, j]) => {
      const [x, y, tall, block] = [8 + j * wide, 20 + rank * high, high - 4, modulo(rank - j, n)];
      const [part, name] = node.children;
      const when = step > j ? "done" : step === j ? "now" : "later";
      setAttrs(part, {
        class: tone(block, when),
        x: pct(x + wide * 0.06),
        width: pct(wide * 0.88),
        y: y + tall - share * tall,
        height: share * tall,
      });
      setAttrs(name, { class: when, x: pct(x + wide / 2), y: y + tall / 2 + 4, text: high > 20 ? block : "" });
    },
  );
};

/* Between two steps: every block on its way to the next rank. */
/** @param {Element} parent @param {number[][]} table @param {number} t */
const draw_flying = (parent, table, t) => {
  const n = table.length;
  const [step, high, wide] = [Math.floor(t), row_of(n), 92 / n];
  const f = t - step;
  const on = f > 0 && n - 1 > step;
  renderList(
    parent,
    on ? upto(n) : [],
    () => s("rect", { width: 14, rx: 3 }),
    (node, rank) => {
      const to = (rank + 1) % n;
      setAttrs(node, {
        class: tone(modulo(rank - step, n)),
        x: pct(8 + (step + 0.4 + f) * wide),
        y: (24 + (rank + (to - rank) * f) * high).toFixed(1),
        height: high - 12,
      });
    },
  );
};

const ring_view = () => {
  const [ranks, heads, tracks, cells, flying] = [
    chips(),
    s("g", { class: "heads" }),
    s("g"),
    s("g"),
    s("g", { class: "flying" }),
  ];
  const frame = s("rect", { class: "here", y: 18, rx: 3 });
  const svg = s(
    "svg",
    { class: cw("ring"), role: "img", width: "100%" },
    heads,
    ranks.el,
    tracks,
    cells,
    frame,
    flying,
  );
  /** @param {Now} now @param {number} step */
  const update = ({ table }, step) => {
    const n = table.length;
    const [high, wide] = [row_of(n), 92 / n];
    ranks.update(n, 20);
    renderList(
      tracks,
      upto(n),
      () => s("rect", { class: "track", x: "8%", width: "92%" }),
      (node, rank) => setAttrs(node, { y: 20 + rank * high, height: high - 4 }),
    );
    renderList(
      heads,
      upto(n),
      () => s("text", { y: 12, "text-anchor": "middle", "data-index": true }),
      (node, j) => setAttrs(node, { x: pct(8 + (j + 0.5) * wide), text: j }),
    );
    draw_blocks(cells, table, step);
    frame.style.display = step === n ? "none" : "";
    setAttrs(frame, { x: pct(8 + step * wide), width: pct(wide), height: n * high });
    setAttrs(svg, {
      height: 24 + n * high,
      "aria-label": `Ranks down, steps across: whose keys and values each of ${n} ranks has in each step.`,
    });
  };
  /** @param {Now} now @param {number} t */
  const fly = ({ table }, t) => draw_flying(flying, table, t);
  return { svg, update, fly };
};

/* Mask, timetable and the buttons that play it: one moment, wherever it is drawn. */
/** @param {{ onStop: (step: number) => void }} given */
export const ring_player = ({ onStop }) => {
  const [mask, ring] = [mask_view(), ring_view()];
  /** @type {[Now | null, number, boolean]} */
  let [now, drawn, moving] = [null, -1, false];
  /** @param {number} t */
  const show = (t) => {
    if (!now) return;
    const step = Math.min(Math.floor(t), now.table.length);
    if (step !== drawn) {
      mask.update(now, step);
      ring.update(now, step);
    }
    drawn = step;
    ring.fly(now, t);
  };
  /** @param {number} t */
  const words = (t) => (now ? `${Math.min(Math.floor(t), now.table.length)} of ${now.table.length}` : "");
  const play = makeTransport({
    label: "steps of the ring",
    length: 8,
    rate: 1.2,
    format: words,
    onFrame: show,
    onStop: (t) => {
      if (!moving) onStop(Math.round(t));
    },
  });
  setAttrs(/** @type {Element} */ (play.el.querySelector("output")), { "data-out": "at.words", "data-format": "text" });
  /** @param {Now} next @param {number} step */
  const update = (next, step) => {
    if (play.playing() && now && next.owner !== now.owner) {
      moving = true;
      play.stop();
      moving = false;
    }
    if (!play.playing()) drawn = -1;
    now = next;
    play.length(now.table.length);
    play.set(step);
    if (!play.playing()) show(step);
  };
  return {
    el: [h("div", { class: cw("both") }, h("div", {}, mask.svg), h("div", {}, ring.svg)), play.el],
    update,
    stop: play.stop,
  };
};
