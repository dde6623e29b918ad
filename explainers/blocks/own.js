/* A field for numbers that the reader pastes: text -> up to 256 numbers. */
import { control } from "../kit/control.js";
import { h, setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { State } from "./compute.js" */

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const SHOWN = 40; // of a word that is no number

/**
 * The numbers of a text, or the sentence that says what is legal. Brackets and “tensor” of a printed array are left out.
 * @param {string} text
 * @param {{ limit: number, own: number }} data
 * @returns {{ numbers: number[], says: string }}
 */
export const read_numbers = (text, { limit, own: most }) => {
  const parts = text.replace(/tensor|array|[[\](){}]/g, " ").split(/[\s,;]+/);
  const given = parts.filter(Boolean);
  const no = (/** @type {string} */ says) => ({ numbers: [], says });
  const [end, legal] = [fmt.group(String(limit)), `from -${fmt.group(String(limit))} to ${fmt.group(String(limit))}`];
  if (!given.length) return no(`Paste 1 to ${most} numbers ${legal}.`);
  if (given.length > most) return no(`These are ${fmt.int(given.length)} numbers. Paste ${most} at most.`);
  const strange = given.find((part) => !NUMBER.test(part));
  if (strange) return no(`“${strange.slice(0, SHOWN)}” is not a number. Separate numbers by spaces or commas.`);
  const numbers = given.map(Number);
  const wide = numbers.findIndex((v) => Math.abs(v) > limit);
  return wide < 0 ? { numbers, says: "" } : no(`${given[wide].slice(0, SHOWN)} is beyond ${end}. Numbers go ${legal}.`);
};

/** @param {Data} data @param {(numbers: number[]) => void} onNumbers */
export const own_numbers = (data, onNumbers) => {
  const label = "Your own numbers, separated by spaces or commas";
  const area = h("textarea", { rows: 3, class: "cw-mono cw-blocks-own", spellcheck: "false", "aria-label": label });
  const made = control("own", { label }, area);
  area.addEventListener("input", () => {
    const { numbers, says } = read_numbers(area.value, data);
    made.error(says);
    setAttrs(area, { "aria-invalid": says ? "true" : false });
    if (!says) onNumbers(numbers);
  });
  /** @param {State} state */
  const update = ({ sample, own }) => {
    setAttrs(made.el, { hidden: sample !== "own" });
    const same = read_numbers(area.value, data).numbers.join() === own.join();
    if (same || (sample === "own" && area.getAttribute("aria-invalid") === "true")) return;
    area.value = own.join(" ");
    made.error("");
    setAttrs(area, { "aria-invalid": false });
  };
  return { el: made.el, update };
};
