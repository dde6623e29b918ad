/* Words before any script: a template and a state -> nodes in which each value says which it is. What leads nowhere stops
   the build. */
import { h, setAttrs } from "./dom.js";
import { fmt, printValue, templateParts } from "./numbers.js";

/** @import { Look } from "./beat-words.js" */

/**
 * A look whose paths lead somewhere: a name that nobody has stops the build.
 * @param {Look} look
 * @returns {Look}
 */
export const strict = (look) =>
  Object.assign(
    (/** @type {string} */ path) => {
      let value;
      try {
        value = look(path);
      } catch {
        /* a part of the path has no keys */
      }
      if (value === undefined) throw new Error(`nothing is called ${path}.`);
      return value;
    },
    { now: look.now, state: look.state },
  );

/**
 * A value in its element; `at` says of which state it is: "beat", "bet", or "" for the one that is held.
 * @param {Look} look
 * @param {{ path: string, how: string }} hole
 * @param {{ at?: string, make?: () => Element }} [given]
 */
export const bound = (look, { path, how }, { at = "", make = () => h("span") } = {}) => {
  const kind = how.replace(/^(each )*/, "").split(" ")[0];
  if (kind !== "text" && !(kind in fmt))
    throw new Error(`There is no format “${how}”; there is ${Object.keys(fmt).join(", ")}.`);
  const words = printValue(look(path), how);
  return setAttrs(make(), { "data-out": path, "data-format": how, "data-at": at || false, text: words });
};

/**
 * A template as nodes: **bold**, and an element for each value.
 * @param {Look} look
 * @param {string} template
 * @param {{ at?: string, make?: () => Element }} [given]
 * @returns {(Node | string)[]}
 */
export const wordsOf = (look, template, given) =>
  template.split(/(\*\*.+?\*\*)/).flatMap((piece) => {
    const inner = templateParts(piece.replace(/^\*\*(.+)\*\*$/, "$1")).map((bit) =>
      typeof bit === "string" ? bit : bound(look, bit, given),
    );
    return piece.startsWith("**") ? [h("b", {}, inner)] : inner;
  });
