// Copy buttons and what they copy. A snippet names the address this page was really loaded from, and on a page with a
// widget the state it is in. <textarea data-snippet="../embed/bits/">: src="" becomes that address, state="" the state.
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const snippets = [...document.querySelectorAll("[data-snippet]")];
let query = location.search;

const spell = () => {
  for (const box of snippets) {
    const stateful = box.dataset.state !== undefined;
    const address = escaped(new URL(box.dataset.snippet + (stateful ? query : ""), document.baseURI).href);
    box.value = box.defaultValue.replace(/ src="[^"]*"/, () => ` src="${address}"`).replace(/ state="[^"]*"/, () => ` state="${escaped(query.slice(1))}"`);
  }
};

const link = () => new URL(query || location.pathname, location.href).href;
for (const button of document.querySelectorAll("[data-copy]")) {
  const word = button.textContent;
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source ? source.value : link());
      button.textContent = "Copied";
    } catch {
      const outer = source?.closest("details");
      if (outer) outer.open = true;
      source?.select();
      button.textContent = source ? "Selected: press Ctrl+C" : "It is in the address bar";
    }
    setTimeout(() => { button.textContent = word; }, 2000);
  });
}
addEventListener("cutaway:state", ({ detail }) => { query = detail; spell(); });
spell();
