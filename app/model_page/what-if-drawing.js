// The drawing of a model's page, redrawn with its edits by the Python of /design/: loaded when somebody asks for it,
// from then on it follows every edit. Without edits the published drawing stands there again.

import { python, Stopped } from "../your_model/python.js";
import { made } from "./what-if-elements.js";

/** What is going on, and how many bytes of how many are loaded. @typedef {(words: string, loaded?: number, of?: number) => void} Say */

/** @param {URL} address */
async function fetched(address) {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) throw new Stopped("Python could not be loaded. Check your network connection and try again.");
  return answer.json();
}

/**
 * Python, and the model's config.
 * @param {string} slug
 * @param {URL} root of the site
 * @param {URL} address of the file that says what Python loads
 * @param {Say} say
 * @returns {Promise<{ engine: ReturnType<typeof python>, model: { title: string, config: unknown } }>}
 */
async function load(slug, root, address, say) {
  const [told, model] = await Promise.all([fetched(address), fetched(new URL(`design/models/${slug}.json`, root))]);
  const { worker, folder, seconds, files, lock } = told;
  const pack = { folder: new URL(folder, address).href, files, lock };
  return { engine: python({ worker: new URL(worker, address).href, seconds, told: pack, say }), model };
}

/**
 * The model with edits, drawn.
 * @param {Awaited<ReturnType<typeof load>>} loaded
 * @param {string} edits
 */
async function design({ engine, model: { title, config } }, edits) {
  const answer = await engine.design({ text: JSON.stringify(config), title, edits, context: 131_072, last: "" });
  if (answer.refused) throw new Stopped(answer.refused);
  return answer;
}

/**
 * The button, what is going on, and the place of the drawing.
 * @param {string} size of what the button loads
 */
function elements(size) {
  const ask = made("button", `Redraw with these edits (loads Python once, ${size})`, {
    type: "button",
    className: "button wi-small",
    hidden: true,
  });
  const says = made("span", "", { className: "muted" });
  says.setAttribute("role", "status");
  return { ask, says, edited: made("div", "", { className: "wi-drawing", hidden: true }) };
}

/**
 * A disc leads to the box of its number.
 * @param {Event} event
 */
function leadToBox(event) {
  const link = /** @type {Element} */ (event.target).closest("a[href^='#field-']");
  if (!link) return;
  event.preventDefault();
  document.getElementById(`wi-${link.getAttribute("href")?.slice(7)}`)?.focus();
}

/**
 * @param {HTMLElement} tools where the button and what is going on stand
 * @param {string} slug
 * @param {URL} root of the site
 */
export function drawing(tools, slug, root) {
  const run = /** @type {HTMLElement | null} */ (document.querySelector("details.run"));
  const published = /** @type {HTMLElement | null} */ (document.querySelector("[data-parts] .cw-figure"));
  const { ask, says, edited } = elements(run?.dataset.size ?? "");
  if (run && published) {
    tools.append(ask, says);
    published.after(edited);
  }
  /** @type {ReturnType<typeof load> | null} */
  let loading = null;
  let [wanted, busy] = ["", false];

  /** @type {Say} */
  function say(words, loaded = 0, of = 0) {
    says.textContent = loaded < of ? `${words} ${(loaded / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB` : words;
  }

  /** The latest edits, drawn; what cannot be drawn is said, and the rest is drawn without it. */
  async function draw() {
    if (busy) return;
    busy = true;
    let now = null;
    try {
      while (now !== wanted && wanted) {
        now = wanted;
        loading ??= load(slug, root, new URL(run?.dataset.python ?? "", location.href), say);
        const answer = await design(await loading, now);
        edited.innerHTML = answer.html.drawing;
        say(answer.wrong.join(" "));
        put(Boolean(wanted));
      }
    } catch (error) {
      loading = null;
      ask.hidden = !wanted;
      say(error instanceof Stopped ? error.message : `The drawing could not be made: ${error}`);
    }
    busy = false;
  }

  /** @param {boolean} shown */
  function put(shown) {
    edited.hidden = !shown;
    if (published) published.hidden = shown;
  }

  ask.addEventListener("click", () => {
    ask.hidden = true;
    draw();
  });
  edited.addEventListener("click", leadToBox);

  return {
    /** @param {string} edits as an address has them; "" = none */
    follow(edits) {
      wanted = edits;
      ask.hidden = !edits || Boolean(loading);
      if (!edits) {
        put(false);
        say("");
      } else if (loading) draw();
    },
  };
}
