// The bridge between the workbench's own page and the Panel session behind it. The page's form, drawing and tables are
// plain elements in the document (a drawing in a shadow root loses its links and the page's CSS); this module writes
// the address into `search`, pasted text into `pasted`, and puts what the session answers into the page. No address
// holds a pasted config: its entry of the browser's history does, {config: {text, turn}}, and so every way back finds it.
import { about, show } from "./bench-answers.js";
import { configReader } from "./bench-config.js";
import { at, beside, entry, fill, keep, kept, named, OPENED, pasted, query } from "./bench-entry.js";
import { requestsOf, sessionOf } from "./bench-session.js";

/** @import { BenchModel, Requests } from "./bench-session.js" */

/** @typedef {(element: EventTarget, event: string, run: (event: Event) => unknown) => void} On */

if (OPENED === "navigate") history.replaceState(null, ""); // a link to this very address begins empty too

/** @param {{ model: BenchModel }} view */
function render({ model }) {
  const quit = new AbortController();
  /** @type {On} */
  const on = (element, event, run) => element.addEventListener(event, run, { signal: quit.signal });
  const { send, act, heard } = sessionOf(model);
  const requests = requestsOf(model, act);
  about(at("what-if"));
  listenToForms(on, model, requests);
  listenToConfigs(on, configReader(requests.go));
  listenToHistory(on, requests);
  const dark = listenToTheme(on, send);
  const shown = { ...show, pong: (/** @type {number} */ value) => value && heard() };
  const listeners = Object.entries(shown).map(([key, run]) => {
    const change = () => run(model.get(key));
    model.on(`change:${key}`, change);
    change();
    return () => model.off(`change:${key}`, change);
  });
  fill();
  dark();
  restore(requests.tell);
  document.documentElement.dataset.ready = "true";
  return () => {
    quit.abort();
    for (const off of listeners) off();
  };
}

/**
 * What opens a model and edits it, and the choice of what stands beside it.
 * @param {On} on
 * @param {BenchModel} model
 * @param {Requests} requests
 */
function listenToForms(on, model, { go, entries }) {
  on(at("open"), "submit", (event) => {
    event.preventDefault();
    about(at("what-if"));
    const wanted = at("model").value.trim();
    const edit = wanted === named() ? query().edit : "";
    if (wanted) go(`Opening ${wanted}`, { model: wanted, edit }, { again: Date.now() }, null);
    at("edit").value = edit;
  });
  on(at("what-if"), "submit", (event) => {
    event.preventDefault();
    about(at("what-if"));
    const edit = at("edit").value.trim(),
      instead = model.get("instead"),
      other = "model" in instead;
    const state = other ? (entries.get(instead.pasted) ?? null) : history.state;
    go("Drawing it", { model: other ? instead.model : named(), edit }, { again: Date.now() }, state);
    if (other) fill();
  });
  for (const id of ["vs1", "vs2"]) on(at(id), "change", () => go("Comparing", { vs: beside() }));
  on(at("context"), "change", () => go("Counting", { context: at("context").value }));
}

/**
 * @param {On} on
 * @param {ReturnType<typeof configReader>} reader
 */
function listenToConfigs(on, { read, file }) {
  on(at("read"), "click", () => read(at("pasted").value));
  on(at("file"), "change", (event) => {
    file(at("file").files?.[0]);
    at("file").value = "";
  });
  on(document, "dragover", (event) => event.preventDefault());
  on(document, "drop", (event) => {
    const { dataTransfer, target } = /** @type {DragEvent & { target: Element }} */ (event);
    const first = dataTransfer?.files[0];
    if (!first && target.closest?.("input, textarea")) return;
    event.preventDefault();
    file(first);
  });
}

/**
 * Ways back and forth, and a page or a connection that goes.
 * @param {On} on
 * @param {Requests} requests
 */
function listenToHistory(on, { entries, tell }) {
  on(window, "popstate", () => {
    const sent = [...entries.values()].some(({ config }) => config.text === at("pasted").value);
    if (sent && pasted()) at("pasted").value = pasted().text;
    fill();
    tell("Going there");
  });
  on(window, "pagehide", keep);
  on(document, "reopening", (event) => {
    if (!keep()) event.preventDefault();
  });
  on(document, "connectionlost", () => {
    show.busy(false);
    show.status("Waiting for the connection.");
  });
}

/**
 * @param {On} on
 * @param {(key: string, value: unknown) => void} send
 */
function listenToTheme(on, send) {
  const dark = () =>
    send(
      "dark",
      getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark" ||
        (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches),
    );
  on(window, "themechange", dark);
  on(matchMedia("(prefers-color-scheme: dark)"), "change", dark);
  return dark;
}

/** @param {Requests["tell"]} tell */
function restore(tell) {
  if (pasted()) tell("Sending your config");
  const before = kept();
  if (!before) return;
  if (before.entry === entry()) at("model").value = before.typed;
  at("pasted").value = before.pasted;
  /** @type {HTMLDetailsElement} */ (at("pasted").closest("details")).open ||= Boolean(before.pasted);
  requestAnimationFrame(() => {
    at(before.focus)?.focus({ preventScroll: true });
    scrollTo(0, before.y);
  });
}

export default { render };
