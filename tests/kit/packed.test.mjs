/* find-packed.js: the pack of a slug, and the slug of an address. */
import assert from "node:assert/strict";
import test from "node:test";
import { hashed, slugAt } from "../../app/packed/find-packed.js";
import { matching } from "../../app/packed/further.js";
import { withPacked } from "../../app/site/find-index.js";

test("the hash is FNV-1a of the slug in lower case", () => {
  assert.deepEqual(["", "a", "foobar", "FooBar"].map(hashed), [0x811c9dc5, 0xe40c292c, 0xbf9cf968, 0xbf9cf968]);
});

test("a model's address names a slug, with and without its last slash; no other address does", () => {
  const models = "https://host/prefix/models/";
  const slugs = { "a/b/": "a/b", "a/b": "a/b", "A.1/b-2_c/index.html": "A.1/b-2_c", "a/": "", "a/b/c/": "", "": "" };
  for (const [path, slug] of Object.entries(slugs)) assert.equal(slugAt(models + path, models), slug);
  assert.equal(slugAt("https://host/models/a/b/", models), "");
  assert.equal(slugAt(`${models}%3Cimg%3E/b/`, models), "");
});

test("a row has every word, in its name, its slug or its company", () => {
  const rows = [
    ["org/one", "One 7B", "Org"],
    ["org/two", "Two 7B", "Org"],
  ];
  assert.deepEqual(matching(rows, "ORG two"), [rows[1]]);
  assert.deepEqual(matching(rows, "7b nobody"), []);
});

test("packed names stand behind all others in the search, each with the address that draws it", () => {
  const first = { slug: "x/y", name: "Y", company: "x", words: "Y x/y x", has: [] };
  const index = { models: [first], dated: 1, packed: { names: "n", at: "/models/SLUG/" } };
  const { models, dated } = withPacked(index, [["a/b", "B", "A"]]);
  assert.deepEqual([models[0], dated, models[1].path], [first, 1, "/models/a/b/"]);
});
