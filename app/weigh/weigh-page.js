// Weighing a cache: context, batch, format, other models and GPUs live in the address; numbers follow at once.
//   ?ctx=204800&batch=8&kv=fp8&vs=org/name,org/name&gpu=h200_sxm&gpus=8     defaults are left out

import { CONTEXTS, DTYPES, int, keptBytes, nearest } from "./cache-bytes.js";
import { toldAll } from "./cache-words.js";
import { look } from "./defer-offscreen.js";
import { addressed, sentences } from "./weigh-address.js";
import { markOn, rowsOf, stripOf } from "./weigh-bars.js";
import { again, changed } from "./weigh-changed.js";
import { inner, lineOf, rangeOf } from "./weigh-curve.js";
import {
  all,
  chosen,
  columnsNow,
  curves,
  fillIn,
  inputs,
  legendNow,
  places,
  planned,
  put,
  root,
  split,
  steppedBy,
} from "./weigh-elements.js";
import { entered, passed, returned } from "./weigh-history.js";
import { everyone, named, others } from "./weigh-others.js";
import { madeRow } from "./weigh-row.js";
import { relaid } from "./weigh-strip.js";

/** @import { Ends } from "../../explainers/kit/chart.js" */
/** @import { EditedModel, GrowthSheet, TitledSheet, WeighData, WeighState, WeighedModel } from "../site/types.d.ts" */

/**
 * What the slow parts last showed: what of the state they follow, the curve's ends in bytes, the cache in words.
 * @typedef {{ key?: string, range: Ends, total?: string }} Drawn
 */

/** @type {WeighData} */
const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("weigh-data")).textContent);
data.others = others;
const {
  most: [, MOST_BATCH, , MOST_CHOSEN],
} = data;
let [model, sheet] = [/** @type {WeighedModel} */ (data), data.sheet]; // as published, or as edited
/** @type {WeighState} */
const usual = { ...data.start, vs: data.chosen };
const { read, refused, query, address } = addressed(data, usual);
let [state, drawn] = [usual, /** @type {Drawn} */ ({})]; // drawn: what the slow parts last showed
let waiting = 0; // the next frame
let [columns, legend] = [columnsNow(), legendNow()];
/**
 * @param {string} slug
 * @returns {GrowthSheet | undefined}
 */
const sheetOf = (slug) => (slug === data.slug ? sheet : others[slug]?.[1]);

/**
 * Everything that follows the slider: attributes and short texts, no layout of more than a line.
 * @param {boolean | number} whole true for all parts; a frame's time where only those in sight follow
 */
function show(whole) {
  waiting = 0;
  look(whole === true);
  const told = toldAll(sheet, model, state);
  told.title += model.mark ?? "";
  for (const [key, text] of Object.entries(told)) put(key, text);
  split.setAttribute("href", `${planned}&on=${told.on}`);
  const at = nearest(state.ctx);
  for (const node of inputs.slide) {
    if (Number(node.value) !== at) node.value = String(at);
    node.setAttribute("aria-valuetext", `${int(state.ctx)} tokens, ${told.total}`);
  }
  for (const node of places.track) node.setAttribute("d", `M0 2H${at}`);
  fillIn(state);
  for (const node of all("[data-reset]")) node.hidden = !query(state);
  stripOf(sheet, state, columns, legend);
  rowsOf(sheet, state, sheetOf);
  now(told);
  document.dispatchEvent(new CustomEvent("weigh", { detail: state }));
}

/**
 * The slow part only when something else than the context changed; then the chosen context on the curve.
 * @param {{ total: string }} told
 */
function now({ total }) {
  const key = JSON.stringify([state.kv, state.batch, state.vs]);
  if (drawn.key !== key) redraw(key);
  const size = keptBytes(sheet, state.ctx, DTYPES[state.kv], state.batch);
  markOn(drawn.range, state.ctx, size);
  drawn.total = total;
}

/** @param {string} key */
function redraw(key) {
  /** @type {TitledSheet[]} */
  const found = [[`${data.title}${model.mark ?? ""}`, sheet], ...state.vs.map((slug) => others[slug])];
  const lines = found.map(([title, one]) => lineOf(title, one, state));
  drawn = { key, range: rangeOf(lines) };
  for (const { frame, lines: node } of curves) node.innerHTML = inner(frame, lines);
  chosen.replaceChildren(...state.vs.map(row));
}

/** @param {string} slug */
export function row(slug) {
  const [title, other] = others[slug],
    out = document.createElement("button");
  Object.assign(out, { type: "button", className: "w-out", textContent: "×" });
  out.setAttribute("aria-label", `Remove ${title}`);
  out.addEventListener("click", () => {
    choose({ vs: state.vs.filter((one) => one !== slug) });
    inputs.vs[0].focus();
  });
  const line = madeRow(slug, [title, other], sheet, state);
  line.lastElementChild?.append(out);
  return line;
}

/**
 * What if it had other numbers: {sheet, weights, stored, mark, layers}, or nothing for the model as it is.
 * @param {EditedModel | null} edited
 */
export function follow(edited) {
  model = { ...data, ...edited };
  sheet = model.sheet;
  relaid(edited && { sheet, layers: edited.layers });
  [columns, legend, drawn] = [columnsNow(), legendNow(), /** @type {Drawn} */ ({})];
  show(true);
}

// ---------------------------------------------------------------- the address

const restore = () => {
  const found = new URLSearchParams(location.search);
  state = read(found);
  show(true);
  put("error", refused(found));
};

/** @param {Partial<WeighState>} changes */
function choose(changes) {
  state = { ...state, ...changes };
  show(true);
  if (entered(address(state))) put("say", `${int(state.ctx)} tokens, ${drawn.total}`);
}
/** @param {Partial<WeighState>} changes */
function drag(changes) {
  state = { ...state, ...changes };
  if (!waiting) waiting = requestAnimationFrame(show);
  passed(() => address(state));
}
/** @param {Partial<WeighState>} changes */
function release(changes) {
  returned();
  choose(changes);
}

// ---------------------------------------------------------------- the controls

/**
 * @param {HTMLInputElement} node
 * @param {string} key
 * @param {(text: string) => number | undefined} read
 * @param {string} sentence
 */
function typed(node, key, read, sentence) {
  const value = read(node.value);
  delete node.dataset.bad;
  if (value === undefined) node.dataset.bad = "";
  node.setAttribute("aria-invalid", String(value === undefined));
  put("error", value === undefined ? sentence : "");
  if (value !== undefined) choose({ [key]: value });
}
const asked = () => everyone(/** @type {string} */ (root.dataset.all), data.slug);
/**
 * @param {HTMLInputElement} node
 * @param {boolean} loose
 */
async function add(node, loose) {
  if (!node.value.trim()) return;
  await asked().catch(() => {});
  const slug = named(node.value, loose);
  if (!slug) {
    if (loose) put("error", `No drawn model is called “${node.value.trim()}”.`);
    return;
  }
  node.value = "";
  put(
    "error",
    state.vs.length < MOST_CHOSEN || state.vs.includes(slug)
      ? ""
      : `At most ${MOST_CHOSEN} stand beside it: the first made room.`,
  );
  choose({ vs: [...state.vs.filter((one) => one !== slug), slug].slice(-MOST_CHOSEN) });
}

// Nothing is answered before the other models are known: what the address puts beside it would be lost.
function listen() {
  for (const [key, [read, sentence]] of Object.entries(sentences(data.most)))
    for (const node of inputs[key] || []) node.addEventListener("change", () => typed(node, key, read, sentence));
  for (const node of inputs.slide) {
    node.addEventListener("input", () => drag({ ctx: CONTEXTS[Number(node.value)] }));
    node.addEventListener("change", () => release({ ctx: CONTEXTS[Number(node.value)] }));
  }
  for (const key of ["kv", "gpu", "job"])
    for (const node of inputs[key] || []) node.addEventListener("change", () => choose({ [key]: node.value }));
  for (const [side, step] of /** @type {[side: string, step: (one: number) => number][]} */ ([
    ["less", (one) => Math.max(1, one - 1)],
    ["more", (one) => Math.min(MOST_BATCH, one + 1)],
  ]))
    for (const node of all(`[data-${side}="batch"]`))
      node.addEventListener("click", () => choose({ batch: step(state.batch) }));
  for (const node of all("[data-reset]"))
    node.addEventListener("click", () => {
      choose({ ...usual });
      inputs.slide[0].focus();
    });
  addEventListener("keydown", (event) => {
    const by = steppedBy(event);
    if (by) choose({ ctx: CONTEXTS[Math.min(Math.max(nearest(state.ctx) + by, 0), CONTEXTS.length - 1)] });
  });
  for (const node of inputs.vs) {
    node.addEventListener("focus", () => asked().catch(() => {}));
    node.addEventListener("input", () => add(node, false));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        add(node, true);
      }
    });
  }
  addEventListener("popstate", restore);
}
export const ready = asked()
  .catch(() => {})
  .then(() => {
    usual.vs = data.chosen.filter((slug) => others[slug]);
    const early = changed();
    restore();
    listen();
    early.forEach(again);
    document.documentElement.dataset.weighs = "";
  });
