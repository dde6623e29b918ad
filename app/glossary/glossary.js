// The filter of the glossary and of the config keys: entries that hold every word typed stay; headings without any go.
// A name with separators (n_layer) is one word, found where a word begins. ?q= is its state.

import { gettext } from "../../explainers/kit/gettext.js";

const input = /** @type {HTMLInputElement} */ (document.querySelector("#narrow"));
const says = /** @type {HTMLInputElement} */ (document.querySelector(".narrow [role=status]"));
/** @param {string} text */
const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}.²√=]+/gu, " ");
const entries = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".terms dl > div"))].map(
  (node) => {
    const text = plain(
      `${/** @type {HTMLElement} */ (node.querySelector("dt")).textContent} ${/** @type {HTMLElement} */ (node.querySelector("dd p")).textContent}`,
    );
    return { node, text, bare: text.replaceAll(" ", "") };
  },
);

function narrow() {
  const words = input.value
    .split(/\s+/)
    .map((word) => plain(word).trim())
    .filter(Boolean);
  let count = 0;
  for (const { node, text, bare } of entries) {
    node.hidden = !words.every((word) =>
      word.includes(" ") ? ` ${text}`.includes(` ${word}`) : text.includes(word) || bare.includes(word),
    );
    count += Number(!node.hidden);
  }
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".terms")))
    part.hidden = !(/** @type {HTMLElement} */ (part.querySelector("dl > div:not([hidden])")));
  says.textContent = words.length
    ? count
      ? gettext("{count} of {all}", { count, all: entries.length })
      : gettext("No entry. Try the search above, which finds models, too.")
    : "";
}

input.value = new URLSearchParams(location.search).get("q") ?? "";
input.addEventListener("input", () => {
  const url = new URL(location.href);
  if (input.value.trim()) url.searchParams.set("q", input.value.trim());
  else url.searchParams.delete("q");
  history.replaceState(null, "", url);
  narrow();
});
narrow();
