/* The clipboard: a page that is not served by https has none, and a browser may refuse. */

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
