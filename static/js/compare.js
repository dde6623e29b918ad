// /compare/: two to four models from the address, ?a=&b=&c=&d=&equal=1. Choosing pushes a state, typing none.
import { LETTERS, curves, figures, list, make, matrix, table, verdict } from "./compare-draw.js";
import { FAR, drawing } from "./compare-drawing.js";
import { share } from "./compare-merge.js";
import { towers } from "./compare-tower.js";
import { PARTS, pair, sentence } from "./compare-words.js";

const root = document.querySelector(".cmp"), body = root.querySelector(".cmp-body"), boxes = root.querySelector(".cmp-boxes");
const alertBox = root.querySelector(".cmp-alert"), options = document.getElementById("cmp-models");
const KEYS = ["a", "b", "c", "d"];
const files = new URL(root.dataset.files, location.href), pages = new URL(root.dataset.pages, location.href);
const first = root.dataset.default.split(" ");
const SHOWS = ["a", "both", "b"], PHONE = 640;
let models = [], bySlug = new Map(), state = { slugs: [], equal: false, show: "both", part: "" }, shown = [], wide = 0;
const held = new Map();

const fetched = async (path) => {
  const answer = await fetch(new URL(path, files));
  if (!answer.ok) throw new Error(`The site's file ${path} could not be read: ${answer.status}.`);
  return answer.json();
};
const file = (slug) => held.get(slug) ?? held.set(slug, fetched(`${slug}.json`)).get(slug);

function read() {
  const asked = new URLSearchParams(location.search), slugs = KEYS.map((key) => asked.get(key)).filter(Boolean);
  const show = SHOWS.includes(asked.get("show")) ? asked.get("show") : "both", part = PARTS[asked.get("part")] ? asked.get("part") : "";
  state = { slugs: slugs.length ? slugs : [...first], equal: asked.get("equal") === "1", show, part };
}
function write(push) {
  const asked = new URLSearchParams();
  if (state.slugs.join(" ") !== first.join(" ")) state.slugs.forEach((slug, i) => slug && asked.set(KEYS[i], slug));
  if (state.show !== "both") asked.set("show", state.show);
  if (state.equal) asked.set("equal", "1");
  if (state.part) asked.set("part", state.part);
  const text = asked.toString().replaceAll("%2F", "/");
  history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${text && `?${text}`}`);
}
const say = (words) => { alertBox.textContent = words; alertBox.hidden = !words; };

// What is typed -> a drawn model, or a sentence.
function meant(typed) {
  const plain = typed.trim().toLowerCase();
  const found = models.find(([slug, title]) => [slug, title].some((one) => one.toLowerCase() === plain)) ?? models.filter(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain))[0];
  if (!plain || !found) return [null, `No model here is called “${typed}”. Type a name from the list, as Qwen3 32B.`];
  if (!found[4]) return [null, `${found[1]} is listed but not drawn: it waits for its config.`];
  return [found[0], ""];
}

function choosers() {
  boxes.replaceChildren(...state.slugs.map((slug, i) => {
    const input = make("input", { id: `in-${KEYS[i]}`, list: "cmp-models", spellcheck: "false" });
    input.value = bySlug.get(slug)?.[1] ?? slug;
    const one = bySlug.get(slug), about = one ? ` ${one[2]}${one[3] ? ` · ${one[3].slice(0, 7)}` : ""}` : "";
    input.addEventListener("focus", () => input.select());
    input.addEventListener("change", () => {
      const [found, wrong] = meant(input.value);
      input.setAttribute("aria-invalid", String(!found));
      if (!found) return say(wrong);
      if (state.slugs.some((other, j) => other === found && j !== i)) return say(`${bySlug.get(found)[1]} is already here; choose another model, or one of its variants.`);
      state.slugs[i] = found;
      write(true);
      return show();
    });
    const away = state.slugs.length > 2 ? make("button", { type: "button", "aria-label": `Take ${input.value} away` }, "×") : "";
    if (away) away.addEventListener("click", () => { state.slugs.splice(i, 1); write(true); show(); });
    return make("div", { class: "cmp-box" }, make("label", { for: `in-${KEYS[i]}` }, make("b", {}, LETTERS[i]), about), input, away);
  }));
  root.querySelector('[data-do="add"]').hidden = state.slugs.length >= 4;
}

function legend() {
  const item = (kind, words) => make("li", {}, make("i", { class: kind, "aria-hidden": "true" }), words);
  return make("ul", { class: "cmp-legend" }, item("", "equal in both"), item("k-differs", "differs: A → B"), item("k-only-a", "⊖ only in A"), item("k-only-b", "⊕ only in B"), make("li", {}, make("span", { class: "disc" }, "2"), " the row of the table that counts it"));
}

// A | Both | B: which model's values the drawing shows; its boxes stay where they are.
function segmented([a, b]) {
  const name = (model) => (model.title.length > 18 ? `${model.title.slice(0, 17)}…` : model.title), words = { a: `A ${name(a)}`, both: "Both", b: `B ${name(b)}` };
  return make("div", { class: "cmp-show", role: "group", "aria-label": "Which model the drawing shows" }, ...SHOWS.map((key) => make("button", { type: "button", "data-show": key, "aria-pressed": String(state.show === key) }, words[key])));
}
function shows(key) {
  state.show = key;
  write(false);
  body.querySelector(".cmp-seen").dataset.show = key;
  for (const one of body.querySelectorAll(".cmp-show button")) one.setAttribute("aria-pressed", String(one.dataset.show === key));
}
const HOME = { mixer: "mixer", mlp: "mlp", norms: "card", position: "mixer", sizes: "tower", beside: "tower" };
// The part that the address names is marked, and scrolled to when the reader asked for it.
function marked(scroll) {
  for (const one of body.querySelectorAll("[data-part]")) one.classList.toggle("lit", one.dataset.part === HOME[state.part]);
  if (scroll && state.part) body.querySelector(`[data-part="${HOME[state.part]}"]`)?.scrollIntoView({ block: "center" });
}

function two([a, b]) {
  const found = { ...pair(a, b), far: share(a, b) < FAR }, narrow = body.clientWidth < PHONE;
  const equal = make("button", { type: "button", class: "button", "data-equal": "", "aria-pressed": String(state.equal) }, state.equal ? "Hide equal parts" : narrow ? "Show equal parts" : `Show ${found.equal.length} equal fields`);
  const note = [`${found.rows.length} differences · ${found.equal.length} fields equal`];
  if (!found.counted) note.push("what each costs is counted for a model and its nearest relatives; here fields and totals stand");
  for (const one of [a, b]) if (one.from_keys) note.push(`${one.title} is read from its keys alone`);
  const rows = [make("h2", {}, "What differs, and what it costs"), (narrow ? list : table)(found, [a, b], state.equal, state.part)];
  const seen = make("div", { class: "cmp-seen", "data-show": state.show }, make("div", { class: "cmp-bar" }, narrow ? "" : legend(), segmented([a, b])), drawing([a, b], found, { width: body.clientWidth, equal: state.equal, narrow }));
  const drawn = narrow ? [make("h2", {}, "The drawing"), seen, equal] : [seen];
  return [verdict(found), make("p", { class: "cmp-note" }, note.join(" · ")), figures([a, b]), ...(narrow ? [...rows, ...drawn] : [...drawn, ...rows, equal])];
}
// The pair of A and another of three or four; a cell says which part it is about.
function address(model, part = "") {
  const asked = new URLSearchParams({ a: shown[0].slug, b: model.slug, ...(part && { part }) });
  return `?${asked.toString().replaceAll("%2F", "/")}`;
}
function several(all) {
  const [a, ...others] = all;
  const words = make("p", { class: "cmp-verdict" }, `Against ${a.title}: `, ...others.flatMap((one, i) => [pair(a, one).brief, i < others.length - 1 ? "; " : "."]));
  return [words, make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Towers" }, towers(all, { link: (model, i) => (i ? address(model) : null) })), make("h2", {}, "What differs"), matrix(all, address)];
}

function render() {
  if (shown.length < 2) return one(shown[0]);
  wide = body.clientWidth;
  const drawn = shown.length === 2 ? two(shown) : several(shown);
  body.replaceChildren(...drawn, make("h2", {}, "Cache against context"), make("p", { class: "cmp-note" }, "One sequence, 16 bits; both axes are logarithmic."), curves(shown),
    make("p", { class: "small" }, ...shown.flatMap((model, i) => [make("a", { href: new URL(`${model.slug}/`, pages).href }, model.title), i < shown.length - 1 ? " · " : ""])));
  marked(false);
  document.title = `${shown.map((model) => model.title).join(" and ")} · Compare · Cutaway`;
  return undefined;
}
function one(model) {
  const chips = (model?.near ?? []).filter((slug) => bySlug.has(slug)).map((slug) => {
    const chip = make("button", { type: "button", class: "button" }, bySlug.get(slug)[1]);
    chip.addEventListener("click", () => { state.slugs = [slug, model.slug]; write(true); show(); });
    return chip;
  });
  body.replaceChildren(make("p", { class: "cmp-verdict" }, model ? `${model.title}: choose what to set it beside.` : "Choose two models."), make("p", {}, chips.length ? "Nearest earlier: " : "", ...chips.flatMap((chip) => [chip, " "])));
}

let turn = 0;
async function show() {
  const mine = ++turn;
  say("");
  const wrong = [], slugs = [];
  for (const slug of state.slugs) {
    const [found, words] = meant(slug);
    if (!found) wrong.push(words);
    else if (slugs.includes(found)) wrong.push(`${bySlug.get(found)[1]} was named twice; a model is not compared with itself.`);
    else slugs.push(found);
  }
  state.slugs = slugs.length === 1 ? [...slugs, ""] : slugs.length ? slugs : [...first];
  choosers();
  if (wrong.length) say(wrong.join(" "));
  body.setAttribute("aria-busy", "true");
  try {
    const found = await Promise.all(state.slugs.filter(Boolean).map(file));
    if (mine !== turn) return;
    shown = found;
    render();
    if (state.part) marked(true);
  } catch (error) {
    if (mine === turn) say(`${error.message} Try again, or choose another model.`);
  } finally {
    if (mine === turn) body.setAttribute("aria-busy", "false");
  }
}

const DO = {
  swap: () => { state.slugs = [state.slugs[1], state.slugs[0], ...state.slugs.slice(2)].filter(Boolean); write(true); return show(); },
  add: () => {
    const near = shown.flatMap((model) => model.near).find((slug) => bySlug.get(slug)?.[4] && !state.slugs.includes(slug)) ?? models.find(([slug, , , , drawn]) => drawn && !state.slugs.includes(slug))[0];
    state.slugs = [...state.slugs.filter(Boolean), near];
    write(true);
    return show().then(() => document.getElementById(`in-${KEYS[state.slugs.length - 1]}`)?.focus());
  },
  link: () => navigator.clipboard.writeText(location.href).then(() => told("link", "Copied")),
  json: () => {
    const [a, ...others] = shown, out = others.map((b) => { const found = pair(a, b); return { a: a.slug, b: b.slug, verdict: sentence(found), rows: found.rows, figures: [a.figures, b.figures] }; });
    const link = make("a", { href: URL.createObjectURL(new Blob([JSON.stringify(out, null, 1)], { type: "application/json" })), download: "compare.json" });
    link.click();
  },
};
function told(key, words) {
  const button = root.querySelector(`[data-do="${key}"]`), before = button.textContent;
  button.textContent = words;
  setTimeout(() => { button.textContent = before; }, 1500);
}
function pressed(event) {
  const { target } = event, show = target.closest(".cmp-show button"), part = target.closest("a[data-to]"), link = target.closest('a[href^="?"]');
  DO[target.closest("[data-do]")?.dataset.do]?.();
  if (show) shows(show.dataset.show);
  if (target.closest("[data-equal]")) { state.equal = !state.equal; write(true); render(); body.querySelector("[data-equal]").focus(); }
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (part) { state.part = state.part === part.dataset.to ? "" : part.dataset.to; write(true); marked(true); return; }
  history.pushState(null, "", link.getAttribute("href"));
  read();
  show().then(() => marked(true));
}
root.addEventListener("click", pressed);
new ResizeObserver(() => { if (shown.length > 1 && body.clientWidth && body.clientWidth !== wide) render(); }).observe(body);
addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "x") DO.swap();
  const row = /^[1-9]$/.test(event.key) && document.getElementById(`d-${event.key}`);
  if (row) { location.hash = row.id; row.scrollIntoView({ block: "center" }); }
});
addEventListener("popstate", () => { if (models.length) { read(); show(); } });

fetched("models.json").then((rows) => {
  models = rows;
  bySlug = new Map(rows.map((row) => [row[0], row]));
  options.append(...rows.filter((row) => row[4]).map(([slug, title]) => make("option", { value: title, label: slug })));
  read();
  return show();
}).catch((error) => say(error.message));
