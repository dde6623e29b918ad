// /formats/: three answers -> a short list made of the page's own cells; a model -> its bytes. The address keeps all four.

import { fmt } from "../../explainers/kit/numbers.js";

/** A model's row of /data/formats.json: bytes in BF16 and in each format. @typedef {[slug: string, title: string, ...bytes: number[]]} Row */

/** @param {string} css @param {ParentNode} [within] @returns {HTMLElement} */
const find = (css, within = document) => /** @type {HTMLElement} */ (within.querySelector(css));
const form = /** @type {HTMLFormElement} */ (find("[data-questions]"));
const answer = find("[data-answer]");
/** @type {{ [answers: string]: string[] }} */
const lists = JSON.parse(/** @type {string} */ (find("[data-lists]").textContent));
const NAMES = ["hardware", "engine", "matters", "model"];
const FIRST = { hardware: "any", engine: "any", matters: "size", model: field("model").value };
/** @type {Row[]} */
let models = [];

/** @param {string} name */
function field(name) {
  return /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
}
/** The words of what is chosen. @param {string} name */
const chosen = (name) => field(name).selectedOptions[0].text;
/** A row of the table of costs. @param {string} key */
const costs = (key) => find(`[data-format="${key}"]`);

/** What speaks for a format, from the cells of the tables. @param {string} key */
function reasons(key) {
  const [name, bits, error, bytes] = [...costs(key).children].map((cell) => cell.textContent?.trim());
  const measured = /\d/.test(error ?? "")
    ? `, SQNR ${error} dB`
    : ", SQNR not measured: it depends on calibration data";
  const made = [`${bits} bits per weight${measured}.`, `${chosen("model")}: ${bytes}.`];
  const native = document.querySelector(`[data-native="${field("hardware").value} ${key}"]`);
  const looked = !find(`[data-hardware="${field("hardware").value}"] td:last-child`)?.textContent?.includes(
    "not looked up",
  );
  if (field("hardware").value !== "any")
    made.push(
      native?.textContent === "yes"
        ? "The chip multiplies the stored numbers."
        : looked
          ? "None of the sources says that the chip multiplies it as stored. Weights that are converted first save memory but no arithmetic."
          : "Whether the chip multiplies it as stored was not looked up.",
    );
  return { name, made, engine: document.querySelector(`[data-engine="${field("engine").value} ${key}"]`) };
}

/** One entry of the short list. @param {string} key */
function entry(key) {
  const { name, made, engine } = reasons(key);
  const item = document.createElement("li");
  const head = item.appendChild(document.createElement("h3"));
  const link = head.appendChild(document.createElement("a"));
  link.href = `#${key}`;
  link.textContent = name ?? key;
  const list = item.appendChild(document.createElement("ul"));
  for (const words of made) list.appendChild(document.createElement("li")).textContent = words;
  if (engine) {
    const line = list.appendChild(document.createElement("li"));
    line.append(`${chosen("engine")} `, ...[...engine.childNodes].map((node) => node.cloneNode(true)));
  }
  return item;
}

/** The short list, or why there is none. */
function show() {
  const [hardware, engine, matters] = NAMES.map((name) => field(name).value);
  const keys = lists[`${hardware} ${engine} ${matters}`];
  const list = document.createElement("ol");
  list.className = "f-list";
  list.append(...keys.map(entry));
  const none = document.createElement("p");
  none.className = "f-none";
  none.textContent = `No source here says that ${chosen("engine")} runs one of these formats on ${chosen("hardware")}. Choose another engine, or “any”, to see what others run there.`;
  answer.replaceChildren(keys.length ? list : none);
}

/** The bytes of the chosen model, in the table. */
function weigh() {
  const row = models.find(([slug]) => slug === field("model").value);
  if (!row) return;
  const [, title, whole, ...packed] = row;
  find("[data-model]").textContent = title;
  const rows = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-format]"));
  for (const [i, bytes] of [...packed, whole].entries()) find("[data-bytes]", rows[i]).textContent = fmt.bytes(bytes);
}

/** What the address says; a word that is no option is left out. */
function read() {
  const given = new URLSearchParams(location.search);
  for (const name of NAMES) {
    const asked = given.get(name) ?? FIRST[/** @type {keyof typeof FIRST} */ (name)];
    const known = [...field(name).options].some((option) => option.value === asked);
    field(name).value = known ? asked : FIRST[/** @type {keyof typeof FIRST} */ (name)];
  }
}
function write() {
  const url = new URL(location.href);
  for (const name of NAMES) {
    const { value } = field(name);
    if (value === FIRST[/** @type {keyof typeof FIRST} */ (name)]) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, "", url);
}
function update() {
  weigh();
  show();
}

form.addEventListener("change", () => {
  write();
  update();
});
addEventListener("popstate", () => {
  read();
  update();
});
read();
update();

const file = await fetch(/** @type {string} */ (form.dataset.models)).catch(() => null);
if (file?.ok) {
  models = await file.json();
  field("model").replaceChildren(...models.map(([slug, title]) => new Option(title, slug)));
  read();
  update();
}
form.dataset.ready = "";
