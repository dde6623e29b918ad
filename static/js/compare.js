// /compare/: two to four models from the address, ?a=&b=&c=&d=&show=&equal=1&part=. Choosing pushes a state, typing none.
import { asker, isPasted, knows } from "./compare-ask.js";
import { make } from "./compare-draw.js";
import { rowsOf, saved, taken } from "./compare-take.js";
import { alone, cache, choosers, links, marked, SHOWS, several, two } from "./compare-views.js";
import { PARTS, pair, sentence } from "./compare-words.js";

const root = document.querySelector(".cmp"),
  body = root.querySelector(".cmp-body"),
  boxes = root.querySelector(".cmp-boxes");
const alertBox = root.querySelector(".cmp-alert"),
  options = document.getElementById("cmp-models"),
  dialog = root.querySelector("dialog");
const KEYS = ["a", "b", "c", "d"],
  PASTE = "Paste a config.json …";
const files = new URL(root.dataset.files, location.href),
  pages = new URL(root.dataset.pages, location.href);
const first = root.dataset.default.split(" "),
  server = asker(root.dataset.ask && new URL(root.dataset.ask, location.href));
const QUIET = "what each costs is counted for a model and its nearest relatives; here fields and totals stand";
const FILES =
  "This is a site of files alone, which cannot read a config: a pasted one is compared in the live app, which make serve starts.";
let models = [],
  bySlug = new Map(),
  state = { slugs: [], equal: false, show: "both", part: "" },
  shown = [],
  wide = 0,
  counting = QUIET;
const held = new Map();

// ---------------------------------------------------------------- files and address

const fetched = async (path) => {
  const answer = await fetch(new URL(path, files)).catch(() => ({ status: "no answer" }));
  if (!answer.ok) throw new Error(`The site's file ${path} could not be read: ${answer.status}.`);
  return answer.json();
};
function file(slug) {
  if (!held.has(slug)) held.set(slug, isPasted(slug) ? server.file(slug).then(listed) : fetched(`${slug}.json`));
  held.get(slug).catch(() => held.delete(slug));
  return held.get(slug);
}
function listed(one) {
  bySlug.set(one.slug, [one.slug, one.title, "pasted", "", true]);
  return one;
}

function read() {
  const asked = new URLSearchParams(location.search),
    slugs = KEYS.map((key) => asked.get(key)).filter(Boolean);
  const show = SHOWS.includes(asked.get("show")) ? asked.get("show") : "both",
    part = Object.hasOwn(PARTS, asked.get("part") ?? "") ? asked.get("part") : "";
  state = { slugs: slugs.length ? slugs : [...first], equal: asked.get("equal") === "1", show, part };
}
function query(part = state.part) {
  const asked = new URLSearchParams();
  if (state.slugs.join(" ") !== first.join(" ")) state.slugs.forEach((slug, i) => slug && asked.set(KEYS[i], slug));
  if (state.show !== "both") asked.set("show", state.show);
  if (state.equal) asked.set("equal", "1");
  if (part) asked.set("part", part);
  const text = asked.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return text && `?${text}`;
}
const write = (push) => history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${query()}`);
const say = (words) => {
  alertBox.textContent = words;
  alertBox.hidden = !words;
};
// The pair of A and another of three or four; a cell says which part it is about.
const address = (model, part = "") =>
  `?${new URLSearchParams({ a: shown[0].slug, b: model.slug, ...(part && { part }) }).toString().replaceAll("%2F", "/")}`;

// ---------------------------------------------------------------- choosing

const joined = (name) => name.toLowerCase().replace(/[\s_-]+/g, "");
// What is typed -> a drawn model, or a sentence.
function meant(typed) {
  const plain = typed.trim().toLowerCase();
  if (isPasted(plain))
    return server.live && knows(plain)
      ? [plain, ""]
      : [null, "That pasted config is known only to the tab it was pasted in: paste it again."];
  const found =
    models.find(([slug, title]) => [slug, title].some((one) => one.toLowerCase() === plain)) ??
    models.find(([slug, title]) => [title, slug.split("/").at(-1)].some((one) => joined(one) === joined(plain))) ??
    models.filter(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain))[0];
  if (!plain || !found) return [null, `No model here is called “${typed}”. Type a name from the list, as Qwen3 32B.`];
  if (!found[4]) return [null, `${found[1]} is listed but not drawn: it waits for its config.`];
  return [found[0], ""];
}
function choose(i, input) {
  const before = bySlug.get(state.slugs[i])?.[1] ?? "";
  if (input.value === PASTE) {
    input.value = before;
    return paste(i);
  }
  const pasted = [...bySlug.values()].find(([slug, title]) => isPasted(slug) && title === input.value),
    [found, wrong] = pasted ? [pasted[0], ""] : meant(input.value);
  input.setAttribute("aria-invalid", String(!found));
  if (!found) return say(wrong);
  if (found === state.slugs[i]) {
    input.value = before;
    return say("");
  }
  if (state.slugs.some((other, j) => other === found && j !== i)) {
    input.value = before;
    return say(`${bySlug.get(found)[1]} is already here; choose another model, or one of its variants.`);
  }
  return put(i, found);
}
function put(i, slug) {
  state.slugs[i] = slug;
  write(true);
  return show();
}
const drop = (i) => {
  state.slugs.splice(i, 1);
  write(true);
  return show();
};

// ---------------------------------------------------------------- showing

function render() {
  if (shown.length < 2) {
    const chips = (shown[0]?.near ?? [])
      .filter((slug) => bySlug.has(slug))
      .map((slug) => make("button", { type: "button", class: "button", "data-near": slug }, bySlug.get(slug)[1]));
    return body.replaceChildren(...alone(shown[0], chips));
  }
  wide = body.clientWidth;
  body.replaceChildren(
    ...(shown.length === 2
      ? [...two(shown, { ...state, width: wide, counting }), ...cache(shown)]
      : several(shown, address)),
    links(shown, pages),
  );
  for (const link of body.querySelectorAll("a[data-to]")) link.href = query(link.dataset.to);
  marked(body, state.part, false);
  document.title = `${shown.map((model) => model.title).join(" and ")} · Compare · Cutaway`;
  return undefined;
}

// The boxes stay while their number does, and so does the focus; else it goes to the box that took its place.
function boxed() {
  const made = choosers(state.slugs, bySlug, { choose, drop }),
    old = [...boxes.children];
  const at = old.findIndex((box) => box.contains(document.activeElement));
  if (made.length === old.length) return made.forEach((box, i) => renamed(old[i], box));
  boxes.replaceChildren(...made);
  return at < 0 ? undefined : made[Math.min(at, made.length - 1)].querySelector("input").focus();
}
function renamed(old, box) {
  const input = old.querySelector("input");
  input.value = box.querySelector("input").value;
  input.removeAttribute("aria-invalid");
  old.querySelector("label").replaceWith(box.querySelector("label"));
  old.querySelector("button")?.setAttribute("aria-label", box.querySelector("button").getAttribute("aria-label"));
}

let turn = 0,
  asking = null;
async function show() {
  const mine = ++turn;
  asking?.abort();
  say("");
  const wrong = [],
    slugs = [];
  for (const slug of state.slugs.filter(Boolean)) {
    const [found, words] = meant(slug);
    if (!found) wrong.push(words);
    else if (slugs.includes(found))
      wrong.push(`${bySlug.get(found)[1]} was named twice; a model is not compared with itself.`);
    else slugs.push(found);
  }
  state.slugs = slugs.length === 1 ? [...slugs, ""] : slugs.length ? slugs : [...first];
  if (wrong.length) say(wrong.join(" "));
  body.setAttribute("aria-busy", "true");
  boxed();
  root.querySelector('[data-do="add"]').hidden = state.slugs.length >= 4;
  try {
    const found = await Promise.all(state.slugs.filter(Boolean).map(file));
    if (mine !== turn) return;
    if (found.some((one) => isPasted(one.slug))) boxed();
    shown = found;
    counting = server.live ? "counting what each difference costs …" : QUIET;
    render();
    if (state.part) marked(body, state.part, true);
    if (server.live) counted(mine);
  } catch (error) {
    if (mine === turn) say(`${error.message} Try again, or choose another model.`);
  } finally {
    if (mine === turn) body.setAttribute("aria-busy", "false");
  }
}
// On the live page any pair is counted, one after the other; the page says so until it is.
async function counted(mine) {
  const [a, ...others] = shown;
  asking = new AbortController();
  for (const b of others.filter((one) => !one.pairs[a.slug])) {
    try {
      b.pairs[a.slug] = await server.pair(a.slug, b.slug, asking.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      counting = `what each costs was not counted: ${error.message}`;
    }
    if (mine !== turn) return;
    render();
  }
}

// ---------------------------------------------------------------- a pasted config

let slot = 1;
function paste(i = Math.min(state.slugs.length - 1, 1)) {
  if (!server.live) return say(FILES);
  slot = i;
  dialog.showModal();
  return dialog.querySelector("textarea").focus();
}
async function pasted() {
  const says = dialog.querySelector("[role=alert]"),
    tell = (words) => {
      says.textContent = words;
      says.hidden = !words;
    };
  tell("");
  dialog.setAttribute("aria-busy", "true");
  try {
    const one = listed(await server.paste(dialog.querySelector("textarea").value));
    held.set(one.slug, Promise.resolve(one));
    dialog.close();
    if (state.slugs.some((slug, i) => slug === one.slug && i !== slot)) return say("That config is already here.");
    return put(slot, one.slug);
  } catch (error) {
    return tell(error.message);
  } finally {
    dialog.setAttribute("aria-busy", "false");
  }
}

// ---------------------------------------------------------------- buttons, keys

function told(key, words) {
  const button = root.querySelector(`[data-do="${key}"]`),
    before = button.dataset.words ?? button.textContent;
  button.dataset.words = before;
  button.textContent = words;
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}
const DO = {
  swap: () => {
    state.slugs = [state.slugs[1], state.slugs[0], ...state.slugs.slice(2)].filter(Boolean);
    write(true);
    return show();
  },
  add: () => {
    const near =
      shown.flatMap((model) => model.near).find((slug) => bySlug.get(slug)?.[4] && !state.slugs.includes(slug)) ??
      models.find(([slug, , , , drawn]) => drawn && !state.slugs.includes(slug))[0];
    state.slugs = [...state.slugs.filter(Boolean), near];
    write(true);
    return show().then(() => document.getElementById(`in-${KEYS[state.slugs.length - 1]}`)?.focus());
  },
  paste: () => paste(),
  pasted,
  unpaste: () => dialog.close(),
  link: () =>
    navigator.clipboard.writeText(location.href).then(
      () => told("link", "Copied"),
      () => say(`The browser does not let a page copy here. The address is ${location.href}`),
    ),
  svg: () =>
    shown.length === 2
      ? saved(taken(body.querySelector(".cmp-seen"), sentence(pair(...shown))), "image/svg+xml", "compare.svg")
      : say("The drawing is of two models: choose a tower or a cell first."),
  json: () => saved(rowsOf(shown), "application/json", "compare.json"),
};
function shows(key) {
  state.show = key;
  write(false);
  body.querySelector(".cmp-seen").dataset.show = key;
  for (const one of body.querySelectorAll(".cmp-show button"))
    one.setAttribute("aria-pressed", String(one.dataset.show === key));
}
function pressed(event) {
  const { target } = event,
    show_ = target.closest(".cmp-show button"),
    near = target.closest("[data-near]"),
    part = target.closest("a[data-to]"),
    link = target.closest('.cmp-body a[href^="?"]');
  DO[target.closest("[data-do]")?.dataset.do]?.();
  if (show_) shows(show_.dataset.show);
  if (near) {
    state.slugs = [near.dataset.near, shown[0].slug];
    write(true);
    show();
    document.getElementById("in-a").focus();
  }
  if (target.closest("[data-equal]")) {
    state.equal = !state.equal;
    write(true);
    render();
    body.querySelector("[data-equal]").focus();
  }
  if (!(part || link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (part) {
    state.part = state.part === part.dataset.to ? "" : part.dataset.to;
    write(true);
    marked(body, state.part, true);
    return;
  }
  history.pushState(null, "", link.getAttribute("href"));
  read();
  show();
}
root.addEventListener("click", pressed);
new ResizeObserver(() => {
  if (shown.length > 1 && body.clientWidth && body.clientWidth !== wide) render();
}).observe(body);
addEventListener("keydown", (event) => {
  if (dialog?.open || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (event.key === "x") DO.swap();
  const row = /^[1-9]$/.test(event.key) && document.getElementById(`d-${event.key}`);
  if (row) {
    location.hash = row.id;
    row.scrollIntoView({ block: "center" });
  }
});
addEventListener("popstate", () => {
  if (models.length) {
    read();
    show();
  }
});

fetched("models.json")
  .then((rows) => {
    models = rows;
    bySlug = new Map([...rows.map((row) => [row[0], row]), ...bySlug]);
    options.append(
      ...rows.filter((row) => row[4]).map(([slug, title]) => make("option", { value: title, label: slug })),
      make("option", { value: PASTE }),
    );
    read();
    return show();
  })
  .catch((error) => say(error.message));
