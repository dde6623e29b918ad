// Edits as an address has them, "heads:64,mix:3d1f": one set, one taken out, and the address of a design.

/**
 * @param {string} edits
 * @param {string} id
 * @param {string} value
 * @returns {string}
 */
export function withEdit(edits, id, value) {
  const rest = without(edits, id);
  return `${rest}${rest && ","}${id}:${value.replaceAll(",", "")}`;
}

/**
 * @param {string} edits
 * @param {string} id
 * @returns {string}
 */
export const without = (edits, id) =>
  edits
    .split(",")
    .filter((one) => one && one.split(":")[0] !== id)
    .join(",");

/**
 * @param {{ slug: string, hash: string }} base
 * @param {{ edits: string, context: number }} now
 * @param {number} usual context
 * @returns {string}
 */
export function address(base, now, usual) {
  const query = new URLSearchParams();
  if (base.slug) query.set("m", base.slug);
  if (now.edits) query.set("edit", now.edits);
  if (now.context !== usual) query.set("ctx", String(now.context));
  const text = query.toString().replace(/%(2F|2C|3A)/g, decodeURIComponent);
  return `${location.pathname}${text && `?${text}`}${base.slug ? "" : base.hash}`;
}
