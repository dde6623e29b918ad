/* What compute returns -> tokens, candidates with what is cut, what a head reads, and the cache. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText, uid } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Answered, Look, Shown } from "./compute.js" */

const [ROW, NAME, END] = [26, 0.29, 0.82]; // pixels; shares of the width
const MOST = 24; // rows of a head's list

/**
 * The tokens of the text, as chips with their ids. Where `onPick` is given each is a button; `onPoint` is told of the one
 * that the pointer or the focus is on, and -1 when it leaves.
 * @param {((at: number) => void) | null} [onPick]
 * @param {(at: number) => void} [onPoint]
 */
export const tokens_view = (onPick, onPoint = () => {}) => {
  const el = h("ol", { class: "cw-next-token-chips" });
  /** @param {number} i */
  const pointing = (i) => {
    const [on, off] = [() => onPoint(i), () => onPoint(-1)];
    return { pointerenter: on, focus: on, pointerleave: off, blur: off };
  };
  const make = (/** @type {unknown} */ _, /** @type {number} */ i) => {
    const [name, id] = [h("b"), h("small")];
    const inner = onPick
      ? h("button", { type: "button", on: { click: () => onPick(i), ...pointing(i) } }, name, id)
      : h("span", {}, name, id);
    return Object.assign(h("li", {}, inner), { parts: { inner, name, id } });
  };
  /** @param {Answered} now @param {number} [at] the one that is open */
  const update = (now, at = -1) =>
    renderList(el, now.tokens, make, ({ parts }, _, i) => {
      put(parts.name, `tokens.${i}.name`, "text", now);
      put(parts.id, `tokens.${i}.id`, "text", now);
      setAttrs(parts.inner, { class: i === at ? "on" : false, "aria-pressed": onPick ? String(i === at) : false });
    });
  return { el, update };
};

/** The pattern of what is cut off. @param {string} id */
const hatching = (id) =>
  s(
    "pattern",
    { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("path", { class: "hatch", d: "M0 0V6" }),
  );

/** The ten best candidates: a bar of its share each, a tick where it is at temperature 1, and what is cut hatched. */
export const candidates_view = () => {
  const id = uid("hatch");
  const rows = s("g");
  const svg = s("svg", { class: "cw-next-token-bars", role: "img", width: "100%" }, s("defs", {}, hatching(id)), rows);
  const make = () => {
    const [name, bar, hatch, tick, share] = [
      s("text", { class: "name", x: pct(NAME), dx: -8 }),
      s("rect", { x: pct(NAME), height: 16, rx: 2 }),
      s("rect", { x: pct(NAME), height: 16, rx: 2, fill: `url(#${id})` }),
      s("line", { class: "tick" }),
      s("text", { class: "share", x: "100%" }),
    ];
    return Object.assign(s("g", {}, bar, hatch, tick, name, share), { parts: { name, bar, hatch, tick, share } });
  };
  /** @param {Answered} now @param {boolean} hide */
  const update = (now, hide) => {
    const { rows: all, taken } = now.next;
    const most = Math.max(...all.map((row) => Math.max(row.share, row.kept, row.plain)));
    setAttrs(svg, { height: ROW * all.length + 4, "aria-label": said(now, hide) });
    renderList(rows, all, make, ({ parts }, row, i) => {
      const y = ROW * i;
      const cut = Boolean(row.cut);
      const wide = ((END - NAME) * (cut ? row.share : row.kept)) / most;
      setAttrs(parts.name, { y: y + 16 });
      setAttrs(parts.share, { y: y + 16 });
      setAttrs(parts.bar, {
        y: y + 4,
        width: pct(hide ? (END - NAME) * 0.9 ** (i + 1) : wide),
        class: hide ? "unknown" : cut ? "cut" : row.id === taken.id ? "taken" : "",
      });
      setAttrs(parts.hatch, { y: y + 4, width: pct(hide || !cut ? 0 : wide) });
      const at = pct(NAME + ((END - NAME) * row.plain) / most);
      setAttrs(parts.tick, { x1: at, x2: at, y1: y + 1, y2: y + 23, visibility: hide ? "hidden" : false });
      if (hide) for (const node of [parts.name, parts.share]) unbind(node, "?");
      else {
        put(parts.name, `next.rows.${i}.name`, "text", now);
        put(parts.share, `next.rows.${i}.${cut ? "share" : "kept"}`, "percent 1", now);
      }
    });
  };
  return { el: svg, update };
};
/** @param {Element} node @param {string} text */
const unbind = (node, text) => setAttrs(node, { "data-out": false, "data-format": false, text });
/** @param {Answered} now @param {boolean} hide */
const said = ({ next }, hide) =>
  hide
    ? "The ten best candidates for the next token, their shares unknown."
    : `Candidates for the next token: ${next.rows
        .slice(0, 5)
        .map((row) => `${row.name} ${row.cut ? `cut by ${row.cut}` : fmt.percent(row.kept, 1)}`)
        .join(", ")}.`;

/** The kept shares laid one after another, and where the number u falls. */
export const draw_view = () => {
  const parts = s("g");
  const [mark, words] = [s("line", { class: "mark", y1: 0, y2: 30 }), h("p", { class: "cw-note" })];
  const svg = s("svg", { class: "cw-next-token-draw", role: "img", width: "100%", height: 32 }, parts, mark);
  const el = h("div", {}, svg, words);
  /** @param {Answered} now */
  const update = (now) => {
    const { rows, taken, u } = now.next;
    const kept = rows.filter((row) => !row.cut);
    let at = 0;
    const places = kept.map((row) => [at, (at += row.kept)]);
    if (1 - at > 1e-9) places.push([at, 1]);
    renderList(
      parts,
      places,
      () => s("rect", { y: 5, height: 20 }),
      (rect, [from, to], i) =>
        setAttrs(rect, {
          x: pct(from),
          width: pct(Math.max(0, to - from)),
          class: i >= kept.length ? "rest" : kept[i].id === taken.id ? "taken" : "",
        }),
    );
    setAttrs(mark, { x1: pct(u), x2: pct(u), visibility: now.draw ? false : "hidden" });
    setAttrs(svg, { "aria-label": `Shares of the ${fmt.int(now.next.kept)} tokens that are kept, one after another.` });
    fill(
      words,
      now.draw
        ? "Random number {next.u:fixed 3} → {next.taken.name:text}, candidate {next.taken.rank:int} of {next.kept:int}."
        : "Greedy: always the best, {next.taken.name:text}. {next.kept:int} of {model.vocabulary:int} tokens are kept.",
      now,
    );
  };
  return { el, update };
};

/** The tokens with the largest weights, in the order of the text; the open token is the last. @param {Look} look */
export const heaviest = ({ rows, at }) => {
  const order = rows.map((_, j) => j).sort((a, b) => rows[b].weight - rows[a].weight || a - b);
  const listed = order.slice(0, MOST);
  if (!listed.includes(at)) listed[MOST - 1] = at;
  return listed.sort((a, b) => a - b);
};

/** What one head reads: of each token its score, its weight and a bar. */
export const look_view = () => {
  const [head, rows, foot] = [h("p", { class: "cw-next-token-query" }), s("g"), h("p", { class: "cw-note" })];
  const svg = s("svg", { class: "cw-next-token-look", role: "img", width: "100%" }, rows);
  const el = h("div", {}, head, svg, foot);
  const make = () => {
    const [name, score, bar, weight] = [
      s("text", { class: "name", x: pct(NAME), dx: -8 }),
      s("text", { class: "score", x: pct(NAME + 0.13) }),
      s("rect", { x: pct(NAME + 0.16), height: 14, rx: 2 }),
      s("text", { class: "share", x: "100%" }),
    ];
    return Object.assign(s("g", {}, bar, name, score, weight), { parts: { name, score, bar, weight } });
  };
  /** @param {Shown & { look: Look }} now @param {boolean} hide */
  const update = (now, hide) => {
    const { look } = now;
    const listed = heaviest(look);
    setAttrs(svg, {
      height: 24 * listed.length + 4,
      "aria-label": hide
        ? `The query of ${look.name} and the scores of ${listed.length} tokens; the weights are unknown.`
        : `${look.name} attends most to ${look.best.name}: ${fmt.percent(look.best.weight, 1)}.`,
    });
    fill(head, "Query of “{look.name:text}”: scores q·k/√{model.head_dim:int}, and their softmax", now);
    renderList(rows, listed, make, ({ parts }, j, i) => {
      const y = 24 * i;
      for (const node of [parts.name, parts.score, parts.weight]) setAttrs(node, { y: y + 15 });
      put(parts.name, `look.rows.${j}.name`, "text", now);
      if (hide) for (const node of [parts.score, parts.weight]) unbind(node, "?");
      else {
        put(parts.score, `look.rows.${j}.score`, "num 3", now);
        put(parts.weight, `look.rows.${j}.weight`, "percent 1", now);
      }
      const wide = (0.98 - 0.14 - NAME - 0.16) * look.rows[j].weight;
      setAttrs(parts.bar, { y: y + 4, width: pct(hide ? 0 : wide), class: j === look.best.at ? "best" : "" });
    });
    const left = look.rows.length - listed.length;
    setText(foot, left ? `The ${MOST} tokens with the largest weights, of ${look.rows.length}.` : "");
    foot.hidden = !left;
    if (left) setAttrs(foot, { "data-index": true });
  };
  return { el, update };
};

const CELLS = /** @type {const} */ (["kept", "anew", "fresh"]);

/**
 * The cache: a column for each token, in each layer a key and a value. What `moved` holds is computed anew.
 * @param {{ moved?: boolean[] | null }} [given]
 */
export const cache_view = ({ moved = null } = {}) => {
  const cells = CELLS.map((kind) => s("path", { class: kind }));
  const box = s("svg", { class: "cells", x: "6%", width: "94%", preserveAspectRatio: "none" }, cells);
  const [names, words] = [s("g"), h("p", { class: "cw-note" })];
  const svg = s("svg", { class: "cw-next-token-cache", role: "img", width: "100%" }, box, names);
  const el = h("div", {}, svg, words);
  const TALL = 15;
  /** @param {Shown} now @param {boolean} hide */
  const update = (now, hide) => {
    const { layers } = now.model;
    const first = now.edit ? now.edit.same : now.count; // the first column that an edit computes again
    const drawn = { kept: "", anew: "", fresh: "" };
    for (const j of [...Array(now.count + 1).keys()]) {
      const fresh = j === now.count;
      const kind = fresh ? "fresh" : (moved ? !hide && moved[j] : j >= first) ? "anew" : "kept";
      if (fresh && moved) continue;
      for (let row = 0; 2 * layers > row; row++)
        drawn[kind] += `M${j} ${TALL * row + 3 * Math.floor(row / 2)}h.86v${TALL - 3}h-.86z`;
    }
    setAttrs(box, { viewBox: `0 0 ${now.count + 1} ${(2 * TALL + 3) * layers}`, height: (2 * TALL + 3) * layers });
    cells.forEach((path, i) => setAttrs(path, { d: drawn[CELLS[i]] || false }));
    renderList(
      names,
      [...Array(layers).keys()],
      () => s("text", { x: 0, "data-index": true }),
      (text, layer) => setAttrs(text, { y: TALL * 2 * layer + 3 * layer + 18, text: `L${layer}` }),
    );
    const changed = moved ? moved.filter(Boolean).length : 0;
    setAttrs(svg, {
      height: (2 * TALL + 3) * layers,
      "aria-label": moved
        ? hide
          ? `The keys and values of ${now.count} tokens.`
          : `Of ${now.count} tokens the last ${changed} are computed anew.`
        : `A key and a value of ${now.count} tokens in each of ${layers} layers.`,
    });
    fill(
      words,
      (!moved && now.edit ? "Blue: computed again after the edit. " : "") +
        "{cache.tokens:int} tokens × {cache.per_token:int} bytes = {cache.bytes:int} bytes. Each token: a key and a value × {model.layers:int} layers × {model.kv_heads:int} KV heads × {model.head_dim:int} numbers, in BF16.",
      now,
    );
  };
  return { el, update };
};
