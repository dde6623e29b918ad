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
  /** @type {Recent | null} */
  let shown = null; // what stands below, or is being drawn
  let edited = ""; // what it has instead

  /**
   * What is happening, in words, and how far it is.
   * @param {string} words
   * @param {number} [loaded]
   * @param {number} [of]
   */
  function say(words, loaded = 0, of = 0) {
    at("status").textContent = words;
    at("progress").hidden = !words;
    at("cancel").hidden = !words;
    at("progress").removeAttribute("value");
    if (loaded < of) {
      at("progress").max = of;
      at("progress").value = loaded;
      at("progress").title = `${megabytes(loaded)} of ${megabytes(of)}`;
    }
    card.told(words, loaded, of);
  }

  /**
   * @param {Recent} config
   * @param {AbortSignal} signal
   * @param {string} [edits]
   */
  async function draw(config, signal, edits = "") {
    const size = new Blob([config.text]).size;
    if (size > MOST)
      throw new Stopped(
        `That is ${megabytes(size)} of text, and this page reads up to ${megabytes(MOST)}. A config.json has a few KB.`,
      );
    const { text, title, source } = config;
    if (!engine.ready()) card.begin(config);
    const request = { text, title, source, edits, layouts: seen() };
    const drawn = await answered(answers, engine.draw, request);
    if (signal.aborted) return;
    if (drawn.refused) throw new Stopped(drawn.refused);
    show(drawn, title, away, () => runner(engine, { text, title, edits }, () => say("")));
    at("edit").value = edited = edits;
    document.title = `${drawn.title} · Cutaway`;
    const first = shown?.text !== text;
    shown = config;
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

  at("what-if").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const config = shown;
    if (config) act((signal) => draw(config, signal, at("edit").value.trim()));
  });
  at("compare").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const config = shown;
    if (!config) return;
    act(async (signal) => {
      const { compare } = await import("./compared.js");
      await compare(engine, { ...config, edits: edited }, signal);
      compared();
    });
  });
  at("design").addEventListener("click", () => {
    try {
      sessionStorage.setItem("your-model", shown?.text ?? "");
      location.href = `${at("design").dataset.page}#pasted`;
    } catch {
      refuse(
        "This browser does not let a page hand a config on. Copy a link, and put its # behind the address of /design/.",
      );
    }
  });
  at("cancel").addEventListener("click", () => cancel(engine.cancel));
  return { act, base, draw, most: MOST, prepare: engine.prepare, refuse, say, shown: () => shown };
}
