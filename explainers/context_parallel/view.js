/* What compute returns -> the mask by rank, everybody's work, the ring's timetable; and chips and rows for deal.js. */
import { modulo, upto } from "../kit/arrays.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { put } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";

/** @import { Now } from "./compute.js" */

/** @param {number} x */
export const pct = (x) => `${Number(x.toFixed(2))}%`;
/** @param {number} ranks */
export const row_of = (ranks) => (ranks > 8 ? 19 : 28);
/** @param {string} name */
export const cw = (name) => `cw-context-parallel-${name}`;
/** @param {number} rank */
export const tone = (rank, more = "") => `cw-rank cw-rank${rank}${more && ` ${more}`}`;

/* The numbers of the ranks, one below the other. */
export const chips = () => {
  const el = s("g");
  /** @param {number} ranks @param {number} top */
  const update = (ranks, top) => {
    const high = row_of(ranks);
    renderList(
      el,
      upto(ranks),
      () =>
        s(
          "g",
          {},
          s("rect", { x: 0, width: 22, rx: 3 }),
          s("text", { x: 11, "text-anchor": "middle", "data-index": true }),
        ),
      (node, rank) => {
        const y = top + rank * high;
        setAttrs(node.children[0], { class: tone(rank), y, height: high - 4 });
        setAttrs(node.children[1], { class: rank > 7 ? "dark" : "light", y: y + high / 2 + 2, text: rank });
      },
    );
  };
  return { el, update };
};

/* ---------------------------------------------------------------- the mask */
/** @param {Now} now @param {number} step @returns {[name: string, d: string][]} */
const runs_of = ({ owner, table }, step) => {
  const ranks = table.length;
  /** @param {number} rank @param {number} key */
  const phase = (rank, key) => {
    if (step < 0) return "";
    const when = modulo(rank - owner[key], ranks);
    return step > when ? "done" : step === when ? "now" : "later";
  };
  /** @type {Map<string, string>} */
  const found = new Map();
  owner.forEach((rank, query) => {
    let start = 0;
    for (let key = 0; query >= key; key += 1) {
      const own = phase(rank, key);
      if (key !== query && phase(rank, key + 1) === own) continue;
      const name = tone(rank, own);
      found.set(name, `${found.get(name) || ""}M${start} ${query}h${key + 1 - start}v1H${start}z`);
      start = key + 1;
    }
  });
  return [...found].sort(([a], [b]) => (a > b ? 1 : -1));
};

export const mask_view = () => {
  const [strips, cells] = [s("g"), s("g")];
  const svg = s("svg", { class: cw("mask"), role: "img", viewBox: "-2.4 -2.4 34.4 34.4" }, strips, cells);
  /** @param {Now} now */
  const update = (now, step = -1) => {
    renderList(
      strips,
      now.owner,
      () => s("g", {}, s("rect", { y: -2.4, width: 1, height: 1.6 }), s("rect", { x: -2.4, width: 1.6, height: 1 })),
      (node, rank, i) => {
        setAttrs(node.children[0], { class: tone(rank), x: i });
        setAttrs(node.children[1], { class: tone(rank), y: i });
      },
    );
    renderList(
      cells,
      runs_of(now, step),
      () => s("path"),
      (node, [name, d]) => setAttrs(node, { class: name, d }),
    );
    setAttrs(svg, {
      "aria-label": `A square of queries and keys; each query’s row has the colour of one of ${now.table.length} ranks.`,
    });
  };
  return { svg, update };
};

/* ---------------------------------------------------------------- work */
export const bars_view = () => {
  const [ranks, rows] = [chips(), s("g")];
  const [line, name] = [
    s("line", { x1: "47%", x2: "47%", y1: 0 }),
    s("text", { x: "47%", "text-anchor": "middle", text: "the mean" }),
  ];
  const svg = s("svg", { class: cw("bars"), role: "img", width: "100%" }, ranks.el, rows, line, name);
  const make = () =>
    s(
      "g",
      {},
      s("rect", { class: "track", x: "11%", width: "72%" }),
      s("rect", { x: "11%" }),
      s("text", { x: "100%", "text-anchor": "end" }),
    );
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { each } = now.work;
    const high = row_of(each.length);
    const low = 4 + each.length * high;
    ranks.update(each.length, 4);
    renderList(rows, each, make, (node, share, rank) => {
      const y = 4 + rank * high;
      const [track, bar, said] = node.children;
      setAttrs(track, { y, height: high - 4 });
      setAttrs(bar, { class: tone(rank), y, height: high - 4, width: pct(hide ? 0 : share * 36) });
      setAttrs(said, { y: y + high / 2 + 2 });
      if (hide) setAttrs(said, { "data-out": false, text: "" });
      else put(said, `work.each.${rank}`, "fixed 3", now);
    });
    setAttrs(line, { y2: low });
    setAttrs(name, { y: low + 14 });
    setAttrs(svg, {
      height: low + 20,
      "aria-label": hide ? "A bar for the work of each rank, still empty." : "A bar of work for each rank.",
    });
  };
  return { svg, update };
};

/* ---------------------------------------------------------------- the ring */
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
  const make = () => s("g", {}, s("rect"), s("text", { "text-anchor": "middle", "data-index": true }));
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
    renderList(
      cells,
      table.flatMap((row, rank) => row.map((share, j) => [share, rank, j])),
      make,
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
    frame.style.display = step === n ? "none" : "";
    setAttrs(frame, { x: pct(8 + step * wide), width: pct(wide), height: n * high });
    setAttrs(svg, {
      height: 24 + n * high,
      "aria-label": `Ranks down, steps across: whose keys and values each of ${n} ranks has in each step.`,
    });
  };
  /* Between two steps: every block on its way to the next rank. */
  /** @param {Now} now @param {number} t */
  const fly = ({ table }, t) => {
    const n = table.length;
    const [step, high, wide] = [Math.floor(t), row_of(n), 92 / n];
    const f = t - step;
    const on = f > 0 && n - 1 > step;
    renderList(
      flying,
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
