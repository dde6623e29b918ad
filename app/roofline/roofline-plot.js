// /roofline/: one Bokeh figure, filled from a model's work sheet and what the address says.
//   ?bare for a frame, and ?m=org/name&ctx=131072&batch=8&kv=fp8&gpu=h200_sxm&gpus=8

import { fixed } from "../weigh/cache-bytes.js";
import { addressed, noSuch, sentences } from "../weigh/weigh-address.js";
import { loadBokeh, onTheme, theme } from "./bokeh.js";
import { cells, rows, totalOf, verdict } from "./roofline.js";

/** @import { Choices, Roof, RooflineData, RooflineRow, WeighState } from "../site/types.d.ts" */

/** @typedef {Pick<WeighState, "ctx" | "batch" | "kv" | "gpu" | "gpus"> & { m: string }} PlotState */

/**
 * #plot-data: Bokeh's figures, and what an address may say.
 * @typedef {Choices & {
 *   devices: { [name: string]: Roof }, start: Omit<PlotState, "m">, first: string, plots: { dark: unknown, light:
 * unknown },
 * }} PlotData
 */

/** @typedef {{ [name in "others" | "roof" | "decode" | "prefill"]: { data: { [column: string]: unknown[] } } }} Sources */

const root = /** @type {HTMLElement} */ (document.querySelector("[data-plot]"));
/** @type {PlotData} */
const data = {
  ...JSON.parse(/** @type {HTMLElement} */ (document.getElementById("plot-data")).textContent),
  others: {},
  slug: "",
};
const { read, refused, address } = addressed(data, data.start);
const form = /** @type {HTMLFormElement} */ (root.querySelector("[data-form]"));
/** @param {string} key */
const at = (key) => /** @type {HTMLElement} */ (root.querySelector(`[data-at="${key}"]`));
/** @param {string} name */
const box = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
const chooser = /** @type {HTMLSelectElement} */ (form.elements.namedItem("m"));
const [LOW, HIGH] = [0.001, 1e10];
const models = new Set([...chooser.options].map((one) => one.value));
let state = /** @type {PlotState} */ ({}),
  /** @type {RooflineData & { title: string }} */
  sheet,
  /** @type {Sources} */
  sources;

// In a frame of /learn/roofline/, which has the controls: the verdicts and the figure alone.
if (new URLSearchParams(location.search).has("bare")) {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("body > :not(main), h1, .lead")))
    one.hidden = true;
  form.hidden = /** @type {HTMLElement} */ (
    /** @type {HTMLElement} */ (root.querySelector("[data-back]")).parentElement
  ).hidden = true;
}

// ---------------------------------------------------------------- the figure

const bokeh = loadBokeh(root.dataset.script);

async function figure() {
  await bokeh;
  const node = /** @type {HTMLElement} */ (document.getElementById("roofline-plot"));
  node.replaceChildren();
  const views = await /** @type {NonNullable<Window["Bokeh"]>} */ (window.Bokeh).embed.embed_item(
    structuredClone(data.plots[theme()]),
  );
  const { document: doc } = (Array.isArray(views) ? views[0] : [...views][0]).model;
  sources = /** @type {Sources} */ (
    Object.fromEntries(["others", "roof", "decode", "prefill"].map((name) => [name, doc.get_model_by_name(name)]))
  );
}

/**
 * @param {Roof} one
 * @param {number} gpus
 */
function roof([bandwidth, peaks], gpus) {
  const peak = Math.max(...Object.values(peaks));
  return { x: [LOW, peak / bandwidth, HIGH], y: [LOW * bandwidth * gpus, peak * gpus, peak * gpus] };
}

/**
 * The chosen device's, and behind a gap a lower one for each slower format of products.
 * @param {Roof} one
 * @param {number} gpus
 */
function roofs([bandwidth, peaks], gpus) {
  const { x, y } = roof([bandwidth, peaks], gpus),
    top = Math.max(...Object.values(peaks));
  for (const peak of new Set(Object.values(peaks)))
    if (peak < top) {
      x.push(NaN, peak / bandwidth, HIGH);
      y.push(NaN, peak * gpus, peak * gpus);
    }
  return { x, y };
}

/** @param {"decode" | "prefill"} job */
function dots(job) {
  const now = { ...state, job },
    found = rows(sheet, now),
    total = totalOf(found);
  const speed = state.gpus * sheet.devices[state.gpu][0],
    shown = found.filter((one) => one.flops && one.intensity);
  /** @param {RooflineRow} one */
  const rate = (one) => Math.min(one.intensity * speed, one.peak);
  return {
    x: shown.map((one) => one.intensity),
    y: shown.map(rate),
    intensity: shown.map((one) => one.intensity),
    name: shown.map((one) => (one.half === "head" ? one.name : `${one.count} × ${one.name}`)),
    rate: shown.map((one) => `${fixed(rate(one) / 1e12, 1)} TFLOP/s`),
    seconds: shown.map((one) => cells(one, total)[4]),
    share: shown.map((one) => cells(one, total)[5]),
    binds: shown.map((one) => cells(one, total)[6]),
    size: shown.map((one) => 8 + 24 * Math.sqrt(one.seconds / total)),
  };
}

function show() {
  for (const name of /** @type {const} */ (["m", "ctx", "batch", "kv", "gpus", "gpu"]))
    if (box(name).value !== String(state[name])) box(name).value = String(state[name]);
  at("title").textContent = sheet.title;
  at("says").textContent = verdict(rows(sheet, { ...state, job: "decode" }), { ...state, job: "decode" });
  at("prefill").textContent = verdict(rows(sheet, { ...state, job: "prefill" }), { ...state, job: "prefill" });
  /** @type {HTMLAnchorElement} */ (root.querySelector("[data-back]")).href = `${root.dataset.models}${state.m}/`;
  const learn = /** @type {HTMLAnchorElement} */ (root.querySelector("[data-learn]"));
  learn.href = `${learn.href.split("?")[0]}?model=${state.m}`;
  const others = Object.entries(sheet.devices)
    .filter(([name]) => name !== state.gpu)
    .map(([name, one]) => /** @type {const} */ ([name, roof(one, state.gpus)]));
  sources.others.data = {
    xs: others.map(([, { x }]) => x),
    ys: others.map(([, { y }]) => y),
    name: others.map(([name]) => name.replaceAll("_", " ").toUpperCase()),
  };
  sources.roof.data = roofs(sheet.devices[state.gpu], state.gpus);
  for (const job of /** @type {const} */ (["decode", "prefill"])) sources[job].data = dots(job);
  root.dataset.ready = "";
}

// ---------------------------------------------------------------- the address

async function restore() {
  const found = new URLSearchParams(location.search),
    asked = found.get("m") ?? data.first,
    known = models.has(asked);
  failed(`${known ? "" : `${noSuch(asked, "model")} `}${refused(found)}`.trim());
  await choose({ ...read(found), m: known ? asked : data.first }, false);
}

/**
 * @param {PlotState} next
 * @param {boolean} [push] whether the address gets an entry of its own
 */
async function choose(next, push = true) {
  if (next.m !== state.m || !sheet) {
    const answer = await fetch(`${root.dataset.sheets}${next.m}.json`);
    if (!answer.ok) return void failed(`The sheet of ${next.m} did not come (${answer.status}).`);
    sheet = await answer.json();
  }
  state = next;
  if (!sources) await figure();
  show();
  if (!push) return;
  const url = new URL(address(state), location.href);
  if (state.m === data.first) url.searchParams.delete("m");
  else url.searchParams.set("m", state.m);
  history.pushState(null, "", url.href.replaceAll("%2F", "/"));
}

/** @param {string} text */
function failed(text) {
  at("error").textContent = text;
  at("error").hidden = !text;
}

const typed = sentences(data.most);
form.addEventListener("change", ({ target }) => {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  const [reads, sentence] = typed[name] ?? [(/** @type {string} */ text) => text, ""];
  const next = reads(value);
  failed(next === undefined ? sentence : "");
  if (next !== undefined) choose({ ...state, [name]: next }).catch((why) => failed(String(why)));
});
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("popstate", restore);
onTheme(() => {
  if (sheet) figure().then(show);
});
restore().catch(() => failed("The plot could not be loaded; a model’s page has the same as a table."));
