// /models/, below the cards: the packed models in a table, a list at a time when asked for; a word typed into the search
// shows those that have it.

/** @import { PackedName, PackedRow } from "../site/types.d.ts" */

const SHOWN = 100; // rows of what is found

/**
 * Those whose name, company or slug has every word, in their order.
 * @template {PackedName | PackedRow} Row
 * @param {Row[]} rows
 * @param {string} typed
 */
export function matching(rows, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(([slug, title, company]) => {
    const text = `${title} ${slug} ${company}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * The files of a folder, each fetched once.
 * @param {URL} base
 * @returns {(name: string) => Promise<any>}
 */
function filesOf(base) {
  /** @type {Map<string, Promise<any>>} */
  const fetched = new Map();
  return (name) => {
    const coming =
      fetched.get(name) ??
      fetch(new URL(name, base)).then((answer) => {
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        return answer.json();
      });
    fetched.set(name, coming);
    coming.catch(() => fetched.delete(name)); // tried again when it is asked for again
    return coming;
  };
}

/**
 * @param {PackedName | PackedRow} row
 * @param {string} target the address of a model, with SLUG for its slug
 */
function line([slug, title, company, date = "", parameters = ""], target) {
  const row = document.createElement("tr");
  const link = Object.assign(document.createElement("a"), { textContent: title });
  link.href = new URL(target.replace("SLUG", slug), location.href).href;
  row.append(document.createElement("td"));
  row.cells[0].append(link);
  for (const text of [company, date, parameters])
    row.append(Object.assign(document.createElement("td"), { textContent: text }));
  row.cells[3].className = "n";
  return row;
}

/**
 * @param {HTMLElement} section
 * @param {string} selector
 */
const part = (section, selector) => /** @type {HTMLElement} */ (section.querySelector(selector));

/**
 * @param {HTMLElement} section
 * @param {(PackedName | PackedRow)[]} rows
 * @param {string} says
 */
function showRows(section, rows, says) {
  const { target = "" } = section.dataset;
  part(section, "tbody").replaceChildren(...rows.map((row) => line(row, target)));
  part(section, "table").hidden = !rows.length;
  part(section, "[role=status]").textContent = says;
}

/**
 * The buttons that lead to the first list, or to the one before and after.
 * @param {HTMLElement} section
 * @param {boolean} paged
 * @param {number} page which list is shown; -1: none
 * @param {number} last
 */
function offerLists(section, paged, page, last) {
  part(section, "[data-first]").hidden = !paged || page >= 0;
  for (const [name, to] of /** @type {[string, number][]} */ ([
    ["back", page - 1],
    ["on", page + 1],
  ])) {
    const button = /** @type {HTMLButtonElement} */ (part(section, `[data-${name}]`));
    button.hidden = !paged || page < 0;
    button.disabled = to < 0 || to > last;
  }
}

/**
 * @param {HTMLElement} section
 * @returns {{ find: (typed: string) => Promise<number> }} how many have what is typed; nothing typed: the list again
 */
export function further(section) {
  const { folder = "", lists = "", models = "" } = section.dataset;
  const [count, last] = [Number(models), Number(lists) - 1];
  const file = filesOf(new URL(folder, location.href));
  let page = -1; // which list is shown; -1: none was asked for
  let turn = 0;

  /**
   * @param {(PackedName | PackedRow)[]} rows
   * @param {string} says
   * @param {boolean} paged
   */
  function fill(rows, says, paged) {
    showRows(section, rows, says);
    offerLists(section, paged, page, last);
  }

  /** @param {number} to */
  async function turned(to) {
    const mine = ++turn;
    try {
      /** @type {PackedRow[]} */
      const rows = await file(`rows-${to}.json`);
      const before = to ? to * (await file("rows-0.json")).length : 0;
      if (mine !== turn) return;
      page = to;
      const [from, until] = [before + 1, before + rows.length].map((one) => one.toLocaleString("en"));
      fill(rows, `${from} to ${until} of ${count.toLocaleString("en")}, the newest first`, true);
    } catch {
      if (mine === turn) fill([], "The list could not be loaded. Check your network connection and try again.", true);
    }
  }

  /** @param {string} typed */
  async function find(typed) {
    if (!typed) {
      if (page >= 0) await turned(page);
      else fill([], "", true);
      return 0;
    }
    const mine = ++turn;
    /** @type {PackedName[]} */
    const rows = await file("names.json").catch(() => []);
    const found = matching(rows, typed);
    if (mine !== turn) return found.length;
    const most = found.length > SHOWN ? `; the first ${SHOWN} are shown` : "";
    const many = found.length.toLocaleString("en");
    fill(found.slice(0, SHOWN), `${many} of ${count.toLocaleString("en")} match${most}`, false);
    return found.length;
  }

  part(section, "[data-first]").addEventListener("click", () => turned(0));
  part(section, "[data-back]").addEventListener("click", () => turned(page - 1));
  part(section, "[data-on]").addEventListener("click", () => turned(page + 1));
  return { find };
}
