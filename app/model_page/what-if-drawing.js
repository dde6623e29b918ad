// The drawing of a model's page, redrawn with its edits by the Python of /design/: loaded when somebody asks for it,
// from then on it follows every edit. Without edits the published drawing stands there again.

import { python, Stopped } from "../your_model/python.js";
import { made } from "./what-if-elements.js";

/**
 * @param {HTMLElement} tools where the button and what is going on stand
 * @param {string} slug
 * @param {URL} root of the site
 */
export function drawing(tools, slug, root) {
  const run = /** @type {HTMLElement | null} */ (document.querySelector("details.run"));
  const published = /** @type {HTMLElement | null} */ (document.querySelector("[data-parts] .cw-figure"));
  const ask = made("button", `Redraw with these edits (loads Python once, ${run?.dataset.size ?? ""})`, {
    type: "button",
    className: "button wi-small",
    hidden: true,
  });
  const says = made("span", "", { className: "muted" });
  says.setAttribute("role", "status");
  const edited = made("div", "", { className: "wi-drawing", hidden: true });
  if (run && published) {
    tools.append(ask, says);
    published.after(edited);
  }
  /** @type {Promise<{ engine: ReturnType<typeof python>, model: { title: string, config: unknown } }> | null} */
  let loading = null;
  let [wanted, busy] = ["", false];

  /**
   * @param {string} words
   * @param {number} [loaded]
   * @param {number} [of]
   */
  function say(words, loaded = 0, of = 0) {
    says.textContent = loaded < of ? `${words} ${(loaded / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB` : words;
  }

  /** @param {URL} address */
  async function fetched(address) {
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) throw new Stopped("Python could not be loaded. Check your network connection and try again.");
    return answer.json();
  }

  async function load() {
    const address = new URL(run?.dataset.python ?? "", location.href);
    const [told, model] = await Promise.all([fetched(address), fetched(new URL(`design/models/${slug}.json`, root))]);
    const { worker, folder, seconds, files, lock } = told;
    const pack = { folder: new URL(folder, address).href, files, lock };
    return { engine: python({ worker: new URL(worker, address).href, seconds, told: pack, say }), model };
  }

  /** The latest edits, drawn; what cannot be drawn is said, and the rest is drawn without it. */
  async function draw() {
    if (busy) return;
    busy = true;
    let now = null;
    try {
      while (now !== wanted && wanted) {
        now = wanted;
        const { engine, model } = await (loading ??= load());
        const text = JSON.stringify(model.config);
        const answer = await engine.design({ text, title: model.title, edits: now, context: 131_072, last: "" });
        if (answer.refused) throw new Stopped(answer.refused);
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
  // A disc leads to the box of its number.
  edited.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a[href^='#field-']");
    if (!link) return;
    event.preventDefault();
    document.getElementById(`wi-${link.getAttribute("href")?.slice(7)}`)?.focus();
  });

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
