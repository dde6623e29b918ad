/* Tiles of a stream, what is said next, looks, states, right answers by distance. */
import { firstChild, h as kitH, uid as kitUid, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { row_of } from "./compute.js";
import { range_of } from "./forward.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data, Live, Now } from "./compute.js" */

/** What is drawn once the decoder has answered. @typedef {Now & { live: Live }} Answered */

/**
 * A unit; `was` is how it was drawn last.
 * @typedef {HTMLLIElement & { parts: {
 *   word: HTMLElement, key: HTMLElement, value: HTMLElement, mark: HTMLElement, path: SVGElement, bars: SVGElement,
 *   was: string,
 * } }} Tile
 */

/**
 * How a unit is drawn.
 * @typedef {{
 *   css: string, down: boolean, asked: boolean, answer: string, right: boolean, drawn: string, here: boolean,
 * }} Drawn
 */

/**
 * What of a stream is drawn: the unit under the cursor, whether all others lie face down but `only`, whether its value is
 * asked for, what each head does over the units, whether answers stand under them, and the tokens of a window.
 * @typedef {{
 *   u: number, hide?: boolean, ask?: boolean, only?: number, bars?: number[][] | null, marks?: boolean, window?: number,
 * }} Tiling
 */

const [TOP, HIGH, LAST, SIDE] = [16, 150, 71, 40];
const [WIDE, GAP, PITCH, LINES] = [96, 2, 1.5, 13]; // of what is kept, in cells
/**
 * Whether the decoder has answered: its weights are here, or this is the first stream.
 * @template {Pick<Now, "live">} Some
 * @param {Some} now
 * @returns {now is Some & { live: Live }}
 */
export const is_answered = (now) => now.live !== null;
/** What a unit is. @type {{ [word: string]: string }} */
const KIND = { W: "write", R: "read", X: "reset" };
/** What each head does with a unit. @param {number[]} shares */
const bar_path = (shares) => shares.map((s, h) => `M${6 * h} 16v${(-16 * Math.max(s, 0)).toFixed(2)}h5V16z`).join("");

/** A list of units; a listbox has bars over them, marks under them, and can be used. */
export const tiles_view = ({ listbox = false, label = "the stream" } = {}) => {
  const el = kitH("ol", {
    class: "cw-decoder-tiles",
    ...(listbox ? { role: "listbox", tabindex: 0, "aria-label": label } : {}),
  });
  const uid = kitUid("unit");
  /** @param {unknown} _ @param {number} i */
  const make = (_, i) => {
    const [word, key, value, mark] = [kitH("b"), kitH("i"), kitH("u"), kitH("small", { "aria-hidden": "true" })];
    const path = s("path");
    const bars = s("svg", { viewBox: "0 0 24 16", preserveAspectRatio: "none", "aria-hidden": "true" }, path);
    const li = kitH(
      "li",
      listbox ? { role: "option", id: `${uid}-${i}` } : {},
      listbox ? bars : null,
      word,
      key,
      value,
      listbox ? mark : null,
    );
    return Object.assign(li, { parts: { word, key, value, mark, path, bars, was: "" } });
  };
  /** @param {Now} now @param {Tiling} tiling */
  const update = (now, { u, hide = false, ask = false, only = -1, bars = null, marks = false, window: near = 0 }) => {
    renderList(el, now.stream.units, make, (li, unit, i) => {
      const down = hide && i !== u && i !== only;
      const asked = i === u && (hide || (ask && !unit.said));
      const gone = near > 0 && 3 * i + 2 < 3 * u + 2 - near;
      const answer = unit.reads && now.live ? now.live.answers[i] : "";
      const right = marks && answer === String(unit.value);
      const css = [
        KIND[unit.word],
        i === u ? "here" : "",
        down ? "down" : asked ? "asked" : "",
        gone ? "gone" : "",
        i > u && marks ? "later" : "",
        unit.said && unit.said !== unit.value ? "lie" : "",
      ]
        .filter(Boolean)
        .join(" ");
      const drawn = listbox && bars ? bar_path(bars.map((row) => row[i] || 0)) : "";
      const now_is = [css, unit.key, unit.value, unit.said, answer, right, drawn].join();
      if (li.parts.was === now_is) return; // of forty units most stay
      li.parts.was = now_is;
      draw_unit(li, now, i, { css, down, asked, answer, right, drawn, here: i === u });
    });
    if (listbox) setAttrs(el, { "aria-activedescendant": `${uid}-${u}` });
  };
  /**
   * @param {Tile} li
   * @param {Now} now
   * @param {number} i
   * @param {Drawn} drawn
   */
  const draw_unit = (li, now, i, { css, down, asked, answer, right, drawn, here }) => {
    const [unit, { word, key, value, mark, path }] = [now.stream.units[i], li.parts];
    setAttrs(li, { class: css });
    setText(word, down ? "" : unit.word);
    setText(key, down ? "" : unit.key);
    if (down || asked) setAttrs(value, { text: asked ? "?" : "", "data-out": false, "data-format": false });
    else put(value, `stream.units.${i}.${unit.said ? "said" : "value"}`, "int", now);
    if (!listbox) return;
    setText(mark, answer && (right ? "•" : "✗"));
    setAttrs(mark, { class: right ? "right" : "wrong" });
    setAttrs(path, { d: drawn });
    const said = `${unit.said ? ` said ${unit.said}` : ""}${answer && `, answered ${answer}, ${right ? "right" : "wrong"}`}`;
    setAttrs(li, {
      "aria-selected": here ? "true" : "false",
      "aria-label": `operation ${i + 1}, ${KIND[unit.word]} ${unit.key}${unit.reads ? said : ` ${unit.value}`}`.trim(),
    });
  };
  return { el, update };
};

/** A bar, which is given its share. */
export const bar_of = (css = "") => {
  const rect = s("rect", { height: 8 });
  return Object.assign(
    s(
      "svg",
      { class: `cw-decoder-bar ${css}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      rect,
    ),
    { share: (/** @type {number} */ s) => setAttrs(rect, { width: (100 * s).toFixed(2) }) },
  );
};

export const says_view = () => {
  const el = kitH("ol", { class: "cw-decoder-says" });
  const make = () => {
    const [name, bar, share] = [kitH("span"), bar_of(), kitH("span")];
    return Object.assign(kitH("li", {}, kitH("b", {}, name), bar, kitH("span", {}, share)), {
      parts: { name, bar, share },
    });
  };
  /** @param {Answered} now */
  const update = (now) =>
    renderList(el, now.live.top, make, ({ parts }, one, i) => {
      put(parts.name, `live.top.${i}.name`, "text", now);
      put(parts.share, `live.top.${i}.share`, "percent 1", now);
      parts.bar.share(one.share);
    });
  return { el, update };
};

/**
 * The units up to the cursor that write the key under it.
 * @param {Now} now
 */
export const own_writes = (now) =>
  now.stream.units.flatMap((one, i) =>
    now.here.token > 3 * i && one.key === now.here.key && one.word === "W" ? [i] : [],
  );
export const heads_view = () => {
  const body = kitH("tbody");
  const el = kitH(
    "table",
    { class: "cw-decoder-heads" },
    kitH(
      "thead",
      {},
      kitH(
        "tr",
        {},
        kitH("td"),
        ["first", "last"].map((name) => kitH("th", { scope: "col", text: `on the ${name} write` })),
      ),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} h */
  const make = (_, h) => {
    const cells = range_of(2).map(() => ({ bar: bar_of("look"), share: kitH("span") }));
    return Object.assign(
      kitH(
        "tr",
        {},
        kitH("th", { scope: "row" }, "head ", kitH("span", { "data-index": true, text: h })),
        cells.map(({ bar, share }) => kitH("td", {}, bar, share)),
      ),
      { parts: cells },
    );
  };
  /** @param {Answered} now */
  const update = (now) => {
    const writes = own_writes(now);
    renderList(body, now.live.looks, make, ({ parts: cells }, row, h) =>
      [writes[0], writes[writes.length - 1]].forEach((i, k) => {
        cells[k].bar.share(row[i]);
        put(cells[k].share, `live.looks.${h}.${i}`, "percent 0", now);
      }),
    );
  };
  return { el, update };
};

/* How much of each head's state stays over a reset. */
export const gates_view = () => {
  const body = kitH("tbody");
  const el = kitH(
    "table",
    { class: "cw-decoder-heads" },
    kitH(
      "thead",
      {},
      kitH("tr", {}, kitH("td"), kitH("th", { scope: "col", text: "share of its state left after X X X" })),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} h */
  const make = (_, h) => {
    const [bar, share] = [bar_of("look"), kitH("span")];
    return Object.assign(
      kitH(
        "tr",
        {},
        kitH("th", { scope: "row" }, "head ", kitH("span", { "data-index": true, text: h })),
        kitH("td", {}, bar, share),
      ),
      { parts: { bar, share } },
    );
  };
  /** @param {Now} now */
  const update = (now) =>
    renderList(body, now.model.stays, make, ({ parts }, share, h) => {
      parts.bar.share(share);
      put(parts.share, `model.stays.${h}`, "percent 1", now);
    });
  return { el, update };
};

/**
 * The paths of a state: filled for what is above zero, hollow for what is below; area is size.
 * @param {number[]} row
 */
const squares = (row) => {
  const [side, most] = [Math.round(Math.sqrt(row.length)), Math.max(...row.map(Math.abs)) || 1];
  const paths = ["", ""];
  row.forEach((value, place) => {
    const half = Math.floor((SIDE * Math.sqrt(Math.abs(value) / most)) / 2 - 1);
    if (1 > half) return;
    const [x, y] = [SIDE * (place % side) + SIDE / 2 - half, SIDE * Math.floor(place / side) + SIDE / 2 - half];
    paths[value > 0 ? 0 : 1] += `M${x} ${y}h${2 * half}v${2 * half}h-${2 * half}z`;
  });
  return paths;
};
export const state_view = () => {
  const [above, below] = ["above", "below"].map((name) => s("path", { class: name }));
  const el = s("svg", { class: "cw-decoder-state", role: "img" }, above, below);
  /** @param {number[][]} held @param {number} h */
  const update = (held, h) => {
    const row = held[h];
    const side = SIDE * Math.round(Math.sqrt(row.length));
    const [plus, minus] = squares(row);
    setAttrs(el, {
      viewBox: `0 0 ${side} ${side}`,
      "aria-label": `The state of head ${h}: filled squares are positive, hollow ones negative.`,
    });
    setAttrs(above, { d: plus });
    setAttrs(below, { d: minus });
  };
  return { el, update };
};

/* A state and a cache, each number a cell: how many tokens it takes to keep as much; while asked, one token. */
export const ink_view = () => {
  const says = range_of(3).map(() => kitH("p"));
  const [state, cache] = range_of(2).map(() =>
    s("svg", { "aria-hidden": "true" }, s("path"), s("path", { class: "later" })),
  );
  const el = kitH("div", { class: "cw-decoder-ink" }, says[0], state, says[1], cache, says[2]);
  /** @param {SVGElement} svg @param {number} high @param {...string} paths */
  const draw = (svg, high, ...paths) => {
    setAttrs(svg, { viewBox: `0 0 ${WIDE} ${high}` });
    paths.forEach((d, i) => setAttrs(svg.children[i], { d }));
  };
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { row, fixed, after } = now.meets;
    const [side, beside] = [Math.sqrt(fixed / 4), Math.floor((WIDE + GAP) / (row + GAP))];
    /** @param {number} many @param {number} [first] */
    const tokens = (many, first = 0) =>
      range_of(first + many)
        .slice(first)
        .map((i) => `M${(i % beside) * (row + GAP)} ${PITCH * Math.floor(i / beside) + 0.5}h${row}`)
        .join("");
    draw(
      state,
      side,
      range_of(4 * side)
        .map((i) => `M${Math.floor(i / side) * (side + GAP)} ${(i % side) + 0.5}h${side}`)
        .join(""),
      "",
    );
    draw(cache, LINES, tokens(hide ? 1 : after), hide ? "" : tokens(2, after));
    fill(says[0], "State, at any length: {meets.fixed:int} numbers.", now);
    fill(says[1], "KV cache ({meets.cache:text}): {meets.row:int} numbers per token.", now);
    fill(
      says[2],
      hide
        ? ""
        : "After {meets.after:int} tokens the cache is as large as the state, which never grows. After {meets.many:int} tokens:",
      now,
    );
  };
  return { el, update };
};

/** @param {Data} data */
export const chart_view = (data) => {
  /** @param {number} share */
  const y = (share) => TOP + HIGH * (1 - share);
  /** @param {number} back */
  const x = (back) => `${(8 + (90 * (back - 2)) / (LAST - 2)).toFixed(3)}%`;
  const grid = [0, 0.5, 1].map((share) => [
    s("line", { x1: "8%", x2: "100%", y1: y(share), y2: y(share) }),
    s("text", { x: 0, y: y(share) + 4, "data-index": true, text: `${100 * share} %` }),
  ]);
  const ticks = [2, 23, 47, 71].map((back) =>
    s("text", { x: x(back), y: TOP + HIGH + 20, "text-anchor": "middle", "data-index": true, text: back }),
  );
  const [full, own] = [s("g"), s("g")];
  const svg = s(
    "svg",
    { class: "cw-decoder-chart", role: "img", width: "100%", height: TOP + HIGH + 28 },
    s("g", { class: "grid" }, grid, ticks),
    full,
    own,
  );
  const note = kitH("p", {
    class: "cw-note",
    text: "tokens since the value was last seen; rings: full attention, discs: this mixer",
  });
  /** @param {Element} g @param {number[]} said @param {string} css @param {number} limit */
  const dots = (g, said, css, limit) =>
    renderList(
      g,
      said.slice(0, (limit + 1) / 3),
      () => s("circle", { r: 4 }),
      (node, share, i) => setAttrs(node, { class: css, cx: x(3 * i + 2), cy: y(share).toFixed(2) }),
    );
  /** @param {State} state @param {boolean} hide */
  const update = (state, hide) => {
    const one = row_of(state.m, data);
    dots(full, data.mixers[0].said, "full", LAST);
    dots(own, one.said, `${one.role} own`, hide ? 23 : LAST);
    setAttrs(svg, {
      "aria-label": `Right answers of ${one.title} and of full attention, by tokens since the value was last seen.`,
    });
  };
  return { el: [svg, note], update };
};

/** @param {Data} data */
export const heat_view = (data) => {
  const body = kitH("tbody");
  /** @param {number[]} range */
  const ends = ([a, b]) => `${a}–${b}`;
  const el = kitH(
    "table",
    { class: "cw-decoder-heat" },
    kitH("caption", { text: "Right answers in percent, by keys to remember and tokens since the write." }),
    kitH(
      "thead",
      {},
      kitH(
        "tr",
        {},
        kitH("td"),
        data.far.map((one) => kitH("th", { scope: "col", "data-index": true, text: ends(one) })),
      ),
    ),
    body,
  );
  /** @param {unknown} _ @param {number} i */
  const make = (_, i) =>
    kitH(
      "tr",
      {},
      kitH("th", { scope: "row", "data-index": true, text: `${ends(data.live[i])} keys` }),
      data.far.map(() => kitH("td", {}, kitH("span"))),
    );
  /** @param {Now} now */
  const update = (now, few = false) =>
    renderList(body, now.heat, make, (tr, row, i) =>
      row.forEach((value, j) => {
        const td = tr.children[j + 1];
        const shown = value >= 0 && !(few && i > 1);
        setAttrs(td, {
          class: i === now.here.crowd && j === now.here.far ? "here" : false,
          "data-warm": shown ? Math.round(value / 10) : -1,
        });
        if (shown) put(firstChild(td), `heat.${i}.${j}`, "int", now);
        else setAttrs(firstChild(td), { text: "", "data-out": false, "data-format": false });
      }),
    );
  return { el, update };
};
