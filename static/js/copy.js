// Buttons that copy the text beside them.
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
