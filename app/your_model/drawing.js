/* A config -> its drawing on a page that has your_model/drawing.html: progress, what-if, comparison, cancelling. Shared
   by /your-model/ and by the page of a packed model. */

import { seen, show, showRest } from "./drawing-answer.js";
import { answered, refuse, tasks } from "./drawing-task.js";
import { loadingCard } from "./loading.js";
import { python, Stopped } from "./python.js";
import { runner } from "./run-offer.js";

/** @import { Drawn, Recent, Rest } from "./types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/**
 * The config that stands below, or is being drawn, and what it has instead.
 * @typedef {{ config: Recent | null, edits: string }} Standing
 */

/**
 * A config that is too long is not read.
 * @param {string} text
 * @param {number} most bytes
 */
function checkSize(text, most) {
  const size = new Blob([text]).size;
  if (size > most)
    throw new Stopped(
      `That is ${megabytes(size)} of text, and this page reads up to ${megabytes(most)}. A config.json has a few KB.`,
    );
}

/**
 * What is happening, in words, and how far it is.
 * @param {string} words
 * @param {number} loaded
 * @param {number} of
 */
function showProgress(words, loaded, of) {
  at("status").textContent = words;
  at("progress").hidden = !words;
  at("cancel").hidden = !words;
  at("progress").removeAttribute("value");
  if (loaded < of) {
    at("progress").max = of;
    at("progress").value = loaded;
    at("progress").title = `${megabytes(loaded)} of ${megabytes(of)}`;
  }
}

/**
 * Opens /design/ with a config.
 * @param {string} text
 */
function design(text) {
  try {
    sessionStorage.setItem("your-model", text);
    location.href = `${at("design").dataset.page}#pasted`;
  } catch {
    refuse(
      "This browser does not let a page hand a config on. Copy a link, and put its # behind the address of /design/.",
    );
  }
}

/**
 * Wires the forms and buttons round the drawing.
 * @param {{
 *   standing: Standing,
 *   engine: ReturnType<typeof python>,
 *   draw: (config: Recent, signal: AbortSignal, edits: string) => Promise<void>,
 *   compared: () => void,
 * } & ReturnType<typeof tasks>} page
 */
function wire({ standing, engine, act, cancel, draw, compared }) {
  at("what-if").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const { config } = standing;
    if (config) act((signal) => draw(config, signal, at("edit").value.trim()));
  });
  at("compare").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const { config } = standing;
    if (!config) return;
    act(async (signal) => {
      const { compare } = await import("./compared.js");
      await compare(engine, { ...config, edits: standing.edits }, signal);
      compared();
    });
  });
  at("design").addEventListener("click", () => design(standing.config?.text ?? ""));
  at("cancel").addEventListener("click", () => cancel(engine.cancel));
}

/**
 * @param {{ drawn: (config: Recent, edits: string) => Promise<void>, compared?: () => void }} after each
 */
export function drawingOf({ drawn: after, compared = () => {} }) {
  const { worker, folder, most, seconds, home } = at("yours").dataset;
  const MOST = Number(most);
  const start = new URL(home, location.href);
  const away = start.pathname === location.pathname ? null : start; // where relative links of an answer start from
  const base = new URL(folder, location.href).href;
  const told = { folder: base, ...JSON.parse(at("pack").textContent) };
  const engine = python({ worker, seconds: Number(seconds), told, say });
  const card = loadingCard(at, megabytes);
  /** @type {Map<string, Drawn>} */
  const answers = new Map();
  /** @type {Map<string, Rest>} */
  const rests = new Map();
  const { act, cancel } = tasks(say);
  /** @type {Standing} */
  const standing = { config: null, edits: "" };

  /** @type {(words: string, loaded?: number, of?: number) => void} */
  function say(words, loaded = 0, of = 0) {
    showProgress(words, loaded, of);
    card.told(words, loaded, of);
  }

  /**
   * @param {Recent} config
   * @param {AbortSignal} signal
   * @param {string} [edits]
   */
  async function draw(config, signal, edits = "") {
    checkSize(config.text, MOST);
    const { text, title, source } = config;
    if (!engine.ready()) card.begin(config);
    const request = { text, title, source, edits, layouts: seen() };
    const drawn = await answered(answers, engine.draw, request);
    if (signal.aborted) return;
    if (drawn.refused) throw new Stopped(drawn.refused);
    show(drawn, title, away, () => runner(engine, { text, title, edits }, () => say("")));
    at("edit").value = standing.edits = edits;
    document.title = `${drawn.title} · Cutaway`;
    const first = standing.config?.text !== text;
    standing.config = config;
    if (first) at("result").focus({ preventScroll: true });
    if (first && !away) at("drawing").scrollIntoView({ block: "start" }); // elsewhere it is the first thing there
    await after(config, edits);
    await painted();
    if (signal.aborted) return;
    const rest = await answered(rests, engine.rest, request);
    if (signal.aborted) return;
    if (rest.refused) throw new Stopped(rest.refused);
    showRest(rest, away);
  }

  wire({ standing, engine, act, cancel, draw, compared });
  return { act, base, draw, most: MOST, prepare: engine.prepare, refuse, say, shown: () => standing.config };
}
