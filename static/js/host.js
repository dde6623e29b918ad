/* The host: gives an AFM widget its model on a page of ours, and keeps the URL in step with its state.
   <div data-widget data-module="bits.js"> holds a JSON script {state, data}, a [data-view] with the first picture
   (replaced once the module is here) and a [data-message]. It says "cutaway:state" with the query of its state. */
const host = {};

const readers = {
  string: (text) => text,
  boolean: (text) => (["true", "1"].includes(text) ? true : ["false", "0"].includes(text) ? false : undefined),
  number: (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  object: (text) => JSON.parse(/^[-+.\d]+(?:e[-+]?\d+)?(,|$)/i.test(text) ? `[${text}]` : text),
};
const kind = (v) => (v === null ? "null" : Array.isArray(v) ? "list" : typeof v);

/* Query text -> {state, says}: what it cannot use it names, and the default stands. */
host.read = (query, defaults, check, settle) => {
  let state = { ...defaults };
  const given = [];
  const says = [];
  for (const [key, text] of new URLSearchParams(query)) {
    if (key === "theme" || key.startsWith("utm_")) continue;
    let value;
    try { value = key in defaults ? readers[typeof defaults[key]](text) : undefined; } catch { value = undefined; }
    if (!(key in defaults)) says.push(`The link sets “${key.slice(0, 40)}”, which does not exist here.`);
    else if (value === undefined || (defaults[key] !== null && kind(value) !== kind(defaults[key]))) {
      says.push(`The link's ${key} = “${text.slice(0, 40)}” is not a ${kind(defaults[key])}; it stays ${JSON.stringify(defaults[key])}.`);
    } else { state[key] = value; given.push(key); }
  }
  if (settle) state = settle(state, given); // what the link does not set may move
  const illegal = check ? check(state) : "";
  return illegal ? { state: { ...defaults }, says: [...says, `The link's settings were left out. ${illegal}`] } : { state, says };
};

const spell = (v) => (typeof v === "string" ? v : Array.isArray(v) && v.length && v.every((x) => typeof x === "number") ? v.join(",") : JSON.stringify(v));
host.write = (state, defaults) => {
  const changed = Object.keys(defaults).filter((k) => JSON.stringify(state[k]) !== JSON.stringify(defaults[k]));
  return changed.length ? `?${changed.map((k) => `${k}=${encodeURIComponent(spell(state[k])).replace(/%(2C|3A|2F)/g, decodeURIComponent)}`).join("&")}` : "";
};

host.model = (state, data, saved) => {
  const heard = {};
  return {
    get: (key) => (key === "data" ? data : state[key]),
    set: (key, value) => {
      if (Object.is(state[key], value)) return;
      state[key] = value;
      for (const fn of [...(heard[`change:${key}`] || [])]) fn();
    },
    save_changes: () => saved(),
    on: (event, fn) => { (heard[event] ||= new Set()).add(fn); },
    off: (event, fn) => heard[event]?.delete(fn),
  };
};

/* One entry in the history for each burst of changes: the first pushes, those within half a second replace. */
const history_keeper = (root, query) => {
  let until = 0;
  let ticket = 0;
  return () => {
    const push = performance.now() > until && root.dataset.embedded === undefined;
    until = performance.now() + 500;
    const go = () => {
      ticket = 0;
      try { history[push ? "pushState" : "replaceState"](null, "", query() || location.pathname); } catch { /* a sandbox or a file has no history */ }
    };
    clearTimeout(ticket);
    if (push) go();
    else ticket = setTimeout(go, 60);
  };
};

const here = () => (/^#beat-/.test(location.hash) ? "" : location.search); // such a link sets a beat's state: kit-beats.js

host.mount = (root, widget) => {
  const { state: defaults, data } = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const view = root.querySelector("[data-view]");
  const say = (says) => { root.querySelector("[data-message]").textContent = says.join(" "); };
  const check = widget.check && ((state) => widget.check(state, data));
  const settle = widget.settle && ((state, given) => widget.settle(state, given, data));
  const start = host.read(here(), defaults, check, settle);
  const state = start.state;
  const query = () => host.write(state, defaults);
  const keep = history_keeper(root, query);
  const showed = () => root.dispatchEvent(new CustomEvent("cutaway:state", { detail: query(), bubbles: true }));
  const afm = host.model(state, data, () => { say([]); keep(); showed(); });
  const initialized = widget.default.initialize?.({ model: afm });
  const picture = [...view.childNodes]; // stays until the widget stands, so that its width can be read without a layout
  const cleanup = widget.default.render({ model: afm, el: view });
  for (const node of picture) node.remove();
  say(start.says);
  showed();
  root.dataset.ready = "";
  performance.mark("cutaway:ready");
  const restore = () => {
    if (location.search && !here()) return;
    const then = host.read(here(), defaults, check, settle);
    for (const [key, value] of Object.entries(then.state)) afm.set(key, value);
    say(then.says);
    showed();
  };
  addEventListener("popstate", restore);
  return { model: afm, remove: () => { removeEventListener("popstate", restore); cleanup?.(); initialized?.(); } };
};

const load = (root) => import(new URL(root.dataset.module, document.baseURI).href).then(
  (widget) => { root.cutaway = host.mount(root, widget); root.dispatchEvent(new Event("mounted")); },
  () => { root.querySelector("[data-message]").textContent = "The interactive part did not load; the picture shows its first state."; },
);
/* What lies far below (data-later) is mounted when it is at most a screen away. */
const near = (root) => new IntersectionObserver((seen, watch) => {
  if (seen.some((one) => one.isIntersecting)) { watch.disconnect(); load(root); }
}, { rootMargin: "100%" }).observe(root);
host.begin = () => {
  for (const root of document.querySelectorAll("[data-widget][data-module]")) (root.dataset.later === undefined ? load : near)(root);
};
globalThis.cutawayHost = host; // for kit-beats.js, which has a model for each beat
host.begin();
