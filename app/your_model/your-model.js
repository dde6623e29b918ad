/* /your-model/: a config that is pasted, dropped, chosen, named or linked -> its drawing, by Python in this browser. */

import { packedModel, said } from "../packed/find-packed.js";
import { copied } from "../site/clipboard.js";
import { drawingOf, megabytes } from "./drawing.js";
import { handed } from "./handed-config.js";
import { checked, fetchConfig } from "./hub-config.js";
import { keepForLater } from "./keep.js";
import { named, read, written } from "./permalink.js";
import { Stopped } from "./python.js";
import * as recent from "./recent.js";

/** @import { Recent } from "./types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
const { offline } = at("yours").dataset;
const panel = drawingOf({ drawn, compared: () => keepForLater(offline, panel.base) });
const { act, draw, prepare, refuse, say } = panel;
const MOST = panel.most;
let linkedAt = ""; // the part of the address that holds it

/** @param {Recent} config */
async function drawn(config) {
  recent.keep(config);
  list();
  await linked(config);
  keepForLater(offline, panel.base);
}

/**
 * The address holds what is drawn, where it is short enough.
 * @param {Recent} config
 */
async function linked({ text, id, slug }) {
  const part = slug ? `?m=${slug}` : id ? `#id=${id}` : await written(text);
  linkedAt = part;
  at("link").hidden = !part;
  if (part !== location.search + location.hash)
    history[location.hash ? "pushState" : "replaceState"](null, "", location.pathname + part);
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

/**
 * A packed model that a link names: it comes from this site.
 * @param {string} slug
 */
const fromPack = (slug) =>
  act(async (signal) => {
    prepare();
    const { packs, packed } = at("yours").dataset;
    const model = await packedModel(new URL(packed ?? "", location.href).href, Number(packs ?? 0), slug);
    if (!model) throw new Stopped(`No model here is called ${slug}. Name its repo above to fetch it from the Hub.`);
    const { title, config } = model;
    await draw({ text: config, title, source: said(model), id: "", slug: model.slug }, signal);
  });

/** What the address asks for; a Hub id waits for the reader's click. */
async function follow() {
  const slug = new URLSearchParams(location.search).get("m");
  if (slug && !location.hash) return slug === panel.shown()?.slug ? undefined : fromPack(slug);
  if (location.hash === "#pasted") return give(handed());
  if (panel.shown() && location.hash && !/^#(c|id)=/.test(location.hash))
    return history.replaceState(null, "", location.pathname + linkedAt); // a link within the page was followed
  const text = await read(location.hash, MOST);
  if (text === null)
    return refuse("This link is damaged: part of it is missing. Ask for it again, or paste the config itself.");
  if (text && text !== panel.shown()?.text)
    return act((signal) =>
      draw({ text, title: "Your config", source: "From the link; it went nowhere else.", id: "" }, signal),
    );
  const id = named(location.hash);
  if (!id || id === panel.shown()?.id) return;
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
at("link").addEventListener("click", async () => {
  at("status").textContent = (await copied(location.href))
    ? "Link copied: it holds this config."
    : "The browser does not let this page copy. Copy the address bar: it holds this config.";
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
  for (const kind of ["pointerdown", "input"]) part.addEventListener(kind, prepare);
addEventListener("dragover", (event) => {
  event.preventDefault();
  prepare();
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
