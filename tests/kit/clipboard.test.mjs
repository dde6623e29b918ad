import assert from "node:assert/strict";
import { test } from "node:test";
import { copied } from "../../app/site/clipboard.js";

/** @param {object} value */
const asking = (value) => {
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  return copied("text");
};

test("a text is copied, or it is said that it was not: no clipboard, or a browser that refuses", async () => {
  /** @type {string[]} */
  const written = [];
  const writeText = async (/** @type {string} */ text) => void written.push(text);
  assert.equal(await asking({ clipboard: { writeText } }), true);
  assert.deepEqual(written, ["text"]);
  assert.equal(await asking({}), false);
  assert.equal(await asking({ clipboard: { writeText: () => Promise.reject(new Error("NotAllowed")) } }), false);
});
