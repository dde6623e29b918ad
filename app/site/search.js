// The search box of every page: "/" focuses it, typing lists catalogued models and explainers, a Hub id goes to its
// page or to the app. What is found is find.js's business; the gallery narrows its own cards instead (gallery.js).

/** @import { SearchAnswer, SearchPage } from "./types.d.ts" */

const finding = () => import("./find.js"); // fetched with the first look into the box

const form = /** @type {HTMLElement} */ (document.querySelector(".search"));
const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
const box = /** @type {HTMLElement} */ (form.querySelector(".found"));
const list = /** @type {HTMLElement} */ (form.querySelector("[role=listbox]"));
const says = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
const MOST = 8; // models; the last row leads to all of them
/** @type {{ row: HTMLElement, target: string }[]} */
let shown = [];
let chosen = -1;
let listed = ""; // what the list answers

const here = new URL(/** @type {string} */ (form.dataset.models), location.href);
const site = new URL("../", here);
/** @param {string} slug */
const pageOf = (slug) => new URL(`${slug}/`, here).href;

/**
 * @param {string} text
 * @param {string} aside
 * @param {string} target
 */
function option(text, aside, target) {
  const row = document.createElement("div");
  row.setAttribute("role", "option");
  row.id = `found-${list.childElementCount}`;
  for (const part of [text, aside]) row.append(Object.assign(document.createElement("span"), { textContent: part }));
  row.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    location.href = target;
  });
  list.append(row);
  shown.push({ row, target });
}

/** @param {SearchPage} page */
const toPage = ({ name, path }) =>
  option(name, path.startsWith("/learn/") ? "Learn" : "page", new URL(path.slice(1), site).href);

/** @param {{ key: string, name: string }} word */
const toWord = ({ key, name }) => option(name, "Glossary", new URL(`glossary/#${key}`, site).href);

/** @param {number} index */
function choose(index) {
  chosen = shown.length ? (index + shown.length) % shown.length : -1;
  shown.forEach(({ row }, at) => row.setAttribute("aria-selected", String(at === chosen)));
  if (chosen >= 0) {
    input.setAttribute("aria-activedescendant", shown[chosen].row.id);
    shown[chosen].row.scrollIntoView({ block: "nearest" });
  } else input.removeAttribute("aria-activedescendant");
}

function close() {
  box.hidden = true;
  input.setAttribute("aria-expanded", "false");
  choose(-1);
}

/**
 * Rows in order: pages about just this, models, then the glossary and what else explains it, then the way to all models
 * where there are more.
 * @param {string} text
 * @param {SearchAnswer} found
 * @param {string} id
 */
function fill(text, { models, lead, pages, words, corrected }, id) {
  for (const page of lead) toPage(page);
  const wanted = words.filter(({ whole }) => whole && !lead.length);
  for (const word of wanted) toWord(word);
  for (const model of models.slice(0, MOST)) option(model.name, model.company, pageOf(model.slug));
  for (const word of words) if (!wanted.includes(word)) toWord(word);
  for (const page of pages) if (!lead.includes(page)) toPage(page);
  if (models.length > MOST)
    option(`All ${models.length} models`, "in the gallery", `${here.href}?q=${encodeURIComponent(corrected || text)}`);
  if (!id || models.some((model) => model.slug.toLowerCase() === id.toLowerCase())) return;
  const { app, yours } = form.dataset;
  if (app) option(`Read ${id} from the Hub`, "workbench", `${app}?model=${encodeURIComponent(id)}`);
  else if (yours) option(`Draw ${id} from the Hub`, "Your model", `${yours}#id=${encodeURIComponent(id)}`);
}

/**
 * What is not here is drawn on a page of its own; a pasted config goes there in this tab's memory.
 * @param {string} words
 * @param {string} [config]
 */
function offer(words, config = "") {
  option(words, "Your model", `${form.dataset.yours}${config && "#pasted"}`);
  try {
    if (config) sessionStorage.setItem("your-model", config);
  } catch {
    /* a private window: it is pasted once more there */
  }
  open(config ? "" : (form.dataset.nothing ?? ""));
}

async function suggest() {
  const text = input.value.trim();
  const { hubId, indexed } = await finding();
  const find = await indexed(form);
  if (text !== input.value.trim()) return;
  list.replaceChildren();
  [shown, listed] = [[], text];
  if (!text) return close();
  if (text.startsWith("{")) return offer("Draw this config.json", text);
  const found = find(text);
  fill(text, found, hubId(text));
  if (!shown.length) return offer("Draw a model of your own");
  open(found.corrected ? `Nothing is called “${text}”. This is for “${found.corrected}”.` : "");
}

/**
 * Show the list with a sentence above it, or without one.
 * @param {string} sentence
 */
function open(sentence) {
  says.textContent = sentence;
  says.hidden = !says.textContent;
  list.hidden = !shown.length;
  box.hidden = false;
  input.setAttribute("aria-expanded", "true");
  choose(shown.length ? 0 : -1);
}

if (list) {
  input.addEventListener("focus", async () => (await finding()).indexed(form));
  input.addEventListener("input", suggest);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Escape") {
      input.value = "";
      close();
    } else return;
    event.preventDefault();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (listed !== input.value.trim() || box.hidden) await suggest();
    if (shown[chosen]) location.href = shown[chosen].target;
  });
}

document.addEventListener("keydown", (event) => {
  const typing = /** @type {Element} */ (event.target).closest("input, select, textarea, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
});
