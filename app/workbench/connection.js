// The line between a page at /app and its session: says when it is lost, asks until the server answers again, and
// opens the page anew; its address holds its state, and what else it wants to keep it keeps at "reopening".

const WAITS = [1, 1, 2, 2, 3, 5, 8, 10]; // seconds between two questions, the last one from then on
const PATIENCE = 2; // seconds in which a session that lives must answer, once its server has
const AGAIN = "cutaway-reopened"; // when, and how often in a row: a page that is lost at once does not reopen for ever
const bar = /** @type {HTMLElement} */ (document.getElementById("connection"));
const page = document.documentElement;
/** @type {(value?: unknown) => void} */
let wake = () => {};

/** @param {number} seconds */
const pause = (seconds) =>
  new Promise((done) => {
    wake = done;
    setTimeout(done, 1000 * seconds);
  });

/**
 * @param {string} words
 * @param {string} [button]
 * @param {() => void} [press]
 */
function say(words, button = "", press = () => {}) {
  bar.replaceChildren(...(words ? [Object.assign(document.createElement("span"), { textContent: words })] : []));
  if (button) {
    const pressed = Object.assign(document.createElement("button"), { type: "button", textContent: button });
    pressed.addEventListener("click", press);
    bar.append(pressed);
  }
}

// This very file: whoever sends it can open the page too.
async function answers() {
  try {
    return (await fetch(import.meta.url, { cache: "no-store", signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

function reopened() {
  try {
    return JSON.parse(/** @type {string} */ (sessionStorage.getItem(AGAIN))) || { at: 0, times: 0 };
  } catch {
    return { at: 0, times: 0 };
  }
}

async function lost() {
  if (page.dataset.connection === "lost") return;
  page.dataset.connection = "lost";
  document.dispatchEvent(new Event("connectionlost"));
  say("Connection lost: reconnecting … What you typed is kept.", "Try now", () => wake());
  const { at, times } = reopened();
  const again = Date.now() - at < 60_000;
  if (again && times > 1) await pause(2 ** Math.min(times, 5));
  for (let turn = 0; !(await answers()); turn += 1) await pause(WAITS[Math.min(turn, WAITS.length - 1)]);
  reopen(again ? times + 1 : 1);
}

/** @param {number} times */
function reopen(times) {
  const open = () => {
    try {
      sessionStorage.setItem(AGAIN, JSON.stringify({ at: Date.now(), times, told: false }));
    } catch {
      /* no bar */
    }
    location.reload();
  };
  if (document.dispatchEvent(new Event("reopening", { cancelable: true }))) {
    say("Reconnected: opening the workbench again …");
    return open();
  }
  say("The server answers again, but this browser cannot keep so long a text: copy it, then", "open anew", open);
}

// An action that the session has not heard: its server may be gone, or the socket dead without a word.
async function unheard() {
  if (page.dataset.connection === "lost") return;
  const silent = Symbol("silent");
  const heard = new Promise((done) => document.addEventListener("heard", done, { once: true }));
  if ((await answers()) && (await Promise.race([heard, pause(PATIENCE).then(() => silent)])) !== silent) return;
  lost();
}

/** @param {{ on_event: (event: string, run: () => void) => void }} document_ */
function watch(document_) {
  page.dataset.connection = "open";
  document_.on_event("connection_lost", lost);
  const last = reopened();
  if (last.told !== false) return say("");
  sessionStorage.setItem(AGAIN, JSON.stringify({ ...last, told: true }));
  say("Reconnected.");
  setTimeout(() => page.dataset.connection === "open" && say(""), 6000);
}

const slow = setTimeout(() => say("The workbench is slow to open.", "Open anew", () => location.reload()), 30_000);
const opening = setInterval(() => {
  const [first] = window.Bokeh?.documents ?? [];
  if (!first) return;
  clearInterval(opening);
  clearTimeout(slow);
  watch(first);
}, 100);

document.addEventListener("unheard", unheard);
for (const event of ["online", "focus"]) window.addEventListener(event, () => wake());
window.addEventListener("offline", async () => {
  if (!(await answers())) lost();
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
