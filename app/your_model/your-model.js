/* /your-model/: a config that is pasted, dropped, chosen, named or linked -> its drawing, by Python in this browser. */

import { handPlans } from "../plan_page/hand-plans.js";
import { checked, fetchConfig } from "./hub-config.js";
import { keepForLater } from "./keep.js";
import { loadingCard } from "./loading.js";
import { named, read, written } from "./permalink.js";
import { python, Stopped } from "./python.js";
import * as recent from "./recent.js";
import { offerReport } from "./report.js";
import { offerRun, runner } from "./run-offer.js";

/** @import { Recent } from "./types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
const { worker, offline, folder, most, seconds } = at("yours").dataset;
const base = new URL(folder, location.href).href;
const MOST = Number(most);
const engine = python({
  worker,
  seconds: Number(seconds),
  told: { folder: base, ...JSON.parse(at("pack").textContent) },
  say,
});
/** @type {Recent | null} */
let shown = null; // what stands below, or is being drawn
let asking = new AbortController();
let edited = "", // what it has instead
  linkedAt = ""; // the part of the address that holds it

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

const card = loadingCard(at, megabytes);

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
  const drawn = await engine.draw({ text, title, source, edits });
  if (signal.aborted) return;
  if (drawn.refused) throw new Stopped(drawn.refused);
  // The markup is from our own templates, which escape every string of a config.
  at("result").innerHTML = drawn.html.result;
  at("more").innerHTML = drawn.html.more;
  at("compared").replaceChildren();
  offerReport(at("result"), at("yours").dataset.issues, title);
  offerRun(at("drawn"), () => runner(engine, { text, title, edits }, () => say("")));
  at("drawing").hidden = false;
  at("edit").value = edited = edits;
  document.title = `${drawn.title} · Cutaway`;
  handPlans();
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#drawing .scroll")))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // what scrolls is reached by keyboard, too
  const first = shown?.text !== text;
  shown = config;
  recent.keep(config);
  list();
  if (first) at("result").focus({ preventScroll: true });
  if (first) at("drawing").scrollIntoView({ block: "start" });
  await linked(config);
  keepForLater(offline, base);
}

/**
 * The address holds what is drawn, where it is short enough.
 * @param {Recent} config
 */
async function linked({ text, id }) {
  const part = id ? `#id=${id}` : await written(text);
  linkedAt = part;
  at("link").hidden = !part;
  if (part !== location.hash)
    history[location.hash ? "pushState" : "replaceState"](null, "", part || location.pathname);
}

/**
 * @param {string} text
 * @param {string} [name] of a file
 */
function give(text, name = "") {
  const stem = name.replace(/\.json$/, "");
  const title = stem && stem !== "config" ? stem : "Your config";
  act((signal) =>
    draw(
      {
        text,
        title,
        source: `${name ? `Read from ${name}` : "Pasted"} in this browser; it went nowhere else.`,
        id: "",
      },
      signal,
    ),
  );
}

/** @param {string} typed */
function ask(typed) {
  act(async (signal) => {
    const id = checked(typed);
    say(`Asking huggingface.co for ${id} …`);
    const text = await fetchConfig(id, MOST, signal);
    await draw({ text, title: id, source: `Fetched from huggingface.co/${id} by your browser.`, id }, signal);
  });
}

/** @param {File | undefined} file */
function open(file) {
  act(async () => {
    if (!file) throw new Stopped("There was no file in what was dropped: drop a config.json.");
    if (file.size > MOST)
      throw new Stopped(
        `${file.name} has ${megabytes(file.size)}, and this page reads up to ${megabytes(MOST)}. A config.json has a few KB.`,
      );
    const text = await file.text().catch(() => {
      throw new Stopped(`${file.name} cannot be read: is it a folder?`);
    });
    give(text, file.name);
  });
}

function list() {
  const rows = recent.all();
  at("recent").hidden = !rows.length;
  at("recent")
    .querySelector("ul")
    .replaceChildren(
      ...rows.map((one) => {
        const [row, button] = [document.createElement("li"), document.createElement("button")];
        button.type = "button";
        for (const [tag, words] of [
          ["strong", one.title],
          ["span", one.source],
        ])
          button.append(Object.assign(document.createElement(tag), { textContent: words }), " ");
        button.addEventListener("click", () => act((signal) => draw(one, signal)));
        row.append(button);
        return row;
      }),
    );
}

/** A config that was pasted into the search box of another page. */
function handed() {
  try {
    const text = sessionStorage.getItem("your-model") ?? "";
    sessionStorage.removeItem("your-model");
    return text;
  } catch {
    return "";
  }
}

/** What the address asks for; a Hub id waits for the reader's click. */
async function follow() {
  if (location.hash === "#pasted") return give(handed());
  if (shown && location.hash && !/^#(c|id)=/.test(location.hash))
    return history.replaceState(null, "", linkedAt || location.pathname); // a link within the page was followed
  const text = await read(location.hash, MOST);
  if (text === null)
    return refuse("This link is damaged: part of it is missing. Ask for it again, or paste the config itself.");
  if (text && text !== shown?.text)
    return act((signal) =>
      draw({ text, title: "Your config", source: "From the link; it went nowhere else.", id: "" }, signal),
    );
  const id = named(location.hash);
  if (!id || id === shown?.id) return;
  at("id").value = id;
  say("");
  at("status").textContent = `This link names ${id}. Press “Fetch and draw” to ask huggingface.co for its config.`;
  at("id").focus();
}

at("give-text").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  give(at("text").value);
});
at("give-id").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  ask(at("id").value);
});
at("file").addEventListener("change", () => {
  open(at("file").files[0]);
  at("file").value = "";
});
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
    keepForLater(offline, base);
  });
});
at("link").addEventListener("click", async () => {
  const copied = await navigator.clipboard.writeText(location.href).then(
    () => true,
    () => false,
  );
  at("status").textContent = copied
    ? "Link copied: it holds this config."
    : "The browser does not let this page copy. Copy the address bar: it holds this config.";
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
at("forget").addEventListener("click", () => {
  recent.forget();
  list();
});
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-example]")))
  button.addEventListener("click", () => {
    const title = /** @type {HTMLElement} */ (button.querySelector("strong")).textContent ?? "";
    const text = at(button.dataset.example ?? "").textContent;
    act((signal) => draw({ text, title, source: "An example from this site's catalogue.", id: "" }, signal));
  });
// Who begins to give a config asks for Python: its files come while the reader types or chooses.
for (const part of [at("text"), at("id"), at("file").labels[0]])
  for (const kind of ["pointerdown", "input"]) part.addEventListener(kind, engine.prepare);
addEventListener("dragover", (event) => {
  event.preventDefault();
  engine.prepare();
  at("yours").classList.add("over");
});
addEventListener("dragleave", () => at("yours").classList.remove("over"));
addEventListener("drop", (event) => {
  at("yours").classList.remove("over");
  const file = event.dataTransfer?.files[0];
  if (!file && /** @type {Element} */ (event.target).closest?.("input, textarea")) return;
  event.preventDefault();
  open(file);
});
addEventListener("hashchange", follow);
list();
follow();
document.documentElement.dataset.ready = "true";
