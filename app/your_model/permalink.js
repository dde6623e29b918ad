/* A config <-> the part of an address behind #: #c=<deflated, base64url>, or #id=owner/name. */

const MOST = 8192; // characters of a link that mail and chat still pass on

/**
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
const through = async (bytes, stream) =>
  new Uint8Array(
    await new Response(new Blob([/** @type {BufferSource} */ (bytes)]).stream().pipeThrough(stream)).arrayBuffer(),
  );

/** @param {string} text JSON, whose blanks need not travel */
function tight(text) {
  try {
    JSON.parse(text);
  } catch {
    return text; // with comments, perhaps: as it is
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

/**
 * The part of an address that holds a config, or "" where the link would be too long.
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function written(text) {
  if (text.length > 64 * MOST) return "";
  const packed = await through(new TextEncoder().encode(tight(text)), new CompressionStream("deflate-raw"));
  if (packed.length > MOST) return "";
  const base64 = btoa(String.fromCharCode(...packed))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
  const part = `#c=${base64}`;
  return location.origin.length + location.pathname.length + part.length < MOST ? part : "";
}

/**
 * The config of such a part; "" where it holds none, null where it is damaged, or longer than any that is made here:
 * a short one cannot inflate to more than some megabytes.
 * @param {string} hash
 * @param {number} most bytes
 * @returns {Promise<string | null>}
 */
export async function read(hash, most) {
  if (!hash.startsWith("#c=")) return "";
  if (hash.length > MOST) return null;
  try {
    const base64 = hash.slice(3).replaceAll("-", "+").replaceAll("_", "/");
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return bytes.length > most ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * @param {string} hash
 * @returns {string}
 */
export function named(hash) {
  if (!hash.startsWith("#id=")) return "";
  try {
    return decodeURIComponent(hash.slice(4));
  } catch {
    return "";
  }
}
