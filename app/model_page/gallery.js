/* The gallery's search, sort and views. The cards are in the page; this hides, orders and counts them.
   State is the URL: ?mixer=mla,delta&mlp=moe&q=qwen&sort=parameters&view=table */
import { $, cards, compare, gallery, pending } from "./gallery-cards.js";
import { boxes, chosen, counted, groups, labelOf } from "./gallery-facets.js";
import { asked, beside, form, open, search } from "./gallery-search.js";
import { rows } from "./gallery-table.js";

/** @import { Card } from "./gallery-cards.js" */

/** @type {HTMLSelectElement} */
const sort = $("#sort");

const views = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-view]"))];

const TEXT = new Set(["name", "company"]);

const narrow = matchMedia("(max-width: 640px)"); // as in gallery.css

const FIRST = 40; // cards on a phone, until more are asked for

const rest = $(".rest");

let all = false; // asked for

const LATEST = "-date"; // as a build sorts them

let order = sort.value;

let placed = cards;

let sorted = LATEST; // how they are

const section = /** @type {HTMLElement | null} */ (gallery.querySelector(".further"));
const packed = section && import("../packed/further.js").then(({ further }) => further(section));

const tabled = () =>
  views.some((view) => view.dataset.view === "table" && view.getAttribute("aria-pressed") === "true");

/**
 * Sets a text where it is another one: setting it makes the browser lay it out again, even if it is the same.
 * @param {Element} node
 * @param {string} words
 */
function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

function apply() {
  const facets = chosen(),
    question = asked(apply),
    { typed } = question;
  beside(question);
  const { shown, counts } = counted(facets, typed);
  const visible = new Set(shown);
  for (const box of boxes) {
    const count = counts.get(box.value) || 0;
    say(/** @type {Element} */ (labelOf(box).querySelector(".count")), String(count));
    labelOf(box).classList.toggle("none", !count && !box.checked);
  }
  const narrowed = [...facets.values()].some((values) => values.length);
  for (const row of pending) row.node.hidden = narrowed || !typed(row);
  if (pending.length) $(".pending").hidden = pending.every((row) => row.node.hidden);
  if (order !== sorted) {
    placed = [...cards].sort(compare(order));
    sorted = order;
    $(".cards").append(...placed.map((card) => card.node));
  }
  hide(visible);
  chips(shown.length);
  const table = tabled();
  $(".cards").hidden = table;
  $(".models-table").hidden = !table;
  if (table)
    rows(
      placed.filter((card) => visible.has(card)),
      order,
    );
  $(".nothing").hidden = shown.length > 0 || pending.some((row) => !row.node.hidden);
  packed?.then(async (list) => {
    if (await list.find(search.value.trim())) $(".nothing").hidden = true;
  });
}

/**
 * What is not meant is hidden; on a phone also what comes after the first, though find-in-page still finds it.
 * @param {Set<Card>} visible
 */
function hide(visible) {
  const most = all || !narrow.matches ? Number.POSITIVE_INFINITY : FIRST;
  let at = 0;
  for (const card of placed) {
    if (!visible.has(card)) card.node.hidden = true;
    else if (++at > most) card.node.setAttribute("hidden", "until-found");
    else card.node.hidden = false;
  }
  rest.hidden = at <= most || tabled();
  say(/** @type {Element} */ (rest.firstElementChild), `Show all ${at} models`);
}

function more() {
  all = true;
  apply();
}

/** @param {number} count */
function chips(count) {
  say($(".shown"), count === cards.length ? `${count} models` : `${count} of ${cards.length}`);
  const holder = $(".chips");
  const active = boxes.filter((box) => box.checked);
  holder.replaceChildren(
    ...active.map((box) => {
      const name = labelOf(box).querySelector("span")?.textContent;
      const chip = Object.assign(document.createElement("button"), {
        className: "chip",
        type: "button",
        textContent: `${name} ×`,
      });
      chip.setAttribute("aria-label", `Remove ${name}`);
      chip.addEventListener("click", () => {
        box.checked = false;
        commit();
        search.focus({ preventScroll: true });
      });
      return chip;
    }),
  );
  $(".clear").hidden = !active.length && !search.value;
}

function address() {
  const url = new URL(location.href);
  /**
   * @param {string} key
   * @param {string} value
   * @param {string} [usual]
   */
  const set = (key, value, usual) =>
    value && value !== usual ? url.searchParams.set(key, value) : url.searchParams.delete(key);
  for (const [name, values] of chosen()) set(name, values.join(","));
  set("q", search.value.trim());
  set("sort", order, LATEST);
  set("view", views.find((view) => view.getAttribute("aria-pressed") === "true")?.dataset.view ?? "", "cards");
  return url.href.replaceAll("%2C", ",");
}

/** @param {boolean} [replace] */
function commit(replace) {
  apply();
  const url = address();
  if (url !== location.href) history[replace ? "replaceState" : "pushState"](null, "", url);
}

function restore() {
  const query = new URLSearchParams(location.search);
  for (const [name, all] of groups) {
    const values = (query.get(name) || "").split(",");
    for (const box of all) box.checked = values.includes(box.value);
  }
  search.value = query.get("q") || "";
  const key = query.get("sort") || LATEST;
  order = document.querySelector(`.models-table th[data-key="${CSS.escape(key.replace("-", ""))}"]`) ? key : LATEST;
  sort.value = order;
  const wanted = query.get("view") === "table" ? "table" : "cards";
  for (const view of views) view.setAttribute("aria-pressed", String(view.dataset.view === wanted));
  apply();
}

for (const box of boxes) box.addEventListener("change", () => commit());

search.addEventListener("input", () => commit(true));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  open(() => placed);
});

sort.addEventListener("change", () => {
  order = sort.value;
  commit();
});

for (const view of views)
  view.addEventListener("click", () => {
    for (const other of views) other.setAttribute("aria-pressed", String(other === view));
    commit();
  });

for (const th of document.querySelectorAll(".models-table th[data-key] button"))
  th.addEventListener("click", () => {
    const key = /** @type {HTMLElement} */ (th.parentElement).dataset.key ?? "";
    order = order === key ? `-${key}` : order === `-${key}` ? key : TEXT.has(key) ? key : `-${key}`;
    sort.value = order;
    commit();
  });

$(".clear").addEventListener("click", () => {
  for (const box of boxes) box.checked = false;
  search.value = "";
  commit();
  search.focus({ preventScroll: true });
});

rest.addEventListener("click", () => {
  const next = placed.find((card) => card.node.getAttribute("hidden") === "until-found");
  more();
  next?.node.querySelector("a")?.focus({ preventScroll: true });
});

for (const { node } of cards) node.addEventListener("beforematch", more);

narrow.addEventListener("change", apply);

addEventListener("popstate", restore);

if (matchMedia("(max-width: 1000px)").matches) /** @type {HTMLDetailsElement} */ ($(".facets-box")).open = false;

restore();

for (const kind of ["pointerover", "focusin"]) addEventListener(kind, () => import("../site/say.js"), { once: true });
