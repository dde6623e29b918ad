// The form of "What if it had ...": a row for each number, what is wrong with it, and the numbers that follow.

import { amount, change } from "../compare/compare-numbers.js";
import { inBytes, int } from "../weigh/cache-bytes.js";
import { attributes, made } from "./what-if-elements.js";
import { figures } from "./what-if-table.js";

/** @import { EditField, EditFigures, EditSheet, Edits, Problem } from "../site/types.d.ts" */

/**
 * What the form's boxes and buttons do.
 * @typedef {{
 *   typed: (id: string, text: string, commit: boolean) => void,
 *   clear: (id: string) => void,
 *   reset: () => void,
 * }} FormActions
 */

/**
 * @param {string} text
 * @param {string} label
 * @param {() => void} press
 */
const button = (text, label, press) => {
  const node = made("button", text, { type: "button", className: "button wi-small" });
  if (label) node.setAttribute("aria-label", label);
  node.addEventListener("click", press);
  return node;
};

/**
 * One number: its box, what it was, how much it changed, the way back.
 * @param {EditField} field
 * @param {Pick<FormActions, "typed" | "clear">} does
 */
function line([id, key, words, who, value], { typed, clear }) {
  const row = made("div", "", { className: "wi-row" }),
    says = made("p", "", { className: "w-error", id: `wi-says-${id}`, hidden: true });
  const label = made("label", words, { htmlFor: `wi-${id}` });
  if (who) label.append(made("span", `, ${who}`, { className: "muted" }));
  label.append(" ", made("code", key));
  const input = attributes(
    made("input", "", {
      className: "w-box",
      id: `wi-${id}`,
      value: String(value),
      autocomplete: "off",
      inputMode: "numeric",
    }),
    { size: 8, "aria-describedby": `wi-says-${id}` },
  );
  const was = made("span", `was ${int(value)}`, { className: "wi-was muted", hidden: true }),
    by = made("span", "", { className: "wi-by" });
  const back = button("↺", `Back to ${int(value)}: ${words}${who ? `, ${who}` : ""}`, () => {
    clear(id);
    input.focus();
  });
  back.hidden = true;
  input.addEventListener("input", () => typed(id, input.value, false));
  input.addEventListener("change", () => typed(id, input.value, true));
  row.append(label, input, was, by, back, says);
  return { id, value, row, input, was, by, back, says };
}

/**
 * @param {string} href
 * @param {string} edits
 * @returns {string}
 */
function withEdits(href, edits) {
  const to = new URL(href);
  if (edits) to.searchParams.set("edit", edits);
  return to.href.replace(/%(2F|2C|3A|40)/g, decodeURIComponent);
}

/** @typedef {ReturnType<typeof line>} Line */

/**
 * What the boxes hold, and how much each is another number.
 * @param {Line[]} lines
 * @param {Edits} good
 * @param {{ [id: string]: string }} draft
 */
function filled(lines, good, draft) {
  for (const { id, value, input, was, by, back } of lines) {
    const now = good[id] ?? value,
      text = draft[id] ?? String(now);
    if (
      input.value !== text &&
      !(input === document.activeElement && Number(input.value.replace(/[\s,]/g, "")) === now)
    )
      input.value = text;
    was.hidden = by.hidden = now === value;
    back.hidden = now === value && !(id in draft);
    by.textContent = now === value ? "" : change(now - value, int);
  }
}

/**
 * What is wrong, beside its box; what belongs to no box stands above all.
 * @param {Line[]} lines
 * @param {HTMLElement} alert
 * @param {Problem[]} found
 */
function blamed(lines, alert, found) {
  const said = new Map();
  for (const [id, sentence] of found) said.set(id, [...(said.get(id) ?? []), sentence]);
  for (const { id, input, says } of lines) {
    const text = (said.get(id) ?? []).join(" ");
    if (says.textContent !== text) says.textContent = text;
    says.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  }
  const loose = found.filter(([id]) => !lines.some((one) => one.id === id)).map(([, sentence]) => sentence);
  alert.replaceChildren(...loose.map((text) => made("p", text, { className: "w-error" })));
}

/**
 * A link with the address of one on the page, where it has that.
 * @param {string} selector
 * @param {string} words
 */
function linkLike(selector, words) {
  const like = /** @type {HTMLAnchorElement | null} */ (document.querySelector(selector));
  return like && { node: made("a", words, { href: like.href }), like };
}

/**
 * The boxes, and beside them the table of results, with what holds true of both and the buttons.
 * @param {Line[]} lines
 * @param {EditSheet} sheet
 * @param {HTMLElement} table
 * @param {HTMLElement} tools
 */
function columns(lines, sheet, table, tools) {
  const rows = made("div", "", { className: "wi-rows" }),
    right = made("div"),
    two = made("div", "", { className: "wi-two" }),
    scroll = attributes(made("div", "", { className: "scroll" }), {
      role: "region",
      "aria-label": "Results of the edits",
      tabindex: 0,
    });
  rows.append(
    ...lines.map((one) => one.row),
    ...Object.values(sheet.stays).map((why) =>
      made("p", `The number of layers stays: ${why}.`, { className: "muted small" }),
    ),
  );
  scroll.append(table);
  right.append(
    scroll,
    made(
      "p",
      "Cache, curve and GPUs below follow, and so does the drawing once Python is loaded; other tables stay as published.",
      { className: "muted small" },
    ),
    tools,
  );
  two.append(rows, right);
  return two;
}

/**
 * @param {HTMLElement} box
 * @param {EditSheet} sheet
 * @param {FormActions} does
 */
export function built(box, sheet, does) {
  const lines = sheet.fields.map((field) => line(field, does)),
    body = made("div", "", { className: "wi" });
  const table = made("table", "", { className: "wi-told" }),
    alert = attributes(made("div", "", { className: "wi-alert" }), { role: "alert" }),
    status = attributes(made("p", "", { className: "away" }), { role: "status" });
  const goal = made("div", "", { className: "wi-goal" }),
    tools = made("p", "", { className: "wi-tools" }),
    all = button("Reset all", "", does.reset);
  const draw = linkLike('#use a[href*="/app?model="], #use a[href*="app?model="]', "Draw it in the workbench");
  const design = linkLike("[data-design]", "Design further");
  tools.append(all, ...(design ? [design.node] : []), ...(draw ? [draw.node] : []));
  body.append(alert, columns(lines, sheet, table, tools), goal, status);
  box.append(body);

  return {
    goal,
    bar: tools,
    first: () => (lines[0]?.input ?? box.querySelector("summary")).focus(),
    /** @type {(good: Edits, draft: { [id: string]: string }) => void} */
    rows: (good, draft) => filled(lines, good, draft),
    /** @type {(found: Problem[]) => void} */
    wrong: (found) => blamed(lines, alert, found),
    /** @type {(...told: Parameters<typeof figures>) => void} */
    table: (...told) => table.replaceChildren(...figures(...told)),
    /**
     * @param {string} address
     * @param {string} edits
     */
    tools(address, edits) {
      all.hidden = !edits;
      for (const link of [design, draw]) if (link) link.node.href = withEdits(link.like.href, edits);
    },
    /** @param {EditFigures} found */
    say: (found) => {
      status.textContent = `${amount(found.parameters)} parameters, ${amount(found.active)} active, cache ${inBytes(found.cache, 2)}.`;
    },
  };
}
