/* The host: the address and a widget's script -> a model for the widget, and the address kept in step with its state.
   <div data-widget> holds a JSON script {state, data}, a [data-view] with the first picture (replaced once the widget
   stands) and a [data-message]. It says "cutaway:state" with the query of its state. */
import { findIn } from "./dom.js";

/** @import { AfmModel, Widget } from "./model.js" */
/** @import { State } from "./told.js" */

/**
 * How a value is read from a query, by the type of its default.
 * @type {{ [type: string]: (text: string) => unknown }}
 */
const readers = {
  string: (text) => text,
  boolean: (text) => (["true", "1"].includes(text) ? true : ["false", "0"].includes(text) ? false : undefined),
  number: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  object: (text) => JSON.parse(/^[-+.\d]+(?:e[-+]?\d+)?(,|$)/i.test(text) ? `[${text}]` : text),
};

/**
 * The type of a value, as a message calls it.
 * @param {unknown} v
 */
const kind = (v) => (v === null ? "null" : Array.isArray(v) ? "list" : typeof v);

/**
 * A value written in a query, of the type of its default; undefined where it is of no use.
 * @param {string} text
 * @param {unknown} otherwise the default
 */
const readValue = (text, otherwise) => {
  try {
    const value = readers[typeof otherwise](text);
    return otherwise === null || kind(value) === kind(otherwise) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Reads a query: what it cannot use it says in a sentence, and the default stays.
 * @param {string} query
 * @param {State} defaults
 * @param {((state: State) => string) | null} [check] a state that it refuses is left out whole
 * @param {((state: State, given: string[]) => State) | null} [settle] may move what the query does not set
 * @returns {{ state: State, says: string[] }}
 */
export const readQuery = (query, defaults, check, settle) => {
  let state = { ...defaults };
  const given = [];
  const says = [];
  for (const [key, text] of new URLSearchParams(query)) {
    if (key === "theme" || key.startsWith("utm_")) continue;
    const known = key in defaults;
    const value = known ? readValue(text, defaults[key]) : undefined;
    if (!known) says.push(`The link sets “${key.slice(0, 40)}”, which does not exist here.`);
    else if (value === undefined) {
      says.push(
        `The link's ${key} = “${text.slice(0, 40)}” is not a ${kind(defaults[key])}; it stays ${JSON.stringify(defaults[key])}.`,
      );
    } else {
      state[key] = value;
      given.push(key);
    }
  }
  if (settle) state = settle(state, given);
  const illegal = check ? check(state) : "";
  return illegal
    ? { state: { ...defaults }, says: [...says, `The link's settings were left out. ${illegal}`] }
    : { state, says };
};

/**
 * A value as a query has it: words bare, lists of numbers with commas, the rest as JSON.
 * @param {unknown} v
 */
const spell = (v) =>
  typeof v === "string"
    ? v
    : Array.isArray(v) && v.length && v.every((x) => typeof x === "number")
      ? v.join(",")
      : JSON.stringify(v);

/**
 * Writes the query of a state: what differs from the defaults, "" where nothing does.
 * @param {State} state
 * @param {State} defaults
 */
export const writeQuery = (state, defaults) => {
  const changed = Object.keys(defaults).filter((k) => JSON.stringify(state[k]) !== JSON.stringify(defaults[k]));
  return changed.length
    ? `?${changed.map((k) => `${k}=${encodeURIComponent(spell(state[k])).replace(/%(2C|3A|2F)/g, decodeURIComponent)}`).join("&")}`
    : "";
};

/**
 * A model as AFM has it, over a state that it changes in place.
 * @param {State} state
 * @param {unknown} data
 * @param {() => void} saved called by save_changes
 * @returns {AfmModel<State, any>}
 */
export const makeModel = (state, data, saved) => {
  /** @type {{ [event: string]: Set<() => void> }} */
  const heard = {};
  return {
    get: (/** @type {string} */ key) => (key === "data" ? data : state[key]),
    set: (key, value) => {
      if (Object.is(state[key], value)) return;
      state[key] = value;
      for (const fn of [...(heard[`change:${key}`] || [])]) fn();
    },
    save_changes: () => saved(),
    on: (event, fn) => {
      heard[event] ||= new Set();
      heard[event].add(fn);
    },
    off: (event, fn) => {
      heard[event]?.delete(fn);
    },
  };
};

/**
 * One entry in the history for each burst of changes: the first pushes, those within half a second replace.
 * @param {HTMLElement} root
 * @param {() => string} query
 */
const historyKeeper = (root, query) => {
  let until = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let ticket;
  return () => {
    const push = performance.now() > until && root.dataset.embedded === undefined;
    until = performance.now() + 500;
    const go = () => {
      ticket = undefined;
      try {
        history[push ? "pushState" : "replaceState"](null, "", query() || location.pathname);
      } catch {
        /* a sandbox or a file has no history */
      }
    };
    clearTimeout(ticket);
    if (push) go();
    else ticket = setTimeout(go, 60);
  };
};

/** The query of the address; not where it sets a beat's state: beats.js reads that. */
const here = () => (/^#beat-/.test(location.hash) ? "" : location.search);

/**
 * Mounts a widget: a model with the state of the address, then the widget in place of its first picture.
 * @param {HTMLElement} root
 * @param {{
 *   widget: Widget<any, any>,
 *   check?: (state: any, data: any) => string,
 *   settle?: (state: any, given: string[], data: any) => State,
 * }} explainer
 */
export const mount = (root, { widget, check: checks, settle: settles }) => {
  const { state: defaults, data } = JSON.parse(findIn(root, "script[type='application/json']").textContent);
  const view = findIn(root, "[data-view]");
  /** @param {string[]} says */
  const say = (says) => {
    findIn(root, "[data-message]").textContent = says.join(" ");
  };
  const check = checks && ((/** @type {State} */ state) => checks(state, data));
  const settle =
    settles && ((/** @type {State} */ state, /** @type {string[]} */ given) => settles(state, given, data));
  const start = readQuery(here(), defaults, check, settle);
  const state = start.state;
  const query = () => writeQuery(state, defaults);
  const keep = historyKeeper(root, query);
  const showed = () => root.dispatchEvent(new CustomEvent("cutaway:state", { detail: query(), bubbles: true }));
  const afm = makeModel(state, data, () => {
    say([]);
    keep();
    showed();
  });
  const initialized = widget.initialize?.({ model: afm });
  const picture = [...view.childNodes]; // stays until the widget stands, so that its width can be read without a layout
  const cleanup = widget.render({ model: afm, el: view });
  for (const node of picture) node.remove();
  say(start.says);
  showed();
  root.dataset.ready = "";
  performance.mark("cutaway:ready");
  const restore = () => {
    if (location.search && !here()) return;
    const then = readQuery(here(), defaults, check, settle);
    for (const [key, value] of Object.entries(then.state)) afm.set(key, value);
    say(then.says);
    showed();
  };
  addEventListener("popstate", restore);
  return {
    model: afm,
    remove: () => {
      removeEventListener("popstate", restore);
      cleanup?.();
      initialized?.();
    },
  };
};
