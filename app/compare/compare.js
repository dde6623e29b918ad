// /compare/: two to six models from the address (compare-address.js). Choosing pushes a state, typing none.
import { copied } from "../site/clipboard.js";
import { KEYS, queryOf, readAddress, USUAL } from "./compare-address.js";
import { asker, isPasted, knows } from "./compare-ask.js";
import { cache } from "./compare-cache.js";
import { make } from "./compare-elements.js";
import { modelOf } from "./compare-names.js";
import { commas, rowsOf, saved, taken } from "./compare-take.js";
import { alone, choosers, links, marked, several, tabled, two } from "./compare-views.js";
import { pair, sentence } from "./compare-words.js";

/** @import { ComparedModel, ListedModel } from "../site/types.d.ts" */
/** @import { CacheChoice, Shown } from "./compare-address.js" */

/** @type {HTMLElement} */
const root = /** @type {HTMLElement} */ (document.querySelector(".cmp")),
  /** @type {HTMLElement} */
  body = /** @type {HTMLElement} */ (root.querySelector(".cmp-body")),
  /** @type {HTMLElement} */
  boxes = /** @type {HTMLElement} */ (root.querySelector(".cmp-boxes"));
/** @type {HTMLElement} */
const alertBox = /** @type {HTMLElement} */ (root.querySelector(".cmp-alert")),
  /** @type {HTMLDataListElement} */
  options = /** @type {HTMLDataListElement} */ (document.getElementById("cmp-models")),
  /** @type {HTMLDialogElement} */
  dialog = /** @type {HTMLDialogElement} */ (root.querySelector("dialog"));
const PASTE = "Paste a config.json …";
const files = new URL(/** @type {string} */ (root.dataset.files), location.href),
  pages = new URL(/** @type {string} */ (root.dataset.pages), location.href);
const first = /** @type {string} */ (root.dataset.default).split(" "),
  server = asker(root.dataset.ask && new URL(root.dataset.ask, location.href));
const QUIET = "costs are counted for a model and its nearest relatives; for this pair only fields and totals are shown";
const FILES =
  "This site is static and cannot read a config. To compare a pasted one, start the live app with make serve.";
/** @type {ListedModel[]} */
let models = [],
  /** @type {Map<string, ListedModel>} */
  bySlug = new Map(),
  /** @type {Shown} */
  state = { slugs: [], equal: false, table: false, show: "both", part: "", cache: USUAL },
  /** @type {ComparedModel[]} */
  shown = [],
  wide = 0,
  counting = QUIET;
/** @type {Map<string, Promise<ComparedModel>>} */
const held = new Map();

// ---------------------------------------------------------------- files and address

/** @param {string} path */
const fetched = async (path) => {
  const answer = await fetch(new URL(path, files)).catch(() => null);
  if (!answer?.ok) throw new Error(`The site's file ${path} could not be read: ${answer?.status ?? "no answer"}.`);
  return answer.json();
};
/** @param {string} slug */
function file(slug) {
  if (!held.has(slug)) held.set(slug, isPasted(slug) ? server.file(slug).then(listed) : fetched(`${slug}.json`));
  const found = /** @type {Promise<ComparedModel>} */ (held.get(slug));
  found.catch(() => held.delete(slug));
  return found;
}
/** @param {ComparedModel} one */
function listed(one) {
  bySlug.set(one.slug, [one.slug, one.title, "pasted", "", true]);
  return one;
}

const read = () => {
  state = readAddress(location.search, first);
};
/** @param {boolean} push */
const write = (push) =>
  history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${queryOf(state, first)}`);
/** @param {string} words */
const say = (words) => {
  alertBox.textContent = words;
  alertBox.hidden = !words;
};
/** @param {string} key */
const button = (key) => /** @type {HTMLElement} */ (root.querySelector(`[data-do="${key}"]`));
/**
 * The pair of A and another of several; a cell says which part it is about.
 * @param {ComparedModel} model
 * @param {string} [part]
 */
const address = (model, part = "") =>
  `?${new URLSearchParams({ a: shown[0].slug, b: model.slug, ...(part && { part }) }).toString().replaceAll("%2F", "/")}`;

// ---------------------------------------------------------------- choosing

/** @param {string} typed */
const meant = (typed) => modelOf(typed, models, (slug) => server.live && knows(slug));
/**
 * @param {number} i
 * @param {HTMLInputElement} input
 */
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
    return say(`${bySlug.get(found)?.[1]} is already here; choose another model, or one of its variants.`);
  }
  return put(i, found);
}
/**
 * @param {number} i
 * @param {string} slug
 */
function put(i, slug) {
  state.slugs[i] = slug;
  write(true);
  return show();
}
/** @param {number} i */
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
      .map((slug) => make("button", { type: "button", class: "button", "data-near": slug }, bySlug.get(slug)?.[1]));
    return body.replaceChildren(...alone(shown[0], chips));
  }
  wide = body.clientWidth;
  const kept = cache(shown, state.cache, keeps),
    view = state.table ? tabled : several,
    drawn =
      shown.length > 2 || state.table
        ? view(shown, address, { ...state, kept })
        : [...two(shown, { ...state, width: wide, counting }), kept];
  body.replaceChildren(...drawn, links(shown, pages));
  button("table").setAttribute("aria-pressed", String(state.table));
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (body.querySelectorAll("a[data-to]")))
    link.href = queryOf({ ...state, part: link.dataset.to ?? "" }, first);
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
  return at < 0
    ? undefined
    : /** @type {HTMLInputElement} */ (made[Math.min(at, made.length - 1)].querySelector("input")).focus();
}
/**
 * @param {Element} old
 * @param {Element} box
 */
function renamed(old, box) {
  const input = /** @type {HTMLInputElement} */ (old.querySelector("input"));
  input.value = /** @type {HTMLInputElement} */ (box.querySelector("input")).value;
  input.removeAttribute("aria-invalid");
  /** @type {HTMLLabelElement} */ (old.querySelector("label")).replaceWith(
    /** @type {HTMLLabelElement} */ (box.querySelector("label")),
  );
  /** @type {HTMLButtonElement | null} */ (old.querySelector("button"))?.setAttribute(
    "aria-label",
    /** @type {HTMLButtonElement} */ (box.querySelector("button")).getAttribute("aria-label") ?? "",
  );
}

/** @type {number} */
let turn = 0,
  /** @type {AbortController | null} */
  asking = null;
async function show() {
  const mine = ++turn;
  asking?.abort();
  say("");
  /** @type {string[]} */
  const wrong = [],
    /** @type {string[]} */
    slugs = [];
  for (const slug of state.slugs.filter(Boolean)) {
    const [found, words] = meant(slug);
    if (!found) wrong.push(words);
    else if (slugs.includes(found))
      wrong.push(`${bySlug.get(found)?.[1]} was named twice; a model is not compared with itself.`);
    else slugs.push(found);
  }
  state.slugs = slugs.length === 1 ? [...slugs, ""] : slugs.length ? slugs : [...first];
  if (wrong.length) say(wrong.join(" "));
  body.setAttribute("aria-busy", "true");
  boxed();
  button("add").hidden = state.slugs.length >= KEYS.length;
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
    if (mine === turn) say(`${/** @type {Error} */ (error).message} Try again, or choose another model.`);
  } finally {
    if (mine === turn) body.setAttribute("aria-busy", "false");
  }
}
/**
 * On the live page any pair is counted, one after the other; the page says so until it is.
 * @param {number} mine
 */
async function counted(mine) {
  const [a, ...others] = shown;
  asking = new AbortController();
  for (const b of others.filter((one) => !one.pairs[a.slug])) {
    try {
      b.pairs[a.slug] = await server.pair(a.slug, b.slug, asking.signal);
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      if (name === "AbortError") return;
      counting = `what each costs was not counted: ${message}`;
    }
    if (mine !== turn) return;
    render();
  }
}

// ---------------------------------------------------------------- a pasted config

let slot = 1;
/** @param {number} [i] */
function paste(i = Math.min(state.slugs.length - 1, 1)) {
  if (!server.live) return say(FILES);
  slot = i;
  dialog.showModal();
  return /** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea")).focus();
}
async function pasted() {
  const says = /** @type {HTMLElement} */ (dialog.querySelector("[role=alert]")),
    /** @type {(words: string) => void} */
    tell = (words) => {
      says.textContent = words;
      says.hidden = !words;
    };
  tell("");
  dialog.setAttribute("aria-busy", "true");
  try {
    const one = listed(await server.paste(/** @type {HTMLTextAreaElement} */ (dialog.querySelector("textarea")).value));
    held.set(one.slug, Promise.resolve(one));
    dialog.close();
    if (state.slugs.some((slug, i) => slug === one.slug && i !== slot)) return say("That config is already here.");
    return put(slot, one.slug);
  } catch (error) {
    return tell(/** @type {Error} */ (error).message);
  } finally {
    dialog.setAttribute("aria-busy", "false");
  }
}

// ---------------------------------------------------------------- buttons, keys

/**
 * @param {string} key
 * @param {string} words
 */
function told(key, words) {
  const pressed = button(key),
    before = pressed.dataset.words ?? pressed.textContent;
  pressed.dataset.words = before;
  pressed.textContent = words;
  setTimeout(() => {
    pressed.textContent = before;
  }, 1500);
}
/** @type {{ [key: string]: () => unknown }} */
const DO = {
  swap: () => {
    state.slugs = [state.slugs[1], state.slugs[0], ...state.slugs.slice(2)].filter(Boolean);
    write(true);
    return show();
  },
  add: () => {
    const near =
      shown.flatMap((model) => model.near).find((slug) => bySlug.get(slug)?.[4] && !state.slugs.includes(slug)) ??
      models.find(([slug, , , , drawn]) => drawn && !state.slugs.includes(slug))?.[0] ??
      "";
    state.slugs = [...state.slugs.filter(Boolean), near];
    write(true);
    return show().then(() => document.getElementById(`in-${KEYS[state.slugs.length - 1]}`)?.focus());
  },
  paste: () => paste(),
  pasted,
  unpaste: () => dialog.close(),
  link: async () =>
    (await copied(location.href))
      ? told("link", "Copied")
      : say(`The browser blocks copying here. The address is ${location.href}`),
  table: () => {
    state.table = !state.table;
    write(true);
    render();
  },
  svg: () => {
    const seen = /** @type {HTMLElement | null} */ (body.querySelector(".cmp-seen")),
      words = shown.slice(1).map((one) => sentence(pair(shown[0], one)));
    return seen
      ? saved(taken(seen, words), "image/svg+xml", "compare.svg")
      : say("A table has no picture: press Table once more, or take it as CSV.");
  },
  csv: () => saved(commas(shown, state), "text/csv", "compare.csv"),
  json: () => saved(rowsOf(shown), "application/json", "compare.json"),
};
/** @param {string} key */
function shows(key) {
  state.show = key;
  write(false);
  /** @type {HTMLElement} */ (body.querySelector(".cmp-seen")).dataset.show = key;
  for (const one of /** @type {NodeListOf<HTMLButtonElement>} */ (body.querySelectorAll(".cmp-show button")))
    one.setAttribute("aria-pressed", String(one.dataset.show === key));
}
/**
 * Another context or format of the cache; the focus stays on what chose it.
 * @param {CacheChoice} choice
 * @param {string} control
 */
function keeps(choice, control) {
  state.cache = choice;
  write(false);
  render();
  /** @type {HTMLElement} */ (body.querySelector(control)).focus();
}
/** @param {MouseEvent} event */
function pressed(event) {
  const target = /** @type {Element} */ (event.target),
    show_ = /** @type {HTMLElement | null} */ (target.closest(".cmp-show button")),
    near = /** @type {HTMLElement | null} */ (target.closest("[data-near]")),
    part = /** @type {HTMLElement | null} */ (target.closest("a[data-to]")),
    link = /** @type {Element | null} */ (target.closest('.cmp-body a[href^="?"]'));
  DO[/** @type {HTMLElement | null} */ (target.closest("[data-do]"))?.dataset.do ?? ""]?.();
  if (show_) shows(/** @type {string} */ (show_.dataset.show));
  if (near) {
    state.slugs = [/** @type {string} */ (near.dataset.near), shown[0].slug];
    write(true);
    show();
    /** @type {HTMLElement} */ (document.getElementById("in-a")).focus();
  }
  if (target.closest("[data-equal]")) {
    state.equal = !state.equal;
    write(true);
    render();
    /** @type {HTMLElement} */ (body.querySelector("[data-equal]")).focus();
  }
  if (!(part || link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (part) {
    state.part = state.part === part.dataset.to ? "" : /** @type {string} */ (part.dataset.to);
    write(true);
    marked(body, state.part, true);
    return;
  }
  history.pushState(null, "", link?.getAttribute("href"));
  read();
  show();
}
root.addEventListener("click", pressed);
new ResizeObserver(() => {
  if (shown.length > 1 && body.clientWidth && body.clientWidth !== wide) render();
}).observe(body);
addEventListener("keydown", (event) => {
  if (
    dialog?.open ||
    /** @type {Element} */ (event.target).closest("input, textarea, select") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
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
  .then((/** @type {ListedModel[]} */ rows) => {
    models = rows;
    bySlug = new Map([...rows.map((row) => /** @type {[string, ListedModel]} */ ([row[0], row])), ...bySlug]);
    options.append(
      ...rows.filter((row) => row[4]).map(([slug, title]) => make("option", { value: title, label: slug })),
      make("option", { value: PASTE }),
    );
    read();
    return show();
  })
  .catch((error) => say(error.message));
for (const kind of ["pointerover", "focusin"]) addEventListener(kind, () => import("../site/say.js"), { once: true });
