// The bridge between the workbench's own page and the Panel session behind it. The page's form, drawing and tables are
// plain elements in the document (a drawing in a shadow root loses its links and the page's CSS); this module writes
// the address into `search`, pasted text into `pasted`, and puts what the session answers into the page. No address
// holds a pasted config: its entry of the browser's history does, {config: {text, turn}}, and so every way back finds it.
import { handPlans } from "../plan_page/hand-plans.js";
import {
  address,
  at,
  beside,
  entry,
  fill,
  here,
  keep,
  kept,
  named,
  OPENED,
  pasted,
  query,
  setContext,
} from "./bench-entry.js";

/**
 * The Panel session behind the page, as anywidget hands it over.
 * @typedef {{
 *   get(key: string): any,
 *   set(key: string, value: unknown): void,
 *   save_changes(): void,
 *   on(event: string, run: () => void): void,
 *   off(event: string, run: () => void): void,
 * }} BenchModel
 */

if (OPENED === "navigate") history.replaceState(null, ""); // a link to this very address begins empty too
const HEARD = 10_000; // ms in which the session must have heard of an action

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

/** @param {{ model: BenchModel }} view */
function render({ model }) {
  const quit = new AbortController();
  /**
   * @param {EventTarget} element
   * @param {string} event
   * @param {(event: Event) => unknown} run
   */
  const on = (element, event, run) => element.addEventListener(event, run, { signal: quit.signal });
  /**
   * @param {string} key
   * @param {unknown} value
   */
  const send = (key, value) => {
    model.set(key, value);
    model.save_changes();
  };
  const most = Number(at("pasted").dataset.most);
  /** @type {Map<number, { config: { text: string, turn: number } }>} */
  const entries = new Map(); // turn -> the state of the entry whose text was sent then
  let unheard = 0,
    /** @type {Element} after which part an error stands: what it is about */
    wrong = at("what-if");

  /**
   * Everything a reader does: said at once, sent, and heard by the session or noticed as unheard.
   * @param {string} words
   * @param {{ [key: string]: unknown }} changes
   */
  const act = (words, changes) => {
    const lost = document.documentElement.dataset.connection === "lost";
    show.status(lost ? `${words}: waits for the connection.` : `${words} …`);
    if ("again" in changes || "pasted" in changes) show.error("");
    for (const [key, value] of Object.entries(changes)) send(key, value);
    send("ping", model.get("ping") + 1);
    clearTimeout(unheard);
    unheard = setTimeout(() => document.dispatchEvent(new Event("unheard")), HEARD);
  };
  const heard = () => {
    clearTimeout(unheard);
    document.dispatchEvent(new Event("heard"));
    show.status(model.get("status"));
    show.error(model.get("error"));
  };
  /** @param {string} sentence */
  const refuse = (sentence) => {
    show.status("Nothing was sent.");
    show.error(sentence);
  };
  /**
   * What this entry of the history asks for; its text first, where the session has not got it.
   * @param {string} words
   * @param {{ [key: string]: unknown }} [more]
   */
  const tell = (words, more = {}) => {
    const search = new URLSearchParams(location.search),
      config = pasted();
    search.delete("pasted");
    if (config) search.set("pasted", config.turn);
    const text = config && config.turn !== model.get("pasted").turn ? { pasted: config } : {};
    if (config) entries.set(config.turn, history.state);
    act(words, { ...text, search: `?${search}`, ...more });
  };
  /**
   * @param {string} words
   * @param {{ [key: string]: string }} change
   * @param {{ [key: string]: unknown }} [more]
   * @param {unknown} [state]
   */
  const go = (words, change, more = {}, state = history.state) => {
    const next = address({ ...query(), ...change });
    try {
      if (next !== here() || state !== history.state) history.pushState(state, "", next);
    } catch {
      return refuse("This browser keeps no more texts as long as this one: open the workbench anew.");
    }
    tell(words, more);
  };
  /**
   * @param {string} text
   * @param {string} [name]
   */
  const read = (text, name = "This text") => {
    wrong = /** @type {Element} */ (at("pasted").closest("details"));
    const size = new Blob([text]).size;
    if (size > most || JSON.stringify(text).length > 2 * most) return refuse(tooLarge(name, size));
    const state = pasted()?.text === text ? history.state : { config: { text, turn: Date.now() } };
    go("Sending your config", { model: "", edit: "" }, { again: Date.now() }, state);
    fill();
  };
  /**
   * @param {string} name
   * @param {number} size bytes
   */
  const tooLarge = (name, size) =>
    `${name} has ${megabytes(size)}, but the workbench reads up to ${megabytes(most)} of JSON. A config.json has a few KB.`;
  /** @param {File | undefined} chosen */
  const file = async (chosen) => {
    wrong = /** @type {Element} */ (at("pasted").closest("details"));
    if (!chosen) return refuse("There was no file in what was dropped: drop a config.json.");
    if (chosen.size > most) return refuse(tooLarge(chosen.name, chosen.size));
    try {
      at("pasted").value = await chosen.text();
    } catch {
      return refuse(`${chosen.name} cannot be read: is it a folder?`);
    }
    read(at("pasted").value, chosen.name);
  };
  const restore = () => {
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
  };

  on(at("open"), "submit", (event) => {
    event.preventDefault();
    wrong = at("what-if");
    const wanted = at("model").value.trim();
    const edit = wanted === named() ? query().edit : "";
    if (wanted) go(`Opening ${wanted}`, { model: wanted, edit }, { again: Date.now() }, null);
    at("edit").value = edit;
  });
  on(at("what-if"), "submit", (event) => {
    event.preventDefault();
    wrong = at("what-if");
    const edit = at("edit").value.trim(),
      instead = model.get("instead"),
      other = "model" in instead;
    const state = other ? (entries.get(instead.pasted) ?? null) : history.state;
    go("Drawing it", { model: other ? instead.model : named(), edit }, { again: Date.now() }, state);
    if (other) fill();
  });
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
  for (const id of ["vs1", "vs2"]) on(at(id), "change", () => go("Comparing", { vs: beside() }));
  on(at("context"), "change", () => go("Counting", { context: at("context").value }));
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

  const dark = () =>
    send(
      "dark",
      getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark" ||
        (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches),
    );
  on(window, "themechange", dark);
  on(matchMedia("(prefers-color-scheme: dark)"), "change", dark);

  /**
   * html comes from our own templates, which escape every string of a config; status and error are text.
   * @type {{ [key: string]: (value: any) => unknown }} by the session's JSON values
   */
  const show = {
    html: (/** @type {{ [id: string]: string }} */ value) => {
      for (const [id, html] of Object.entries(value)) at(id).innerHTML = html;
      handPlans();
    },
    busy: (/** @type {boolean} */ value) => {
      at("busy").hidden = !value;
      at("result").setAttribute("aria-busy", String(value));
    },
    status: (/** @type {string} */ value) => {
      at("status").textContent = value;
    },
    error: (/** @type {string} */ value) => {
      if (at("error").textContent !== value) at("error").textContent = value;
      if (value && wrong.nextElementSibling !== at("error")) wrong.after(at("error"));
      at("error").hidden = !value;
    },
    title: (/** @type {string} */ value) => {
      document.title = value ? `${value} · Cutaway workbench` : "Cutaway workbench";
    },
    beside: (/** @type {string[]} */ value) => {
      value.forEach((slug, index) => {
        at(`vs${index + 1}`).value = slug;
      });
    },
    context: setContext,
    pong: () => model.get("pong") && heard(),
  };
  const listeners = Object.entries(show).map(([key, run]) => {
    const change = () => run(model.get(key));
    model.on(`change:${key}`, change);
    change();
    return () => model.off(`change:${key}`, change);
  });
  fill();
  dark();
  restore();
  document.documentElement.dataset.ready = "true";
  return () => {
    quit.abort();
    for (const off of listeners) off();
  };
}

export default { render };
