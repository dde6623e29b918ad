/* The layer as two rows of matrices, cut and coloured by rank: x, columns, what stays sharded, rows, partial sums, the ring. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, printValue, put, templateParts, valueAt } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { range } from "./run.js";

/** @import { State } from "../../.make/data_types/tensor-parallel.d.ts" */
/** @import { Model, Now, Shown } from "./compute.js" */

/** One matrix and how it is cut: by "columns" or "rows", a "copy", one "partial" sheet per rank, or "copies" of heads. */
/** @typedef {{ kind: string, w: number, h: number, copies?: number, apart?: number }} Block */
/**
 * A rectangle of a matrix, and the rank that has it (-1: all).
 * @typedef {{ x: number, y: number, w: number, h: number, rank: number, sheet?: boolean }} Piece
 */
/**
 * Matrices under one name, one above the other where `over` is set.
 * @typedef {{ step: number, blocks: Block[], name: string, note: string[], over?: boolean, sign?: "", ring?: "" }} Matrices
 */
/** @typedef {{ step: number, sign: string, ring?: "", blocks?: undefined }} Sign */
/** @typedef {{ step: number, ring: string, sign?: "", blocks?: undefined }} Ring */
/** What stands on a line. @typedef {Matrices | Sign | Ring} Item */
/**
 * An item and its box; y is its middle, `wide` how much of it the matrices take.
 * @template {Item} [I=Item]
 * @typedef {{ item: I, x: number, y: number, w: number, h: number, wide: number }} Placed
 */
/** A ring and its corner. @typedef {{ x: number, y: number, step: number, text: string }} PlacedRing */

const LAST = 9;
/** Pixels as they are written. @param {number} px */
export const rounded = (px) => Number(px.toFixed(2));
/** @param {string} template @param {Shown} now */
const said = (template, now) =>
  templateParts(template)
    .map((bit) => (typeof bit === "string" ? bit : printValue(valueAt(now, bit.path), bit.how)))
    .join("");
/** @param {number} t @param {number} size */
const spread = (t, size) => (t > 1 ? Math.max(26 * size, 2.5 * (t - 1)) : 0);

/* One matrix: [part(rank) rectangles], cut along columns, rows or tokens, or a copy, or one sheet per rank. */
/** @param {Block} block @param {number} t @returns {Piece[]} */
const sheets = ({ kind, w, h, copies = 1, apart = 0 }, t) => {
  const all = range(t);
  if (kind === "copy") return [{ x: 0, y: 0, w, h, rank: -1 }];
  if (kind === "columns") return all.map((r) => ({ x: (w * r) / t, y: 0, w: w / t, h, rank: r }));
  if (kind === "rows") return all.map((r) => ({ x: 0, y: (h * r) / t, w, h: h / t, rank: r }));
  if (kind === "partial")
    return all.map((r) => ({
      x: (r * apart) / Math.max(t - 1, 1),
      y: (r * apart) / Math.max(t - 1, 1),
      w,
      h,
      rank: r,
      sheet: true,
    }));
  const heads = t / copies; // KV heads that ran out: one layer of copies behind the other
  return range(copies)
    .reverse()
    .flatMap((c) =>
      range(heads).map((g) => ({
        x: (w * g) / heads + 4 * c,
        y: 4 * (copies - 1 - c),
        w: w / heads,
        h,
        rank: g * copies + c,
        sheet: true,
      })),
    );
};

/* Both halves as groups of items that stay on one line: what is drawn, from which step on, its words. No rank's piece is thinner than 3 px. */
/** @param {Model} model @param {Shown} now @param {number} size @returns {Item[][][]} */
const halves_of = (model, now, size) => {
  const { tp: t, sequence_parallel: sp, kv_copies: copies, sizes } = now;
  const { hidden: h, mlp: f } = model;
  const a = size * Math.min(110 / h, 110 / sizes.q);
  const m = size * Math.min(110 / h, 150 / f);
  /** @param {number} px */
  const cut = (px) => Math.max(px, 3 * t);
  const tokens = sp ? cut(50 * size) : 50 * size;
  const stream = sp ? "rows" : "copy";
  const [s_h, side] = ["{sequence:int} × {sizes.hidden:int}", sp ? "by token" : "a copy each"];
  /**
   * @param {string} name
   * @param {number} k
   * @param {number} scale
   * @param {boolean} [again]
   * @returns {Item[]}
   */
  const begin = (name, k, scale, again) => [
    { blocks: [{ kind: stream, w: h * scale, h: tokens }], name, note: [s_h, side], step: k },
    ...(sp && !again ? [{ ring: "all-gather", step: k }] : []),
  ];
  /**
   * @param {string} name
   * @param {number} k
   * @param {number} scale
   * @returns {Item[]}
   */
  const end = (name, k, scale, meets = true) => [
    { sign: "→", step: k - 1 },
    {
      blocks: [{ kind: "partial", w: h * scale * 0.8, h: 40 * size, apart: spread(t, size) }],
      name: `{tp} partial ${name}`,
      note: [s_h, "each"],
      step: k - 1,
    },
    ...(meets
      ? [
          { ring: sp ? "reduce-scatter" : "all-reduce", step: k },
          { blocks: [{ kind: stream, w: h * scale, h: tokens }], name, note: [s_h, side], step: k },
        ]
      : []),
  ];
  const [q, out, kv, wide] = [cut(sizes.q * a), cut(sizes.o * a), sizes.kv * a, cut(f * m)];
  const k_block = {
    kind: copies > 1 ? "copies" : "columns",
    w: Math.max(kv, 12, (3.5 * t) / copies),
    h: h * a,
    copies,
  };
  const [q_rank, latent] = model.latent;
  /** @param {number} w @param {number} tall */
  const column = (w, tall) => ({ kind: "columns", w, h: Math.max(tall * a, 5) });
  /** @type {Item[]} */
  const projections = latent
    ? [
        {
          blocks: [q_rank, sizes.down].filter(Boolean).map((w) => ({ kind: "copy", w: Math.max(w * a, 4), h: h * a })),
          name: q_rank ? "q_a  kv_a" : "kv_a",
          note: ["kv_a {sizes.hidden:int} × {sizes.down:int}", "whole on each"],
          step: 1,
        },
        { sign: "·", step: 1 },
        {
          blocks: [column(q, sizes.from), column(cut(kv), latent)],
          name: q_rank ? "q_b  kv_b" : "q  kv_b",
          note: ["{sizes.from:int} × {sizes.q:int}", "kv_b {sizes.latent:int} × {sizes.kv:int}"],
          step: 1,
        },
      ]
    : [
        {
          blocks: [{ kind: "columns", w: q, h: h * a }, k_block, k_block],
          name: "q  k  v",
          note: ["{sizes.hidden:int} × {sizes.q:int}", "k, v {sizes.hidden:int} × {sizes.kv:int}"],
          step: 1,
        },
      ];
  const up = { kind: "columns", w: wide, h: h * m };
  return [
    [
      [...begin("x", 0, a), { sign: "·", step: 1 }, ...projections],
      [
        model.full ? { ring: "all-gather", step: 2 } : { sign: "→", step: 2 },
        {
          blocks: [{ kind: "columns", w: out, h: 50 * size }],
          name: "heads",
          note: ["{sizes.heads} of {sizes.head_dim}", "stay sharded"],
          step: 2,
        },
        { sign: "·", step: 3 },
        {
          blocks: [{ kind: "rows", w: h * a, h: out }],
          name: "o",
          note: ["{sizes.o:int} × {sizes.hidden:int}", "by row"],
          step: 3,
        },
      ],
      end("y", 4, a, !model.parallel),
    ],
    [
      [
        ...begin(model.parallel ? "x" : "y", 5, m, model.parallel === 1),
        { sign: "·", step: 6 },
        {
          blocks: model.gated ? [up, up] : [up],
          over: model.gated === 1 && up.w > up.h,
          name: model.gated ? "gate, up" : "up",
          note: ["{sizes.hidden:int} × {sizes.mlp:int}", model.expert ? "one expert, by column" : "by column"],
          step: 6,
        },
      ],
      [
        { sign: "→", step: 7 },
        {
          blocks: [{ kind: "columns", w: wide, h: 50 * size }],
          name: now.moments[7][0],
          note: ["{sequence:int} × {sizes.mlp:int}", "stays sharded"],
          step: 7,
        },
        { sign: "·", step: 8 },
        {
          blocks: [{ kind: "rows", w: h * m, h: wide }],
          name: "down",
          note: ["{sizes.mlp:int} × {sizes.hidden:int}", "by row"],
          step: 8,
        },
      ],
      end("z", 9, m),
    ],
  ];
};

/** @param {Block} b @returns {[w: number, h: number]} */
const block_size = (b) => [
  b.w + (b.apart || 0) + 4 * ((b.copies || 1) - 1),
  b.h + (b.apart || 0) + 4 * ((b.copies || 1) - 1),
];
/** @param {Item} item @param {Shown} now @returns {[w: number, h: number, wide: number]} */
const item_size = (item, now) => {
  if (item.sign) return [14, 20, 0];
  if (!item.blocks) return [112, 120, 0];
  const sizes = item.blocks.map(block_size);
  const words =
    Math.max(said(item.name, now).length * 7.6, ...item.note.map((line) => said(line, now).length * 6.3)) + 6;
  const wide = item.over ? sizes[0][0] : sizes.reduce((sum, s) => sum + s[0] + 5, -5);
  const tall = item.over ? 2 * sizes[0][1] + 5 : Math.max(...sizes.map((s) => s[1]));
  return [Math.max(wide, words), tall, wide];
};

/* Left to right; where the width ends, the next group goes into a new line, and only a group too wide for a line is parted. */
/** @param {Item[][]} groups @param {Shown} now @param {number} width @param {number} top */
const flow = (groups, now, width, top) => {
  /** @typedef {{ item: Item, w: number, h: number, wide: number }} Sized */
  /** @type {Sized[][]} */
  const lines = [[]];
  const last = () => lines[lines.length - 1];
  /** @param {Sized[]} list */
  const room = (list) => list.reduce((sum, p) => sum + p.w + 4, -4);
  /** @param {Sized[]} more */
  const fits = (more) => width >= room([...last(), ...more]) || !last().length;
  for (const group of groups) {
    const sized = group.map((item) => {
      const [w, h, wide] = item_size(item, now);
      return { item, w, h, wide };
    });
    if (!fits(sized)) lines.push([]);
    for (const p of sized) {
      if (!fits([p])) lines.push([]);
      last().push(p);
    }
  }
  let y = top;
  /** @type {Placed[]} */
  const placed = [];
  for (const line of lines) {
    const tall = Math.max(...line.map((p) => p.h));
    const spare = Math.max(0, Math.min((width - room(line)) / Math.max(line.length - 1, 1), 16));
    let x = 0;
    for (const p of line) {
      placed.push({ ...p, x, y: y + tall / 2 });
      x += p.w + 4 + spare;
    }
    y += tall + 50;
  }
  return { placed, bottom: y, lines: lines.length };
};

/* Both halves where each has one line, as large as that allows; else, where it is narrow, the half of this step alone. */
/**
 * @param {Model} model
 * @param {Shown} now
 * @param {number} width
 * @param {boolean} alone
 * @param {0 | 1} half
 * @returns {{ placed: Placed[], height: number, titles: [words: string, y: number][], half: number }}
 */
const layout = (model, now, width, alone, half) => {
  const sizes = width >= 700 ? [1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.8] : [0.7];
  /** @param {number} size */
  const flowed = (size) => {
    const [first, second] = halves_of(model, now, size);
    const one = flow(first, now, width, 34);
    return { one, two: flow(second, now, width, one.bottom + 40) };
  };
  let { one, two } = flowed(sizes[0]);
  for (const size of sizes.slice(1)) {
    if (one.lines === 1 && two.lines === 1) break;
    ({ one, two } = flowed(size));
  }
  const titles = ["attention", model.expert ? "MLP, one expert" : "MLP"];
  if ((one.lines === 1 && two.lines === 1) || !alone)
    return {
      placed: [...one.placed, ...two.placed],
      height: two.bottom,
      titles: [
        [titles[0], 14],
        [titles[1], one.bottom + 20],
      ],
      half: -1,
    };
  const up = one.bottom + 40 - 34;
  const lower = two.placed.map((p) => ({ ...p, y: p.y - up }));
  return {
    placed: half ? lower : one.placed,
    height: Math.max(one.bottom, two.bottom - up),
    titles: [
      [titles[half], 14],
      ["", 0],
    ],
    half,
  };
};

/** @param {Placed} p @returns {p is Placed<Matrices>} */
const has_blocks = (p) => p.item.blocks !== undefined;
/** @param {Placed<Matrices>} p @param {number} t */
const draw_blocks = (p, t) => {
  const { item } = p;
  /** @type {(Piece & { step: number })[]} */
  const made = [];
  let x = p.x + (p.w - p.wide) / 2;
  item.blocks.forEach((b, i) => {
    const [wide, tall] = block_size(b);
    const top = item.over ? p.y - b.h - 2.5 + i * (b.h + 5) : p.y - tall / 2;
    made.push(...sheets(b, t).map((q) => ({ ...q, x: x + q.x, y: top + q.y, step: item.step })));
    if (!item.over) x += wide + 5;
  });
  return made;
};

/* alone: on a narrow screen one half at a time (in a beat wherever a half needs more than a line). */
/** @param {(width: number) => boolean} alone */
export const layer_view = (alone) => {
  /** @param {string} name */
  const layer = (name) => s("g", { class: `cw-tensor-parallel-${name}` });
  const [blocks, signs, names, notes, rings] = ["blocks", "signs", "names", "notes", "rings"].map(layer);
  const headings = [s("text", { class: "cw-tensor-parallel-half" }), s("text", { class: "cw-tensor-parallel-half" })];
  const svg = s("svg", { role: "img", class: "cw-tensor-parallel-svg" }, blocks, signs, names, notes, rings, headings);
  /** @type {{ ring: PlacedRing, node: Element }[]} */
  let dots = [];
  /** @type {{ args: [model: Model, now: Shown, width: number], half: number, hush?: boolean } | null} */
  let drawn = null;
  /** @param {PlacedRing} ring @param {number} f */
  const around = (ring, f) => {
    const turn = f * 2 * Math.PI - Math.PI / 2;
    return [ring.x + 56 + 42 * Math.cos(turn), ring.y + 42 * Math.sin(turn)];
  };

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
    const last = new Set(
      [4, 9].flatMap((k) =>
        laid.placed.filter(
          (p) =>
            p.item.step === k ||
            (p.item.step === k - 1 && (p.item.sign === "→" || p.item.blocks?.[0].kind === "partial")),
        ),
      ),
    );
    const placed = hush ? laid.placed.filter((p) => !last.has(p) && !p.item.ring) : laid.placed;
    setAttrs(svg, { width, height: rounded(laid.height), viewBox: `0 0 ${width} ${rounded(laid.height)}` });
    laid.titles.forEach(([text, y], i) => setAttrs(headings[i], { x: 0, y: rounded(y), text }));
    const plain = placed.filter(has_blocks);
    /** @param {Piece} b @param {number} px */
    const thin = (b, px) => rounded(Math.max(px - (b.rank >= 0 && px > 2 ? 0.75 : 0), 0.5));
    renderList(
      blocks,
      plain.flatMap((p) => draw_blocks(p, t)),
      () => s("rect"),
      (node, b) =>
        setAttrs(node, {
          x: rounded(b.x),
          y: rounded(b.y),
          width: thin(b, b.w),
          height: thin(b, b.h),
          rx: b.rank >= 0 && 6 > Math.min(b.w, b.h) ? 0.5 : 2,
          class:
            b.rank === -1
              ? "cw-tensor-parallel-copy"
              : `cw-rank cw-rank${b.rank}${b.sheet ? " cw-tensor-parallel-sheet" : ""}`,
          "data-step": b.step,
          "data-rank": b.rank,
        }),
    );
    const words = () => s("text", { "text-anchor": "middle" });
    renderList(
      signs,
      placed.filter((p) => p.item.sign),
      words,
      (node, p) =>
        setAttrs(node, { x: rounded(p.x + p.w / 2), y: rounded(p.y + 6), text: p.item.sign, "data-step": p.item.step }),
    );
    renderList(names, plain, words, (node, p) =>
      fill(
        setAttrs(node, { x: rounded(p.x + p.w / 2), y: rounded(p.y + p.h / 2 + 16), "data-step": p.item.step }),
        p.item.name,
        now,
      ),
    );
    renderList(
      notes,
      plain.flatMap((p) => p.item.note.map((line, i) => ({ p, line, i }))),
      words,
      (node, { p, line, i }) =>
        fill(
          setAttrs(node, {
            x: rounded(p.x + p.w / 2),
            y: rounded(p.y + p.h / 2 + 30 + 13 * i),
            "data-step": p.item.step,
          }),
          line,
          now,
        ),
    );
    draw_rings(
      placed.filter((p) => p.item.ring).map((p) => ({ x: p.x, y: p.y, step: p.item.step, text: p.item.ring || "" })),
      t,
    );
  };

  /** @param {PlacedRing[]} found @param {number} t */
  const draw_rings = (found, t) => {
    const small = t > 8 ? 7 : t > 5 ? 10 : 12;
    /** @param {PlacedRing} ring @param {number} r */
    const arc = (ring, r) => {
      const gap = (small + 5) / 42 / 2 / Math.PI;
      const [a, b] = [around(ring, r / t + gap), around(ring, (r + 1) / t - gap)].map((point) =>
        point.map(rounded).join(" "),
      );
      return t === 1 ? "" : `M${a}A42 42 0 0 1 ${b}`;
    };
    renderList(
      rings,
      found,
      () =>
        s(
          "g",
          {},
          s("g", { class: "cw-tensor-parallel-arcs" }),
          s("g"),
          s("g", { class: "cw-tensor-parallel-dots" }),
          s("text", { "text-anchor": "middle" }),
          s("text", { "text-anchor": "middle" }),
        ),
      (node, ring) => {
        const [arcs, nodes, moving, ...words] = node.children;
        setAttrs(node, { "data-step": ring.step });
        renderList(
          arcs,
          range(t),
          () => s("path"),
          (path, r) => setAttrs(path, { d: arc(ring, r) }),
        );
        renderList(
          nodes,
          range(t),
          () => s("g", {}, s("circle"), s("text", { "text-anchor": "middle", dy: "0.36em", "data-index": "" })),
          (g, r) => {
            const [x, y] = around(ring, r / t);
            setAttrs(g, { transform: `translate(${rounded(x)} ${rounded(y)})` });
            setAttrs(g.children[0], { r: small, class: `cw-rank cw-rank${r}`, "data-rank": r });
            setAttrs(g.children[1], {
              text: r,
              class: `cw-tensor-parallel-${r > 7 ? "dark" : "light"}${t > 8 ? " cw-tensor-parallel-small" : ""}`,
            });
          },
        );
        renderList(
          moving,
          range(t),
          () => s("circle", { r: 3.5 }),
          (dot, r) => setAttrs(dot, { class: `cw-rank cw-rank${r}` }),
        );
        const [first, second] =
          t === 1 ? ["nothing", "to send"] : ring.text.split("-").map((part, i) => (i ? part : `${part}-`));
        words.forEach((word, i) =>
          setAttrs(word, { x: rounded(ring.x + 56), y: rounded(ring.y - 2 + 14 * i), text: i ? second : first }),
        );
      },
    );
    dots = found.map((ring, i) => ({ ring, node: rings.children[i].children[2] }));
  };

  /* Up to step t everything is there; the ring of a step under way turns. */
  /** @param {number} t @param {{ tp: number, rank: number }} state */
  const at = (t, state) => {
    if (!drawn) return;
    const now = Math.floor(t);
    if (drawn.half >= 0 && drawn.half !== (now > 4 ? 1 : 0)) draw(...drawn.args, now, drawn.hush);
    for (const node of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-step]"))) {
      const step = Number(node.dataset.step);
      const rank = Number(node.dataset.rank ?? -1);
      const other =
        node.localName === "rect" && state.tp > state.rank && state.rank >= 0 && rank >= 0 && rank !== state.rank;
      setAttrs(node, { opacity: step > now ? 0.22 : other ? 0.18 : false });
    }
    for (const { ring, node } of dots) {
      const f = ring.step === now && state.tp > 1 ? t - now : 0;
      setAttrs(node, { visibility: f > 0 ? "visible" : "hidden" });
      if (f > 0)
        [...node.children].forEach((dot, r) => {
          const [x, y] = around(ring, (r + f * (state.tp - 1)) / state.tp);
          setAttrs(dot, { transform: `translate(${rounded(x)} ${rounded(y)})` });
        });
    }
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
