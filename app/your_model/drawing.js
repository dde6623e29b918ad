/* A config -> its drawing on a page that has your_model/drawing.html: progress, what-if, comparison, cancelling. Shared
   by /your-model/ and by the page of a packed model. */

import { handPlans } from "../plan_page/hand-plans.js";
import { loadingCard } from "./loading.js";
import { python, Stopped } from "./python.js";
import { offerReport } from "./report.js";
import { offerRun, runner } from "./run-offer.js";

/** @import { Drawn, Recent, Rest } from "./types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const KEPT = 8; // answers of this visit: the same config again costs no Python
/** @typedef {{ text: string, title: string, source: string, edits: string, layouts: string }} Asked */
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/**
 * @param {{ drawn: (config: Recent, edits: string) => Promise<void>, compared?: () => void }} after each
 */
export function drawingOf({ drawn: after, compared = () => {} }) {
  const { worker, folder, most, seconds, home } = at("yours").dataset;
  const MOST = Number(most);
  const links = new URL(home, location.href); // the page that relative links of an answer start from
  const isHome = links.pathname === location.pathname;
  const base = new URL(folder, location.href).href;
  const told = { folder: base, ...JSON.parse(at("pack").textContent) };
  const engine = python({ worker, seconds: Number(seconds), told, say });
  const card = loadingCard(at, megabytes);
  /** @type {Map<string, Drawn>} */
  const answers = new Map();
  /** @type {Map<string, Rest>} */
  const rests = new Map();
  /** @type {Recent | null} */
  let shown = null; // what stands below, or is being drawn
  let asking = new AbortController();
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

  /** @param {string} sentence */
  function refuse(sentence) {
    at("error").textContent = sentence;
    at("error").hidden = !sentence;
  }

  /**
   * Whatever a reader asks for: one thing at a time, and each fault is a sentence.
   * @param {(signal: AbortSignal) => Promise<void>} run
   */
  async function act(run) {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    refuse("");
    at("drawing").setAttribute("aria-busy", "true");
    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      refuse(error instanceof Stopped ? error.message : `Something here went wrong: ${error}`);
    }
    if (signal.aborted) return;
    say("");
    at("drawing").removeAttribute("aria-busy");
  }

  /**
   * What Python says of a config, or said before.
   * @template Answer
   * @param {Map<string, Answer>} known
   * @param {(request: Asked) => Promise<Answer>} ask
   * @param {Asked} request
   */
  async function answered(known, ask, request) {
    const key = JSON.stringify(request);
    const found = known.get(key) ?? (await ask(request));
    known.delete(key);
    known.set(key, found); // the last one asked for stays longest
    for (const old of [...known.keys()].slice(0, -KEPT)) known.delete(old);
    return found;
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
    show(drawn, config, edits);
    at("edit").value = edited = edits;
    document.title = `${drawn.title} · Cutaway`;
    const first = shown?.text !== text;
    shown = config;
    if (first) at("result").focus({ preventScroll: true });
    if (first && isHome) at("drawing").scrollIntoView({ block: "start" }); // elsewhere it is the first thing there
    await after(config, edits);
    await painted();
    if (signal.aborted) return;
    const rest = await answered(rests, engine.rest, request);
    if (signal.aborted) return;
    if (rest.refused) throw new Stopped(rest.refused);
    showRest(rest);
  }

  /**
   * @param {Drawn} drawn
   * @param {Recent} config
   * @param {string} edits
   */
  function show(drawn, { text, title }, edits) {
    // The markup is from our own templates, which escape every string of a config.
    at("result").innerHTML = drawn.html.result;
    at("more").replaceChildren();
    at("compared").replaceChildren();
    lead(at("result"));
    offerReport(at("result"), at("yours").dataset.issues, title);
    offerRun(at("drawn"), () => runner(engine, { text, title, edits }, () => say("")));
    at("drawing").hidden = false;
    reachable();
  }

  /** The layouts of the drawing that this window shows, where one stands here: the next is drawn in these first. */
  function seen() {
    const drawn = [...at("result").querySelectorAll(".cw-figure > svg, .cw-lit > svg")];
    const shown = drawn.filter((one) => one.getClientRects().length);
    return [...new Set(shown.map((one) => one.classList[1].replace("cf-", "")))].join();
  }

  /**
   * The tables below the drawing, its other layouts, and the way to the planner.
   * @param {Rest} rest
   */
  function showRest({ html: { more, href, plan, figure = "", lit = "" } }) {
    at("more").innerHTML = more;
    at("result").querySelector("#drawn > .cw-figure")?.insertAdjacentHTML("beforeend", figure);
    at("result").querySelector(".cw-lit")?.insertAdjacentHTML("beforeend", lit);
    const link = at("result").querySelector(".to-plan a");
    if (href) link.href = href;
    else link.parentElement.remove();
    if (plan) link.dataset.plan = plan;
    handPlans();
    lead(at("more"));
    if (href) lead(link.parentElement);
    reachable();
  }

  /**
   * Relative links start from the page that the markup is made for.
   * @param {HTMLElement} part
   */
  function lead(part) {
    if (isHome) return;
    for (const link of part.querySelectorAll("a[href]:not([href^='#'])"))
      link.setAttribute("href", new URL(link.getAttribute("href") ?? "", links).href);
  }

  function reachable() {
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#drawing .scroll")))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // what scrolls is reached by keyboard, too
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
  at("cancel").addEventListener("click", () => {
    asking.abort();
    engine.cancel();
    say("");
    at("drawing").removeAttribute("aria-busy");
  });
  return { act, base, draw, most: MOST, prepare: engine.prepare, refuse, say, shown: () => shown };
}
