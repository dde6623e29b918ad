// The menu "Copy, cite" of a model's page: copies the view's address, a frame, BibTeX; paints the drawing as a PNG.
// Without this the menu still leads to the files and shows the BibTeX.
import { copied } from "../site/clipboard.js";

const menu = /** @type {HTMLDetailsElement} */ (document.querySelector(".taking"));
const says = /** @type {HTMLDetailsElement} */ (menu?.querySelector("[role=status]"));
const FACES = ["Inter", "JetBrains Mono"];

/**
 * @param {string} text
 * @param {string} done
 */
async function copy(text, done) {
  says.textContent = (await copied(text)) ? done : "The browser does not let a page copy here; the text is below.";
}

// BibTeX and frames that name a page by its place are given the address that it really came from.
const here = () => location.href.split("#")[0].split("?")[0];
/** @param {Element} box */
const written = (box) => box.textContent.replace(/url = \{(?!https?:)[^}]*\}/, `url = {${here()}}`);

// ---------------------------------------------------------------- the picture

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
const base64 = (blob) =>
  new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(/** @type {string} */ (reader.result));
    reader.readAsDataURL(blob);
  });

// A picture cannot load a font: those of the page travel in it; where one cannot be had the next face stands in.
async function faces() {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].map((rule) => ({ rule, href: sheet.href }));
    } catch {
      return [];
    }
  });
  const found = rules.flatMap(({ rule, href }) =>
    rule instanceof CSSFontFaceRule && FACES.some((face) => rule.style.getPropertyValue("font-family").includes(face))
      ? [{ rule, href }]
      : [],
  );
  const texts = await Promise.all(
    found.map(async ({ rule, href }) => {
      const url = rule.style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/)?.[1];
      const data =
        url &&
        (await fetch(new URL(url, href ?? location.href))
          .then((answer) => answer.blob())
          .then(base64)
          .catch(() => ""));
      return data ? rule.cssText.replace(/url\([^)]*\)/, `url(${data})`) : "";
    }),
  );
  return texts.join("\n");
}

/**
 * @param {string} address
 * @param {number} scale
 */
async function painted(address, scale) {
  const text = await fetch(address).then((answer) => answer.text());
  const style = `<style>${(await faces()).replaceAll("<", "&lt;").replaceAll("&", "&amp;")}</style>`;
  const svg = text.replace(/(<svg[^>]*>)/, (whole) => whole + style);
  const image = new Image();
  await new Promise((done, failed) => {
    [image.onload, image.onerror] = [done, failed];
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
  await new Promise((done) => setTimeout(done, 60)); // fonts inside a picture are decoded after its load
  const canvas = Object.assign(document.createElement("canvas"), {
    width: image.width * scale,
    height: image.height * scale,
  });
  const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  return /** @type {Promise<Blob>} */ (
    new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"))
  );
}

/** @param {HTMLElement} button */
async function png(button) {
  says.textContent = "Painting …";
  try {
    const theme =
      document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "");
    const dark = theme === "dark" && button.dataset.dark;
    const blob = await painted(dark || /** @type {string} */ (button.dataset.png), 2);
    const href = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href, download: button.dataset.name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
    says.textContent = `Saved as ${button.dataset.name}.`;
  } catch {
    says.textContent = "The browser could not paint it; the SVG holds the same drawing.";
  }
}

// ---------------------------------------------------------------- the menu

/** @param {HTMLElement} button */
function chosen(button) {
  const { take, from } = button.dataset;
  if (button.dataset.png) return png(button);
  if (take === "link") return copy(location.href, "The address of this view is copied.");
  const box = /** @type {HTMLInputElement} */ (document.getElementById(from ?? ""));
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("pre")))
    one.hidden = take === "bib" && one !== box;
  if (take === "bib") box.textContent = written(box);
  return copy(box.value ?? box.textContent, "Copied.");
}

if (menu) {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("pre ~ pre"))) one.hidden = true;
  for (const one of menu.querySelectorAll("pre")) one.textContent = written(one);
  menu.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button) chosen(button);
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      menu.open = false;
      /** @type {HTMLElement} */ (menu.querySelector("summary")).focus();
      event.stopPropagation();
    }
  });
}
