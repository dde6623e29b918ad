// /compare/: two to six models from the address (compare-address.js). Choosing pushes a state, typing none.
import { copied } from "../site/clipboard.js";
import { KEYS, pairQuery, queryOf } from "./compare-address.js";
import { isPasted } from "./compare-ask.js";
import { cache } from "./compare-cache.js";
import { boxed, offer, PASTE } from "./compare-choosers.js";
import { make } from "./compare-elements.js";
import { another, bySlug, eachMeant, file, listModels, meant, models, server } from "./compare-files.js";
import { keyed } from "./compare-keys.js";
import { body, button, dialog, root, say, told } from "./compare-page.js";
import { paste, pasted } from "./compare-paste.js";
import { first, read, state, write } from "./compare-state.js";
import { commas, rowsOf, saved, taken } from "./compare-take.js";
import { alone, links, marked, several, tabled, two } from "./compare-views.js";
import { pair, sentence } from "./compare-words.js";

/** @import { ComparedModel } from "../site/types.d.ts" */
/** @import { CacheChoice } from "./compare-address.js" */

const pages = new URL(/** @type {string} */ (root.dataset.pages), location.href);
const QUIET = "costs are counted for a model and its nearest relatives; for this pair only fields and totals are shown";
/** @type {ComparedModel[]} */
let shown = [],
  wide = 0,
  counting = QUIET;
/** @type {(model: ComparedModel, part?: string) => string} */
const address = (model, part = "") => pairQuery(shown[0].slug, model.slug, part);
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

/** @type {number} */
let turn = 0,
  /** @type {AbortController | null} */
  asking = null;
async function show() {
  const mine = ++turn;
  asking?.abort();
  say("");
  const [slugs, wrong] = eachMeant(state.slugs.filter(Boolean));
  state.slugs = slugs.length === 1 ? [...slugs, ""] : slugs.length ? slugs : [...first];
  if (wrong.length) say(wrong.join(" "));
  body.setAttribute("aria-busy", "true");
  boxed(state.slugs, { choose, drop });
  button("add").hidden = state.slugs.length >= KEYS.length;
  try {
    const found = await Promise.all(state.slugs.filter(Boolean).map(file));
    if (mine !== turn) return;
    if (found.some((one) => isPasted(one.slug))) boxed(state.slugs, { choose, drop });
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
/** @type {{ [key: string]: () => unknown }} */
const DO = {
  swap: () => {
    state.slugs = [state.slugs[1], state.slugs[0], ...state.slugs.slice(2)].filter(Boolean);
    write(true);
    return show();
  },
  add: () => {
    state.slugs = [...state.slugs.filter(Boolean), another(shown, state.slugs)];
    write(true);
    return show().then(() => document.getElementById(`in-${KEYS[state.slugs.length - 1]}`)?.focus());
  },
  paste: () => paste(Math.min(state.slugs.length - 1, 1)),
  pasted: () => pasted(put),
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
keyed(DO.swap);
addEventListener("popstate", () => {
  if (models.length) {
    read();
    show();
  }
});

listModels()
  .then(() => {
    offer(models);
    read();
    return show();
  })
  .catch((error) => say(error.message));
for (const kind of ["pointerover", "focusin"]) addEventListener(kind, () => import("../site/say.js"), { once: true });
