// The search box of every page: "/" focuses it, typing lists catalogued models and explainers, a Hub id goes to its
// page or to the app. What is found is the business of find.js; the gallery narrows its own cards instead (gallery.js).

/** @import { Find, FoundRow, SearchAnswer } from "./types.d.ts" */

import { gettext } from "../../explainers/kit/gettext.js";

const finding = () => import("./find-index.js"); // fetched with the first look into the box
/** @type {Promise<null>} */
let late; // the time after which the list no longer waits for what is found beside models and explainers

const form = /** @type {HTMLElement} */ (document.querySelector(".search"));
const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
const box = /** @type {HTMLElement} */ (form.querySelector(".found"));
const list = /** @type {HTMLElement} */ (form.querySelector("[role=listbox]"));
const says = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
const WAIT = 1000; // milliseconds
/** @type {{ row: HTMLElement, target: string }[]} */
let shown = [];
let chosen = -1;
/** @type {Find | null} */
let wide = null; // what searches packed models, too, once their names are there
let listed = ""; // what the list answers

const here = new URL(/** @type {string} */ (form.dataset.models), location.href);
const site = new URL("../", here);

/**
 * @param {string} text
 * @param {string} kind
 * @param {string} target
 * @param {string} [about]
 */
function option(text, kind, target, about = "") {
  const row = document.createElement("div");
  row.setAttribute("role", "option");
  row.id = `found-${list.childElementCount}`;
  for (const part of [text, about, kind]) {
    const span = Object.assign(document.createElement("span"), { textContent: part });
    if (part) row.append(span, " ");
  }
  row.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    location.href = target;
  });
  list.append(row);
  shown.push({ row, target });
}

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
 * What is found, then the way to all models where there are more. An id of the Hub leads there: at once, where no model
 * has all of its words.
 * @param {string} text
 * @param {SearchAnswer} found
 * @param {FoundRow[]} rows
 * @param {string} id
 */
function fill(text, { models, corrected, without, sort }, rows, id) {
  const listed = models.some((model) => model.slug.toLowerCase() === id.toLowerCase());
  const first = !models.length || without.length > 0;
  if (id && !listed && first) toHub(id);
  for (const { name, kind, about, path } of rows) option(name, kindWords(kind), addressOf(path), about);
  const words = text.split(/\s+/).filter((word) => !without.includes(word.toLowerCase()));
  if (models.length > rows.filter(({ kind }) => kind === "Model").length)
    option(
      gettext("All {n} models", { n: models.length }),
      gettext("in the gallery"),
      `${here.href}?q=${encodeURIComponent(corrected || words.join(" "))}${sort ? `&sort=${sort}` : ""}`,
    );
  if (id && !listed && !first) toHub(id);
}

/**
 * The address of a page, in this page's language where it has it.
 * @param {string} path
 */
function addressOf(path) {
  const { language, translated = "" } = form.dataset;
  const known = translated.split(" ").includes(path.split(/[?#]/)[0]);
  return new URL(known ? `${language}${path}` : path.slice(1), site).href;
}

/**
 * What a row is, in the language of the page.
 * @param {string} kind
 */
function kindWords(kind) {
  /** @type {{ [kind: string]: string }} */
  const words = {
    Model: gettext("Model"),
    Page: gettext("Page"),
    Explainer: gettext("Explainer"),
    Glossary: gettext("Glossary"),
    "Config key": gettext("Config key"),
    Format: gettext("Format"),
    Device: gettext("Device"),
    Documentation: gettext("Documentation"),
  };
  return words[kind] ?? kind;
}

/** @param {string} id */
function toHub(id) {
  const { app, yours } = form.dataset;
  if (app)
    option(gettext("Read {id} from the Hub", { id }), gettext("workbench"), `${app}?model=${encodeURIComponent(id)}`);
  else if (yours)
    option(gettext("Draw {id} from the Hub", { id }), gettext("Your model"), `${yours}#id=${encodeURIComponent(id)}`);
}

/**
 * What is not here is drawn on a page of its own; a pasted config goes there in this tab's memory.
 * @param {string} words
 * @param {string} [config]
 */
function offer(words, config = "") {
  option(words, gettext("Your model"), `${form.dataset.yours}${config && "#pasted"}`);
  try {
    if (config) sessionStorage.setItem("your-model", config);
  } catch {
    /* a private window: it is pasted once more there */
  }
  open(config ? "" : (form.dataset.nothing ?? ""));
}

/**
 * Packed models are searched as well from now on.
 * @param {Find | null} find
 */
function widen(find) {
  if (wide || !find) return;
  wide = find;
  if (!box.hidden) suggest();
}

async function suggest() {
  const text = input.value.trim();
  const { hubId, indexed, widened, placed, arranged } = await finding();
  if (text && !wide) widened(form).then(widen);
  const find = wide ?? (await indexed(form));
  late ??= new Promise((done) => setTimeout(done, WAIT, null));
  const places = await Promise.race([placed(form), late]);
  if (text !== input.value.trim()) return;
  list.replaceChildren();
  [shown, listed] = [[], text];
  if (!text) return close();
  if (text.startsWith("{")) return offer(gettext("Draw this config.json"), text);
  const found = find(text);
  fill(text, found, arranged(found, places?.(text) ?? null), hubId(text));
  if (!shown.length) return offer(gettext("Draw a model of your own"));
  open(note(text, found));
}

/**
 * What was read instead of what was typed.
 * @param {string} text
 * @param {SearchAnswer} found
 */
function note(text, { corrected, without, models }) {
  if (corrected) return gettext("Nothing is called “{text}”. This is for “{corrected}”.", { text, corrected });
  if (!without.length || !models.length) return "";
  return gettext("No model matches “{words}”; it was left out.", { words: without.join(" ") });
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
  input.addEventListener("focus", async () => {
    const { indexed, placed } = await finding();
    indexed(form);
    placed(form);
  });
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
