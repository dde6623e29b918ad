/* "Run a small copy" on a model's page: the Python of /your-model/, started when the panel is opened. */

import { python } from "./python.js";
import { openPanel, runner } from "./run-offer.js";

const details = /** @type {HTMLDetailsElement} */ (document.querySelector("details.run"));
const figure = /** @type {HTMLElement} */ (document.querySelector("[data-parts] .cw-figure"));
const says = Object.assign(document.createElement("p"), { className: "run-box" });
says.setAttribute("role", "status");

/**
 * @param {string} words
 * @param {number} [loaded]
 * @param {number} [of]
 */
function say(words, loaded = 0, of = 0) {
  const bytes = loaded < of ? ` ${(loaded / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB` : "";
  says.textContent = words + bytes;
  says.hidden = !words;
}

async function begin() {
  details.append(says);
  say("Loading Python …");
  const address = new URL(/** @type {string} */ (details.dataset.python), location.href);
  const answered = await fetch(address).catch(() => null);
  if (!answered?.ok) return say("Python could not be loaded. Check your network connection and reload this page.");
  const { worker, folder, seconds, files, lock } = await answered.json();
  const told = { folder: new URL(folder, address).href, files, lock };
  const engine = python({ worker: new URL(worker, address).href, seconds, told, say });
  const request = { text: "", title: "", edits: "", slug: details.dataset.run };
  return openPanel(
    details,
    figure,
    runner(engine, request, () => say("")),
  );
}
begin();
