// /roofline/: one Bokeh figure, filled from a model's work sheet and what the address says.
//   ?bare for a frame, and ?m=org/name&ctx=131072&batch=8&kv=fp8&gpu=h200_sxm&gpus=8

import { fixed } from "./kept.js";
import { cells, rows, totalOf, verdict } from "./roofline.js";
import { addressed, sentences } from "./weigh-address.js";

const root = document.querySelector("[data-plot]");
const data = { ...JSON.parse(document.getElementById("plot-data").textContent), others: {}, slug: "" };
const { read, address } = addressed(data, data.start);
const form = root.querySelector("[data-form]");
const at = (key) => root.querySelector(`[data-at="${key}"]`);
const [LOW, HIGH] = [0.001, 1e10];
const models = new Set([...form.elements.m.options].map((one) => one.value));
let state = {},
  sheet = null,
  sources = null;

// In a frame of /learn/roofline/, which has the controls: the verdicts and the figure alone.
if (new URLSearchParams(location.search).has("bare")) {
  for (const one of document.querySelectorAll("body > :not(main), h1, .lead")) one.hidden = true;
  form.hidden = root.querySelector("[data-back]").parentElement.hidden = true;
}

const dark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

// ---------------------------------------------------------------- the figure

const bokeh = new Promise((done, failed) => {
  const script = Object.assign(document.createElement("script"), {
    src: root.dataset.script,
    onload: done,
    onerror: failed,
  });
  document.head.append(script);
});

async function figure() {
  await bokeh;
  const node = document.getElementById("roofline-plot");
  node.replaceChildren();
  const views = await window.Bokeh.embed.embed_item(structuredClone(data.plots[dark() ? "dark" : "light"]));
  const { document: doc } = (Array.isArray(views) ? views[0] : [...views][0]).model;
  sources = Object.fromEntries(
    ["others", "roof", "decode", "prefill"].map((name) => [name, doc.get_model_by_name(name)]),
  );
}

function roof([bandwidth, peaks], gpus) {
  const peak = Math.max(...Object.values(peaks));
  return { x: [LOW, peak / bandwidth, HIGH], y: [LOW * bandwidth * gpus, peak * gpus, peak * gpus] };
}

// The chosen device's, and behind a gap a lower one for each slower format of products.
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

function dots(job) {
  const now = { ...state, job },
    found = rows(sheet, now),
    total = totalOf(found);
  const speed = state.gpus * sheet.devices[state.gpu][0],
    shown = found.filter((one) => one.flops && one.intensity);
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
  for (const name of ["m", "ctx", "batch", "kv", "gpus", "gpu"])
    if (form.elements[name].value !== String(state[name])) form.elements[name].value = state[name];
  at("title").textContent = sheet.title;
  at("says").textContent = verdict(rows(sheet, { ...state, job: "decode" }), { ...state, job: "decode" });
  at("prefill").textContent = verdict(rows(sheet, { ...state, job: "prefill" }), { ...state, job: "prefill" });
  root.querySelector("[data-back]").href = `${root.dataset.models}${state.m}/`;
  const learn = root.querySelector("[data-learn]");
  learn.href = `${learn.href.split("?")[0]}?model=${state.m}`;
  const others = Object.entries(sheet.devices)
    .filter(([name]) => name !== state.gpu)
    .map(([name, one]) => [name, roof(one, state.gpus)]);
  sources.others.data = {
    xs: others.map(([, { x }]) => x),
    ys: others.map(([, { y }]) => y),
    name: others.map(([name]) => name.replaceAll("_", " ").toUpperCase()),
  };
  sources.roof.data = roofs(sheet.devices[state.gpu], state.gpus);
  for (const job of ["decode", "prefill"]) sources[job].data = dots(job);
  root.dataset.ready = "";
}

// ---------------------------------------------------------------- the address

async function restore() {
  failed("");
  const found = new URLSearchParams(location.search),
    asked = found.get("m");
  await choose({ ...read(found), m: models.has(asked) ? asked : data.first }, false);
}

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

function failed(text) {
  at("error").textContent = text;
  at("error").hidden = !text;
}

const typed = sentences(data.most);
form.addEventListener("change", ({ target: { name, value } }) => {
  const [reads, sentence] = typed[name] ?? [(text) => text, ""];
  const next = reads(value);
  failed(next === undefined ? sentence : "");
  if (next !== undefined) choose({ ...state, [name]: next }).catch((why) => failed(String(why)));
});
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("popstate", restore);
const repaint = () => {
  if (sheet) figure().then(show);
};
new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
restore().catch(() => failed("The plot could not be loaded; a model’s page has the same as a table."));
