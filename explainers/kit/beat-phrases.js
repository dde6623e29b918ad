/* Phrases of a beat that set a state: pointing at one previews it, a click keeps it. While they make the figure taller or
   lower, the words stay where they are. */
import { isSame } from "./beat-words.js";
import { findIn, setAttrs } from "./dom.js";

/** @import { Beat } from "./beats.js" */

/**
 * Holds the words of a beat where they are while its figure changes, also at the lower end of the beat: else the phrase
 * would leave the pointer, and come back, and so on. Any other change lets them go.
 * @param {HTMLElement} section
 */
export const holdWords = (section) => {
  const [show, text, after, captions] = ["show", "text", "after", "captions"].map((name) =>
    findIn(section, `.beat-${name}`),
  );
  const parts = [show, text, after];
  /** Sets a size where it is used: all below is styled anew. @type {(part: HTMLElement, key: string, pixels: number) => void} */
  const size = (part, key, pixels) => part.style.setProperty(key, `${pixels}px`);
  const sized = () => {
    const [shown, words, more] = parts.map((part) => part.getBoundingClientRect().height);
    size(captions, "--show", Math.round(shown)); // so that captions stand on whole pixels
    size(after, "--text", words);
    size(text, "--after", more);
  };
  const top = () => text.getBoundingClientRect().top;
  return {
    /** Lets the words go. */
    release: () => {
      for (const part of [section, ...parts])
        for (const key of ["--grown", "min-height"]) part.style.removeProperty(key);
    },
    /**
     * Changes something, and holds the words.
     * @param {() => void} change
     */
    steady: (change) => {
      const [from, high, at] = [top(), section.offsetHeight, scrollY];
      change();
      sized();
      if (scrollY !== at) scrollTo({ top: at, behavior: "instant" }); // a browser held on to something in the figure
      if (from > top() + 0.5) size(section, "min-height", high);
      const grown = Math.max(0, top() - from);
      for (const part of [text, after]) size(part, "--grown", grown);
    },
    /** Tells the parts each other's sizes from now on. */
    watch: () => {
      const resized = new ResizeObserver(sized);
      for (const part of parts) resized.observe(part);
    },
  };
};

/**
 * Brings the phrases of a beat to life.
 * @param {Beat} beat
 * @param {(change: () => void) => void} steady
 * @returns {(shown: boolean) => void} draws them; `shown`: the bet's answer is
 */
export const livePhrases = ({ section, held, legal, keep, draw }, steady) => {
  const links = /** @type {HTMLAnchorElement[]} */ ([...section.querySelectorAll("a.set")]);
  const phrases = links.map((a) => ({
    a,
    href: a.getAttribute("href"),
    sets: JSON.parse(/** @type {string} */ (a.dataset.set)),
  }));
  for (const { a, sets } of phrases) {
    /** @param {boolean} on */
    const peek = (on) => {
      if (!a.hasAttribute("href") || legal(sets)) return;
      Object.assign(held, { preview: on && !a.hasAttribute("aria-current") ? sets : null, words: a.textContent });
      steady(draw);
    };
    a.addEventListener("pointerenter", (e) => {
      if (e.pointerType === "mouse") peek(true);
    });
    a.addEventListener("pointerleave", () => peek(false));
    a.addEventListener("focus", () => {
      if (a.matches(":focus-visible")) peek(true);
    });
    a.addEventListener("blur", () => peek(false));
    a.addEventListener("click", (e) => {
      if (e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || !a.hasAttribute("href")) return;
      e.preventDefault();
      if (!legal(sets)) steady(() => keep(sets));
    });
  }
  return (shown) => {
    for (const { a, href, sets } of phrases) {
      if (a.dataset.after !== undefined) setAttrs(a, { href: shown ? href : false });
      const current = Object.entries(sets).every(([k, v]) => isSame(held.state[k], v));
      setAttrs(a, { "aria-current": current ? "true" : false });
    }
  };
};
