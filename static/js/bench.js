// The bridge between the workbench's own page and the Panel session behind it. The page's form, drawing and tables are
// plain elements in the document (a drawing in a shadow root loses its links and the page's CSS); this module writes
// the address into `search`, pasted text into `pasted`, and puts what the session answers into the page.

const at = id => document.getElementById(id);
const KEYS = ["model", "vs", "context"];

function query() {
  return Object.fromEntries(KEYS.map(key => [key, new URLSearchParams(location.search).get(key) || ""]));
}

function address(state) {
  const search = new URLSearchParams();
  for (const key of KEYS) if (state[key]) search.set(key, state[key]);
  const text = search.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text ? `?${text}` : location.pathname;
}

function fill() {
  at("model").value = query().model || at("model").dataset.start;
}

// "a,b", "a" or ",b": each of the two keeps its place; "none" where the reader wants neither.
function beside() {
  return [at("vs1").value, at("vs2").value].join(",").replace(/,$/, "") || "none";
}

// The session says which context counts; one that only an address named becomes a choice of its own.
function setContext(value) {
  const select = at("context");
  if (![...select.options].some(option => option.value === String(value)))
    select.append(new Option(`${value.toLocaleString("en")} tokens`, value));
  select.value = String(value);
}

function render({ model }) {
  const quit = new AbortController();
  const on = (element, event, run) => element.addEventListener(event, run, { signal: quit.signal });
  const send = (key, value) => { model.set(key, value); model.save_changes(); };
  const go = change => {
    const next = address({ ...query(), ...change });
    if (next !== location.search) history.pushState(null, "", next);
    send("search", location.search);
  };
  const read = text => {
    history.pushState(null, "", address({ ...query(), model: "" }));
    at("model").value = "";
    send("search", location.search);
    send("pasted", { text, turn: Date.now() });
  };
  const file = async chosen => { if (chosen) { at("pasted").value = await chosen.text(); read(at("pasted").value); } };

  on(at("open"), "submit", event => {
    event.preventDefault();
    const wanted = at("model").value.trim();
    if (wanted) { go({ model: wanted }); send("again", Date.now()); }
  });
  on(at("read"), "click", () => read(at("pasted").value));
  on(at("file"), "change", event => { file(event.target.files[0]); event.target.value = ""; });
  on(document, "dragover", event => event.preventDefault());
  on(document, "drop", event => { event.preventDefault(); file(event.dataTransfer.files[0]); });
  for (const id of ["vs1", "vs2"]) on(at(id), "change", () => go({ vs: beside() }));
  on(at("context"), "change", () => go({ context: at("context").value }));
  on(window, "popstate", () => { fill(); send("search", location.search); });

  const dark = () => send("dark", getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches));
  on(window, "themechange", dark);
  on(matchMedia("(prefers-color-scheme: dark)"), "change", dark);

  // html comes from our own templates, which escape every string of a config; status and error are text.
  const show = {
    html: value => { for (const [id, html] of Object.entries(value)) at(id).innerHTML = html; },
    busy: value => { at("busy").hidden = !value; at("result").setAttribute("aria-busy", value); },
    status: value => { at("status").textContent = value; },
    error: value => { at("error").textContent = value; at("error").hidden = !value; },
    title: value => { document.title = value ? `${value} · Cutaway workbench` : "Cutaway workbench"; },
    beside: value => { value.forEach((slug, index) => { at(`vs${index + 1}`).value = slug; }); },
    context: setContext,
  };
  const listeners = Object.entries(show).map(([key, run]) => {
    const change = () => run(model.get(key));
    model.on(`change:${key}`, change);
    change();
    return () => model.off(`change:${key}`, change);
  });
  fill();
  dark();
  document.documentElement.dataset.ready = "true";
  return () => { quit.abort(); for (const off of listeners) off(); };
}

export default { render };
