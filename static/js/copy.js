// Buttons that copy the text beside them. A snippet names the address this page was really loaded from.
for (const code of document.querySelectorAll("[data-snippet]")) {
  const here = new URL(code.dataset.snippet, location.href).href;
  code.textContent = code.textContent.replace(/src="[^"]*"/, () => `src="${here}"`);
}
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", async () => {
  const source = button.parentElement.querySelector("pre");
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl+C";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});
