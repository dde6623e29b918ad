/* The choice of a scheme: first its family, then one of its members. */
import { segmented } from "../kit/controls.js";
import { setAttrs } from "../kit/dom.js";

/** @import { Row } from "./float32.js" */

/** @param {readonly Row[]} rows @param {(name: string) => void} onInput */
export const scheme_choice = (rows, onInput) => {
  const names = [...new Set(rows.map((row) => row.family))];
  /** @type {Map<string, string>} */
  const last = new Map(); // of each family the scheme that was looked at
  const members = names.map((name) => {
    const own = rows.filter((row) => row.family === name);
    last.set(name, own[0].name);
    const options = own.map((row) => ({ value: row.name, label: row.label }));
    return { name, choice: segmented({ label: `${name} scheme`, options, onInput }) };
  });
  const family = segmented({
    label: "Family",
    options: names.map((name) => ({ value: name, label: name })),
    onInput: (name) => onInput(last.get(name) ?? ""),
  });
  /** @param {string} scheme */
  const set = (scheme) => {
    const now = rows.find((row) => row.name === scheme)?.family ?? names[0];
    last.set(now, scheme);
    family.set(now);
    for (const { name, choice } of members) {
      setAttrs(choice.el, { hidden: name !== now });
      choice.set(scheme);
    }
  };
  return { els: [family.el, ...members.map(({ choice }) => choice.el)], set };
};
