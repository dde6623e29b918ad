// The search box of every page: "/" focuses it, typing lists catalogued models, a Hub id goes to its page or to the app.

const form = document.querySelector(".search");
const input = form.querySelector("input");
const list = form.querySelector(".found");
let models = null;   // [{slug, name, company, words}], fetched at the first focus
let shown = [];
let chosen = -1;

const here = new URL(form.dataset.models, location.href);
const pageOf = slug => new URL(`${slug}/`, here).href;

async function load() {
  if (!models) models = fetch(form.dataset.index).then(answer => answer.json()).catch(() => []);
  return models;
}

// "https://huggingface.co/org/name/tree/main" and "org/name" both mean org/name.
export function hubId(text) {
  const path = text.trim().replace(/^https?:\/\/[^/]+\//, "").replace(/^hf\.co\//, "");
  const [org, name] = path.split(/[/?#]/);
  return org && name && /^[\w.-]+$/.test(org) && /^[\w.-]+$/.test(name) ? `${org}/${name}` : "";
}

function match(all, text) {
  const id = hubId(text).toLowerCase();
  const exact = all.filter(model => model.slug.toLowerCase() === id);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rest = all.filter(model => words.every(word => model.words.includes(word)));
  return [...new Set([...exact, ...rest])].slice(0, 8);
}

function option(text, aside, target) {
  const row = document.createElement("div");
  row.setAttribute("role", "option");
  row.id = `found-${list.childElementCount}`;
  for (const part of [text, aside]) row.append(Object.assign(document.createElement("span"), { textContent: part }));
  row.addEventListener("pointerdown", event => { event.preventDefault(); location.href = target; });
  list.append(row);
  shown.push({ row, target });
}

function choose(index) {
  chosen = shown.length ? (index + shown.length) % shown.length : -1;
  shown.forEach(({ row }, at) => row.setAttribute("aria-selected", at === chosen));
  if (chosen >= 0) input.setAttribute("aria-activedescendant", shown[chosen].row.id);
  else input.removeAttribute("aria-activedescendant");
}

function close() {
  list.hidden = true;
  input.setAttribute("aria-expanded", "false");
  choose(-1);
}

async function suggest() {
  const text = input.value.trim();
  const all = await load();
  if (text !== input.value.trim()) return;
  list.replaceChildren();
  shown = [];
  if (!text) return close();
  const found = match(all, text);
  for (const model of found) option(model.name, model.company, pageOf(model.slug));
  const id = hubId(text);
  if (id && form.dataset.app && !found.some(model => model.slug.toLowerCase() === id.toLowerCase()))
    option(`Read ${id} from the Hub`, "workbench", `${form.dataset.app}?model=${encodeURIComponent(id)}`);
  if (!shown.length) list.append(Object.assign(document.createElement("p"), { textContent: form.dataset.nothing }));
  list.hidden = false;
  input.setAttribute("aria-expanded", "true");
  choose(shown.length ? 0 : -1);
}

if (!document.querySelector("[data-gallery]")) {
  input.addEventListener("focus", load);
  input.addEventListener("input", suggest);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Escape") { input.value = ""; close(); }
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", async event => {
    event.preventDefault();
    await suggest();
    if (shown[chosen]) location.href = shown[chosen].target;
  });
}

document.addEventListener("keydown", event => {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
});
