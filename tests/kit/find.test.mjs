/* find.js: a query of many slips ends. */
import assert from "node:assert/strict";
import test from "node:test";
import { finder } from "../../app/site/find.js";

const LETTERS = "abcdefghijk";
/* Three models of eleven words, each word a letter away from the same misspelt one: 3^11 ways to read a query. */
const models = ["x", "y", "z"].map((end) => {
  const words = [...LETTERS].map((letter) => letter.repeat(6) + end).join(" ");
  return { slug: `org/${end}`, name: end, company: "org", words, has: [] };
});

test("one slip is mended; of eleven no more readings are tried than anybody waits for", () => {
  const find = finder({ models, ideas: [], pages: [] });
  const typed = [...LETTERS].map((letter) => `${letter.repeat(6)}q`);
  assert.equal(find(typed[0]).corrected, "aaaaaax");
  const begun = performance.now();
  const found = find(`${typed.join(" ")} nothing`);
  assert.ok(performance.now() - begun < 1000);
  assert.deepEqual([found.models, found.corrected], [[], ""]);
});
