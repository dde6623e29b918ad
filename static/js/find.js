// What is typed into a search box -> the models, explainers and ideas it means. Pure: the index comes in, answers go out.
//
// index   {models: [{slug, name, company, words, has: [idea]}], ideas: [{key, words}], pages: [{path, name, words, has}]}
// A query is cut into the longest runs of words that name an idea ("sliding window", "multi query"); each run holds for
// what has the idea, or whose own words contain it. All runs must hold.

const LONG = 5;   // letters from which a word may be written without its hyphens, or with one letter wrong
const MOST = 20;   // words of a query that are read
const SHORTEST = 3;   // letters from which the beginning of an idea's name is enough

export const plain = text => text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, " ").trim();
const squeezed = text => text.replaceAll(" ", "");

// "https://huggingface.co/org/name/tree/main" and "org/name" both mean org/name.
export function hubId(text) {
  const path = text.trim().replace(/^https?:\/\/[^/]+\//, "").replace(/^hf\.co\//, "");
  const [org, name] = path.split(/[/?#]/);
  return org && name && /^[\w.-]+$/.test(org) && /^[\w.-]+$/.test(name) ? `${org}/${name}` : "";
}

// Whether one letter more, less, other, or two that changed places, make b of a.
export function near(a, b) {
  if (Math.abs(a.length - b.length) > 1 || a === b) return a === b;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [x, y] = [a.slice(from), b.slice(from)];
  return x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)
    || (x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2));
}

export function finder({ models = [], ideas = [], pages = [] }) {
  // A text with a space on both sides, so that " word" is where one begins; and without any.
  const both = words => ({ text: ` ${plain(words)} `, bare: squeezed(plain(words)) });
  const readied = one => ({ one, ...both(one.words), has: new Set(one.has) });
  const all = { models: models.map(readied), pages: pages.map(readied) };
  const terms = ideas.flatMap(({ key, words }) => words.map(name => ({ key, ...both(name) })));
  const written = [...terms, ...all.pages, ...all.models].flatMap(({ text }) => text.split(" "));
  const vocabulary = new Set([...terms.map(({ bare }) => bare), ...written].filter(word => /^\p{L}{4,}$/u.test(word)));

  // "Kimi" means the models, though an idea is called Kimi Delta Attention.
  const brands = new Set(models.flatMap(({ name, company }) => [plain(name).split(" ")[0], ...plain(company).split(" ")]));

  // The ideas that a run of words names; the last word of a query may still be half typed.
  function named(run, last) {
    if (brands.has(run)) return new Set(terms.filter(({ text }) => text === ` ${run} `).map(({ key }) => key));
    const whole = ` ${run} `, begun = run.length >= SHORTEST && last;
    const inOne = run.length >= LONG ? squeezed(run) : null;
    return new Set(terms.filter(({ text, bare }) => text.includes(whole) || (begun && text.includes(` ${run}`))
      || (inOne && (last ? bare.startsWith(inOne) : bare === inOne))).map(({ key }) => key));
  }

  function runs(words) {
    const found = [];
    for (let from = 0, to; from < words.length; from = to) {
      let keys = new Set();
      for (to = words.length; to > from; to--) {
        keys = named(words.slice(from, to).join(" "), to === words.length);
        if (keys.size) break;
      }
      to = Math.max(to, from + 1);
      found.push({ words: words.slice(from, to), keys });
    }
    return found;
  }

  const says = ({ text, bare }, word, whole) => text.includes(whole ? ` ${word}` : word)
    || (!whole && word.length >= LONG && bare.includes(word));
  // 3: its words begin so; 2: it says so itself; 1: it has the idea; 0: none of it. In a page's many words, 2 is chance.
  const holds = (row, run, whole) => run.words.every(word => says(row, word, true)) ? 3
    : !whole && run.words.every(word => says(row, word)) ? 2 : [...run.keys].some(key => row.has.has(key)) ? 1 : 0;

  function ranked(rows, asked, whole) {
    const scored = rows.map(row => ({ row, by: asked.map(run => holds(row, run, whole)) })).filter(({ by }) => by.every(Boolean));
    const sum = ({ by }) => by.reduce((a, b) => a + b, 0);
    return scored.sort((a, b) => sum(b) - sum(a)).map(({ row }) => row.one);
  }

  function exactly(words) {
    const asked = runs(words);
    return {
      models: ranked(all.models, asked), pages: ranked(all.pages, asked, true),
      ideas: [...new Set(asked.flatMap(({ keys }) => [...keys]))],
    };
  }

  // No model is found: a long word is read as one that is a letter away, from left to right until something is.
  function mended(words, from = 0) {
    for (let at = from; at < words.length; at++) {
      if (words[at].length < LONG || !/^\p{L}+$/u.test(words[at])) continue;
      for (const other of vocabulary) {
        if (other === words[at] || !near(words[at], other)) continue;
        const changed = words.map((word, index) => index === at ? other : word);
        const found = exactly(changed);
        const better = found.models.length ? { ...found, corrected: changed.join(" ") } : mended(changed, at + 1);
        if (better) return better;
      }
    }
    return null;
  }

  return text => {
    const words = plain(text).split(" ").filter(word => /[\p{L}\p{N}]/u.test(word)).slice(0, MOST);
    const id = hubId(text).toLowerCase();
    const same = models.filter(({ slug }) => slug.toLowerCase() === id);
    if (!words.length) return { models: [], pages: [], ideas: [], corrected: "" };
    const found = exactly(words);
    const best = !found.models.length && mended(words) || found;
    return { corrected: "", ...best, models: [...new Set([...same, ...best.models])] };
  };
}

// The index of a page's search box, fetched once; without it nothing is found.
let asked = null;
export const indexed = form => asked ??= fetch(form.dataset.index).then(answer => answer.json()).catch(() => ({})).then(finder);
