/* Stacks side by side: a strip of layers under each name, and what each keeps. */
import { h, renderList, setAttrs } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { strip } from "./stack_drawing.js";

/** @import { Now } from "./compute.js" */

/**
 * What changes in a row of the table.
 * @typedef {{
 *   cells: HTMLElement[], picture: ReturnType<typeof strip>, button: HTMLElement, mix: HTMLElement, past: HTMLElement,
 * }} Parts
 */

/**
 * Stacks side by side: a strip of layers under each name, first to last, and what each keeps.
 * @param {(slug: string) => void} onPick
 */
export const stacksTable = (onPick) => {
  /** The parts of each row. @type {WeakMap<Element, Parts>} */
  const made = new WeakMap();
  const body = h("tbody");
  const head = ["stack, first layer to last", "per new token", "cache here", "saves"].map((label, i) =>
    h("th", { scope: "col", class: i ? "cw-right" : false, text: label }),
  );
  const el = h(
    "div",
    { class: "cw-scroll", tabindex: "0", role: "region", "aria-label": "Stacks of real models", "data-omit": true },
    h(
      "table",
      { class: "cw-table cw-masks-table" },
      h("caption", {
        text: "Local and global layers of real models, and the size of their caches at the chosen context",
      }),
      h("thead", {}, h("tr", {}, head)),
      body,
    ),
  );
  /** @param {Now["table"][number]} row */
  const make = (row) => {
    const picture = strip();
    const cells = ["growing", "bytes", "saves"].map(() => h("td", { class: "cw-right cw-mono" }));
    const button = h("button", { type: "button", class: "cw-masks-pick", on: { click: () => onPick(row.slug) } });
    const [mix, past] = [h("span", { class: "cw-masks-mix" }), h("span", { class: "cw-masks-mix" })];
    const tr = h(
      "tr",
      {},
      h("th", { scope: "row" }, h("div", { class: "cw-masks-stacked" }, button, picture.el, mix, past)),
      cells,
    );
    made.set(tr, { cells, picture, button, mix, past });
    return tr;
  };
  /** @param {Now} now @param {string} slug */
  const update = (now, slug) =>
    renderList(body, now.table, make, (tr, row, i) => {
      const at = `table.${i}`;
      const parts = /** @type {Parts} */ (made.get(tr));
      parts.picture.update(row.marks);
      setAttrs(tr, { class: row.slug === slug ? "on" : false });
      put(setAttrs(parts.button, { "aria-pressed": row.slug === slug ? "true" : "false" }), `${at}.title`, "text", now);
      put(parts.mix, `${at}.mix`, "text", now);
      parts.past.hidden = !row.past;
      if (row.past) fill(parts.past, `its context length is {${at}.past:int} tokens`, now);
      [
        ["growing", "bytes"],
        ["bytes", "bytes"],
        ["saves", "text"],
      ].forEach(([key, how], c) => put(parts.cells[c], `${at}.${key}`, how, now));
    });
  return { el, update };
};
