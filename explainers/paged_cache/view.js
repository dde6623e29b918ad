/* What compute returns -> the blocks of the cache, the queues, and the block tables of a step. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { put } from "../kit/numbers.js";

/** @import { State } from "../../.make/data_types/paged-cache.d.ts" */
/** @import { Now } from "./compute.js" */

/** A state with what was computed of it. @typedef {State & Now} Seen */

/** A request's name. @param {number} number */
export const letter = (number) => String.fromCharCode(65 + number);
/** @param {number} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

const [MANY, GAP] = [160, 0.1]; // above so many blocks no letter fits; of a cell's width
export const pool_view = () => {
  const cells = s("g");
  const svg = s("svg", { class: "cw-paged-cache-pool", role: "img", width: "100%" }, cells);
  const make = () => {
    const parts = { frame: s("rect", { rx: 3 }), fill: s("rect", { class: "fill", rx: 3 }), name: s("text") };
    return Object.assign(s("g", {}, parts.frame, parts.fill, parts.name), { parts });
  };
  /** @param {Seen} now @param {boolean} [quiet] hides how full a block is */
  const update = (now, quiet) => {
    const dense = now.blocks > MANY;
    const [columns, tall] = dense ? [32, 14] : [16, 26];
    const chosen = new Set(now.at.tables[now.request] ?? []);
    renderList(cells, now.at.cells, make, (node, [owner, refs, tokens], i) => {
      const { frame, fill, name } = node.parts;
      const [x, y, wide] = [(i % columns) / columns, tall * Math.floor(i / columns), (1 - GAP) / columns];
      const kind = refs > 1 ? "shared" : refs ? "used" : tokens ? "kept" : "";
      setAttrs(node, { class: [kind, chosen.has(i) && "on"].filter(Boolean).join(" ") || false });
      setAttrs(frame, { x: pct(x), y: y + 1, width: pct(wide), height: tall - 4 });
      const part = quiet ? 0 : tokens / now.block_size;
      setAttrs(fill, { x: pct(x), y: y + 1, width: pct(wide * part), height: tall - 4 });
      const text = dense || !refs ? "" : letter(owner);
      setAttrs(name, { x: pct(x + wide / 2), y: y + 15 });
      if (refs > 1 && text) put(name, `at.cells.${i}.1`, "int", now);
      else setAttrs(name, { text, "data-out": false, "data-format": false });
    });
    setAttrs(svg, { height: tall * Math.ceil(now.blocks / columns) + 2, "aria-label": said(now, quiet) });
  };
  return { el: svg, update };
};
/** @param {Seen} now @param {boolean} [quiet] */
const said = ({ at, blocks, capacity }, quiet) => {
  const held = quiet ? "" : ` with ${counted(at.tokens, "token")}, of room for ${capacity}`;
  const also = at.cached ? `; ${at.cached} free but still cached` : "";
  const shared = at.shared ? `; ${at.shared} shared` : "";
  return `Step ${at.step}: ${at.used} of ${counted(blocks, "block")} in use${held}${shared}${also}.`;
};
export const pool_legend = () =>
  makeLegend([
    { class: "used", label: "tokens in a block, with its request’s letter" },
    { class: "empty", label: "held, but empty" },
    { class: "shared", label: "shared, with its reference count" },
    { class: "kept", label: "free, still cached" },
    { class: "free", label: "free" },
  ]);

/**
 * The queues, a chip for each request; with `onPick`, a chip is a button.
 * @param {((request: number) => void) | null} [onPick]
 */
export const queues_view = (onPick) => {
  const names = ["running", "waiting"];
  const lists = names.map(() => h("span", { class: "chips" }));
  const el = h(
    "div",
    { class: "cw-paged-cache-queues" },
    names.map((text, i) => h("div", {}, h("span", { class: "cw-label", text }), lists[i])),
  );
  /** @param {number} number */
  const make = (number) => {
    if (!onPick) return h("span", { class: "chip" });
    const button = h("button", { type: "button", class: "chip", data: { number } });
    button.addEventListener("click", () => onPick(Number(button.dataset.number)));
    return button;
  };
  /** @param {Seen} now */
  const update = (now) => {
    const { at } = now;
    for (const [i, list] of lists.entries())
      renderList(list, i ? at.waiting : at.running, make, (node, number) => {
        setText(node, letter(number));
        const on = number === now.request;
        setAttrs(node, { data: { number }, "aria-pressed": onPick ? String(on) : false });
      });
    for (const [i, list] of lists.entries())
      setAttrs(list, { "data-none": (i ? at.waiting : at.running).length ? false : "none" });
  };
  return { el, update };
};

/** The block table of each running request: a row of block numbers, those that others read, too, marked. */
export const tables_view = () => {
  const list = h("ul", { class: "cw-paged-cache-tables" });
  const make = () => {
    const parts = { name: h("b"), blocks: h("span", { class: "blocks" }) };
    return Object.assign(h("li", {}, parts.name, parts.blocks), { parts });
  };
  /** @param {Seen} now */
  const update = (now) => {
    const { at } = now;
    renderList(list, at.running, make, ({ parts }, number) => {
      setText(parts.name, letter(number));
      renderList(
        parts.blocks,
        at.tables[number],
        () => h("span"),
        (node, block, i) =>
          setAttrs(put(node, `at.tables.${number}.${i}`, "int", now), {
            class: at.cells[block][1] > 1 ? "shared" : false,
          }),
      );
    });
  };
  return { el: list, update };
};
