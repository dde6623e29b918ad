// The glossary's own filter: entries whose words hold all that is typed stay; headings without any go. ?q= is its state.

const input = document.querySelector("#narrow");
const says = document.querySelector(".narrow [role=status]");
const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}.²√=]+/gu, " ");
const entries = [...document.querySelectorAll(".terms dl > div")].map((node) => {
  const text = plain(`${node.querySelector("dt").textContent} ${node.querySelector("dd p").textContent}`);
  return { node, text, bare: text.replaceAll(" ", "") };
});

function narrow() {
  const words = plain(input.value).trim().split(" ").filter(Boolean);
  let count = 0;
  for (const { node, text, bare } of entries) {
    node.hidden = !words.every((word) => text.includes(word) || bare.includes(word));
    count += !node.hidden;
  }
  for (const part of document.querySelectorAll(".terms")) part.hidden = !part.querySelector("dl > div:not([hidden])");
  says.textContent = words.length
    ? count
      ? `${count} of ${entries.length}`
      : "None. The search above knows models, too."
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
