/* Parts of the lab: the road of one token, what is kept row by row, every mixer's share. */
import { h as kitH, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { range_of } from "./vectors.js";
import { bar_of } from "./view.js";

/** @import { State } from "../../.make/data_types/decoder.d.ts" */
/** @import { Data, Now } from "./compute.js" */
/** @import { Stage } from "./live.js" */
/** @import { Mixer } from "./mixers.js" */
/** @import { Answered } from "./view.js" */

/** @type {[stage: Stage, label: string, shape: (size: number) => string][]} */
const STAGES = [
  ["embedding", "embedding", (n) => `${n} × 48`],
  ["mixer", "after the mixer", () => "48"],
  ["mlp", "after the MLP", () => "48 → 96 → 48"],
  ["logits", "logits", String],
];
/** @param {number[]} row */
const spark = (row) => {
  const most = Math.max(...row.map(Math.abs)) || 1;
  return row.map((v, i) => `M${i} 10v${((-9 * v) / most).toFixed(2)}`).join("");
};
export const road_view = () => {
  const paths = STAGES.map(() => s("path"));
  const boxes = paths.map((path) =>
    s("svg", { preserveAspectRatio: "none", "aria-hidden": "true", "data-omit": true }, path),
  );
  const shapes = STAGES.map(() => kitH("small", { "data-index": true }));
  const ends = [kitH("b"), kitH("b")];
  const el = kitH(
    "ol",
    { class: "cw-decoder-road", "aria-label": "one token’s path through the decoder" },
    kitH("li", {}, kitH("span", { text: "token" }), ends[0]),
    STAGES.map(([, label], i) => kitH("li", {}, kitH("span", { text: label }), boxes[i], shapes[i])),
    kitH("li", {}, kitH("span", { text: "next token" }), ends[1]),
  );
  /** @param {Answered} now */
  const update = (now) => {
    const { road } = now.live;
    STAGES.forEach(([word, , shape], i) => {
      setText(shapes[i], shape(road ? road.logits.length : 66));
      setAttrs(boxes[i], { viewBox: `-1 0 ${(road ? road[word].length : 48) + 1} 20` });
      setAttrs(paths[i], { d: road ? spark(road[word]) : "" });
    });
    put(ends[0], "here.key", "text", now);
    put(ends[1], "live.taken", "text", now);
  };
  return { el, update };
};

/* What each head looks at, or how strongly it writes, unit by unit; and where it does so most. */
export const strips_view = () => {
  const el = kitH("ul", { class: "cw-decoder-strips" });
  /** @param {unknown} _ @param {number} h */
  const make = (_, h) => {
    const [path, most] = [s("path"), kitH("span")];
    const svg = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, path);
    return Object.assign(
      kitH("li", {}, kitH("b", {}, "head ", kitH("span", { "data-index": true, text: h })), svg, most),
      { parts: { svg, path, most } },
    );
  };
  /** @param {Answered & Pick<State, "h">} now */
  const update = (now) =>
    renderList(el, now.live.looks, make, (li, row, h) => {
      const { svg, path, most } = li.parts;
      const i = row.indexOf(Math.max(...row));
      const unit = now.stream.units[i];
      setAttrs(svg, { viewBox: `0 0 ${now.stream.units.length} 10` });
      setAttrs(path, { d: row.map((s, k) => `M${k + 0.1} 10v${(-10 * s).toFixed(2)}h.8V10z`).join("") });
      fill(most, `{live.looks.${h}.${i}:percent 0} on ${unit.word} ${unit.key} {stream.units.${i}.value:int}`, now);
      setAttrs(li, { class: h === now.h ? "own" : false });
    });
  return { el, update };
};

/* Rows of a cache, one for each token that is kept, as wide as what it keeps; a state is one block of the same area. */
export const kept_view = () => {
  const [full, rows, fresh] = ["full", "rows", "fresh"].map((name) => s("path", { class: name }));
  const svg = s(
    "svg",
    { class: "cw-decoder-kept", viewBox: "0 0 96 120", preserveAspectRatio: "none", role: "img" },
    full,
    rows,
    fresh,
  );
  const says = range_of(4).map(() => kitH("p"));
  /** @param {Now} now */
  const update = (now) => {
    const { row, fixed, rows: n, bytes } = now.kept;
    const added = Math.min(now.fed.rows, n);
    /** @param {number} from @param {number} to */
    const stripes = (from, to) =>
      range_of(to - from)
        .map((i) => `M0 ${from + i}h${row}v.8h-${row}z`)
        .join("");
    setAttrs(full, { d: `M0 0h96v${now.tokens}h-96z` });
    setAttrs(rows, {
      d: fixed ? `M0 0h96v${(fixed / 96).toFixed(2)}h-96z` : stripes(now.tokens - n, now.tokens - added),
    });
    setAttrs(fresh, { d: fixed ? "" : stripes(now.tokens - added, now.tokens) });
    setAttrs(svg, {
      "aria-label": `${n ? `${n} rows of ${row} numbers` : `a state of ${fixed} numbers`}, ${fmt.bytes(bytes)}`,
    });
    fill(
      says[0],
      fixed
        ? "A state of {kept.fixed:int} numbers, {kept.bytes:bytes}, at any length."
        : "{kept.rows:int} rows of {kept.row:int} numbers: {kept.numbers:int} numbers, {kept.bytes:bytes}.",
      now,
    );
    fill(says[1], "Not counted: the last three inputs of its convolutions, {kept.conv:int} numbers.", now);
    fill(says[2], "Full attention stores {full.bytes:bytes} for these {tokens:int} tokens.", now);
    fill(
      says[3],
      now.fed.steps > 1
        ? fixed
          ? "Decode: {fed.steps:int} steps so far; each updates the state."
          : "Decode: {fed.steps:int} steps so far; each adds {fed.rows:int} row."
        : fixed
          ? "Prefill: all {tokens:int} tokens in {fed.steps:int} pass give the same state."
          : "Prefill: {fed.rows:int} rows in {fed.steps:int} pass, with the same numbers.",
      now,
    );
  };
  return { el: [svg, ...says], update };
};

const MAP = { viewBox: "0 0 6 4", preserveAspectRatio: "none", "aria-hidden": "true" };
/**
 * Every mixer: its share of right answers, or the bytes that it keeps.
 * @param {"all" | "bytes"} key
 * @param {string} how its format
 * @param {Data} [data] for a small map of each
 */
export const every_view = (key, how, data) => {
  const el = kitH("ul", { class: `cw-decoder-every ${data ? "mapped" : ""}` });
  const make = () => {
    const [name, share, bar, map] = [
      kitH("span"),
      kitH("span"),
      bar_of(key),
      data ? s("svg", { ...MAP, "data-omit": true }) : null,
    ];
    return Object.assign(kitH("li", {}, name, map, bar, share), { parts: { name, share, bar, map, of: "" } });
  };
  /** @param {Data} all @param {string} title */
  const cells = ({ mixers }, title) => /** @type {Mixer} */ (mixers.find((one) => one.title === title)).cells;
  /** @param {[right: number, asked: number]} cell @param {number} x @param {number} y */
  const small = ([right, asked], x, y) =>
    s("rect", { x, y, width: 0.9, height: 0.9, opacity: asked ? (1 - right / asked).toFixed(2) : 0 });
  /** @param {Now} now */
  const update = (now) =>
    renderList(el, now.every, make, (li, one, i) => {
      put(li.parts.name, `every.${i}.title`, "text", now);
      put(li.parts.share, `every.${i}.${key}`, how, now);
      if (data && li.parts.of !== one.title)
        li.parts.map?.replaceChildren(
          ...cells(data, one.title).flatMap((row, y) => row.map((cell, x) => small(cell, x, y))),
        );
      li.parts.of = one.title;
      li.parts.bar.share(one[key] / (key === "all" ? 1 : now.every[0].bytes));
      setAttrs(li, { class: one.title === now.model.title ? "own" : false });
    });
  return { el, update };
};
