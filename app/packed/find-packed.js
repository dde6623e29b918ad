// An address /models/owner/name/ -> the packed model that it means, out of the one pack of configs that may hold it.

/** @import { PackedModel } from "../site/types.d.ts" */

/**
 * FNV-1a of a slug in lower case, 32 bits, as app/packed/page.py counts it.
 * @param {string} slug
 */
export function hashed(slug) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(slug.toLowerCase())) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/**
 * The slug of a model's address, or "".
 * @param {string} address
 * @param {string} models the address of /models/
 */
export function slugAt(address, models) {
  const { origin, pathname } = new URL(models);
  const asked = new URL(address);
  if (asked.origin !== origin || !asked.pathname.startsWith(pathname)) return "";
  const found = /^([\w.-]+)\/([\w.-]+)\/?(?:index\.html)?$/.exec(asked.pathname.slice(pathname.length));
  return found ? `${found[1]}/${found[2]}` : "";
}

/**
 * A packed model, or null where no pack has it.
 * @param {string} folder the address of the packs
 * @param {number} packs
 * @param {string} slug in whatever case
 * @returns {Promise<PackedModel | null>}
 */
export async function packedModel(folder, packs, slug) {
  if (!packs || !slug) return null;
  const answer = await fetch(`${folder}configs-${hashed(slug) % packs}.json`);
  if (!answer.ok) throw new Error(`the pack of ${slug}: ${answer.status}`);
  /** @type {{ [slug: string]: Omit<PackedModel, "slug"> }} */
  const pack = await answer.json();
  const name = Object.keys(pack).find((one) => one.toLowerCase() === slug.toLowerCase());
  return name === undefined ? null : { slug: name, ...pack[name] };
}

/**
 * What stands under the title of its drawing.
 * @param {PackedModel} model
 */
export const said = ({ company, date, licence, origin }) =>
  [`${[company, date, licence].filter(Boolean).join(" · ")}.`, origin, "Drawn in your browser."].join(" ");
