/* /embed.js: <cutaway-widget name="heads" state="..."> for any page, from any origin, under a policy that allows this
   host's scripts and frames. Attributes: name and state, beat="3" for one step alone, or model="org/name" and show="cache"; theme; title.
   known: {name: {title, heights: {from this width on: so tall}, beats: how many}}; step: the heights of a beat. */

/**
 * From a width on in pixels, so tall.
 * @typedef {{ [width: string]: number }} Heights
 */

/**
 * What is known of the widgets before they are there, by name.
 * @typedef {{ [name: string]: { title: string, heights: Heights, beats: number } }} Known
 */

const own =
  /** @type {HTMLScriptElement | null} */ (document.currentScript)?.src ??
  [...document.scripts].map((one) => one.src).find((src) => /\/embed\.js(\?|$)/.test(src));
const home = new URL("embed/", own);

/* Given to defineWidget. */
/** @type {Known} */
let known;
/** @type {Heights} */
let step;

/**
 * Attributes -> where the frame leads, or a sentence.
 * @param {Element} element
 */
const target = (element) => {
  /** @param {string} key */
  const at = (key) => (element.getAttribute(key) ?? "").trim();
  const [name, model] = [at("name"), at("model")];
  if (model && !/^[\w.-]+\/[\w.-]+$/.test(model)) return `“${model}” is not a model's name; it looks like org/name.`;
  if (!model && !Object.hasOwn(known, name))
    return `There is no Cutaway widget “${name}”; there are: ${Object.keys(known).join(", ")}, or model="org/name".`;
  const beat = at("beat");
  const beats = known[name]?.beats ?? 0;
  if (beat && !(Number.isInteger(Number(beat)) && Number(beat) > 0 && beats >= Number(beat)))
    return beats ? `“${beat}” is no step of ${name}, which has ${beats}.` : "A drawing has no steps: leave beat out.";
  const url = new URL(
    model
      ? `${at("show") === "cache" ? "cache" : "model"}/${model}/`
      : `${name}/${beat ? `beat-${Number(beat)}/` : ""}`,
    home,
  );
  url.search = model ? "" : at("state");
  if (at("theme")) url.searchParams.set("theme", at("theme"));
  return url;
};

/**
 * @param {string} name
 * @param {string | null} beat
 * @param {number} width
 */
const guess = (name, beat, width) => {
  const rows = Object.entries((beat ? step : known[name]?.heights) ?? { 0: 600 });
  return (rows.findLast(([from]) => Number(from) <= width) ?? rows[0])[1];
};

class Widget extends HTMLElement {
  static observedAttributes = ["name", "beat", "state", "model", "show", "theme", "title"];

  constructor() {
    super();
    this.frame = document.createElement("iframe");
    this.frame.loading = "lazy";
    this.frame.addEventListener("load", () => this.ask());
    Object.assign(this.frame.style, { display: "block", width: "100%", border: "0" });
    this.hear = (/** @type {MessageEvent} */ { data, source, origin }) => {
      if (source !== this.frame.contentWindow || origin !== home.origin || !(data?.cutaway && data.height > 0)) return;
      this.told = true;
      this.frame.style.height = `${Math.min(data.height, 20000)}px`;
    };
    this.wide = new ResizeObserver(() => this.fit());
    this.shadow = this.attachShadow({ mode: "open" });
    this.told = false;
    this.waiting = false;
  }

  connectedCallback() {
    this.style.display = "block";
    addEventListener("message", this.hear);
    this.wide.observe(this);
    this.draw();
  }

  disconnectedCallback() {
    removeEventListener("message", this.hear);
    this.wide.disconnect();
  }

  /* At another width: ask a frame that has spoken, since off the screen it would not speak by itself; guess for others. */
  fit() {
    if (this.told) this.ask();
    else
      this.frame.style.height = `${guess(this.getAttribute("name") ?? "", this.getAttribute("beat"), this.clientWidth)}px`;
  }

  /* Several attributes set at once lead to one load. */
  attributeChangedCallback() {
    if (this.waiting || !this.isConnected) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      if (this.isConnected) this.draw();
    });
  }

  ask() {
    this.frame.contentWindow?.postMessage({ cutaway: "height" }, "*");
  }

  draw() {
    const where = target(this);
    if (typeof where === "string") return this.shadow.replaceChildren(where);
    const name = this.getAttribute("name") ?? "";
    this.frame.title = this.getAttribute("title") || known[name]?.title || (this.getAttribute("model") ?? "");
    if (this.frame.src !== where.href) {
      this.told = false;
      this.frame.src = where.href;
      this.fit();
    }
    if (this.frame.parentNode !== this.shadow) this.shadow.replaceChildren(this.frame);
  }
}

/**
 * @param {Known} widgets
 * @param {Heights} beat
 */
export const defineWidget = (widgets, beat) => {
  known = widgets;
  step = beat;
  if (!customElements.get("cutaway-widget")) customElements.define("cutaway-widget", Widget);
};
