// The live page's questions: a pasted config's file, and what each difference of any pair costs. Pasted text stays in this
// tab (and goes to the server that reads it); on a site of files alone there is nobody to ask.

const KEPT = "compare-";
export const isPasted = (slug) => slug.startsWith("local:");
const kept = (slug) => {
  try {
    return sessionStorage.getItem(KEPT + slug) ?? "";
  } catch {
    return held.get(slug) ?? "";
  }
};
const held = new Map();
export const knows = (slug) => Boolean(kept(slug) || held.get(slug));
const text = (slug) => held.get(slug) || kept(slug);
function keep(slug, config) {
  held.set(slug, config);
  try {
    sessionStorage.setItem(KEPT + slug, config);
  } catch {
    /* a private window, or too much: for as long as the page is open */
  }
}

export function asker(address) {
  const ask = async (models, signal) => {
    let answer,
      found = {};
    try {
      answer = await fetch(address, {
        method: "POST",
        signal,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ models }),
      });
      found = await answer.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server could not be asked.");
    }
    if (!answer.ok) throw new Error(found.sentence ?? `The server answered ${answer.status}.`);
    return found;
  };
  const named = (slug) => (isPasted(slug) ? { config: text(slug) } : { slug });
  return {
    live: Boolean(address),
    // The file of a config, which is known by its slug from then on.
    paste: async (config) => {
      const {
        files: [file],
      } = await ask([{ config }]);
      keep(file.slug, config);
      return file;
    },
    file: async (slug) => {
      const {
        files: [file],
      } = await ask([named(slug)]);
      return file;
    },
    pair: async (a, b, signal) => (await ask([named(a), named(b)], signal)).pair,
  };
}
