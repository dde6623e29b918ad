// BokehJS's style elements, which the page's policy refuses, as style sheets that their documents and shadow roots adopt.

/** What stands where BokehJS makes a <style>: it takes the same text, and is never shown. */
class AdoptedStyle extends HTMLElement {
  #css = "";
  #sheet = new CSSStyleSheet();
  /** @type {Document | ShadowRoot | undefined} */
  #home;

  /** @override */
  get textContent() {
    return this.#css;
  }

  /** @override */
  set textContent(css) {
    this.#css = css ?? "";
    this.#sheet.replaceSync(this.#css);
  }

  connectedCallback() {
    this.hidden = true;
    this.#home = /** @type {Document | ShadowRoot} */ (this.getRootNode());
    this.#home.adoptedStyleSheets = [...this.#home.adoptedStyleSheets, this.#sheet];
  }

  disconnectedCallback() {
    if (this.#home) this.#home.adoptedStyleSheets = this.#home.adoptedStyleSheets.filter((one) => one !== this.#sheet);
  }
}

/** From now on, whoever makes a style element by a script gets one of these. */
export function adoptStyles() {
  customElements.define("adopted-style", AdoptedStyle);
  const create = document.createElement.bind(document);
  document.createElement = /** @type {typeof create} */ (
    (/** @type {string} */ tag, /** @type {ElementCreationOptions | undefined} */ options) =>
      create(tag === "style" ? "adopted-style" : tag, options)
  );
}
